// A folder of a run in which a bit was flipped: every command that reads it gives the figures of before or names the file
// that was changed; never other figures.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { RandomStream } from '../../src/base/random.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { changeSealed } from '../support/changed-manifest.js';
import { commandWith } from '../support/run-command.js';
import { seed } from '../support/seed.js';

const weft = commandWith({ makePlan, simulate });
const scenario = `fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
traffic: { transfers: [{ source: 0, destination: 5, size: 1MB }, { source: 1, destination: 6, size: 1MB }] }
probes: { queueInterval: 1us }
`;
let folder = '';
const at = (...names: string[]): string => join(folder, ...names);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-changed-'));
  await writeFile(at('s.yaml'), scenario);
  expect((await weft('run', at('s.yaml'), '--out', at('run'), '--quiet')).code).toBe(0);
  await cp(at('run'), at('changed'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Commands that read a folder, by what they read of it. */
const readers: readonly (readonly [file: string, words: (run: string) => readonly string[]])[] = [
  ['flows.parquet', (run) => ['analyze', 'fct', run, '--json']],
  ['flows.parquet', (run) => ['compare', run, at('run'), '--json']],
  ['flows.parquet', (run) => ['analyze', 'fct', '--fct', join(run, 'flows.parquet'), '--json']],
  ['flows.parquet', (run) => ['report', run, '--out', at('page.html'), '--force', '--json']],
  ['queues.parquet', (run) => ['report', run, '--out', at('page.html'), '--force', '--json']],
  ['paths.csv', (run) => ['analyze', 'collisions', run, '--json']],
  ['fabric.topo', (run) => ['report', run, '--out', at('page.html'), '--force', '--json']],
  ['fct.txt', (run) => ['analyze', 'fct', '--fct', join(run, 'fct.txt'), '--json']],
  ['manifest.json', (run) => ['analyze', 'fct', run, '--json']],
  ['summary.json', (run) => ['report', run, '--out', at('page.html'), '--force', '--json']],
];

describe(`a bit flipped (seed ${seed})`, () => {
  it.each(readers)('in %s is found (%#)', async (file, words) => {
    const random = new RandomStream(seed, file);
    const path = at('changed', file);
    const whole = await readFile(at('run', file));
    for (let time = 0; time < 12; time++) {
      const bytes = Uint8Array.from(whole);
      const place = Math.floor(random.nextFraction() * bytes.length);
      const bit = Math.floor(random.nextFraction() * 8);
      bytes[place]! ^= 1 << bit;
      await writeFile(path, bytes);
      const { code, stdout, stderr } = await weft(...words(at('changed')));
      expect([place, bit, code, stdout]).toEqual([place, bit, 2, '']);
      expect(stderr, `${place}, bit ${bit}`).toContain(file);
    }
    await writeFile(path, whole);
    expect((await weft(...words(at('changed')))).stderr).toBe('');
  });
});

it('says which file is not as it was written', async () => {
  const path = at('changed', 'flows.parquet');
  const whole = await readFile(path);
  const bytes = Uint8Array.from(whole);
  bytes[40]! ^= 1;
  await writeFile(path, bytes);
  const { stderr } = await weft('analyze', 'fct', at('changed'));
  expect(stderr).toContain(`${path}: error: this file is not as the run wrote it`);
  expect(stderr).toContain('which the run wrote down');
  await writeFile(path, whole);
});

it('reads a folder without digests, and says so', async () => {
  await cp(at('run'), at('older'), { recursive: true });
  await changeSealed(at('older', 'manifest.json'), (text) =>
    JSON.stringify({ ...(JSON.parse(text) as object), sha256: undefined }),
  );
  const { code, stdout, stderr } = await weft('analyze', 'fct', at('older'), '--json');
  expect(code).toBe(0);
  expect(stderr).toContain('older: note: its manifest has no digests of its files');
  expect(stdout.replaceAll('older', 'run')).toBe((await weft('analyze', 'fct', at('run'), '--json')).stdout);
});
