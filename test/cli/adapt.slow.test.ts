// weft adapt: the form that scripts read, the answer for people, and what is refused.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bestBytes, bisectionScenario } from '../support/adapt-scenarios.js';
import { RandomStream } from '../../src/base/random.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { seed } from '../support/seed.js';

let folder = '';
const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, ['adapt', ...words]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-adapt-'));
  await writeFile(join(folder, 'shuffle.yaml'), bisectionScenario('shuffle'));
  await writeFile(join(folder, 'other.yaml'), bisectionScenario('shift').replace('hostsPerEdge: 4', 'hostsPerEdge: 2'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('has a row for the run before, and one for each epoch', async () => {
  const { code, stdout } = await weft('@shuffle.yaml', '--epochs', '1', '--json');
  expect(code).toBe(0);
  const { epochs } = JSON.parse(stdout) as { epochs: Record<string, number>[] };
  expect(epochs.map(({ maxLoad, adaptiveBound }) => [maxLoad, adaptiveBound])).toEqual([
    [1.5 * bestBytes, bestBytes],
    [bestBytes, bestBytes],
  ]);
  expect(epochs[0]!['changedEntries']).toBe(0);
  expect(epochs[1]!['changedEntries']).toBeGreaterThan(0);
  expect(epochs[1]!['totalNs']).toBeLessThan(epochs[0]!['totalNs']!);
});

it('says first what it came to', async () => {
  const { stdout } = await weft('@shuffle.yaml');
  expect(stdout.split('\n')[0]).toMatch(/^The tables of epoch 1 are kept after 1 epoch: 0\.\d+ ms in place of 0\.\d+/);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

it('leaves its files in a folder, and no loop in the folder of another', async () => {
  const words = ['@shuffle.yaml', '--set', 'backend=fluid', '--out', '@out'];
  expect((await weft(...words)).code).toBe(0);
  expect((await readdir(join(folder, 'out'))).sort()).toContain('epoch-1.steps.json');
  expect(await weft(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining('epochs of another loop') });
  expect((await weft(...words, '--force')).code).toBe(0);
});

it(`never ends with more load than it began with, on one lane, which tells little (WEFT_SEED=${seed})`, async () => {
  const random = new RandomStream(seed, 'adapt');
  for (let draw = 0; draw < 4; draw++) {
    const rows = Array.from({ length: 40 }, () => {
      const from = random.nextBelow(16);
      return `0,${from},${(from + 1 + random.nextBelow(15)) % 16},${2 ** (10 + random.nextBelow(8))}`;
    });
    await writeFile(join(folder, 'trace.csv'), `timestamp_ns,src,dst,size_bytes\n${rows.join('\n')}\n`);
    const text = bisectionScenario('shift').replace(/workload: .*/, 'traffic: { trace: trace.csv }');
    await writeFile(join(folder, 'drawn.yaml'), text);
    const { stdout } = await weft('@drawn.yaml', '--epochs', '2', '--lanes', '1', '--set', 'backend=fluid', '--json');
    const { epochs, keptEpoch } = JSON.parse(stdout) as { epochs: { maxLoad: number }[]; keptEpoch: number };
    expect(epochs[keptEpoch]!.maxLoad / epochs[0]!.maxLoad, rows.join('\n')).toBeLessThanOrEqual(1.001);
  }
});

describe('refuses, and says what is wanted', () => {
  it.each([
    [['@shuffle.yaml', '@other.yaml'], 'the scenarios have not the same fabric'],
    [['@shuffle.yaml', '--set', 'backend=packet', '--lanes', '2'], 'pairs of hosts do not tell the lanes'],
    [['@shuffle.yaml', '--dictionary', 'fourier'], 'there is no such basis'],
    [['@nowhere.yaml'], 'no such file'],
    [['@shuffle.yaml', '--why', '0,16'], 'these are not two hosts of the fabric'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await weft(...words);
    expect({ code, isSaid: stderr.includes(message) }).toEqual({ code: 2, isSaid: true });
  });
});
