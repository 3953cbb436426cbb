// A collective of a group that has begun: which ranks have come to it, which have done with it, and what carries it
// out: moves over the network, or the closed form of the analytical backend.
// Invariant: a rank has done with it after it has come; the collective is over when all expected ranks have done with
// it.

import type { CollectiveRun } from '../collectives/collective-run.js';
import type { CollectivePlan, JobGroup } from './job-groups.js';

/** What a collective was started for: all its ranks say the same. */
export interface CollectiveCause {
  readonly layer: number;
  readonly pass: number;
  readonly microBatch: number;
  readonly iteration: number;
  /** index into collectiveNames */
  readonly collective: number;
}

export class OpenCollective {
  /** null: a closed form says how long it takes */
  run: CollectiveRun | null = null;
  /** number of its first transfer; -1 without any */
  firstId = -1;
  firstStartPs = -1;
  lastStartPs = -1;
  joined = 0;
  done = 0;
  /** all its transfers have arrived; a rank may yet come and find everything there */
  isSent = false;
  /** by place: when the rank came; -1: not yet */
  readonly startPs: Float64Array;

  constructor(
    readonly key: number,
    readonly group: JobGroup,
    readonly plan: CollectivePlan,
    readonly cause: CollectiveCause,
    /** ranks that take part: all, or those that stand for the others */
    readonly expected: number,
  ) {
    this.startPs = new Float64Array(group.ranks.length).fill(-1);
  }

  /** A rank has come. */
  join(place: number, nowPs: number): void {
    if (this.joined++ === 0) this.firstStartPs = nowPs;
    this.lastStartPs = nowPs;
    this.startPs[place] = nowPs;
  }

  /** How much of a wait since then was for ranks that came later. */
  skewPs(waitSincePs: number): number {
    return this.joined === this.expected ? Math.max(0, this.lastStartPs - waitSincePs) : 0;
  }
}
