// The histogram of latencies against brute force: which bucket, which percentile, how far off.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketFromPs, bucketOf, LatencyHistogram } from '../../src/backends/packet/probes/latency-histogram.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

/** whole numbers of every magnitude, and those beside powers of two */
const latency = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 52 }), fc.maxSafeInteger())
    .map(([shift, value]) => Math.floor(Math.abs(value) / 2 ** shift)),
  fc.tuple(fc.integer({ min: 0, max: 52 }), fc.constantFrom(-1, 0, 1)).map(([exponent, step]) => 2 ** exponent + step),
);

describe('buckets', () => {
  it(`hold exactly the latencies from their start to the next one's (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(latency, (latencyPs) => {
        const bucket = bucketOf(latencyPs);
        expect(bucketFromPs(bucket)).toBeLessThanOrEqual(latencyPs);
        expect(bucketFromPs(bucket + 1)).toBeGreaterThan(latencyPs);
        expect(bucketFromPs(bucket + 1) - bucketFromPs(bucket)).toBeLessThanOrEqual(Math.max(1, latencyPs / 32));
      }),
      { seed, numRuns: rounds(3000) },
    );
  });

  it('follow each other without a gap, and grow', () => {
    for (let bucket = 0; bucket < bucketOf(2 ** 53); bucket++) {
      expect(bucketFromPs(bucket + 1)).toBeGreaterThan(bucketFromPs(bucket));
      expect(bucketOf(bucketFromPs(bucket))).toBe(bucket);
      expect(bucketOf(bucketFromPs(bucket + 1) - 1)).toBe(bucket);
    }
  });
});

describe('statistics', () => {
  it(`are those of the sorted latencies, percentiles up to 1/32 above (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.integer({ min: 0, max: 100 }),
            fc.integer({ min: 1_000_000, max: 9_000_000 }),
            fc.integer({ min: 0, max: 2 ** 40 }),
          ),
          { minLength: 1, maxLength: 300 },
        ),
        (latencies) => {
          const histogram = new LatencyHistogram();
          for (const latencyPs of latencies) histogram.add(latencyPs);
          const sorted = Float64Array.from(latencies).sort();
          const { packets, meanNs, p50Ns, p99Ns, maxNs } = histogram.statistics();
          expect([packets, maxNs]).toEqual([latencies.length, sorted.at(-1)! / 1000]);
          expect(meanNs).toBeCloseTo(latencies.reduce((sum, value) => sum + value, 0) / latencies.length / 1000, 3);
          for (const [share, valueNs] of [
            [0.5, p50Ns],
            [0.99, p99Ns],
          ] as const) {
            const exactPs = sorted[Math.ceil(share * sorted.length) - 1]!;
            expect(Math.round(valueNs * 1000)).toBeGreaterThanOrEqual(exactPs);
            expect(Math.round(valueNs * 1000)).toBeLessThanOrEqual(exactPs + exactPs / 32);
          }
          expect(histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(latencies.length);
        },
      ),
      { seed, numRuns: rounds(300) },
    );
  });

  it('are zeros without packets', () => {
    expect(new LatencyHistogram().statistics()).toEqual({ packets: 0, meanNs: 0, p50Ns: 0, p99Ns: 0, maxNs: 0 });
  });
});
