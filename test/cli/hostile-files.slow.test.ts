// Every file that any command reads, as a device, a FIFO, a directory and more: exit code 2, a clear message that names
// the file, nothing on stdout, soon. In this process: what waits for a FIFO waits for ever.

import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { RandomStream } from '../../src/base/random.js';
import { runProgram } from '../../src/cli/program.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const fabric = 'fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 2, spines: 1 }\n';
const requests = fileURLToPath(new URL('../../examples/kv-cache/', import.meta.url));

/** Command lines, with BAD where the bad file is named, _ for a space and `@file` for good ones. */
const commandLines = [
  'run BAD',
  'run BAD --backend analytical,fluid --json',
  'run @trace.yaml --set fabric={file:_BAD}',
  'run @trace.yaml --set traffic={trace:_BAD}',
  'run @trace.yaml --set traffic={file:_BAD}',
  'run @trace.yaml --set loss.model=time --set loss.file=BAD',
  'run @trace.yaml --set loss.model=trace --set loss.file=BAD',
  'run @config.txt --set fabric.file=BAD',
  'run @workload.yaml --set workload={file:_BAD}',
  'run @own-plane.yaml --set inference.trace=BAD',
  'run -c BAD -n @a.topo --trace @t.csv',
  'run -c @SimAI.conf -n BAD --trace @t.csv',
  'run -c @SimAI.conf -n @a.topo --trace BAD',
  'run -c @SimAI.conf -n @a.topo --workload BAD',
  'collective allreduce --fabric BAD',
  'compare-fabrics BAD --gpus 16',
  'compare-fabrics --gpus 16 --fabrics BAD,spectrum-x',
  'compare-fabrics --gpus 16 --workload BAD',
  'topology check BAD',
  'topology check BAD --json',
  'route evaluate --fabric BAD --tables @a.lfts',
  'route evaluate --fabric @f.net --tables BAD',
  'route evaluate --fabric @f.net --tables @a.lfts --current BAD',
  'route evaluate --fabric @f.net --tables @a.lfts --traffic BAD',
  'route evaluate --fabric @f.net --tables @a.lfts --guid2lid BAD',
  'route evaluate --fabric @f.net --tables @a.lfts --roots BAD',
  'route compute --fabric BAD --algorithm dmodk',
  'route compute --fabric @f.net --algorithm dmodk --traffic BAD',
  'route compute --fabric @f.net --algorithm weft --traffic @m.csv --background BAD',
  'route compute --fabric @f.net --algorithm weft --traffic @m.csv --background @counters --background-before BAD',
  'route compare --fabric @f.net --algorithms dmodk --traffic BAD',
  'route compare --fabric @f.net --traffic stencil --tables BAD',
  'route model --fabric @f.net --traffic BAD --out @made.lp',
  'route import --fabric @f.net --tables BAD --out @made.lfts',
  'route import --fabric @f.net --tables @a.lfts --counters BAD --out @made.lfts',
  'route import --fabric @f.net --tables @a.lfts --counters @counters --before BAD --out @made.lfts',
  'route import --fabric @f.net --tables @a.lfts --sl2vl BAD --out @made.lfts',
  'route export --fabric @f.net --tables BAD --out @made',
  'traffic stats --fabric BAD --traffic stencil',
  'traffic stats --fabric @f.net --traffic BAD',
  'traffic stats --fabric @f.net --traffic all-to-all --allocation BAD',
  'traffic write --fabric @f.net --traffic BAD --out @made.csv',
];

/** Command lines that write, with BAD where; of what is written nothing may be lost. */
const writingLines = [
  'run @trace.yaml --quiet --out BAD',
  'compare-fabrics @trace.yaml --fabrics @a.topo --quiet --out BAD',
  'compare-fabrics @trace.yaml --fabrics @a.topo --quiet --report BAD --force',
  'topology generate dumbbell --out BAD --force',
  'schema --out BAD --force',
  'route compute --fabric @f.net --algorithm dmodk --out BAD --force',
  'route import --fabric @f.net --tables @a.lfts --out BAD --force',
  'route export --fabric @f.net --tables @a.lfts --out BAD --force',
  'route evaluate --fabric @f.net --tables @a.lfts --traffic stencil --figure BAD --force',
  'route model --fabric @f.net --traffic stencil --out BAD --force',
  'traffic write --fabric @f.net --traffic stencil --out BAD --force',
];

