// Completion statistics against a naive computation in exact arithmetic.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { CompletionTimes } from '../../src/measurement/completion.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function collected(times: readonly number[]): CompletionTimes {
  const result = new CompletionTimes();
  for (const time of times) result.add(time);
  return result;
}

it(`are mean, nearest-rank percentiles and maximum (WEFT_SEED=${seed})`, () => {
  const time = fc.oneof(fc.nat(2000), fc.integer({ min: 0, max: 1e15 }));
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 400 }), (times) => {
      const { meanNs, p50Ns, p99Ns, maxNs } = collected(times).statistics();
      // the smallest value with at least p percent of the values at or below it
      const percentile = (percent: number): number =>
        Math.min(
          ...times.filter((value) => times.filter((other) => other <= value).length * 100 >= percent * times.length),
        ) / 1000;
      expect([p50Ns, p99Ns, maxNs]).toEqual([percentile(50), percentile(99), Math.max(...times) / 1000]);
      const sum = times.reduce((total, value) => total + BigInt(value), 0n);
      const wanted = Number((sum * 1_000_000n) / BigInt(times.length)) / 1e9;
      expect(Math.abs(meanNs - wanted)).toBeLessThanOrEqual(1e-9 * (1 + wanted));
    }),
    { seed, numRuns: rounds(200) },
  );
});

it('of 1 to 100, by hand', () => {
  expect(collected(Array.from({ length: 100 }, (_, i) => 1000 * (100 - i))).statistics()).toEqual({
    meanNs: 50.5,
    p50Ns: 50,
    p99Ns: 99,
    maxNs: 100,
  });
});

it('of 101 values, where ranks are rounded up', () => {
  // ceil(50.5) = 51st, ceil(99.99) = 100th
  expect(collected(Array.from({ length: 101 }, (_, i) => 1000 * i)).statistics()).toMatchObject({
    p50Ns: 50,
    p99Ns: 99,
    maxNs: 100,
  });
});

it('of nothing are zeros', () => {
  expect(new CompletionTimes().statistics()).toEqual({ meanNs: 0, p50Ns: 0, p99Ns: 0, maxNs: 0 });
});
