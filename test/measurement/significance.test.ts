// Rank tests: published examples, and every assignment of ranks counted one by one.

import { describe, expect, it } from 'vitest';
import { rankSumTest, signedRankTest } from '../../src/measurement/significance.js';
import { seed } from '../support/seed.js';

/** All subsets of places, as bit masks. */
const masks = (n: number): number[] => Array.from({ length: 2 ** n }, (_, mask) => mask);
const midranks = (values: readonly number[]): number[] =>
  values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
const twoSided = (sums: readonly number[], seen: number): number =>
  Math.min(
    1,
    (2 * Math.min(sums.filter((sum) => sum <= seen).length, sums.filter((sum) => sum >= seen).length)) / sums.length,
  );
const sumOf = (ranks: readonly number[], mask: number): number =>
  ranks.reduce((sum, rank, i) => sum + ((mask >>> i) & 1 ? rank : 0), 0);

const values = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

describe('rank tests', () => {
  it("are those of Hollander and Wolfe's examples, as R's wilcox.test prints them (from memory)", () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    expect(signedRankTest(before, after).p).toBeCloseTo(0.03906, 5);
    const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    const early = [1.15, 0.88, 0.9, 0.74, 1.21];
    expect(rankSumTest(term, early).p).toBeCloseTo(0.2544, 4);
  });

  it('of groups as far apart as can be are as small as the number of assignments allows', () => {
    expect(rankSumTest([1, 2, 3], [4, 5, 6]).p).toBeCloseTo(2 / 20, 12);
    expect(signedRankTest([0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6]).p).toBeCloseTo(2 / 64, 12);
    expect(signedRankTest([1, 2], [1, 2])).toMatchObject({ p: 1, values: 0 });
    expect(rankSumTest([5, 5], [5, 5, 5]).p).toBe(1);
  });

  it(`count all assignments, with ties (seed ${seed})`, () => {
    let state = seed >>> 0;
    const draw = (most: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
    for (let i = 0; i < 60; i++) {
      const a = Array.from({ length: 1 + draw(5) }, () => draw(6));
      const b = Array.from({ length: 1 + draw(5) }, () => draw(6));
      const ranks = midranks([...a, ...b]);
      const same = masks(ranks.length).filter(
        (mask) =>
          sumOf(
            ranks.map(() => 1),
            mask,
          ) === a.length,
      );
      const seen = sumOf(ranks, 2 ** a.length - 1);
      expect(rankSumTest(a, b).p).toBeCloseTo(
        twoSided(
          same.map((mask) => sumOf(ranks, mask)),
          seen,
        ),
        10,
      );
      const pairs = Array.from({ length: 1 + draw(9) }, () => [draw(6), draw(6)] as const);
      const differing = pairs.filter(([x, y]) => x !== y);
      const own = midranks(differing.map(([x, y]) => Math.abs(y - x)));
      const positive = own.reduce((sum, rank, at) => sum + (differing[at]![1] > differing[at]![0] ? rank : 0), 0);
      expect(
        signedRankTest(
          pairs.map(([x]) => x),
          pairs.map(([, y]) => y),
        ).p,
      ).toBeCloseTo(
        twoSided(
          masks(own.length).map((mask) => sumOf(own, mask)),
          positive,
        ),
        10,
      );
    }
  });

  it('of many values come close to the exact ones', () => {
    const [exact, close] = [rankSumTest(values(0, 50), values(5.5, 50)), rankSumTest(values(0, 51), values(5.5, 51))];
    expect([exact.exact, close.exact]).toEqual([true, false]);
    expect(Math.abs(Math.log(exact.p / close.p))).toBeLessThan(0.05);
    expect(signedRankTest(values(0, 120), values(0.1, 120)).p).toBeLessThan(1e-9);
  });
});
