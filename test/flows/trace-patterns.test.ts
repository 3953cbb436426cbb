// Traces that are made: the formulas of docs/models/traces.md by hand, and means of what is drawn within five standard
// errors.

import { describe, expect, it } from 'vitest';
import { SizeDistribution } from '../../src/flows/size-distribution.js';
import { type TraceRequest, type TraceTransfer, traceTransfers } from '../../src/flows/trace-patterns.js';
import { seed } from '../support/seed.js';

const hosts = Int32Array.from({ length: 32 }, (_, host) => host);

function made(changes: Partial<TraceRequest>): TraceTransfer[] {
  return [
    ...traceTransfers({
      pattern: 'constant',
      sources: hosts,
      destinations: hosts,
      gpusPerServer: 4,
      sourceServer: 2,
      destinationServer: 5,
      source: 3,
      destination: 9,
      hotShare: 0.25,
      burstSize: 3,
      intervalPs: 1000,
      flows: 20_000,
      durationPs: Number.MAX_SAFE_INTEGER,
      size: 4096,
      seed,
      ...changes,
    }),
  ];
}

const serverOf = (host: number): number => Math.floor(host / 4);
const starts = (transfers: readonly TraceTransfer[]): number[] => transfers.map(({ startPs }) => startPs);

describe(`transfers of a trace (WEFT_SEED=${seed})`, () => {
  it('come at equal distances, or in bursts with the same mean', () => {
    expect(starts(made({ flows: 4 }))).toEqual([0, 1000, 2000, 3000]);
    expect(starts(made({ pattern: 'burst', flows: 7 }))).toEqual([0, 0, 0, 3000, 3000, 3000, 6000]);
  });

  it('go from the GPUs of a server to those of another, round by round', () => {
    const rows = made({ pattern: 'server-pair', flows: 8 }).map((row) => [row.startPs, row.source, row.destination]);
    expect(rows).toEqual([
      ...[0, 1, 2, 3].map((gpu) => [0, 8 + gpu, 20 + gpu]),
      ...[0, 1, 2, 3].map((gpu) => [1000, 8 + gpu, 20 + gpu]),
    ]);
    expect(made({ pattern: 'one-to-one', flows: 2 })).toEqual([
      { startPs: 0, source: 3, destination: 9, sizeBytes: 4096 },
      { startPs: 1000, source: 3, destination: 9, sizeBytes: 4096 },
    ]);
  });

  it('end with their duration', () => {
    expect(starts(made({ durationPs: 2500 }))).toEqual([0, 1000, 2000]);
    expect(starts(made({ durationPs: 2000 }))).toEqual([0, 1000, 2000]);
  });

  it('are a Poisson process: mean and variance of distances', () => {
    const times = starts(made({ pattern: 'poisson' }));
    const distances = times.map((time, i) => time - (times[i - 1] ?? 0));
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(0);
    const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
    // exponential: the deviation is the mean, that of the variance sqrt(8) means squared
    expect(Math.abs(mean - 1000)).toBeLessThan((5 * 1000) / Math.sqrt(distances.length));
    const variance = distances.reduce((sum, distance) => sum + (distance - mean) ** 2, 0) / distances.length;
    expect(Math.abs(variance / 1e6 - 1)).toBeLessThan((5 * Math.sqrt(8)) / Math.sqrt(distances.length));
  });

  it('join random hosts of different servers, each as often', () => {
    const rows = made({ sources: hosts.subarray(0, 16), destinations: hosts.subarray(8) });
    expect(rows.every(({ source, destination }) => serverOf(source) !== serverOf(destination))).toBe(true);
    const counts = new Map<number, number>();
    for (const { source, destination } of rows)
      counts.set(source * 32 + destination, (counts.get(source * 32 + destination) ?? 0) + 1);
    // 16 senders x 24 receivers, less the 8 hosts that are both with the 4 of their servers each
    expect(counts.size).toBe(16 * 24 - 8 * 4);
    const expected = rows.length / counts.size;
    // chi square, whose variance is twice its degrees of freedom; a source drawn first, and then its receiver, adds 166
    const freedom = counts.size - 1;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(Math.abs(chiSquare - freedom)).toBeLessThan(5 * Math.sqrt(2 * freedom));
  });

  it('are hot for the share that was asked for', () => {
    const rows = made({ pattern: 'hotspot' });
    const hot = rows.filter(({ source, destination }) => serverOf(source) === 2 && destination === source + 12).length;
    // random pairs hit it, too: 4 of the 32 x 28 of different servers
    const share = 0.25 + 0.75 * (4 / (32 * 28));
    expect(Math.abs(hot / rows.length - share)).toBeLessThan(5 * Math.sqrt((share * (1 - share)) / rows.length));
  });

  it('have other sizes without starting elsewhere', () => {
    const size = new SizeDistribution(Float64Array.of(100, 300, 1000), Float64Array.of(0.2, 0.6, 1));
    const [drawn, fixed] = [made({ pattern: 'poisson', size }), made({ pattern: 'poisson' })];
    expect(drawn.map((row) => ({ ...row, sizeBytes: 4096 }))).toEqual(fixed);
    // 0.2 x 100 + 0.4 x 200 + 0.4 x 650; each piece even: second moment by hand
    expect(size.meanBytes).toBe(360);
    const square = 0.2 * 100 ** 2 + (0.4 * (300 ** 3 - 100 ** 3)) / 600 + (0.4 * (1000 ** 3 - 300 ** 3)) / 2100;
    const mean = drawn.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / drawn.length;
    expect(Math.abs(mean - 360)).toBeLessThan(5 * Math.sqrt((square - 360 ** 2) / drawn.length));
  });

  it('are others with another seed, and the same with the same', () => {
    expect(made({ pattern: 'hotspot', flows: 50 })).toEqual(made({ pattern: 'hotspot', flows: 50 }));
    expect(made({ pattern: 'hotspot', flows: 50 })).not.toEqual(
      made({ pattern: 'hotspot', flows: 50, seed: seed + 1 }),
    );
  });
});

describe('a distribution of sizes', () => {
  it('has straight lines between its points, and its first point to itself', () => {
    const sizes = new SizeDistribution(Float64Array.of(10, 20, 20, 40), Float64Array.of(0.25, 0.5, 0.75, 1));
    expect([0, 0.25, 0.3, 0.5, 0.6, 0.75, 0.875, 1].map((share) => sizes.sizeAt(share))).toEqual([
      10, 10, 12, 20, 20, 20, 30, 40,
    ]);
    expect(new SizeDistribution(Float64Array.of(0, 4), Float64Array.of(0, 1)).sizeAt(0)).toBe(1);
  });
});
