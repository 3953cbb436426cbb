// When the mean of a figure is known: Student's quantiles beside tables, and repeated campaigns on figures whose means are
// known exactly. WEFT_DRAWS campaigns of each; with fewer than some hundreds the bound has room for chance.

import { describe, expect, it } from 'vitest';
import { exponential, RandomStream } from '../../src/base/random.js';
import { lookAtMean, looks, studentQuantile } from '../../src/measurement/sequential-mean.js';
import { untilStop } from '../../src/report/sweep/seeds-until.js';
import { rowWithoutRun, type RunRow } from '../../src/report/sweep/run-row.js';
import { seed } from '../support/seed.js';

const campaigns = Number(process.env['WEFT_DRAWS'] ?? 200);

describe("Student's quantiles", () => {
  // Fisher and Yates, Statistical Tables, table III
  it.each<[number, number, number]>([
    [0.05, 2, 4.303],
    [0.05, 8, 2.306],
    [0.01, 8, 3.355],
    [0.01, 20, 2.845],
    [0.001, 60, 3.46],
    [0.01, 120, 2.617],
    [0.5, 4, 0.741],
  ])('of %d with %i degrees of freedom', (error, freedom, expected) => {
    expect(Math.abs(studentQuantile(error, freedom) - expected)).toBeLessThan(6e-4);
    // of an odd number the wider
    expect(studentQuantile(error, freedom + 1)).toBe(studentQuantile(error, freedom));
  });
});

/** Figures with their means: symmetric, skewed, of two values, with a long tail. */
const figures: Readonly<Record<string, { readonly mean: number; readonly draw: (random: RandomStream) => number }>> = {
  uniform: { mean: 10, draw: (random) => 5 + 10 * random.nextFraction() },
  // of twelve uniform ones, variance 9
  normal: {
    mean: 10,
    draw: (random) => 10 + 3 * (Array.from({ length: 12 }, () => random.nextFraction()).reduce((a, b) => a + b) - 6),
  },
  exponential: { mean: 1, draw: exponential },
  'a time and an exponential wait': { mean: 4, draw: (random) => 3 + exponential(random) },
  'twice as much in one run of ten': { mean: 11, draw: (random) => (random.nextFraction() < 0.1 ? 20 : 10) },
  'squares of exponentials': { mean: 4, draw: (random) => 2 + exponential(random) ** 2 },
};

/** Campaigns, each until the mean is known within a share of it; how many were right, and seeds in all. */
function campaignsOf(name: string, withinPercent: number): { readonly right: number; readonly seeds: number } {
  const { mean, draw } = figures[name]!;
  let [right, seeds] = [0, 0];
  for (let campaign = 0; campaign < campaigns; campaign++) {
    const random = new RandomStream(seed, `${name} ${withinPercent} ${campaign}`);
    const values: number[] = [];
    const rowOf = (place: number): RunRow => {
      while (values.length <= place) values.push(draw(random));
      return { ...rowWithoutRun('failed', '', 0), outcome: 'finished', figures: new Map([['figure', values[place]!]]) };
    };
    const stop = untilStop(0, { figure: 'figure', withinPercent }, 100_000, rowOf);
    if (typeof stop === 'number') throw new Error('all runs are there');
    expect(stop).toMatchObject({ reason: 'reached', seeds: values.length, values: values.length });
    expect(stop.halfWidthPercent).toBeLessThanOrEqual(withinPercent);
    if (Math.abs(stop.mean! - mean) <= (mean * withinPercent) / 100) right++;
    seeds += stop.seeds;
  }
  return { right, seeds };
}

describe(`${campaigns} campaigns (seed ${seed})`, () => {
  // but one: nine to twenty runs do not see the tail of squares, of which 1 in 2,000 is 15 times the mean; 87 % are right
  const kept = Object.keys(figures)
    .flatMap((name) => [8, 15, 30].map((percent) => [name, percent] as const))
    .filter(([name, percent]) => name !== 'squares of exponentials' || percent < 30);
  it.each(kept)('of %s keep the promise of +-%i', (name, percent) => {
    // 95 % of them, less what chance may take: four standard deviations
    const least = 0.95 * campaigns - 4 * Math.sqrt(0.05 * 0.95 * campaigns);
    expect(campaignsOf(name, percent).right).toBeGreaterThanOrEqual(least);
  });

  it('need about as many seeds as a known variance asks for, and not many times as many', () => {
    // (2.58 x 0.3 / 0.08)^2 = 94 for normal ones, and a look comes after half as many again
    const { seeds } = campaignsOf('normal', 8);
    expect(seeds / campaigns).toBeGreaterThan(80);
    expect(seeds / campaigns).toBeLessThan(1.5 * 94);
  });
});

describe('looks', () => {
  it('are at odd numbers, half as many again each time, and at the last seed', () => {
    const sizes = [...looks(1000)];
    expect(sizes[0]).toBe(9);
    expect(sizes.at(-1)).toBe(1000);
    for (const [i, size] of sizes.slice(0, -1).entries()) {
      expect(size % 2).toBe(1);
      if (i > 0) expect(size / sizes[i - 1]!).toBeGreaterThanOrEqual(1.5);
      if (i > 0) expect(size / sizes[i - 1]!).toBeLessThan(1.7);
    }
    expect([...looks(4)]).toEqual([4]);
  });

  it('at values that are all the same wait for 59 of them', () => {
    expect(lookAtMean(Array(58).fill(7) as number[]).halfWidth).toBe(Infinity);
    expect(lookAtMean(Array(59).fill(7) as number[])).toEqual({ mean: 7, halfWidth: 0 });
  });
});

const row = (outcome: RunRow['outcome'], value: number): RunRow => ({
  ...rowWithoutRun('failed', '', 0),
  outcome,
  figures: new Map([['figure', value]]),
});
/** 1, 2, 1, 2, … */
const spread = (place: number): RunRow => row('finished', 1 + (place % 2));

describe('a combination', () => {
  const target = { figure: 'figure', withinPercent: 5 };
  it('asks for the seeds up to the next look, and goes on where rows are missing', () => {
    expect(untilStop(0, target, 100, () => null)).toBe(9);
    expect(untilStop(0, target, 100, (place) => (place < 9 ? spread(place) : null))).toBe(15);
  });

  it('ends where seeds do, where it cannot run, and where no run has the figure', () => {
    expect(untilStop(3, target, 12, spread)).toMatchObject({ combination: 3, reason: 'no-more-seeds', seeds: 12 });
    expect(untilStop(0, target, 100, () => row('infeasible', 0))).toMatchObject({ reason: 'no-figure', seeds: 1 });
    expect(untilStop(0, target, 100, () => row('blocked', 1))).toMatchObject({
      reason: 'no-figure',
      seeds: 9,
      values: 0,
      mean: null,
    });
  });
});
