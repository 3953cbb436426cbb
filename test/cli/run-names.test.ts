// A run on a capture keeps what its nodes are called: in the manifest, and on the page of the stored run.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { identifiedTree } from '../support/infiniband.js';
import { commandWith } from '../support/run-command.js';

it('the manifest and the page of a run have the names of the capture, with GUIDs where they repeat', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-names-'));
  const at = (name: string): string => join(folder, name);
  const weft = commandWith({ makePlan, simulate });
  try {
    // two leaves, one of them named as the spine is
    const tree = identifiedTree('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 2 });
    const net = writeIbnetdiscover(tree).replaceAll('"leaf01"', '"spine00"');
    await writeFile(at('f.net'), net);
    await writeFile(
      at('s.yaml'),
      `fabric: { file: f.net }
traffic:
  transfers:
    - { source: "node000 HCA-1", destination: "node003 HCA-1", size: 1MB }
    - { source: "node001 HCA-1", destination: "node003 HCA-1", size: 1MB }
probes: { queueInterval: 1us }
`,
    );
    expect(await weft('run', at('s.yaml'), '--quiet', '--out', at('run'))).toMatchObject({ code: 0 });
    const { nodeNames } = JSON.parse(await readFile(at('run/manifest.json'), 'utf8')) as { nodeNames: string[] };
    const guid = (name: string): string =>
      `0x${tree.identity.nodeGuid[tree.identity.nodeName.indexOf(name)]!.toString(16).padStart(16, '0')}`;
    expect([...nodeNames].sort()).toEqual(
      ['node000 HCA-1', 'node001 HCA-1', 'node002 HCA-1', 'node003 HCA-1', 'leaf00']
        .concat([`spine00 ${guid('leaf01')}`, `spine00 ${guid('spine00')}`])
        .sort(),
    );
    expect(await weft('report', at('run'), '--out', at('run.html'), '--quiet')).toMatchObject({ code: 0 });
    const page = await readFile(at('run.html'), 'utf8');
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!;
    const { figures, drawings } = JSON.parse(data) as {
      figures: { id: string; series?: { name: string }[] }[];
      drawings: { names: string[] }[];
    };
    expect(drawings[0]!.names).toEqual(expect.arrayContaining([...nodeNames]));
    // both flows meet at the uplink of leaf00, which only one of them can use at a time
    const queues = JSON.stringify(figures.find(({ id }) => id.startsWith('queue')));
    expect(queues).toContain('leaf00:3');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
