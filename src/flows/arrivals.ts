// When things arrive: at equal distances, or as a Poisson process.
// Invariants: times ascend; the same stream gives the same times everywhere.

import { exponential, type RandomStream } from '../base/random.js';

export const arrivalPatterns = ['poisson', 'fixed'] as const;
export type ArrivalPattern = (typeof arrivalPatterns)[number];

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
