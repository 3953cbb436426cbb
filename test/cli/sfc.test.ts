// `weft sfc`: the source's example, what is absent where nothing is known, and what is refused.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
const example = [
  '--bandwidth',
  '400Gbps',
  '--senders',
  '7',
  '--alpha',
  '0.18',
  '--rtt',
  '20us',
  '--t1',
  '10us',
  '--t2',
  '10us',
];

async function json(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await weft('sfc', ...words, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("the source's example", () => {
  it('gives its figures, and no key whose inputs are missing', async () => {
    const alone = await json(...example);
    expect(alone).toMatchObject({ bufferIncreaseBytes: 520_000, pauseMinNs: 10_400 });
    for (const absent of ['pauseMaxNs', 'sfcThresholdMinBytes', 'pfcMarginBytes', 'queueShareBytes'])
      expect(alone).not.toHaveProperty(absent);
    expect(await json(...example, '--sfc-threshold', '1MB')).toMatchObject({ pauseMaxNs: 30_400 });
    expect(await json(...example, '--pause', '30us')).toMatchObject({ sfcThresholdMinBytes: 980_000 });
    expect(await json(...example, '--sfc-threshold', '1MB', '--pfc-threshold', '2MB')).toMatchObject({
      pfcMarginBytes: 480_000,
    });
    const { alpha: _, ...known } = (await json('--bandwidth', '400Gbps', '--senders', '7', '--rtt', '20us')) as {
      alpha?: unknown;
    };
    expect(known).not.toHaveProperty('bufferIncreaseBytes');
  });

  it('is the preset', async () => {
    expect(await json('--preset', 'high-performance-data-center')).toEqual(await json(...example));
  });

  it('fits 80 columns, with units everywhere', async () => {
    const { stdout } = await weft('sfc', ...example, '--sfc-threshold', '1MB', '--buffer', '64MB', '--queues', '8');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toContain('520kB in 40us');
    expect(stdout).toContain('10.4us to 30.4us');
    expect(stdout).toContain('one queue may hold 8MB');
  });
});

describe('several numbers of senders', () => {
  it('are a row each', async () => {
    const { rows } = (await json('--preset', 'ai-data-center', '--senders', '2,4..6')) as {
      rows: { given: { senders: number }; bufferIncreaseBytes: number }[];
    };
    // (N - 1) x 50 GB/s x 40 us
    expect(rows.map((row) => [row.given.senders, row.bufferIncreaseBytes])).toEqual([
      [2, 2e6],
      [4, 6e6],
      [5, 8e6],
      [6, 10e6],
    ]);
    const { stdout } = await weft('sfc', '--preset', 'ai-data-center', '--senders', '2..40');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout.split('\n')[1]).toMatch(/^2 +2MB +40us/);
  });
});

it('draws the feasible region and the sawtooth', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-sfc-'));
  try {
    const out = join(folder, 'pictures');
    expect((await weft('sfc', ...example, '--plot', out)).code).toBe(0);
    expect((await readdir(out)).sort()).toEqual(['feasible-region.svg', 'sawtooth.svg']);
    expect(await readFile(join(out, 'sawtooth.svg'), 'utf8')).toContain('T_SFC');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('prints an annex with its worked example', async () => {
  const { code, stdout } = await weft('sfc', '--annex');
  expect(code).toBe(0);
  for (const figure of ['520kB', '10.4us', '30.4us', '980kB']) expect(stdout).toContain(figure);
});

it.each<[string[], RegExp]>([
  [[], /nothing is known/],
  [['--bandwidth', '400'], /rate with its unit/],
  [['--rtt', '20'], /time with its unit/],
  [['--sfc-threshold', '1000'], /size with its unit/],
  [['--alpha', '1.5'], /at most 1/],
  [['--senders', '0'], /whole number from 1/],
  [['--senders', '9..2'], /smaller one first/],
  [['--senders', '1..99999'], /at most 1000/],
  [['--senders', '7', '--alpha', '0.1'], /1\/N = 0.1429/],
  [['--preset', 'ai-data-center', '--queues', '4'], /no effect without --buffer/],
  [['--preset', 'ai-data-center', '--senders', '2,3', '--plot', 'x'], /one number of senders/],
  [['--bandwidth', '400Gbps', '--plot', 'x'], /too little is known/],
  [['--annex', '--senders', '5'], /--senders has no effect on --annex/],
])('refuses %j', async (words, message) => {
  const { code, stdout, stderr } = await weft('sfc', ...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});
