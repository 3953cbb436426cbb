// The time left of a job, on a clock that goes on with its work: known after a tenth of it, within a factor of two, and
// its share never stands still for long. A run is packets of many sizes, rings beside sums in a server beside computing.

import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/base/host.js';
import { simulate } from '../../src/app/simulate.js';
import { TimeLeft } from '../../src/cli/time-left.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const scenario = `fabric: { generate: spectrum-x, gpus: 16, gpusPerServer: 8, nicsPerAsw: 2, pswSwitches: 8 }
workload: { generate: transformer, model: gpt3-6.7b, layerCount: 6, tensorParallel: 8, dataParallel: 2, microBatches: 2, sequenceLength: 64 }
`;

/** Shares of a run by a clock of so many milliseconds for each slice of so many events. */
async function watched(backend: string, sliceEvents: number, sliceMs: number) {
  let nowMs = 0;
  const host: Host = { ...memoryHost({ 's.yaml': scenario }), wallMs: () => nowMs };
  const seen: { readonly nowMs: number; readonly share: number | null }[] = [];
  await simulate(await makePlan('s.yaml', { host, overrides: [`backend=${backend}`] }), {
    host,
    sliceEvents,
    onProgress: ({ share }) => {
      seen.push({ nowMs, share });
      nowMs += sliceMs;
    },
  });
  return { seen, endMs: nowMs };
}

describe('the time left of a job', () => {
  it.each([
    ['packet', 15_000],
    ['fluid', 150],
  ] as const)('is known after a tenth of the work, within a factor of two (%s)', async (backend, sliceEvents) => {
    const { seen, endMs } = await watched(backend, sliceEvents, 500);
    expect(seen.length).toBeGreaterThan(100);
    const timeLeft = new TimeLeft();
    let [previous, sinceMs, told] = [-1, 0, 0];
    for (const { nowMs, share } of seen) {
      const leftSeconds = timeLeft.at(nowMs, share);
      // known once the second has passed in which nothing is counted
      if (nowMs > 2000) expect(share).not.toBe(null);
      expect(share ?? 0).toBeGreaterThanOrEqual(previous);
      if ((share ?? 0) > previous) sinceMs = nowMs;
      // it never stands still for ten seconds
      expect(nowMs - sinceMs).toBeLessThan(10_000);
      previous = share ?? 0;
      const trueSeconds = (endMs - nowMs) / 1000;
      // the last twentieth is a few samples
      if (previous < 0.1 || nowMs > 0.95 * endMs) continue;
      told++;
      expect(
        `${nowMs} ${trueSeconds / 2 <= leftSeconds! && leftSeconds! <= 2 * trueSeconds ? 'near' : leftSeconds}`,
      ).toBe(`${nowMs} near`);
    }
    expect(told).toBeGreaterThan(50);
  });
});
