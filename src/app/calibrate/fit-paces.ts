// What the parameters leave: paces by size (collectives/calibrated-profile.ts), so that a profile meets the rows that
// it is fitted to and goes between them as time-curve.ts says.
// A pace has a knot at every size that was measured and at every power of two between, because a curve between two
// sizes is no straight line. A choice of algorithm and protocol has a pace of its own, because a switch of either is a
// step; what is chosen beyond the measured sizes alone has the pace of the last.
// Invariant: sizes ascend; every factor is within the limits of a profile file; knots follow from sizes, never from
// what was measured at sizes that are held out.

import type { Pace } from '../../collectives/calibrated-profile.js';
import type { Protocol } from '../../collectives/protocols.js';
import type { AlgorithmName, CollectiveKind } from '../../collectives/schedule.js';
import { leastPace, mostPace } from '../../scenario/profile-form.js';
import { exp2, log2 } from './logarithms.js';
import { sixDigits } from './profile-parameters.js';

/** A size of a collective with what it is done by. */
export interface PacedSize {
  readonly kind: CollectiveKind;
  readonly servers: 'one' | 'several';
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  readonly sizeBytes: number;
}

/** A knot, and how many times as long it has to take. */
export interface NeededPace extends PacedSize {
  readonly factor: number;
}

/** The powers of two between the least and the most of sizes, and those two, without the sizes that are excepted. */
export function knotSizes(sizes: readonly number[], excepted: ReadonlySet<number>): number[] {
  let [least, most] = [Infinity, 0];
  for (const size of sizes) [least, most] = [Math.min(least, size), Math.max(most, size)];
  const knots = [least, most];
  for (let size = 1; size < most; size *= 2) if (size > least) knots.push(size);
  return [...new Set(knots)].filter((size) => !excepted.has(size)).sort((a, b) => a - b);
}

/**
 * Paces that meet knots.
 * @param beyond sizes with what is chosen for them: a choice that has no knot takes the pace of the knot next to it
 */
export function fitPaces(needed: readonly NeededPace[], beyond: readonly PacedSize[]): Pace[] {
  const groups = grouped(needed);
  const paces = [...groups.values()].map((group) => paceOf(group[0]!, group));
  for (const [key, sizes] of grouped(beyond)) {
    const nearest = groups.has(key) ? null : nearestOf(sizes[0]!, needed);
    if (nearest !== null) paces.push(paceOf(sizes[0]!, [nearest]));
  }
  return paces;
}

/** By kind, servers and choice. */
function grouped<T extends PacedSize>(sizes: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const size of sizes) {
    const { kind, servers, algorithm, protocol } = size;
    const key = `${kind} ${servers} ${algorithm} ${protocol}`;
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [size]);
    else own.push(size);
  }
  return groups;
}

/** The knot of the kind whose size is nearest, as a ratio. */
function nearestOf({ kind, servers, sizeBytes }: PacedSize, needed: readonly NeededPace[]): NeededPace | null {
  let nearest: NeededPace | null = null;
  const ratio = (one: NeededPace): number => Math.max(one.sizeBytes / sizeBytes, sizeBytes / one.sizeBytes);
  for (const one of needed)
    if (one.kind === kind && one.servers === servers && (nearest === null || ratio(one) < ratio(nearest)))
      nearest = one;
  return nearest;
}

/** @param of whose pace it is @param group knots, of which those of one size count as their geometric mean */
function paceOf({ kind, servers, algorithm, protocol }: PacedSize, group: readonly NeededPace[]): Pace {
  const sizeBytes = [...new Set(group.map((one) => one.sizeBytes))].sort((a, b) => a - b);
  const factors = sizeBytes.map((size) =>
    limited(geometricMean(group.filter((one) => one.sizeBytes === size).map(({ factor }) => factor))),
  );
  return { kind, servers, algorithm, protocol, sizeBytes, factors };
}

/** @param values above 0, one at least */
export function geometricMean(values: readonly number[]): number {
  return exp2(values.reduce((sum, value) => sum + log2(value), 0) / values.length);
}

function limited(factor: number): number {
  return sixDigits(Math.min(mostPace, Math.max(leastPace, factor)));
}
