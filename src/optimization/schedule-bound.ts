// Lower bounds for dividing items among equal bins so that the fullest holds as little as possible (P || Cmax): flows
// that leave a leaf over its uplinks are such items and bins, and no routing can do better.
// Invariant: never above the optimum by more than rounding, boundTolerance (tested by brute force). Bounds: the
// average; k m + 1 items put k + 1 into one bin; pairing of at most two per bin; rounding down to multiples of a size,
// and what the bins with more of them than average hold together; rounding up to a sum that the items can make, or to a
// multiple of what all are multiples of.

import { greatestMeasure } from './greatest-measure.js';

/** What rounding may cost: sums of many floats are compared with this relative tolerance. */
export const boundTolerance = 1e-9;

/** a bound may be above the optimum by one tolerance, and a sum that is compared with it is right to another */
const comparedTolerance = 2 * boundTolerance;
const mostSizes = 64;
const mostDistinct = 12;
const mostNodes = 10_000;

/**
 * A lower bound on the fullest bin.
 * @param items sizes above 0, any order; sorted in place, largest first
 * @param bins 1 or more
 */
export function scheduleBound(items: Float64Array, bins: number): number {
  if (items.length === 0) return 0;
  items.sort().reverse();
  const total = items.reduce((sum, item) => sum + item, 0);
  let bound = Math.max(items[0]!, total / bins);
  if (items.length <= bins) return items[0]!;
  bound = Math.max(bound, countingBound(items, bins), pairingBound(items, bins));
  const distinct = distinctSizes(items);
  bound = Math.max(bound, roundingBound(items, distinct, bins));
  return Math.max(bound, nextSum(items, distinct, bound), nextMultiple(distinct, bound));
}

/**
 * The fullest bin if items go one after another, largest first, into the emptiest bin (R. L. Graham, SIAM Journal on
 * Applied Mathematics 17, 1969): no lower bound is above it.
 * @param items sizes, any order; sorted in place, largest first @param bins 1 or more
 */
export function largestFirst(items: Float64Array, bins: number): number {
  items.sort().reverse();
  const heap = new Float64Array(bins);
  let most = 0;
  for (const item of items) {
    const size = heap[0]! + item;
    most = Math.max(most, size);
    let place = 0;
    for (let child = 1; child < bins; child = 2 * place + 1) {
      if (child + 1 < bins && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= size) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = size;
  }
  return most;
}

/** Of the first k m + 1 items some bin has k + 1: at least the sum of their k + 1 smallest. */
function countingBound(items: Float64Array, bins: number): number {
  let bound = 0;
  for (let k = 1; k * bins + 1 <= items.length; k++) {
    let sum = 0;
    for (let i = k * bins - k; i <= k * bins; i++) sum += items[i]!;
    bound = Math.max(bound, sum);
  }
  return bound;
}

/** With at most two items per bin on average: either a bin has three, or the best is to pair large with small. */
function pairingBound(items: Float64Array, bins: number): number {
  const { length } = items;
  if (length > 2 * bins) return 0;
  let paired = 0;
  for (let i = 0; i < bins; i++) paired = Math.max(paired, items[i]! + (items[2 * bins - 1 - i] ?? 0));
  const three = length < 3 ? Infinity : items[length - 1]! + items[length - 2]! + items[length - 3]!;
  return Math.min(paired, three);
}

/** The sizes that differ, largest first. @param items largest first */
export function distinctSizes(items: Float64Array): number[] {
  const sizes: number[] = [];
  for (const item of items)
    if (sizes.length === 0 || item < sizes[sizes.length - 1]! * (1 - boundTolerance)) sizes.push(item);
  return sizes;
}

/**
 * Every item rounded down to so many units of q: some bin has at least the average number of units, rounded up. If an
 * average of k units per bin leaves r over, n bins with more than k units hold r + k n units or more for some n up to
 * r, and weigh what the items with the least weight per unit weigh.
 */
function roundingBound(items: Float64Array, sizes: readonly number[], bins: number): number {
  const step = Math.max(1, Math.floor(sizes.length / mostSizes));
  let bound = 0;
  for (let i = 0; i < sizes.length; i += step) {
    const q = sizes[i]!;
    let units = 0;
    for (const item of items) units += unitsOf(item, q);
    // beyond, what is left over after a division is not exact; units only become more from here
    if (!Number.isSafeInteger(units)) break;
    const even = Math.ceil(units / bins) - 1;
    bound = Math.max(bound, q * (even + 1), crowdedBound(items, q, even, Math.min(units - even * bins, bins)));
  }
  return bound;
}

/** How many units of a size an item is at least. */
export function unitsOf(item: number, q: number): number {
  return Math.floor((item / q) * (1 + boundTolerance));
}

function crowdedBound(items: Float64Array, q: number, even: number, left: number): number {
  const lightest = items.filter((item) => unitsOf(item, q) > 0).sort((a, b) => a / unitsOf(a, q) - b / unitsOf(b, q));
  let bound = Infinity;
  let taken = 0;
  let weight = 0;
  let next = 0;
  for (let crowded = 1; crowded <= left; crowded++) {
    const wanted = left + even * crowded;
    while (next < lightest.length && taken + unitsOf(lightest[next]!, q) <= wanted) {
      taken += unitsOf(lightest[next]!, q);
      weight += lightest[next++]!;
    }
    const rest = next === lightest.length ? 0 : ((wanted - taken) * lightest[next]!) / unitsOf(lightest[next]!, q);
    bound = Math.min(bound, (weight + rest) / crowded);
  }
  return bound;
}

/**
 * The smallest multiple of the largest number that all sizes are multiples of which is not below the bound; for sizes
 * in 1024ths.
 */
function nextMultiple(sizes: readonly number[], bound: number): number {
  const multiple = greatestMeasure(sizes);
  if (multiple === 0) return bound;
  return Math.ceil((bound / multiple) * (1 - comparedTolerance)) * multiple;
}

/**
 * The smallest sum of items that is not below the bound: no bin can hold anything between. The bound itself if there
 * are too many sums.
 */
function nextSum(items: Float64Array, sizes: readonly number[], bound: number): number {
  if (sizes.length > mostDistinct) return bound;
  const counts = sizes.map(() => 0);
  let kind = 0;
  for (const item of items) {
    if (item < sizes[kind]! * (1 - boundTolerance)) kind++;
    counts[kind]!++;
  }
  let best = Infinity;
  let nodes = 0;
  const wanted = bound * (1 - comparedTolerance);
  const search = (at: number, sum: number): void => {
    if (sum >= wanted) {
      best = Math.min(best, sum);
      return;
    }
    if (at === sizes.length || nodes++ > mostNodes) return;
    const most = Math.min(counts[at]!, Math.ceil((wanted - sum) / sizes[at]!));
    for (let n = most; n >= 0; n--) search(at + 1, sum + n * sizes[at]!);
  };
  search(0, 0);
  return nodes > mostNodes || best === Infinity ? bound : Math.max(bound, best);
}
