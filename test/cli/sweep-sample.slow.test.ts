// `weft sweep --sample` and what `weft report` makes of sweeps: values within their ranges, the same twice; shares, fronts and
// groups from the rows themselves.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvRows } from '../support/csv-rows.js';
import { eachAtSweepPlace, sweeper } from '../support/swept-pair.js';

let folder = '';
let scenario = '';
let out = '';
eachAtSweepPlace((place) => ({ folder, scenario, out } = place));

const text = (name: string): Promise<string> => readFile(join(out, name), 'utf8');
const sweep = (...words: string[]) => sweeper('sweep', scenario, '--out', out, '--jobs', '1', ...words);

interface Choice {
  readonly shares: readonly { figure: string; settings?: { setting: string; first: number; total: number }[] }[];
  readonly pareto: readonly { settings: Record<string, string>; figures: Record<string, number> }[];
  readonly bestPer: readonly { settings: Record<string, string>; figures: Record<string, number> }[];
}

async function choice(...words: string[]): Promise<Choice> {
  const { code, stdout, stderr } = await sweeper('report', out, '--out', join(folder, 'r.html'), '--json', ...words);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Choice;
}

describe('a sweep of ranges', () => {
  const words = [
    '--set',
    'traffic.transfers[0].size=100kB..900kB',
    '--set',
    'sendLatency=0ns..1us',
    '--set',
    'pfc.enabled=true,false',
    '--sample',
    'sobol',
    '16',
  ];

  it('has its points, the same twice, and tells which setting moves a figure', async () => {
    const { code, stdout, stderr } = await sweep(...words);
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/error/)]);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const rows = csvRows(await text('runs.csv'));
    expect(rows).toHaveLength(16 * 5);
    const sizes = rows.map((row) => Number(row['set.traffic.transfers[0].sizeBytes']));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(100e3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(900e3);
    expect(new Set(rows.map((row) => row['set.pfc.enabled']))).toEqual(new Set(['true', 'false']));
    const before = await text('runs.csv');
    await rm(out, { recursive: true });
    await sweep(...words);
    expect(await text('runs.csv')).toBe(before);
    // one transfer alone: its time is its size over the rate, 8 to 72 us beside 1 us of latency and nothing else
    const { shares } = await choice();
    const [size, latency, pause] = shares.find(({ figure }) => figure === 'fct.meanNs')!.settings!;
    expect(size!.first).toBeGreaterThan(0.9);
    expect(size!.total).toBeGreaterThan(0.9);
    expect(Math.abs(latency!.total)).toBeLessThan(0.01);
    expect(pause!.total).toBe(0);
  });

  it('is another one with another sample', async () => {
    await sweep(...words);
    const { code, stderr } = await sweep(...words.slice(0, -1), '8');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/it has the sample sobol 16, not the sample sobol 8/)]);
  });

  it.each<[string[], RegExp]>([
    [['--set', 'switch.buffer=1MiB..2MiB'], /a range of values has no grid/],
    [['--set', 'switch.buffer=1MiB..2MiB', '--sample', 'sobol'], /this is no sample/],
    [['--set', 'switch.buffer=1MiB..2MiB', '--sample', 'halton', '8'], /this is no sample/],
    [['--set', 'switch.buffer=2MiB..1MiB', '--sample', 'sobol', '8'], /ends before it begins/],
    [['--set', 'switch.buffer=2MiB', '--sample', 'sobol', '8'], /no setting has a range/],
    [['--set', 'switch.buffer=2MiB,1MiB..3MiB', '--sample', 'sobol', '8'], /has a range among several values/],
  ])('%j is refused', async (given, message) => {
    const { code, stderr } = await sweep(...given);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('a choice among combinations', () => {
  it('is what the rows say', async () => {
    await sweep(
      '--set',
      'traffic.transfers[0].size=100kB,300kB,200kB',
      '--set',
      'packet.payload=1000,2000',
      '--set',
      'sendLatency=0ns,3us',
    );
    const rows = csvRows(await text('runs.csv'));
    const { shares, pareto, bestPer } = await choice(
      '--pareto',
      'mean,counters.payloadBytesDelivered',
      '--best-per',
      'packet.payload',
    );
    const times = rows.map((row) => Number(row['fct.meanNs']));
    const mean = times.reduce((a, b) => a + b) / times.length;
    const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length;
    const [size] = shares.find(({ figure }) => figure === 'fct.meanNs')!.settings!;
    const means = ['100kB', '300kB', '200kB'].map((value) => {
      const own = rows.filter((row) => row['set.traffic.transfers[0].size'] === value);
      return own.reduce((sum, row) => sum + Number(row['fct.meanNs']), 0) / own.length;
    });
    expect(size!.first).toBeCloseTo(
      means.reduce((sum, own) => sum + (own - mean) ** 2, 0) / means.length / variance,
      9,
    );
    const points = rows.map((row) => [Number(row['fct.meanNs']), Number(row['counters.payloadBytesDelivered'])]);
    const front = points.filter(([a, b]) => !points.some(([c, d]) => c! <= a! && d! <= b! && (c! < a! || d! < b!)));
    expect(pareto.map(({ figures }) => Object.values(figures)).sort()).toEqual([...front].sort());
    for (const { settings, figures } of bestPer) {
      const own = rows.filter((row) => row['set.packet.payload'] === settings['packet.payload']);
      expect(figures['fct.meanNs']).toBe(Math.min(...own.map((row) => Number(row['fct.meanNs']))));
    }
    expect(bestPer).toHaveLength(2);
    const page = await readFile(join(folder, 'r.html'), 'utf8');
    for (const title of ['What moves the figures', 'Front', 'Best of each group']) expect(page).toContain(title);
  });

  it.each<[string[], RegExp]>([
    [['--pareto', 'mean'], /two or three figures/],
    [['--pareto', 'mean,mean'], /two or three figures/],
    [['--pareto', 'mean,nope'], /there is no such figure/],
    [['--best-per', 'nope'], /the sweep has no such setting/],
  ])('%j is refused', async (words, message) => {
    await sweep('--seeds', '1..2');
    const { code, stderr } = await sweeper('report', out, '--out', join(folder, 'r.html'), ...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
