// Counters of pairs whose hosts belong to different groups; pairs within one are left to blocks of their own.

import type { PairCounters } from './pair-rows.js';

export class PairsBetween implements PairCounters {
  readonly count: number;

  /** @param all counters of all pairs @param groupOf group of each node that is a host */
  constructor(
    private readonly all: PairCounters,
    private readonly groupOf: Uint8Array,
  ) {
    this.count = all.count;
  }

  /** As of {@link PairCounters}. */
  get rows(): Int32Array {
    return this.all.rows;
  }

  /** As of {@link PairCounters}. */
  get shares(): Float64Array | null {
    return this.all.shares;
  }

  /** As of {@link PairCounters}; none within a group. */
  open(source: number, destination: number, counters: Float64Array | null): number {
    return this.groupOf[source] === this.groupOf[destination] ? 0 : this.all.open(source, destination, counters);
  }

  /** As of {@link PairCounters}. */
  rowOf(counter: number): number {
    return this.all.rowOf(counter);
  }
}
