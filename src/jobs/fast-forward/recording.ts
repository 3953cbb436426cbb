// A busy phase of an island as it was simulated: which collectives its ranks came to and when, and when each rank was
// done with each. A busy phase lasts from the instant at which a rank comes to a collective while the island is idle to
// the instant at which all ranks are done with all collectives of the island.
// Invariant: times of one phase are compared with those of another by what has passed since the phase began; a
// recording grows until its phase is over and never changes after.

import { Float64List } from '../../base/columns.js';
import type { OpenCollective } from '../open-collective.js';

/** How many arrivals of transfers a recording keeps, for comparison. */
export const mostArrivals = 4096;

/** Somebody who does as a recorded collective did. */
export interface Follower {
  readonly collective: OpenCollective;
  /** how much later it is than the recorded one */
  readonly laterPs: number;
}

/** One collective of a phase. */
export class RecordedCollective {
  /** by place: when its rank was done with it; -1: not yet */
  readonly donePs: Float64Array;
  readonly comePs: Float64Array;
  readonly firstComePs: number;
  readonly lastComePs: number;
  readonly followers: Follower[] = [];

  /** @param role which group of the island it is of @param likeness how it is done (plan-likeness.ts) */
  constructor(
    readonly role: number,
    readonly likeness: number,
    collective: OpenCollective,
  ) {
    const { length } = collective.group.ranks;
    this.comePs = Float64Array.from({ length }, (_, place) => collective.startPs(place));
    this.firstComePs = collective.firstStartPs;
    this.lastComePs = collective.lastStartPs;
    this.donePs = new Float64Array(length).fill(-1);
  }

  /** When its last rank was done; only of one that is over. */
  get endPs(): number {
    return this.donePs.reduce((last, each) => Math.max(last, each), 0);
  }
}

export class Recording {
  readonly collectives: RecordedCollective[] = [];
  /** when transfers of the phase arrived, in order; the first ones */
  readonly arrivalsPs = new Float64List(64);
  isOver = false;
  /** a later phase was simulated and came out the same, or several came out nearly so */
  isTrusted = false;
  /** how often phases like it were simulated one after the other without the same outcome */
  attempts = 1;
  /** how often it was replayed since it is trusted */
  uses = 0;

  constructor(readonly startPs: number) {}

  arrived(nowPs: number): void {
    if (this.arrivalsPs.length < mostArrivals) this.arrivalsPs.push(nowPs);
  }
}

/**
 * Whether ranks come to a collective as they came to a recorded one.
 * @param startPs when the phase of the collective began, @param recordedStartPs and that of the recorded one
 */
export function comesAlike(
  recorded: RecordedCollective,
  recordedStartPs: number,
  collective: OpenCollective,
  startPs: number,
  tolerancePs: number,
): boolean {
  const { comePs } = recorded;
  for (let place = 0; place < comePs.length; place++) {
    const differencePs = collective.startPs(place) - startPs - (comePs[place]! - recordedStartPs);
    if (Math.abs(differencePs) > tolerancePs) return false;
  }
  return true;
}

/** How far two phases that were asked the same came out differently. */
export interface Difference {
  /** largest difference of a rank's time in a collective, as a share of it */
  readonly largest: number;
  readonly mean: number;
  readonly count: number;
}

/**
 * Compares two phases that are over.
 * @returns null if not the same was asked of them
 */
export function compareRecordings(a: Recording, b: Recording, tolerancePs: number): Difference | null {
  if (a.collectives.length !== b.collectives.length) return null;
  let largest = 0;
  let sum = 0;
  let count = 0;
  for (const [i, one] of a.collectives.entries()) {
    const other = b.collectives[i]!;
    if (one.role !== other.role || one.likeness !== other.likeness) return null;
    for (let place = 0; place < one.comePs.length; place++) {
      const came = one.comePs[place]! - a.startPs - (other.comePs[place]! - b.startPs);
      if (Math.abs(came) > tolerancePs) return null;
      const tookPs = one.donePs[place]! - one.lastComePs;
      const difference = Math.abs(tookPs - (other.donePs[place]! - other.lastComePs)) / Math.max(1, tookPs);
      largest = Math.max(largest, difference);
      sum += difference;
      count++;
    }
  }
  return { largest, mean: count === 0 ? 0 : sum / count, count };
}
