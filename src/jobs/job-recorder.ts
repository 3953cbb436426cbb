// Writes what ranks did and what their collectives came to into the tables of jobs, for the ranks that were asked for.

import { algorithmNames } from '../collectives/schedule.js';
import type { Move } from '../collectives/schedule.js';
import {
  Activity,
  CollectiveColumn,
  collectiveTable,
  MoveColumn,
  moveTable,
  TimelineColumn,
  timelineTable,
} from '../records/job-records.js';
import { type RecordSink, type TableSchema, TableWriter } from '../records/schema.js';
import { kindIndex } from './rank-accounts.js';
import { communicationKindOf } from './job-groups.js';
import type { OpenCollective } from './open-collective.js';

/** Whose time is recorded: nobody's, that of the first rank of every stage, everybody's. */
export const timelineScopes = ['none', 'stages', 'all'] as const;
type TimelineScope = (typeof timelineScopes)[number];

/** group of a computation in the timeline */
const noGroup = 255;
/** algorithm of a closed form in the table of collectives */
const closedForm = 255;

/** What is recorded of jobs. */
export interface JobRecording {
  readonly ranks: TimelineScope;
  /** every transfer of every collective */
  readonly moves: boolean;
}

/** The tables that a recording fills. */
export function jobTables({ ranks, moves }: JobRecording): TableSchema[] {
  return [...(ranks === 'none' ? [] : [timelineTable, collectiveTable]), ...(moves ? [moveTable] : [])];
}

export class JobRecorder {
  private readonly timeline: TableWriter;
  private readonly collectives: TableWriter;
  private readonly moves: TableWriter;

  constructor(
    sink: RecordSink,
    readonly recording: JobRecording,
  ) {
    this.timeline = new TableWriter(timelineTable, sink);
    this.collectives = new TableWriter(collectiveTable, sink);
    this.moves = new TableWriter(moveTable, sink);
  }

  /** The last rows go out. */
  close(): void {
    this.timeline.flush();
    this.collectives.flush();
    this.moves.flush();
  }

  computed(
    job: number,
    rank: number,
    layer: number,
    pass: number,
    microBatch: number,
    iteration: number,
    startPs: number,
    finishPs: number,
  ): void {
    this.row(job, rank, Activity.compute, noGroup, layer, pass, microBatch, iteration, startPs, finishPs);
  }

  waited(
    job: number,
    rank: number,
    kind: number,
    layer: number,
    pass: number,
    microBatch: number,
    iteration: number,
    startPs: number,
    finishPs: number,
  ): void {
    if (finishPs > startPs)
      this.row(
        job,
        rank,
        kind === kindIndex('PP') ? Activity.receive : Activity.wait,
        kind,
        layer,
        pass,
        microBatch,
        iteration,
        startPs,
        finishPs,
      );
  }

  moved(job: number, firstFlow: number, flow: number, { step, channel, chunk, isReduction }: Readonly<Move>): void {
    const { columns, rows } = this.moves;
    columns[MoveColumn.flow]![rows] = flow;
    columns[MoveColumn.job]![rows] = job;
    columns[MoveColumn.firstFlow]![rows] = firstFlow;
    columns[MoveColumn.step]![rows] = step;
    columns[MoveColumn.channel]![rows] = channel;
    columns[MoveColumn.chunk]![rows] = chunk;
    columns[MoveColumn.isReduction]![rows] = isReduction ? 1 : 0;
    this.moves.commit();
  }

  ended(job: number, collective: OpenCollective, nowPs: number): void {
    const { group, plan, cause, run } = collective;
    const { columns, rows } = this.collectives;
    columns[CollectiveColumn.job]![rows] = job;
    columns[CollectiveColumn.group]![rows] = kindIndex(communicationKindOf[group.name]);
    columns[CollectiveColumn.firstRank]![rows] = group.ranks[0]!;
    columns[CollectiveColumn.ranks]![rows] = group.ranks.length;
    columns[CollectiveColumn.collective]![rows] = cause.collective;
    columns[CollectiveColumn.algorithm]![rows] =
      run === null ? closedForm : algorithmNames.indexOf(plan.choice.algorithm);
    columns[CollectiveColumn.layer]![rows] = cause.layer;
    columns[CollectiveColumn.pass]![rows] = cause.pass;
    columns[CollectiveColumn.microBatch]![rows] = cause.microBatch;
    columns[CollectiveColumn.iteration]![rows] = cause.iteration;
    columns[CollectiveColumn.size]![rows] = plan.request.sizeBytes;
    columns[CollectiveColumn.firstFlow]![rows] = collective.firstId;
    columns[CollectiveColumn.flows]![rows] = run === null ? 0 : run.schedule.moveCount;
    columns[CollectiveColumn.firstStart]![rows] = collective.firstStartPs;
    columns[CollectiveColumn.lastStart]![rows] = collective.lastStartPs;
    columns[CollectiveColumn.finish]![rows] = nowPs;
    this.collectives.commit();
  }

  private row(
    job: number,
    rank: number,
    activity: number,
    group: number,
    layer: number,
    pass: number,
    microBatch: number,
    iteration: number,
    startPs: number,
    finishPs: number,
  ): void {
    const { columns, rows } = this.timeline;
    columns[TimelineColumn.job]![rows] = job;
    columns[TimelineColumn.rank]![rows] = rank;
    columns[TimelineColumn.activity]![rows] = activity;
    columns[TimelineColumn.group]![rows] = group;
    columns[TimelineColumn.layer]![rows] = layer;
    columns[TimelineColumn.pass]![rows] = pass;
    columns[TimelineColumn.microBatch]![rows] = microBatch;
    columns[TimelineColumn.iteration]![rows] = iteration;
    columns[TimelineColumn.start]![rows] = startPs;
    columns[TimelineColumn.finish]![rows] = finishPs;
    this.timeline.commit();
  }
}
