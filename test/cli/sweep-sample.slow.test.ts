// `weft sweep --sample` and what `weft report` makes of sweeps: values within their ranges, the same twice; shares, fronts and
// groups from the rows themselves.

import { readFile, rm, writeFile } from 'node:fs/promises';
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
  readonly figures: readonly { readonly id: string; readonly title: string }[];
  readonly shares: readonly { figure: string; settings?: { setting: string; first: number; total: number }[] }[];
  readonly pareto: readonly { settings: Record<string, string>; figures: Record<string, number> }[];
  readonly bestPer: readonly { settings: Record<string, string>; figures: Record<string, number> }[];
}

async function choice(...words: string[]): Promise<Choice> {
  const { code, stdout, stderr } = await sweeper(
    'report',
    out,
    '--out',
    join(folder, 'r.html'),
    '--force',
    '--json',
    ...words,
  );
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

  it('of time against cost is what brute force finds, and the cost what parts come to', async () => {
    const flows = [0, 1, 2, 3].map((host) => `{ source: ${host}, destination: ${host + 4}, size: 1MB }`);
    const fabric = 'fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 4, spines: 1, hostRate: 100Gbps }';
    const cost = 'cost: { switch: 1000, port: 70, cable: 9, gpu: 20 }';
    await writeFile(scenario, `backend: fluid\n${fabric}\n${cost}\ntraffic: { transfers: [${flows.join(', ')}] }\n`);
    await sweep('--set', 'fabric.spines=1,2,3,4', '--set', 'fabric.spineRate=50Gbps,100Gbps');
    const rows = csvRows(await text('runs.csv'));
    expect(rows).toHaveLength(8);
    for (const row of rows) {
      // both leaves have four cables down and one to each spine; spines have no others
      const [spines, cables] = [Number(row['set.fabric.spines']), 8 + 2 * Number(row['set.fabric.spines'])];
      expect(Number(row['cost'])).toBe(1000 * (2 + spines) + 70 * (8 + 4 * spines) + 9 * cables + 20 * 8);
    }
    const points = rows.map((row) => [Number(row['simulatedNs']), Number(row['cost']), Number(row['fct.meanNs'])]);
    for (const [words, places] of [
      ['time,cost', [0, 1]],
      ['time,cost,mean', [0, 1, 2]],
    ] as const) {
      const own = points.map((point) => places.map((place) => point[place]!));
      const front = own.filter((a) => !own.some((b) => b.every((v, k) => v <= a[k]!) && b.some((v, k) => v < a[k]!)));
      const { pareto, figures } = await choice('--pareto', words);
      expect(pareto.map((each) => Object.values(each.figures)).sort()).toEqual(front.sort());
      expect(pareto.length).toBeLessThan(8);
      expect(pareto.length).toBeGreaterThan(1);
      expect(figures.at(-1)).toMatchObject({ id: 'front', title: 'Simulated time against cost' });
    }
  });

  it('by a figure that no run has is refused, and so is a folder that is not there', async () => {
    await sweep('--seeds', '1..2');
    const words = ['--pareto', 'time,cost', '--out', join(folder, 'r.html')];
    const { code, stderr } = await sweeper('report', out, ...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/no run of the sweep has this figure[^]*cost: \{ switch/),
    ]);
    expect((await sweeper('report', join(folder, 'none'), ...words)).stderr).not.toMatch(/choice among/);
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
