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
  private carriedBy: CollectiveRun | null = null;
  private first = -1;
  private firstComePs = -1;
  private lastComePs = -1;
  private come = 0;
  private done = 0;
  private readonly comePs: Float64Array;

  constructor(
    readonly key: number,
    readonly group: JobGroup,
    readonly plan: CollectivePlan,
    readonly cause: CollectiveCause,
    /** ranks that take part: all, or those that stand for the others */
    readonly expected: number,
  ) {
    this.comePs = new Float64Array(group.ranks.length).fill(-1);
  }

  /** null: a closed form says how long it takes */
  get run(): CollectiveRun | null {
    return this.carriedBy;
  }

  /** Number of its first transfer; -1 without any. */
  get firstId(): number {
    return this.first;
  }

  get firstStartPs(): number {
    return this.firstComePs;
  }

  get lastStartPs(): number {
    return this.lastComePs;
  }

  /** Whether all ranks that take part have come. */
  get isComplete(): boolean {
    return this.come === this.expected;
  }

  /** When the rank of a place came; -1: not yet. */
  startPs(place: number): number {
    return this.comePs[place]!;
  }

  /** It is sent: by moves, the numbers of which begin at `firstId` (-1: there are none). */
  send(run: CollectiveRun, firstId: number): void {
    this.carriedBy = run;
    this.first = firstId;
  }

  /** A rank has come. */
  join(place: number, nowPs: number): void {
    if (this.come++ === 0) this.firstComePs = nowPs;
    this.lastComePs = nowPs;
    this.comePs[place] = nowPs;
  }

  /** A rank has done with it. @returns whether it was the last */
  leave(): boolean {
    return ++this.done === this.expected;
  }

  /** How much of a wait since then was for ranks that came later. */
  skewPs(waitSincePs: number): number {
    return this.isComplete ? Math.max(0, this.lastComePs - waitSincePs) : 0;
  }
}
