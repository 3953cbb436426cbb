// Leaps over steady stretches: shares of links by hand, and jobs that leap beside the same jobs that do not.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { steadyStretch } from '../../src/jobs/fast-forward/steady-stretch.js';
import { jobOf, type LayerText, runJobs, workloadOf } from '../support/job-run.js';

describe('a steady stretch', () => {
  it('leaves rates as they are while nothing ends', () => {
    // 10 bytes per picosecond together; half of 400 bytes takes 20
    const { lengthPs, endsPs, leftBytes } = steadyStretch(
      [
        { leftBytes: 300, rate: 6 },
        { leftBytes: 100, rate: 4 },
      ],
      0.25,
    );
    expect(lengthPs).toBe(10);
    expect([...endsPs]).toEqual([-1, -1]);
    expect([...leftBytes]).toEqual([240, 60]);
  });

  it('gives the rate of what ends to the others', () => {
    // the first ends after 10, having sent 20 of 100 bytes; the second has 40 of its 120 left then and all of the rate
    const { lengthPs, endsPs, leftBytes } = steadyStretch(
      [
        { leftBytes: 120, rate: 8 },
        { leftBytes: 20, rate: 2 },
      ],
      120 / 140,
    );
    expect([...endsPs]).toEqual([-1, 10]);
    expect(lengthPs).toBeCloseTo(12, 9);
    expect([...leftBytes]).toEqual([expect.closeTo(20, 9), 0]);
  });

  it('ends when everything has ended, if all is asked for', () => {
    const { lengthPs, endsPs } = steadyStretch(
      [
        { leftBytes: 30, rate: 1 },
        { leftBytes: 30, rate: 2 },
      ],
      1,
    );
    expect(lengthPs).toBeCloseTo(20, 9);
    expect([...endsPs]).toEqual([expect.closeTo(20, 9), expect.closeTo(15, 9)]);
  });
});

describe('a job that leaps', () => {
  const fabric = generateFabric('spectrum-x', { gpus: 16, gpusPerServer: 4, nvswitchesPerServer: 1 });
  const layers = Array.from({ length: 40 }, (_, i): LayerText => {
    return {
      name: `layer ${i}`,
      weightGradient: { computePs: 2e6, collective: 'allreduce', group: 'dp', sizeBytes: 1_000_000 + 20_000 * i },
    };
  });
  const job = jobOf(workloadOf(layers, { tensor: 4, gpus: 16 }));
  const full = runJobs([job], fabric);
  const leaping = (leapTransfers: number) => {
    const run = runJobs([job], fabric, {}, null, { tolerancePs: 0, sampleEvery: 1000, leapTransfers });
    return { ...run, leaps: run.work.fastForwardFigures()!.leaps };
  };

  it('comes out within what is printed of its rate, and everything ends', () => {
    const { reports, verdicts, leaps, network } = leaping(32);
    expect(leaps!.count).toBe(1);
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(reports[0]!.isFinished).toBe(true);
    const [fastPs, wholePs] = [reports[0]!.totalPs.maximum, full.reports[0]!.totalPs.maximum];
    expect(Math.abs(fastPs / wholePs - 1)).toBeLessThanOrEqual(leaps!.largestChange);
    // three quarters of what was left when it leapt are not sent
    expect(network.counters['packetHops']! / full.network.counters['packetHops']!).toBeLessThan(0.25);
    expect(leaps!.payloadBytes).toBeGreaterThan(0);
  });

  it('does not leap where a phase is too short for it, and is exact then', () => {
    const { reports, leaps } = leaping(100_000);
    expect(leaps!.count).toBe(0);
    expect(reports).toEqual(full.reports);
  });
});
