// weft adapt: the form that scripts read, the answer for people, and what is refused.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bestBytes, bisectionScenario } from '../support/adapt-scenarios.js';
import { type CommandResult, runCommand } from '../support/run-command.js';

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

describe('refuses, and says what is wanted', () => {
  it.each([
    [['@shuffle.yaml', '@other.yaml'], 'the scenarios have not the same fabric'],
    [['@shuffle.yaml', '--set', 'backend=packet', '--lanes', '2'], 'pairs of hosts do not tell the lanes'],
    [['@shuffle.yaml', '--dictionary', 'fourier'], 'there is no such basis'],
    [['@nowhere.yaml'], 'no such file'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await weft(...words);
    expect({ code, isSaid: stderr.includes(message) }).toEqual({ code: 2, isSaid: true });
  });
});
