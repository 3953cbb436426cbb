// The share of a run that is done: it grows with packet-hops while one collective goes on, it is what was counted
// beside the run, and it is unknown before that. The clock is a counter.

import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/base/host.js';
import type { Progress, RunSummary } from '../../src/app/run-progress.js';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

// one layer, whose gradients are summed over 16 GPUs: one operation of three takes nearly all packets
const workload = `fabric: { generate: spectrum-x, gpus: 16, gpusPerServer: 8, nicsPerAsw: 2, pswSwitches: 8 }
workload:
  layers:
    - { name: a, forward: { compute: 1us }, weightGradient: { compute: 1us, collective: allreduce, group: all, size: 4MiB } }
`;

async function watched(
  text: string,
  overrides: string[],
  stepMs: number,
  sliceEvents = 500,
): Promise<{ seen: Progress[]; summary: RunSummary; silent: RunSummary }> {
  const files = memoryHost({ 's.yaml': text });
  let nowMs = 0;
  const host: Host = { ...files, wallMs: () => (nowMs += stepMs) };
  const planned = () => makePlan('s.yaml', { host, overrides });
  const seen: Progress[] = [];
  const summary = await simulate(await planned(), {
    host,
    sliceEvents,
    onProgress: (progress) => seen.push(progress),
  });
  return { seen, summary, silent: await simulate(await planned(), { host: files, sliceEvents: 500 }) };
}

const shares = (seen: readonly Progress[]): number[] => seen.flatMap(({ share }) => (share === null ? [] : [share]));

describe('the share of a job', () => {
  it.each([
    ['packet', 500, 0.1],
    ['fluid', 20, 0.2],
  ] as const)(
    'grows with the work of a single collective (%s), and results stay',
    async (backend, sliceEvents, most) => {
      const { seen, summary, silent } = await watched(workload, [`backend=${backend}`], 100, sliceEvents);
      expect(summary.digest).toBe(silent.digest);
      // unknown until a second has passed and the work is counted
      expect(seen[0]!.share).toBe(null);
      const known = shares(seen);
      expect(known.length).toBeGreaterThan(seen.length / 2);
      for (const [i, share] of known.entries()) if (i > 0) expect(share).toBeGreaterThanOrEqual(known[i - 1]!);
      expect(known[known.length - 1]).toBe(1);
      // the largest step is a slice's worth, not a collective's
      const steps = known.slice(1).map((share, i) => share - known[i]!);
      expect(Math.max(...steps)).toBeLessThan(most);
      if (backend === 'packet')
        for (const { share, packetHops } of seen)
          if (share !== null) expect(share).toBeCloseTo(packetHops! / summary.counters['packetHops']!, 9);
    },
  );

  it('counts nothing while the run is young, or where nobody watches', async () => {
    const { seen } = await watched(workload, ['backend=packet'], 1e-6);
    expect(shares(seen)).toEqual([]);
  });
});

const traffic = (sizes: readonly string[]): string =>
  `fabric: { generate: dumbbell }\ntraffic:\n  transfers:\n${sizes
    .map((size, i) => `    - { source: ${i}, destination: ${i + 4}, size: ${size} }\n`)
    .join('')}`;

describe('the share of traffic', () => {
  it('is the payload delivered of all payload, whatever the flows are like', async () => {
    const { seen, summary } = await watched(traffic(['1kB', '3MB']), [], 0);
    const known = shares(seen);
    expect(known.length).toBe(seen.length);
    expect(known[known.length - 1]).toBe(1);
    expect(Math.max(...known.slice(1).map((share, i) => share - known[i]!))).toBeLessThan(0.2);
    expect(summary.counters.payloadBytesDelivered).toBe(3_001_000);
  });
});
