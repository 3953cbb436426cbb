// What counters alone say of each pair, whatever dictionary is asked: between which bounds its traffic is. A pair sent
// at most what the least of its counters has left when all others sent their least, and at least what a counter cannot
// have from the others: intervals are narrowed until little changes (bounds propagation of linear constraints).
// Invariant: bounds that are not narrowed to the end are still bounds; they are those of exact counters.

import type { PairGrid } from './pair-grid.js';

/** Rounds of narrowing, and the change, beside the largest counter, that is worth another. */
const mostRounds = 10;
const worthRound = 1e-6;

/** Bounds by pair of a grid, in units of the counters. */
export interface PairBounds {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Bounds of all pairs. Time: a round looks at each counter of each pair twice. @param counters what each row counted */
export function pairBounds(grid: PairGrid, counters: Float64Array): PairBounds {
  const { places, rowStart, rows, shares } = grid;
  const counted = grid.countedBy(counters);
  const pairs = 2 * places;
  const lower = new Float64Array(pairs);
  const upper = new Float64Array(pairs);
  const sumLower = new Float64Array(counted.length);
  const sumUpper = new Float64Array(counted.length);
  const largest = counted.reduce((most, own) => Math.max(most, own), 0);
  for (let pair = 0; pair < pairs; pair++)
    upper[pair] = rowStart[pair] === rowStart[pair + 1] ? 0 : grid.mostOf(pair, counted);
  for (let round = 0, change = Infinity; round < mostRounds && change > worthRound * largest; round++) {
    change = 0;
    sumLower.fill(0);
    sumUpper.fill(0);
    for (let pair = 0; pair < pairs; pair++) {
      grid.addTo(sumLower, pair, lower[pair]!);
      grid.addTo(sumUpper, pair, upper[pair]!);
    }
    for (let pair = 0; pair < pairs; pair++) {
      let least = lower[pair]!;
      let most = upper[pair]!;
      for (let at = rowStart[pair]!; at < rowStart[pair + 1]!; at++) {
        const row = rows[at]!;
        const share = shares === null ? 1 : shares[at]!;
        most = Math.min(most, (counted[row]! - sumLower[row]!) / share + lower[pair]!);
        least = Math.max(least, (counted[row]! - sumUpper[row]!) / share + upper[pair]!);
      }
      most = Math.max(0, most);
      // of counters that disagree nothing is certain
      least = Math.min(least, most);
      change = Math.max(change, upper[pair]! - most, least - lower[pair]!);
      lower[pair] = least;
      upper[pair] = most;
    }
  }
  return { lower, upper };
}
