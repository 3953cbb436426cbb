// weft route compute --background: routes go round what counters of ports say that others send.
// Needs dist/ (npm test builds it first).

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';

// two leaves with four hosts each and four spines: a flow per uplink, if nothing else is there
const tree = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 4 });
const { fabric, identity } = tree;
const leaf = identity.nodeName.indexOf('leaf00');
const uplinks = Array.from({ length: fabric.portCount }, (_, port) => port).filter(
  (port) =>
    fabric.portNode[port] === leaf && identity.nodeName[fabric.portNode[fabric.portPeer[port]!]!]!.startsWith('spine'),
);

/** Counters as perfquery -x prints them: what the uplinks of leaf00 have sent. */
function counters(bytes: readonly number[]): string {
  return uplinks
    .map(
      (port, i) =>
        `# Port extended counters: Lid ${identity.lid[leaf]} port ${identity.portNumber[port]} (CapMask: 0x1300 CapMask2: 0x0000000)\nPortXmitData:....................${bytes[i]! / 4}\n`,
    )
    .join('');
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-background-'));
  await writeFile(join(folder, 'f.net'), writeIbnetdiscover(tree));
  // three flows of 400 bytes from leaf00 to leaf01
  await writeFile(join(folder, 'm.csv'), 'source,destination,bytes\n0,4,400\n1,5,400\n2,6,400\n');
  await writeFile(join(folder, 'before'), counters([4000, 0, 0, 8000]));
  await writeFile(join(folder, 'after'), counters([4000, 0, 360, 8000]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const world = scriptedContext();
  const code = await runProgram(
    ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'weft', ...words].map((word) =>
      word.replace(/^@/, `${folder}/`),
    ),
    world,
  );
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

it('leaves the link alone that others use: 360 bytes of theirs there, 400 of ours on each of the others', async () => {
  const { stdout } = await run(
    '--traffic',
    '@m.csv',
    '--background',
    '@after',
    '--background-before',
    '@before',
    '--json',
  );
  const report = JSON.parse(stdout) as {
    maxLoad: number;
    background: object;
    search: { provenWork: number | null };
    warnings: { code: string; message: string }[];
  };
  expect(report).toMatchObject({ maxLoad: 400, background: { maxLoad: 400, backgroundMaxLoad: 360 } });
  expect(report.search.provenWork).not.toBe(null);
  // 4 uplinks of 16 links between switches, two ports each, were read
  expect(report.warnings.map(({ code, message }) => [code, message.split(' ')[0]])).toEqual([['unread-port', '12']]);
});

it('without an earlier reading counts what was ever sent: 8000 bytes on one link are the bound', async () => {
  const { stdout } = await run('--traffic', '@m.csv', '--background', '@after', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ background: { maxLoad: 8000, backgroundMaxLoad: 8000 } });
});

it('says so in a line, and in figures', async () => {
  const { stdout } = await run(
    '--traffic',
    '@m.csv',
    '--background',
    '@after',
    '--background-before',
    '@before',
    '--figure',
    '@loads.svg',
    '--trace-figure',
    '@search.svg',
  );
  expect(stdout).toContain('  with others    largest load 400 between switches; others alone 360\n');
  expect(await readFile(join(folder, 'loads.svg'), 'utf8')).toContain(
    'those of other traffic (--background) are left out',
  );
  expect(await readFile(join(folder, 'search.svg'), 'utf8')).toContain('counts the loads of other traffic');
});

it.each([
  [['--traffic', 'stencil', '--background', '@after'], 'counters are bytes, and this traffic has no unit'],
  [['--traffic', '@m.csv', '--background-before', '@before'], 'the counters from afterwards are missing'],
  [['--traffic', '@m.csv', '--background', '@none'], 'none'],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await run(...words);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
