// Mean, percentiles and maximum of values in blocks, against one sorted array of them.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { RankedValues } from '../../src/measurement/ranked-values.js';
import { seed } from '../support/seed.js';

function figuresOfSorted(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (percent: number): number => sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p50: rank(50),
    p99: rank(99),
    max: sorted[sorted.length - 1]!,
  };
}

function collected(values: Iterable<number>): RankedValues {
  const result = new RankedValues();
  for (const value of values) result.add(value);
  return result;
}

it(`are those of the sorted values, at the edges of blocks too (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'ranked values');
  // blocks hold 1,024, 2,048 and 4,096 values
  for (const count of [1, 2, 1023, 1024, 1025, 3072, 3073, 7168, 7169, 1 + random.nextBelow(9000)]) {
    // few distinct values, many, and a trend, so that blocks hold different ones
    for (const spread of [3, 4e9])
      for (const trend of [-1e9, 0, 1e9]) {
        const values = Array.from({ length: count }, (_, i) => random.nextBelow(spread) + trend * (i + 1) + 1e13);
        expect(collected(values).figures()).toEqual(figuresOfSorted(values));
      }
  }
});

it('more may come after the figures were asked for', () => {
  const values = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
  const some = collected(values.slice(0, 2500));
  expect(some.figures()).toEqual(figuresOfSorted(values.slice(0, 2500)));
  for (const value of values.slice(2500)) some.add(value);
  expect(some.figures()).toEqual(figuresOfSorted(values));
});

it('a million of them are not copied for their figures', () => {
  const million = collected(Array.from({ length: 1 << 20 }, (_, i) => (i * 7919) % 1_000_003));
  const before = process.memoryUsage().arrayBuffers;
  million.figures();
  // a copy would be 8 MiB; what was freed meanwhile only lowers it
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20);
});
