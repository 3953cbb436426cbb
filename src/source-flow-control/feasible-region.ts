// Within which limits the quantities that are not known keep the three conditions, one at a time; and what of the
// conditions can be said where the senders' share is not known.
// Invariants: at a bound that a condition gives, its slack is 0; a bound needs every other quantity of its condition.
// Method: a condition's slack is a straight line in each quantity (conditions.ts), so two points of it give its zero.

import { type AllValues, type Condition, conditions } from './conditions.js';
import { naturalLimits, quantities, type Quantity, quantityNames, type SfcValues } from './quantities.js';

/** A bound, and the condition that it comes from; null: it is the limit of the quantity itself. */
interface Bound {
  readonly value: number;
  readonly by: Condition['name'] | null;
}

/** Where a quantity that is not known may lie. */
export interface Interval {
  readonly quantity: Quantity;
  readonly from: Bound;
  readonly to: Bound;
  /** nothing lies between: no value keeps all conditions */
  readonly isEmpty: boolean;
}

/** A condition of which everything is known. */
interface Checked {
  readonly condition: Condition;
  readonly slackBytes: number;
}

/** What of the conditions can be said. */
export interface FeasibleRegion {
  readonly checked: readonly Checked[];
  /** of every unknown quantity that a condition bounds */
  readonly intervals: readonly Interval[];
}

/** @param values what is known, in the units of their names */
export function feasibleRegion(values: SfcValues): FeasibleRegion {
  return regionOf(values, () => values);
}

/**
 * The share of the link's rate at which each condition has least to spare, of all that senders may have: a whole link
 * each for PFC and for a short pause, 1/N (they just fill it) for an idle link.
 */
function worstAlphas(senders: number): Readonly<Record<Condition['name'], number>> {
  return { 'pfc-fires': 1, 'pause-too-short': 1, 'link-idles': 1 / senders };
}

/** What holds whatever the senders' share is. @param values with N; an alpha among them does not count */
export function worstCaseRegion(values: SfcValues & Pick<AllValues, 'senders'>): FeasibleRegion {
  const alphas = worstAlphas(values.senders);
  return regionOf({ ...values, alpha: 1 }, ({ name }) => ({ ...values, alpha: alphas[name] }));
}

function regionOf(values: SfcValues, valuesFor: (condition: Condition) => SfcValues): FeasibleRegion {
  const checked = conditions
    .filter(({ needs }) => needs.every((name) => values[name] !== undefined))
    .map((condition) => ({ condition, slackBytes: condition.slackBytes(valuesFor(condition) as AllValues) }));
  const intervals = quantityNames
    .filter((name) => values[name] === undefined)
    .map((name) => intervalOf(name, values, valuesFor))
    .filter((interval) => interval !== null);
  return { checked, intervals };
}

function intervalOf(
  quantity: Quantity,
  values: SfcValues,
  valuesFor: (condition: Condition) => SfcValues,
): Interval | null {
  const [least, most] = naturalLimits(quantity, values);
  let from: Bound = { value: least, by: null };
  let to: Bound = { value: most, by: null };
  let isBounded = false;
  let isEmpty = false;
  for (const condition of conditions) {
    const { needs, slackBytes, name } = condition;
    if (!needs.includes(quantity) || needs.some((need) => need !== quantity && values[need] === undefined)) continue;
    isBounded = true;
    const at = (value: number): number => slackBytes({ ...valuesFor(condition), [quantity]: value } as AllValues);
    const { scale } = quantities[quantity];
    const atZero = at(0);
    const slope = (at(scale) - atZero) / scale;
    if (slope === 0) isEmpty ||= atZero < 0;
    else if (slope > 0) {
      if (-atZero / slope > from.value) from = { value: -atZero / slope, by: name };
    } else if (-atZero / slope < to.value) to = { value: -atZero / slope, by: name };
  }
  if (!isBounded) return null;
  if (quantity === 'senders') {
    from = { ...from, value: Math.ceil(from.value * (1 - 1e-12)) };
    to = { ...to, value: Math.floor(to.value * (1 + 1e-12)) };
  }
  return { quantity, from, to, isEmpty: isEmpty || from.value > to.value };
}
