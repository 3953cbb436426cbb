// The collectives of a job that have begun and that some rank is not done with, by what the ranks of a group find them
// by: iteration and operation; and the numbers of their transfers.
// Invariants: all ranks of a group that come to an operation in an iteration meet in one collective; the first of them
// makes it. Its numbers are given back once, when all its transfers have arrived, which may be before its last rank has
// come.

import { CollectiveRun } from '../collectives/collective-run.js';
import { firstConnection } from '../collectives/connection-names.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import { StreamedSchedule } from '../collectives/streams.js';
import type { TransferSink } from '../flows/work-source.js';
import { collectiveNames } from '../workload/workload.js';
import type { Actors } from './actors.js';
import { communicationKindOf, communicatorNumber, type JobGroup } from './job-groups.js';
import type { JobParts } from './job-parts.js';
import { OpenCollective } from './open-collective.js';
import type { Program } from './program.js';
import { kindIndex } from './rank-accounts.js';

/** Whom collectives tell what has happened. */
export interface CollectiveEvents {
  placeFinished(collective: OpenCollective, place: number): void;
  transferSent(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void;
  transferFinished(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void;
}

/** Of whose collectives it is. */
export interface CollectiveScope {
  /** the job, as records name it */
  readonly job: number;
  readonly iterations: number;
  /** of all stages */
  readonly programs: readonly Program[];
  readonly actors: Actors;
}

export class OpenCollectives {
  private readonly open = new Map<number, OpenCollective>();
  private readonly expected = new Map<JobGroup, number>();
  private readonly longestProgram: number;
  /** whether one so far has moves that wait for the wire */
  awaitsSent = false;

  constructor(
    private readonly scope: CollectiveScope,
    private readonly parts: Pick<JobParts, 'owners' | 'recorder' | 'costs'>,
    private readonly events: CollectiveEvents,
  ) {
    this.longestProgram = Math.max(...scope.programs.map(({ length }) => length));
  }

  /** Transfers of all of them that have not finished. */
  get unfinished(): number {
    let count = 0;
    for (const { run } of this.open.values()) count += run?.remaining ?? 0;
    return count;
  }

  /** What ranks of a group find the collective of an operation by. */
  keyOf(group: JobGroup, iteration: number, at: number): number {
    return (group.id * this.scope.iterations + iteration) * this.longestProgram + at;
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
    const made = new OpenCollective(key, group, plan, cause, this.expectedOf(group));
    this.open.set(key, made);
    if (this.parts.costs === null) this.giveMoves(made);
    return made;
  }

  /** The rank of a place may send: its moves that wait for nothing else leave. */
  enter(collective: OpenCollective, place: number, nowPs: number, sink: TransferSink): void {
    const run = collective.run!;
    const wasSent = run.remaining === 0;
    run.join(place, nowPs, sink);
    if (!wasSent) this.giveBackIfSent(run);
  }

  /** A transfer of it has arrived: those that waited for it leave. */
  arrived(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void {
    const run = collective.run!;
    run.finished(id, nowPs, sink);
    this.giveBackIfSent(run);
  }

  /** All bytes of a transfer of it have left: those that waited for the wire leave. */
  hasSent(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void {
    collective.run!.sent(id, nowPs, sink);
  }

  /**
   * A part of it is sent anew, in place of what was abandoned: all of its ranks have come. @param share of its bytes
   */
  goOn(collective: OpenCollective, share: number, nowPs: number, sink: TransferSink): void {
    this.giveMoves(collective, collective.group.partOf(collective.plan, share));
    collective.run!.start(nowPs, sink);
  }

  /** Nothing more of it is sent: what is under way arrives and releases nothing. */
  abandon(collective: OpenCollective): void {
    const run = collective.run!;
    if (run.remaining === 0) return;
    run.abandon();
    this.giveBackIfSent(run);
  }

  /** A rank is done with it. @returns whether all are: nobody finds it any more */
  leave(collective: OpenCollective): boolean {
    const isOver = collective.leave();
    if (isOver) this.open.delete(collective.key);
    return isOver;
  }

  /** Ranks of a group that take part: all, or those that stand for the others. */
  private expectedOf(group: JobGroup): number {
    let count = this.expected.get(group);
    if (count === undefined) this.expected.set(group, (count = this.scope.actors.among(group.ranks)));
    return count;
  }

  /** Once all its transfers have arrived, no number of its range comes again. */
  private giveBackIfSent({ remaining, firstId }: CollectiveRun): void {
    if (remaining === 0) this.parts.owners.remove(firstId);
  }

  /** A transfer of what was abandoned has arrived. */
  private arrivedLate(run: CollectiveRun, id: number, nowPs: number, sink: TransferSink): void {
    run.finished(id, nowPs, sink);
    this.giveBackIfSent(run);
  }

  private giveMoves(collective: OpenCollective, schedule = collective.plan.schedule): void {
    const { choice } = collective.plan;
    const { owners, recorder } = this.parts;
    if (schedule.connections) this.awaitsSent = true;
    const firstId =
      schedule.moveCount === 0
        ? -1
        : owners.add(
            {
              job: this.scope.job,
              pass: collective.cause.pass,
              collective: collective.cause.collective,
              group: kindIndex(communicationKindOf[collective.group.name]),
              sent: (id, nowPs, sink) => {
                if (collective.run === run) this.events.transferSent(collective, id, nowPs, sink);
              },
              finished: (id, nowPs, sink) => {
                if (collective.run === run) this.events.transferFinished(collective, id, nowPs, sink);
                else this.arrivedLate(run, id, nowPs, sink);
              },
            },
            schedule.moveCount,
          );
    const run: CollectiveRun = new CollectiveRun(collective.group.communicator, schedule, {
      firstId: Math.max(0, firstId),
      wire: choice,
      intraServerDelayPs: choice.intraServerDelayPs,
      networkDelayPs: choice.networkDelayPs,
      // streams are many sends, whose posts their lead has
      postHidingBytes: choice.postHidingBytes,
      postPs: schedule instanceof StreamedSchedule ? 0 : choice.postPs,
      ...(choice.keepsPorts
        ? { firstConnection: firstConnection(communicatorNumber(this.scope.job, collective.group), schedule.algorithm) }
        : {}),
      onPlaceFinished: (place) => this.events.placeFinished(collective, place),
      ...(recorder?.recording.moves === true
        ? { onMove: (id, move) => recorder.moved(this.scope.job, firstId, id, move) }
        : {}),
    });
    collective.send(run, firstId);
  }
}
