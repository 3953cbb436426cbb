// The examples of source flow control in a tenth of their size: who waits for whom, and who is paused.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

const folder = 'examples/source-flow-control';
const host = nodeHost();

async function sound(file: string, overrides: readonly string[]): Promise<RunSummary> {
  const summary = await simulate(await makePlan(`${folder}/${file}`, { host, overrides: [...overrides] }), { host });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary.outcome).toBe('finished');
  return summary;
}

function run(file: string, transfers: number, size: string, set: readonly string[]): Promise<RunSummary> {
  const sizes = Array.from({ length: transfers }, (_, i) => `traffic.transfers[${i}].size=${size}`);
  return sound(file, [...sizes, ...set]);
}

/** Microseconds of each job. */
const jobsUs = ({ transferJobs }: RunSummary): number[] => transferJobs.map(({ totalPs }) => totalPs / 1e6);
/** Servers, counted from 1, with a host that was paused. */
const pausedServers = ({ pauses }: RunSummary): number[] => [...new Set(pauses!.map((row) => (row.host >> 2) + 1))];

/** 20 MB in packets of 4096 B with 82 B around each, over 100 Gb/s. */
const volumeUs = (Math.ceil(20e6 / 4096) * (4096 + 82) * 8) / 100e3;

describe('the verification environment', () => {
  it('has the bounds of its receivers, and SFC leaves server 4 alone where PFC does not', async () => {
    const cases = (set: readonly string[]) => run('cases.yaml', 16, '20MB', set);
    const [pfc, proxy, apart] = [
      await cases([]),
      await cases(['flowControl=[pfc, sfc]', 'sfc.reaction=proxy']),
      await run('apart.yaml', 16, '20MB', []),
    ];
    const [[pfc1, pfc2], [proxy1, proxy2], [apart1, apart2]] = [pfc, proxy, apart].map(jobsUs) as [
      number[],
      number[],
      number[],
    ];
    for (const task1 of [pfc1!, proxy1!, apart1!]) {
      // server 6 takes three times the volume on each rail
      expect(task1).toBeGreaterThan(3 * volumeUs * 0.999);
      expect(task1 / apart1!).toBeLessThan(1.03);
    }
    expect(apart2! / volumeUs).toBeLessThan(1.02);
    expect(pfc2! / apart2!).toBeGreaterThan(1.8);
    expect(proxy2! / apart2!).toBeLessThan(1 / 0.95);
    expect(pausedServers(pfc)).toEqual([1, 2, 3, 4]);
    expect(pausedServers(proxy)).toEqual([1, 2, 3]);
    expect(new Set(proxy.pauses!.map(({ cause }) => cause))).toEqual(new Set(['sfc']));
  });
});

const incast = (set: readonly string[]): Promise<RunSummary> => run('incast.yaml', 9, '20MB', set);

describe('the incast', () => {
  it('takes the rate of its victim under PFC, and leaves it under SFC', async () => {
    const [, pfcVictim] = jobsUs(await incast([]));
    expect(pfcVictim! / volumeUs).toBeGreaterThan(5);
    for (const reaction of ['end-station', 'proxy']) {
      const sfc = await incast(['flowControl=[pfc, sfc]', `sfc.reaction=${reaction}`]);
      const [incastUs, victimUs] = jobsUs(sfc);
      expect(victimUs! / volumeUs).toBeLessThan(1 / 0.95);
      expect(incastUs! / (8 * volumeUs)).toBeLessThan(1.01);
      expect(sfc.pauses!.some((row) => row.host === 8)).toBe(false);
    }
  });
});

describe('the allreduce with a slow receiver', () => {
  const sizeBytes = 40e6;
  const [nobodySlow, pfc, sfc] = [
    ['stragglers[0].receive=1', 'stragglers[0].receiveBuffer=0B'],
    [],
    ['flowControl=[pfc, sfc]'],
  ] as const;

  async function slowestUs(algorithm: string, set: readonly string[]): Promise<number> {
    const { jobs, counters } = await sound('slow-receiver.yaml', [
      'fabric.hostsPerLeaf=4',
      `collectives.algorithm=${algorithm}`,
      `workload.layers[0].forward.size=${sizeBytes}B`,
      'stragglers[0].receiveBuffer=100kB',
      ...set,
    ]);
    expect(counters.packetsDropped).toBe(0);
    return jobs[0]!.totalPs.maximum / 1e6;
  }

  it.each([
    // in the fluid limit; with 4 hosts two partners of halving-doubling share the slow link for a while: 52 / 24
    { name: 'ring', least: 2 * 0.98, most: 2 },
    { name: 'halving-doubling', least: 2, most: 52 / 24 },
  ])('takes twice as long: $name', async ({ name, least, most }) => {
    // 2 (n - 1) / n of the buffer come to the slow host at half of 100 Gb/s
    const boundUs = (2 * (3 / 2) * sizeBytes * 8) / 100e3;
    const ideal = await slowestUs(name, nobodySlow);
    for (const scheme of [pfc, sfc]) {
      const slow = await slowestUs(name, scheme);
      expect(slow).toBeGreaterThan(boundUs);
      expect(slow / ideal).toBeGreaterThan(least);
      expect(slow / ideal).toBeLessThan(most * 1.02);
    }
  });
});