interface Kind {
  readonly make: (path: string) => Promise<unknown>;
  readonly says: RegExp;
  /** most errors of its message */
  readonly errors: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  'a device': { make: (path) => symlink('/dev/zero', path), says: /it is a device/, errors: 1 },
  'a FIFO': {
    make: (path) => Promise.resolve(execFileSync('mkfifo', [path])),
    says: /it is a FIFO/,
    errors: 1,
  },
  'a directory': { make: (path) => mkdir(path), says: /directory/, errors: 1 },
  'a link in a circle': { make: (path) => symlink(path, path), says: /ELOOP|circle/, errors: 1 },
  missing: { make: () => Promise.resolve(), says: /no such file/, errors: 1 },
  empty: { make: (path) => writeFile(path, ''), says: /./, errors: 2 },
  binary: { make: (path) => writeFile(path, noise(300_000)), says: /./, errors: 20 },
  'binary from its first byte': { make: (path) => writeFile(path, Buffer.alloc(300_000)), says: /./, errors: 20 },
  'not UTF-8': {
    make: (path) =>
      writeFile(path, Buffer.concat([Buffer.from('fabric: caf'), Buffer.from([0xe9]), Buffer.from('\n')])),
    says: /./,
    errors: 3,
  },
  'a line of 20 MB': { make: (path) => writeFile(path, 'x'.repeat(20e6)), says: /./, errors: 2 },
  'without permission': {
    make: async (path) => {
      await writeFile(path, 'text');
      await chmod(path, 0o000);
    },
    says: /permission denied/,
    errors: 1,
  },
};

/** In the everyday check the first two alone, which wait or eat memory. */
const drawn = Object.entries(kinds).slice(0, rounds(3) === 3 ? undefined : 2);

function noise(sizeBytes: number): Uint8Array {
  const stream = new RandomStream(seed, 'noise');
  return Uint8Array.from({ length: sizeBytes }, () => stream.nextBelow(256));
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-hostile-'));
  await chmod(folder, 0o755);
  const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
  const leaf = tree.identity.nodeName.indexOf('leaf00');
  const files = {
    'trace.yaml': `${fabric}traffic: { trace: t.csv }\n`,
    'config.txt': 'TOPOLOGY_FILE a.topo\nFLOW_FILE flow.txt\n',
    'workload.yaml': `${fabric}workload: { file: w.txt }\n`,
    't.csv': '0,0,2,1000\n',
    'a.topo':
      '4 1 0 2 4 A100\n2 3\n0 2 100Gbps 500ns 0\n1 3 100Gbps 500ns 0\n2 3 100Gbps 500ns 0\n0 3 100Gbps 500ns 0\n',
    'SimAI.conf': 'CC_MODE 1\n',
    'f.net': writeIbnetdiscover(tree),
    'a.lfts': [...lftTexts(tree, [routeDmodK(recogniseFatTree(tree.fabric).tree!)])].join(''),
    'm.csv': 'source,destination,bytes\n0,1,2\n',
    counters: `# Port extended counters: Lid ${tree.identity.lid[leaf]} port 1 (CapMask: 0x1300 CapMask2: 0x0000000)\nPortXmitData:....................5\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  for (const name of ['own-plane.yaml', 'requests.csv']) await copyFile(join(requests, name), join(folder, name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function weft(line: string, bad: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = scriptedContext({ makePlan, simulate });
  const words = line.split(' ').map((word) => word.replace('_', ' ').replace('BAD', bad).replace('@', `${folder}/`));
  const code = await runProgram(words, context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** As a user to whom permissions apply. @returns false if this process cannot be one */
async function asUser(act: () => Promise<void>): Promise<boolean> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && process.seteuid === undefined) return false;
  if (isRoot) process.seteuid!(65_534);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
  return true;
}

describe.skipIf(process.platform === 'win32')('a file that is read is', () => {
  describe.each(drawn)('%s', (kind, { make, says, errors }) => {
    beforeAll(() => make(join(folder, 'bad')));
    afterAll(() => rm(join(folder, 'bad'), { recursive: true, force: true }));

    it.each(commandLines)('%s', async (line) => {
      const before = await readdir(folder);
      const act = async (): Promise<void> => {
        const { code, stdout, stderr } = await weft(line, join(folder, 'bad'));
        expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' });
        expect(stderr).toMatch(says);
        expect(stderr).toContain('bad');
        const told = stderr.match(/\berror: /g) ?? [];
        expect([told.length > 0, told.length <= errors, stderr]).toEqual([true, true, stderr]);
        expect(stderr.length).toBeLessThan(8000);
      };
      if (kind !== 'without permission') await act();
      else if (!(await asUser(act))) process.stderr.write('permissions do not apply to this user: skipped\n');
      expect(await readdir(folder)).toEqual(before);
    });
  });
});

describe.skipIf(process.platform === 'win32')('a file that is written is', () => {
  afterEach(() => rm(join(folder, 'out'), { force: true }));
  describe.each(['a device', 'a FIFO', 'a link in a circle'])('%s', (kind) => {
    it.each(writingLines)('%s', async (line) => {
      const path = join(folder, 'out');
      await kinds[kind]!.make(path);
      const before = await readdir(folder);
      const { code, stdout, stderr } = await weft(line, path);
      expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\n]*out[^\n]*error: /);
      expect(stderr.length).toBeLessThan(500);
      expect(await readdir(folder)).toEqual(before);
    });
  });
});
