// The benchmark's jobs: each runs in its small form and says what it did, packets on one backend and none on the other;
// the trace of web-search traffic has the load and the sizes that are asked for.

import { describe, expect, it } from 'vitest';
import { allReduceSizes, webSearchTrace } from '../../bench/job-files.js';
import { jobWorkloads } from '../../bench/job-workloads.js';
import { chosenJobs } from '../../bench/bench-jobs.js';
import { measureJob } from '../../bench/measure-job.js';

const names = (options: Parameters<typeof chosenJobs>[0]): string[] => chosenJobs(options).map(({ name }) => name);

describe('jobs', () => {
  it.each(jobWorkloads.map((workload) => [workload.name, workload] as const))('%s', async (name, workload) => {
    const measured = await measureJob(workload, false);
    expect(measured).toMatchObject({ name, about: workload.about });
    expect(measured.about.length).toBeLessThanOrEqual(110);
    const { backend, packetHops, packetHopsPerCpuSecond, flows, cpuSeconds } = measured;
    if (backend === 'packet' || backend === 'credit') {
      expect(packetHops).toBeGreaterThan(1000);
      expect(packetHopsPerCpuSecond! / (packetHops! / cpuSeconds)).toBeCloseTo(1, 3);
    } else expect([packetHops, packetHopsPerCpuSecond]).toEqual([null, null]);
    if (backend !== 'analytical') expect(measured.flowsPerCpuSecond / (flows / cpuSeconds)).toBeCloseTo(1, 2);
    expect(measured.simulatedSecondsPerCpuSecond).toBeGreaterThan(0);
  });

  it('of minutes run if they are named, or with --long', () => {
    expect(names({})).not.toContain('13b-aicb');
    expect(names({})).toContain('13b-aicb-fluid');
    expect(names({ long: true })).toContain('13b-aicb');
    expect(names({ only: '13b-aicb' })).toEqual(['13b-aicb']);
    expect(names({ only: '__proto__' })).toEqual([]);
    expect(new Set(names({ long: true })).size).toBe(jobWorkloads.length);
  });
});

describe('web-search traffic', () => {
  it('has its load, its sizes and hosts, the same every time', () => {
    const text = webSearchTrace(64, 100e9, 0.6, 200);
    expect(webSearchTrace(64, 100e9, 0.6, 200)).toBe(text);
    const rows = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').map(Number));
    const sizes = rows.map(([, , , sizeBytes]) => sizeBytes!);
    const bytes = sizes.reduce((sum, size) => sum + size);
    // 0.6 of 64 x 100 Gb/s for 200 ms; of some 56,000 flows the mean strays by a hundredth or so
    expect((bytes * 8) / (0.6 * 64 * 100e9 * 0.2)).toBeGreaterThan(0.95);
    expect((bytes * 8) / (0.6 * 64 * 100e9 * 0.2)).toBeLessThan(1.05);
    const below = (most: number): number => sizes.filter((size) => size <= most).length / sizes.length;
    for (const [most, share] of [
      [10e3, 0.15],
      [80e3, 0.53],
      [1e6, 0.7],
      [10e6, 0.97],
    ] as const)
      expect(below(most)).toBeCloseTo(share, 1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(30e6);
    expect(rows.every(([, source, destination]) => source !== destination && source! < 64 && destination! < 64)).toBe(
      true,
    );
  });
});

describe("sizes of AICB's micro-benchmark", () => {
  it('go from 1 KiB to 256 MiB', () => {
    const lines = allReduceSizes(19).trimEnd().split('\n');
    expect([lines[0], lines[18], lines.length]).toEqual(['1 ALLREDUCE 1024 DP', '1 ALLREDUCE 268435456 DP', 19]);
  });
});
