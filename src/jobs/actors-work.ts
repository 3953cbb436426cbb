// What computes and sends by itself, run beside run, as work for the executor: the jobs of a scenario, or its programs.
// Each run has times of its own; what is due at one instant is handed out in order.

import { SourceInMemory } from '../flows/source-forms.js';
import type { TransferSink } from '../flows/work-source.js';
import { OrderedTransfers } from './ordered-transfers.js';

/** A job or a program under way: ranks that carry out operations. */
export interface ActorsRun {
  /** When something happens next, in picoseconds; Infinity if only transfers can go on. */
  readonly nextPs: number;
  /** operations that have been carried out */
  readonly executed: number;
  /** Does everything that is due. */
  advance(nowPs: number, sink: TransferSink): void;
}

export abstract class ActorsWork<Run extends ActorsRun> extends SourceInMemory {
  /** not known: ranks send as they go */
  readonly total = Infinity;
  abstract readonly runs: readonly Run[];
  /** operations of all ranks that are carried out */
  abstract readonly operations: number;
  private readonly ordered = new OrderedTransfers();

  /** Share of all operations of all ranks that are done. */
  get fraction(): number {
    return this.runs.reduce((sum, run) => sum + run.executed, 0) / Math.max(1, this.operations);
  }

  nextStartPs(): number {
    let leastPs = Infinity;
    for (let i = 0; i < this.runs.length; i++) leastPs = Math.min(leastPs, this.runs[i]!.nextPs);
    return leastPs;
  }

  expand(nowPs: number, sink: TransferSink): void {
    for (const run of this.runs) run.advance(nowPs, this.ordered);
    this.ordered.handOut(sink);
  }
}
