// Weights by hand: e / (v + e), with e the entry of that rank, or a thousandth of the largest.

import { expect, it } from 'vitest';
import { weighAnew } from '../../src/reconstruction/entry-weights.js';

it('weighs by the rank that counters give', () => {
  // 16 entries and 4 counters: 4 / (4 log 4) = 0.7, so e is the largest, 8
  const entries = [Float64Array.of(8, 4, 0, 0, 0, 0, 0, 0), Float64Array.of(2, 0, 0, 0, 0, 0, 0, 0)];
  weighAnew(entries, 4);
  expect([...entries[0]!]).toEqual([8 / 16, 8 / 12, 1, 1, 1, 1, 1, 1]);
  expect(entries[1]![0]).toBe(8 / 10);
});

it('takes a thousandth of the largest where that rank has found nothing', () => {
  // 16 entries and 8 counters: 8 / (4 log 2) = 2.9, the third largest, which is 0
  const entries = [Float64Array.from({ length: 16 }, (_, i) => (i === 0 ? 10 : 0))];
  weighAnew(entries, 8);
  expect(entries[0]![0]).toBeCloseTo(0.01 / 10.01, 15);
  expect(entries[0]![1]).toBe(1);
});

it('weighs alike where nothing was found', () => {
  const entries = [new Float64Array(5)];
  weighAnew(entries, 2);
  expect([...entries[0]!]).toEqual([1, 1, 1, 1, 1]);
});
