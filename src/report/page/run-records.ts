// All that a report takes from the records of a run, table by table.
// Invariant: `flows` is put before every other table (loads of links need sizes, rates need ends); memory grows with
// the flows alone (flow-columns.ts).

import type { Fabric } from '../../fabric/fabric.js';
import { flowTable, hopTable } from '../../records/flow-records.js';
import { collectiveTable, moveTable, timelineTable } from '../../records/job-records.js';
import { messageTable } from '../../records/message-records.js';
import { bandwidthTable, pauseTable, queueTable, rateTable } from '../../records/probe-records.js';
import type { Batch, TableSchema } from '../../records/schema.js';
import { linkSampleTable } from '../../sampling/sample-records.js';
import type { TimelineJob } from '../timeline-jobs.js';
import { TimelineRows } from '../timeline-rows.js';
import { CollectiveSpans } from './collective-spans.js';
import { CollectiveSteps } from './collective-steps.js';
import { FlowColumns } from './flow-columns.js';
import { LongestPauses } from './longest-pauses.js';
import { CarriedLoads } from './carried-loads.js';
import { PortCourses, putQueues, putUse, RateCourse } from './probe-series.js';
import { RankMessages } from './rank-messages.js';
import { SampledLinks } from './sampled-links.js';

/** The tables that a report reads, in the order in which it wants them. */
export const reportTables: readonly TableSchema[] = [
  flowTable,
  hopTable,
  queueTable,
  bandwidthTable,
  rateTable,
  collectiveTable,
  moveTable,
  timelineTable,
  linkSampleTable,
  messageTable,
];

export class RunRecords {
  readonly flows = new FlowColumns();
  readonly queues: PortCourses;
  readonly use = new PortCourses(this.flows);
  readonly messages: RankMessages = new RankMessages(this.flows);
  readonly collectives: CollectiveSpans;
  readonly steps: CollectiveSteps = new CollectiveSteps(this.flows);
  readonly timeline: TimelineRows;
  readonly pauses = new LongestPauses();
  private ownRates: RateCourse | null = null;
  private ownLoads: CarriedLoads | null = null;
  private ownSamples: SampledLinks | null = null;
  /** by table */
  private readonly takers: Readonly<Record<string, (batch: Batch) => void>> = {
    [flowTable.name]: (batch) => this.flows.put(batch),
    [hopTable.name]: (batch) => {
      if (this.fabric !== null) (this.ownLoads ??= new CarriedLoads(this.fabric, this.flows)).put(batch);
    },
    [queueTable.name]: (batch) => putQueues(this.queues, batch),
    [bandwidthTable.name]: (batch) => putUse(this.use, batch),
    [rateTable.name]: (batch) => (this.ownRates ??= new RateCourse(this.flows)).put(batch),
    [collectiveTable.name]: (batch) => this.collectives.put(batch),
    [moveTable.name]: (batch) => this.steps.put(batch),
    [timelineTable.name]: (batch) => this.timeline.put(batch),
    [messageTable.name]: (batch) => this.messages.put(batch),
    [pauseTable.name]: (batch) => this.pauses.put(batch),
    [linkSampleTable.name]: (batch) => {
      if (this.fabric !== null) (this.ownSamples ??= new SampledLinks(this.fabric)).put(batch);
    },
  };

  /**
   * @param fabric null: not known @param jobs of the run, by their numbers
   * @param queues that were taken while it ran; left out: they are put here
   */
  constructor(
    readonly fabric: Fabric | null,
    jobs: readonly TimelineJob[],
    queues?: PortCourses,
  ) {
    this.queues = queues ?? new PortCourses(this.flows);
    this.collectives = new CollectiveSpans(jobs.map(({ name }) => name));
    this.timeline = new TimelineRows(jobs);
  }

  /** Takes rows of one of the report's tables; others are passed over. */
  put(batch: Batch): void {
    this.takers[batch.schema.name]?.(batch);
  }

  /** All rows were put. */
  end(): void {
    this.ownLoads?.end();
    this.ownRates?.end();
    this.timeline.end();
  }

  /** What links carried; null without a fabric, or without a row of hops. */
  get loads(): CarriedLoads | null {
    return this.ownLoads;
  }

  /** What samples in packets say of links; null without a fabric, or without a sample. */
  get samples(): SampledLinks | null {
    return this.ownSamples;
  }

  /** null without a row of rates */
  get rates(): RateCourse | null {
    return this.ownRates;
  }
}
