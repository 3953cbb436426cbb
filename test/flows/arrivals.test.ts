// Arrivals: the exponential distribution by its moments and its tail; fixed distances exactly.

import { expect, it } from 'vitest';
import { exponential, RandomStream } from '../../src/base/random.js';
import { arrivalTimes } from '../../src/flows/arrivals.js';
import { seed } from '../support/seed.js';

const drawnTimes = (): number[] => [...arrivalTimes('poisson', 50, 7, 1e9, new RandomStream(seed, 'requests'))];

it(`draws of mean 1, variance 1, and beyond 1 and 2 with probability 1/e and 1/e^2 (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'test');
  const draws = Array.from({ length: 200_000 }, () => exponential(random));
  const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
  const variance = draws.reduce((sum, x) => sum + (x - mean) * (x - mean), 0) / draws.length;
  // five standard errors: 1/sqrt(n), sqrt(8/n), sqrt(p(1-p)/n)
  expect(Math.abs(mean - 1)).toBeLessThan(5 / Math.sqrt(draws.length));
  expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(8 / draws.length));
  for (const [bound, share] of [
    [1, Math.exp(-1)],
    [2, Math.exp(-2)],
  ] as const) {
    expect(Math.abs(draws.filter((x) => x > bound).length / draws.length - share)).toBeLessThan(
      5 * Math.sqrt((share * (1 - share)) / draws.length),
    );
  }
});

it('fixed distances begin at the start; drawn ones depend on seed and name alone', () => {
  expect([...arrivalTimes('fixed', 4, 7, 100, new RandomStream(1, 'x'))]).toEqual([7, 107, 207, 307]);
  expect(drawnTimes()).toEqual(drawnTimes());
  expect(drawnTimes()).toEqual([...drawnTimes()].sort((a, b) => a - b));
  expect(drawnTimes()[0]).toBeGreaterThan(7);
});
