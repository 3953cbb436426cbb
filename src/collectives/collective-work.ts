// Collectives as work for the executor: each starts at a time of its own, and then every finished transfer releases
// others.
// Invariant: the transfers of collective i have the ids firstId(i) .. firstId(i) + its moves - 1, in the order in which
// they are given.

import { fail } from '../base/fail.js';
import { SourceInMemory } from '../flows/source-forms.js';
import type { TransferSink } from '../flows/work-source.js';
import { CollectiveRun, type RunOptions } from './collective-run.js';
import type { Communicator } from './communicator.js';
import { firstConnection } from './connection-names.js';
import type { Schedule } from './schedule.js';

export interface TimedCollective {
  readonly communicator: Communicator;
  readonly schedule: Schedule;
  readonly startPs: number;
  readonly options?: Omit<RunOptions, 'firstId' | 'firstConnection'>;
  /** its moves keep the source ports of their connections, which all collectives of a communicator share */
  readonly keepsPorts?: boolean;
}

export class CollectiveWork extends SourceInMemory {
  readonly total: number;
  readonly runs: readonly CollectiveRun[];
  /** given if a schedule has connections with slots */
  readonly transferSent?: (id: number, nowPs: number, sink: TransferSink) => void;
  private readonly starts: readonly number[];
  /** runs in order of their start, and how many have started */
  private readonly order: readonly number[];
  private started = 0;

  constructor(collectives: readonly TimedCollective[]) {
    super();
    let firstId = 0;
    const communicators = new Map<Communicator, number>();
    this.runs = collectives.map(({ communicator, schedule, options, keepsPorts }) => {
      const number = communicators.get(communicator) ?? communicators.size;
      communicators.set(communicator, number);
      const run = new CollectiveRun(communicator, schedule, {
        ...options,
        firstId,
        ...(keepsPorts === true ? { firstConnection: firstConnection(number, schedule.algorithm) } : {}),
      });
      firstId += schedule.moveCount;
      return run;
    });
    if (!Number.isSafeInteger(firstId)) fail(`${firstId} moves are too many to number`);
    this.total = firstId;
    if (this.runs.some(({ schedule }) => schedule.connections))
      this.transferSent = (id, nowPs, sink) => this.runOf(id).sent(id, nowPs, sink);
    this.starts = collectives.map(({ startPs }) => startPs);
    this.order = collectives.map((_, i) => i).sort((a, b) => this.starts[a]! - this.starts[b]! || a - b);
  }

  get unfinished(): number {
    return this.runs.reduce((sum, run) => sum + run.remaining, 0);
  }

  nextStartPs(): number {
    const next = this.order[this.started];
    return next === undefined ? Infinity : this.starts[next]!;
  }

  expand(nowPs: number, sink: TransferSink): void {
    while (this.nextStartPs() <= nowPs) this.runs[this.order[this.started++]!]!.start(nowPs, sink);
  }

  transferFinished(id: number, nowPs: number, sink: TransferSink): void {
    this.runOf(id).finished(id, nowPs, sink);
  }

  private runOf(id: number): CollectiveRun {
    // the last run whose first id is not above
    const { runs } = this;
    let low = 0;
    for (let high = runs.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if (runs[middle]!.firstId <= id) low = middle;
      else high = middle - 1;
    }
    return runs[low]!;
  }
}
