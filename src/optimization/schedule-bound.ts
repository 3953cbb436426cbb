// Lower bounds for dividing items among equal bins so that the fullest holds as little as possible (P || Cmax): flows that leave a leaf
// over its uplinks are such items and bins, and no routing can do better.
// Invariant: never above the optimum by more than rounding, boundTolerance (tested by brute force). Bounds: the average; k m + 1 items put k + 1 into one bin; pairing of at most
// two per bin; rounding down to multiples of a size; rounding up to a sum that the items can make.

/** What rounding may cost: sums of many floats are compared with this relative tolerance. */
export const boundTolerance = 1e-9;

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
  return Math.max(bound, nextSum(items, distinct, bound));
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

function distinctSizes(items: Float64Array): number[] {
  const sizes: number[] = [];
  for (const item of items) if (sizes.length === 0 || item < sizes[sizes.length - 1]! * (1 - boundTolerance)) sizes.push(item);
  return sizes;
}

/** Every item rounded down to multiples of q: some bin has at least the average number of q, rounded up. */
function roundingBound(items: Float64Array, sizes: readonly number[], bins: number): number {
  const step = Math.max(1, Math.floor(sizes.length / mostSizes));
  let bound = 0;
  for (let i = 0; i < sizes.length; i += step) {
    const q = sizes[i]!;
    let units = 0;
    for (const item of items) units += Math.floor((item / q) * (1 + boundTolerance));
    bound = Math.max(bound, q * Math.ceil(units / bins));
  }
  return bound;
}

/** The smallest sum of items that is not below the bound: no bin can hold anything between. The bound itself if there are too many sums. */
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
  const wanted = bound * (1 - boundTolerance);
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
