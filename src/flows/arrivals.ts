// When things arrive: at equal distances, or as a Poisson process.
// Invariants: times ascend; the same stream gives the same times everywhere. Exponential distances are drawn with
// comparisons alone (J. von Neumann, "Various techniques used in connection with random digits", 1951): no logarithm,
// which engines round differently.

import type { RandomStream } from '../base/random.js';

export const arrivalPatterns = ['poisson', 'fixed'] as const;
export type ArrivalPattern = (typeof arrivalPatterns)[number];

/**
 * A number with the exponential distribution of mean 1.
 * A run of uniform numbers goes down n times; n is odd with probability exp(-first). An even run adds 1 and starts
 * anew.
 */
export function exponential(random: RandomStream): number {
  for (let whole = 0; ; whole++) {
    const first = random.nextFraction();
    let length = 1;
    for (let last = first, next = random.nextFraction(); next < last; last = next, next = random.nextFraction())
      length++;
    if (length % 2 === 1) return whole + first;
  }
}

/**
 * Arrival times in whole picoseconds.
 * @param meanPs mean distance of two arrivals; `fixed` has the first at startPs, `poisson` draws a distance before it,
 * too
 */
export function arrivalTimes(
  pattern: ArrivalPattern,
  count: number,
  startPs: number,
  meanPs: number,
  random: RandomStream,
): Float64Array {
  const times = new Float64Array(count);
  let timePs = startPs;
  for (let i = 0; i < count; i++) {
    if (pattern === 'poisson') timePs += exponential(random) * meanPs;
    else if (i > 0) timePs += meanPs;
    times[i] = Math.round(timePs);
  }
  return times;
}
