// weft route compute --workers: several searches, the best kept; the same tables for the same work, whatever the
// threads do. Needs dist/ (npm test builds it first).

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-workers-'));
  const random = new RandomStream(2, 'traffic of workers');
  const lines = ['source,destination,bytes'];
  for (let from = 0; from < 64; from++)
    for (let to = 0; to < 64; to++)
      if (from !== to && random.nextFraction() < 0.2)
        lines.push(`${from},${to},${1 + Math.floor(1000 * random.nextFraction() * random.nextFraction())}`);
  await writeFile(join(folder, 'm.csv'), `${lines.join('\n')}\n`);
  await writeFile(
    join(folder, 'f.net'),
    writeIbnetdiscover(
      identifiedTree('fat-tree', {
        pods: 4,
        edgesPerPod: 2,
        hostsPerEdge: 8,
        aggregationPerPod: 4,
        cores: 8,
        coreGroups: 2,
      }),
    ),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Report {
  readonly maxLoad: number;
  readonly notes: readonly string[];
  readonly search: { readonly work: number; readonly workers: number };
}

async function compute(out: string, ...more: string[]): Promise<{ report: Report; tables: string }> {
  const world = scriptedContext();
  const words = [
    'route',
    'compute',
    '--fabric',
    '@f.net',
    '--traffic',
    '@m.csv',
    '--algorithm',
    'weft',
    '--work',
    '2000000',
    '--json',
    '--out',
    `@${out}`,
    ...more,
  ];
  expect(
    await runProgram(
      words.map((word) => word.replace(/^@/, `${folder}/`)),
      world,
    ),
  ).toBe(0);
  return { report: JSON.parse(world.stdout.text) as Report, tables: await readFile(join(folder, out), 'utf8') };
}

it('three searches come to the same tables every time, no worse than one, which is the first of them', async () => {
  const one = await compute('one.lfts');
  const alone = await compute('alone.lfts', '--workers', '1');
  const three = await compute('three.lfts', '--workers', '3');
  const again = await compute('again.lfts', '--workers', '3');
  expect(alone.tables).toBe(one.tables);
  expect(again.tables).toBe(three.tables);
  expect(three.report.maxLoad).toBeLessThanOrEqual(one.report.maxLoad);
  expect(three.report.search.workers).toBe(3);
  expect(three.report.notes.at(-1)).toMatch(/^the best of 3 searches, number [123]$/);
  // streams differ: with this traffic another one than the first is best
  expect(three.tables).not.toBe(one.tables);
});

it.each([
  ['--workers', '0', 'from 1 to 256'],
  ['--workers', 'two', 'whole number'],
  ['--patience', '0', 'above 0'],
])('refuses %s %s', async (option, value, message) => {
  const world = scriptedContext();
  expect(
    await runProgram(
      ['route', 'compute', '--fabric', 'quartz1', '--traffic', 'stencil', '--algorithm', 'weft', option, value],
      world,
    ),
  ).toBe(2);
  expect(world.stderr.text).toContain(message);
});

it('is said to be of no use to other algorithms', async () => {
  const world = scriptedContext();
  expect(
    await runProgram(
      ['route', 'compute', '--fabric', 'quartz1', '--traffic', 'stencil', '--algorithm', 'afar', '--workers', '2'],
      world,
    ),
  ).toBe(2);
  expect(world.stderr.text).toContain('--workers');
  expect(world.stderr.text).toContain('afar does not heed it');
});
