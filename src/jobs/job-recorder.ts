// Writes what ranks did and what their collectives came to into the tables of jobs, for the ranks that were asked for.

import { algorithmNames } from '../collectives/schedule.js';
import { Activity, CollectiveColumn, collectiveTable, TimelineColumn, timelineTable } from '../records/job-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { kindIndex } from './rank-accounts.js';
import { communicationKindOf } from './job-groups.js';
import type { OpenCollective } from './open-collective.js';

/** Whose time is recorded: nobody's, that of the first rank of every stage, everybody's. */
export const timelineScopes = ['none', 'stages', 'all'] as const;
export type TimelineScope = (typeof timelineScopes)[number];

/** group of a computation in the timeline */
const noGroup = 255;
/** algorithm of a closed form in the table of collectives */
const closedForm = 255;

export class JobRecorder {
  private readonly timeline: TableWriter;
  private readonly collectives: TableWriter;

  constructor(sink: RecordSink) {
    this.timeline = new TableWriter(timelineTable, sink);
    this.collectives = new TableWriter(collectiveTable, sink);
  }

  /** The last rows go out. */
  close(): void {
    this.timeline.flush();
    this.collectives.flush();
  }

  computed(job: number, rank: number, layer: number, pass: number, microBatch: number, iteration: number, startPs: number, finishPs: number): void {
    this.row(job, rank, Activity.compute, noGroup, layer, pass, microBatch, iteration, startPs, finishPs);
  }

  waited(job: number, rank: number, kind: number, layer: number, pass: number, microBatch: number, iteration: number, startPs: number, finishPs: number): void {
    if (finishPs > startPs) this.row(job, rank, kind === kindIndex('PP') ? Activity.receive : Activity.wait, kind, layer, pass, microBatch, iteration, startPs, finishPs);
  }

  ended(job: number, collective: OpenCollective, nowPs: number): void {
    const { group, plan, cause, run } = collective;
    const { columns, rows } = this.collectives;
    columns[CollectiveColumn.job]![rows] = job;
    columns[CollectiveColumn.group]![rows] = kindIndex(communicationKindOf[group.name]);
    columns[CollectiveColumn.firstRank]![rows] = group.ranks[0]!;
    columns[CollectiveColumn.ranks]![rows] = group.ranks.length;
    columns[CollectiveColumn.collective]![rows] = cause.collective;
    columns[CollectiveColumn.algorithm]![rows] = run === null ? closedForm : algorithmNames.indexOf(plan.choice.algorithm);
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

  private row(job: number, rank: number, activity: number, group: number, layer: number, pass: number, microBatch: number, iteration: number, startPs: number, finishPs: number): void {
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
