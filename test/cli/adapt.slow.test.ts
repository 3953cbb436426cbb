// weft adapt: the form that scripts read, the answer for people, and what is refused.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { bestBytes, bisectionScenario } from '../support/adapt-scenarios.js';
import { RandomStream } from '../../src/base/random.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { seed } from '../support/seed.js';

let folder = '';
const by = (routing: string): string[] => ['@shuffle.yaml', '--set', `routing.algorithm=${routing}`];
const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, ['adapt', ...words]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-adapt-'));
  await writeFile(join(folder, 'shuffle.yaml'), bisectionScenario('shuffle'));
  await writeFile(join(folder, 'plain.yaml'), bisectionScenario('shuffle').replace(/routing: .*\n/, ''));
  const shape = '--pods 2 --edges-per-pod 2 --hosts-per-edge 4 --aggregation-per-pod 4 --cores 4'.split(' ');
  await runCommand(folder, ['topology', 'generate', 'fat-tree', ...shape, '--out', '@other.topo']);
  await runCommand(folder, 'route compute --fabric @other.topo --algorithm dmodk --out @other.lfts'.split(' '));
  await writeFile(join(folder, 'other.yaml'), bisectionScenario('shift').replace('hostsPerEdge: 4', 'hostsPerEdge: 2'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('has a row for the run before, and one for each epoch', async () => {
  const { code, stdout } = await weft('@shuffle.yaml', '--epochs', '1', '--set', 'polling.interval=1us', '--json');
  expect(code).toBe(0);
  const { epochs, warnings } = JSON.parse(stdout) as { epochs: Record<string, number>[]; warnings: unknown[] };
  // the loop reads counters when it needs them
  expect(warnings).toEqual([expect.objectContaining({ code: 'unused-setting' })]);
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

describe('where switches hash', () => {
  const size = 2_000_000;
  /** With a header of 62 bytes for each of 489 packets; counters are of words. */
  const flowBytes = size + 489 * 62;

  it('gives four flows of a leaf a link each, of which the hash had put two on one', async () => {
    const transfers = [4, 9, 13, 5].map((to, from) => `{ source: ${from}, destination: ${to}, size: ${size}B }`);
    await writeFile(
      join(folder, 'roce.yaml'),
      `backend: packet
fabric: { generate: leaf-spine, leaves: 4, spines: 4, hostsPerLeaf: 4 }
traffic: { transfers: [${transfers.join(', ')}] }
`,
    );
    const { code, stdout } = await weft('@roce.yaml', '--by', 'source-ports', '--out', '@ports', '--json');
    const { epochs, warnings } = JSON.parse(stdout) as { epochs: Record<string, number>[]; warnings: unknown[] };
    expect([code, warnings]).toEqual([0, []]);
    expect(epochs[0]!['maxLoad']! / flowBytes).toBeCloseTo(2, 2);
    expect([epochs[1]!['maxLoad'], epochs[1]!['adaptiveBound']]).toEqual([flowBytes, flowBytes]);
    // acknowledgements go by the hash: at most a fiftieth more on a link
    expect(epochs[1]!['measuredMaxLoad']! / flowBytes).toBeLessThan(1.02);
    // 100 Gb/s, and less than a tenth for latencies
    const times = epochs.map(({ totalNs }) => totalNs! / ((flowBytes * 8) / 100));
    expect([times[0]! > 2, times[0]! < 2.1, times[1]! > 1, times[1]! < 1.1]).toEqual([true, true, true, true]);
    // four senders and four receivers: ordered pairs of eight hosts
    expect(epochs[1]!['changedEntries']).toBe(8 * 7);
    const set = ['--set', 'routing.sourcePorts=ports/epoch-1.ports.csv'];
    const again = await runCommand(folder, ['run', '@roce.yaml', ...set, '--json'], { makePlan, simulate });
    expect(JSON.parse(again.stdout)).toMatchObject({ simulatedNs: epochs[1]!['totalNs'] });
  });

  it.each<[string, string[], RegExp]>([
    ['tables', ['@shuffle.yaml'], /shuffle\.yaml: error: --by source-ports[^]*found: {2}tables[^]*hint: /],
    ['lanes', ['@plain.yaml', '--lanes', '2'], /--lanes: error: it is for tables of switches/],
    [
      'a backend that counts nothing',
      ['@plain.yaml', '--set', 'backend=fluid'],
      /found: {2}a backend that counts nothing/,
    ],
    [
      'switches that spray',
      ['@plain.yaml', '--set', 'backend=packet', '--set', 'routing.balancing=spray'],
      /routing.balancing/,
    ],
  ])('refuses %s', async (_, words, message) => {
    const { code, stderr } = await weft(...words, '--by', 'source-ports');
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('refuses, and says where, what was found, and what to do', () => {
  it.each<[string, string[], RegExp]>([
    [
      'another fabric',
      ['@shuffle.yaml', '@other.yaml'],
      /other: error: the scenarios have not the same fabric\n {2}wanted: epochs/,
    ],
    [
      'tables of another fabric',
      [...by('tables'), '--set', 'routing.tables=other.lfts'],
      /other\.lfts:\d+:\d+: error: leaf00 has 6 ports\n {2}found: {2}\d/,
    ],
    [
      'lanes that no counters tell',
      ['@shuffle.yaml', '--set', 'backend=packet', '--lanes', '2'],
      /--lanes: error: pairs of hosts do not tell the lanes[^]*found: {2}2 lanes\n {2}wanted: [^]*hint: {3}--lanes 1/,
    ],
    [
      'more lanes than there are',
      ['@shuffle.yaml', '--lanes', '16'],
      /'16' is invalid. Give a whole number from 1 to 15/,
    ],
    [
      'no epoch',
      ['@shuffle.yaml', '--epochs', '0'],
      /'--epochs <count>' argument '0' is invalid. Give a whole number from 1/,
    ],
    [
      'no phase',
      ['@shuffle.yaml', '--phases', '0'],
      /'--phases <count>' argument '0' is invalid. Give a whole number from 1/,
    ],
    [
      'switches that choose by themselves',
      by('ecmp'),
      /shuffle\.yaml: error: epochs go by tables[^]*found: {2}routing.algorithm, and no tables[^]*hint: /,
    ],
    [
      'switches that balance',
      ['@plain.yaml', '--set', 'routing.balancing=adaptive'],
      /plain\.yaml: error: epochs go by tables[^]*found: {2}routing.balancing/,
    ],
    [
      // 16 messages of 256 bytes in 4 phases: a packet of 4 KiB takes 328 ns at 100 Gb/s
      'phases shorter than a packet',
      ['@shuffle.yaml', '--set', 'workload.messageSize=256B', '--phases', '64'],
      /--phases: error: a phase would be shorter[^]*found: {2}64 phases in \d+ ns; a packet takes 328 ns\n {2}wanted: /,
    ],
    [
      'an objective within few changes',
      ['@shuffle.yaml', '--objective', 'fewest-above:3', '--most-changes', '2'],
      /--most-changes: error: it does not go with --objective\n {2}found: {2}2/,
    ],
    [
      'no basis',
      ['@shuffle.yaml', '--dictionary', 'fourier'],
      /--dictionary: error: there is no such basis\n {2}found: {2}fourier/,
    ],
    ['no file', ['@nowhere.yaml'], /nowhere\.yaml: error: [^]*no such file/],
    [
      'no host',
      ['@shuffle.yaml', '--why', '0,16'],
      /--why: error: these are not two hosts[^]*wanted: two names or ranks from 0 to 15/,
    ],
  ])('%s', async (_, words, message) => {
    const { code, stdout, stderr } = await weft(...words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });
});
