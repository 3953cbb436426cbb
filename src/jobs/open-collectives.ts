// The collectives of a job that have begun and that some rank is not done with, by what the ranks of a group find them
// by: iteration and operation.
// Invariant: all ranks of a group that come to an operation in an iteration meet in one collective; the first of them
// makes it.

import { CollectiveRun } from '../collectives/collective-run.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { TransferSink } from '../flows/work-source.js';
import { collectiveNames } from '../workload/workload.js';
import type { JobGroup } from './job-groups.js';
import type { JobParts } from './job-parts.js';
import { OpenCollective } from './open-collective.js';
import type { Program } from './program.js';

/** Whom a collective tells what has happened, and who says for how many ranks it waits. */
export interface CollectiveEvents {
  /** ranks of a group that take part: all, or those that stand for the others */
  expectedOf(group: JobGroup): number;
  placeFinished(collective: OpenCollective, place: number): void;
  transferFinished(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void;
}

export class OpenCollectives {
  private readonly open = new Map<number, OpenCollective>();
  private readonly longestProgram: number;

  /** @param jobNumber as records name it @param programs of all stages */
  constructor(
    private readonly iterations: number,
    private readonly jobNumber: number,
    private readonly parts: JobParts,
    programs: readonly Program[],
    private readonly events: CollectiveEvents,
  ) {
    this.longestProgram = Math.max(...programs.map(({ length }) => length));
  }

  /** Transfers of all of them that have not finished. */
  get unfinished(): number {
    let count = 0;
    for (const { run } of this.open.values()) count += run?.remaining ?? 0;
    return count;
  }

  /** What ranks of a group find the collective of an operation by. */
  keyOf(group: JobGroup, iteration: number, at: number): number {
    return (group.id * this.iterations + iteration) * this.longestProgram + at;
  }

  /** The collective of an operation if a rank has come to it and one is not done with it. */
  known(group: JobGroup, iteration: number, at: number): OpenCollective | undefined {
    return this.open.get(this.keyOf(group, iteration, at));
  }

  /** The collective that the ranks of a group meet in at an operation. */
  at(group: JobGroup, program: Program, at: number, iteration: number): OpenCollective {
    const key = this.keyOf(group, iteration, at);
    const known = this.open.get(key);
    if (known !== undefined) return known;
    const kind = collectiveNames[program.collective[at]!] as CollectiveKind;
    const plan = group.planOf(kind, program.sizeBytes[at]!);
    const cause = {
      layer: program.layer[at]!,
      pass: program.pass[at]!,
      microBatch: program.microBatch[at]!,
      iteration,
      collective: program.collective[at]!,
    };
    const made = new OpenCollective(key, group, plan, cause, this.events.expectedOf(group));
    this.open.set(key, made);
    if (this.parts.costs === null) this.giveMoves(made);
    return made;
  }

  /** All ranks are done with it. */
  remove({ key }: OpenCollective): void {
    this.open.delete(key);
  }

  private giveMoves(collective: OpenCollective): void {
    const { choice, schedule } = collective.plan;
    const { owners, recorder } = this.parts;
    if (schedule.moveCount > 0)
      collective.firstId = owners.add(
        { finished: (id, nowPs, sink) => this.events.transferFinished(collective, id, nowPs, sink) },
        schedule.moveCount,
      );
    collective.run = new CollectiveRun(collective.group.communicator, schedule, {
      firstId: Math.max(0, collective.firstId),
      protocol: choice.protocol,
      intraServerDelayPs: choice.intraServerDelayPs,
      networkDelayPs: choice.networkDelayPs,
      onPlaceFinished: (place) => this.events.placeFinished(collective, place),
      ...(recorder?.recording.moves === true
        ? { onMove: (id, move) => recorder.moved(this.jobNumber, collective.firstId, id, move) }
        : {}),
    });
  }
}
