// What the parameters leave: paces by size (collectives/calibrated-profile.ts), so that a profile meets the rows that it
// is fitted to and goes from size to size between them.
// A choice of algorithm and protocol has a pace of its own, because a switch of either is a step in what is measured. What
// is chosen in the measured range and has no fitted row of its own takes the paces of its neighbours.
// Invariant: sizes ascend; every factor is within the limits of a profile file.

import type { Pace } from '../../collectives/calibrated-profile.js';
import type { AlgorithmName, CollectiveKind } from '../../collectives/schedule.js';
import type { Protocol } from '../../collectives/protocols.js';
import { leastPace, mostPace } from '../../scenario/profile-form.js';
import { sixDigits } from './profile-parameters.js';

/** A size of a collective with what it is done by. */
export interface PacedSize {
  readonly kind: CollectiveKind;
  readonly servers: 'one' | 'several';
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  readonly sizeBytes: number;
}

/** A fitted size, and how many times as long it has to take. */
export interface NeededPace extends PacedSize {
  readonly factor: number;
}

/**
 * Paces that meet fitted sizes.
 * @param between sizes in the measured range with what is chosen for them
 */
export function fitPaces(needed: readonly NeededPace[], between: readonly PacedSize[]): Pace[] {
  const groups = grouped(needed);
  const paces = [...groups.values()].map((group) => paceOf(group[0]!, group));
  for (const [key, sizes] of grouped(between)) {
    const neighbours = groups.has(key) ? [] : neighboursOf(sizes, needed);
    if (neighbours.length > 0) paces.push(paceOf(sizes[0]!, neighbours));
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

/** The fitted sizes of the kind next below and next above. */
function neighboursOf(sizes: readonly PacedSize[], needed: readonly NeededPace[]): NeededPace[] {
  const { kind, servers } = sizes[0]!;
  const smallest = Math.min(...sizes.map(({ sizeBytes }) => sizeBytes));
  let below: NeededPace | null = null;
  let above: NeededPace | null = null;
  for (const one of needed) {
    if (one.kind !== kind || one.servers !== servers) continue;
    if (one.sizeBytes <= smallest) below = below === null || one.sizeBytes > below.sizeBytes ? one : below;
    else above = above === null || one.sizeBytes < above.sizeBytes ? one : above;
  }
  return [below, above].filter((one) => one !== null);
}

/** @param of whose pace it is @param group fitted sizes, of which those of one size count as their mean */
function paceOf({ kind, servers, algorithm, protocol }: PacedSize, group: readonly NeededPace[]): Pace {
  const sizeBytes = [...new Set(group.map((one) => one.sizeBytes))].sort((a, b) => a - b);
  const factors = sizeBytes.map((size) => {
    const own = group.filter((one) => one.sizeBytes === size);
    return limited(own.reduce((sum, { factor }) => sum + factor, 0) / own.length);
  });
  return { kind, servers, algorithm, protocol, sizeBytes, factors };
}

function limited(factor: number): number {
  return sixDigits(Math.min(mostPace, Math.max(leastPace, factor)));
}
