// Lower bounds for dividing items among bins of different speed (Q || Cmax): flows over links of several rates, as
// where a cable fell back to a slower one. A bin of worth w (load per traffic) takes traffic t with load w t.
// Invariant: never above the optimum by more than rounding. Bounds: the average; the k largest items over the k fastest
// bins; with every item so many units of a size, or sums of items: the smallest load at which what bins can take whole
// is enough for all; and, where that is soon done, the optimum itself by branch and bound (items largest first, bins
// that are alike tried once).

import { greatestMeasure } from './greatest-measure.js';
import { boundTolerance, distinctSizes, unitsOf } from './schedule-bound.js';

/** bins of one worth */
interface BinClass {
  readonly worth: number;
  readonly count: number;
}

/**
 * What a bin can take whole: the largest such amount up to a limit, and the smallest above it; Infinity = there is
 * none.
 */
interface Amounts {
  upTo(limit: number): number;
  above(limit: number): number;
}

const mostSizes = 64;
const mostUnits = 1 << 15;
const mostSteps = 10_000;
const mostNodes = 20_000;
const mostItems = 64;
/** items may be that much smaller than the units they count as */
const slack = 1 + 3 * boundTolerance;

/**
 * A lower bound on the load of the most loaded bin.
 * @param items sizes above 0, any order; sorted in place, largest first @param worths of the bins, one or more
 */
export function mixedScheduleBound(items: Float64Array, worths: readonly number[]): number {
  if (items.length === 0) return 0;
  items.sort().reverse();
  const fastest = [...worths].sort((a, b) => a - b);
  const classes = classesOf(fastest);
  const total = items.reduce((sum, item) => sum + item, 0);
  let bound = total / fastest.reduce((sum, worth) => sum + 1 / worth, 0);
  let weight = 0;
  let speed = 0;
  for (let k = 0; k < Math.min(items.length, fastest.length); k++) {
    weight += items[k]!;
    speed += 1 / fastest[k]!;
    bound = Math.max(bound, weight / speed);
  }
  const sizes = distinctSizes(items);
  for (let i = 0; i < sizes.length; i += Math.max(1, Math.floor(sizes.length / mostSizes))) {
    const size = sizes[i]!;
    const units = items.reduce((sum, item) => sum + unitsOf(item, size), 0);
    if (Number.isSafeInteger(units)) bound = enoughFrom(bound, classes, units * size, multiplesOf(size));
  }
  const sums = sumsOf(items, sizes, total);
  if (sums !== null) bound = enoughFrom(bound, classes, total, sums);
  return optimum(items, fastest, bound) ?? bound;
}

function classesOf(fastest: readonly number[]): BinClass[] {
  const classes: { worth: number; count: number }[] = [];
  for (const worth of fastest) {
    const last = classes.at(-1);
    if (last?.worth === worth) last.count++;
    else classes.push({ worth, count: 1 });
  }
  return classes;
}

/** The smallest load, not below a bound, at which the bins take as much as needed, each a whole amount. */
function enoughFrom(bound: number, classes: readonly BinClass[], needed: number, amounts: Amounts): number {
  let load = bound;
  for (let step = 0; step < mostSteps; step++) {
    let taken = 0;
    for (const { worth, count } of classes) taken += count * amounts.upTo(load / worth);
    if (taken * slack >= needed) break;
    const next = classes.reduce((least, { worth }) => Math.min(least, amounts.above(load / worth) * worth), Infinity);
    if (next === Infinity) break;
    load = next;
  }
  return load;
}

function multiplesOf(size: number): Amounts {
  const whole = (limit: number): number => Math.floor((limit / size) * slack);
  return { upTo: (limit) => whole(limit) * size, above: (limit) => (whole(limit) + 1) * size };
}

/** The sums that some of the items have, if all are multiples of one number and that is not too small; else null. */
function sumsOf(items: Float64Array, sizes: readonly number[], total: number): Amounts | null {
  const grain = greatestMeasure(sizes);
  if (grain === 0) return null;
  const units = Math.round(total / grain);
  if (units > mostUnits || units * items.length > 1 << 24) return null;
  const reached = new Uint8Array(units + 1);
  reached[0] = 1;
  let most = 0;
  for (const item of items) {
    const step = Math.round(item / grain);
    for (let sum = most; sum >= 0; sum--) if (reached[sum] === 1) reached[sum + step] = 1;
    most += step;
  }
  const below = new Int32Array(units + 1);
  const next = new Float64Array(units + 1).fill(Infinity);
  for (let sum = 1; sum <= units; sum++) below[sum] = reached[sum] === 1 ? sum : below[sum - 1]!;
  for (let sum = units - 1; sum >= 0; sum--) next[sum] = reached[sum + 1] === 1 ? sum + 1 : next[sum + 1]!;
  const whole = (limit: number): number => Math.min(units, Math.floor((limit / grain) * slack));
  return { upTo: (limit) => below[whole(limit)]! * grain, above: (limit) => next[whole(limit)]! * grain };
}

/** The optimum, if branch and bound soon comes to it; null if it does not. @param bound no division is below it */
function optimum(items: Float64Array, worths: readonly number[], bound: number): number | null {
  const load = new Float64Array(worths.length);
  let best = Infinity;
  let nodes = 0;
  const place = (at: number, most: number): void => {
    if (at === items.length) {
      best = most;
      return;
    }
    // the bin that the item makes least loaded comes first
    const order = worths
      .map((worth, bin) => ({ bin, after: load[bin]! + items[at]! * worth }))
      .sort((a, b) => a.after - b.after || a.bin - b.bin);
    let tried: { readonly bin: number; readonly after: number } | null = null;
    for (const own of order) {
      if (own.after >= best * (1 - boundTolerance)) return;
      if (tried !== null && worths[tried.bin] === worths[own.bin] && tried.after === own.after) continue;
      if (++nodes > mostNodes) return;
      tried = own;
      const before = load[own.bin]!;
      load[own.bin] = own.after;
      place(at + 1, Math.max(most, own.after));
      load[own.bin] = before;
      if (best <= bound * (1 + boundTolerance)) return;
    }
  };
  if (items.length > mostItems) return null;
  place(0, 0);
  return nodes > mostNodes || best === Infinity ? null : Math.max(best * (1 - boundTolerance), bound);
}
