// The timeline of ranks as spans to draw: what a rank did from when to when, one row per rank, out of the batches of the table `timeline`.
// Invariants: spans of a row follow each other in time; what goes on without a pause (the same pass of the same micro-batch, layer after layer) is one span.
// Memory is bounded: of very long runs the first spans and the first ranks are kept, and it is known how much is not.

import { Float64List, Int32List } from '../base/columns.js';
import { Activity, TimelineColumn } from '../records/job-records.js';
import type { Batch } from '../records/schema.js';

/** What a span shows, in the order of the legend. */
export const spanKinds = ['forward', 'input gradient', 'weight gradient', 'update', 'waits for TP', 'waits for DP', 'waits for EP', 'waits for DP_EP', 'waits for PP', 'waits for others', 'bubble'] as const;

const firstWait = spanKinds.indexOf('waits for TP');
const bubble = spanKinds.indexOf('bubble');

const mostRows = 64;
const mostSpans = 2 ** 20;

/** Spans in columns, row by row in the order of their ends. */
export interface TimelineSpans {
  readonly count: number;
  /** number of the row */
  readonly row: Int32Array;
  /** index into spanKinds */
  readonly kind: Int32Array;
  /** -1: none */
  readonly microBatch: Int32Array;
  readonly iteration: Int32Array;
  readonly startPs: Float64Array;
  readonly finishPs: Float64Array;
}

/** One rank of a job. */
export interface TimelineRow {
  readonly job: number;
  readonly rank: number;
}

/** The span that a row is in. */
interface OpenSpan {
  readonly row: number;
  kind: number;
  microBatch: number;
  iteration: number;
  startPs: number;
  finishPs: number;
}

/** Collects spans from the batches of a run. */
export class TimelineRows {
  private readonly open = new Map<string, OpenSpan>();
  private readonly found: TimelineRow[] = [];
  private readonly columns = { row: new Int32List(), kind: new Int32List(), microBatch: new Int32List(), iteration: new Int32List(), startPs: new Float64List(), finishPs: new Float64List() };
  private readonly ranksBeyond = new Set<string>();
  /** spans that found no room */
  private spansBeyond = 0;

  /** Takes the rows of a batch of the table `timeline`. */
  put({ columns, rows }: Batch): void {
    const column = (index: number): ArrayLike<number> => columns[index]!;
    const [jobs, ranks, activities, groups] = [column(TimelineColumn.job), column(TimelineColumn.rank), column(TimelineColumn.activity), column(TimelineColumn.group)];
    const [passes, microBatches, iterations] = [column(TimelineColumn.pass), column(TimelineColumn.microBatch), column(TimelineColumn.iteration)];
    const [starts, finishes] = [column(TimelineColumn.start), column(TimelineColumn.finish)];
    for (let i = 0; i < rows; i++) {
      const span = this.spanOf(jobs[i]!, ranks[i]!);
      if (span === null) continue;
      const activity = activities[i]!;
      const kind = activity === Activity.compute ? passes[i]! : activity === Activity.receive ? bubble : firstWait + groups[i]!;
      // which micro-batch a wait is for is of no interest: waits one after the other are one
      const isCompute = kind < firstWait;
      this.extend(span, kind, isCompute ? microBatches[i]! : -1, isCompute ? iterations[i]! : -1, starts[i]!, finishes[i]!);
    }
  }

  /** All spans, those under way included; the ranks by job and number. Call it once, at the end. */
  spans(): { readonly rows: readonly TimelineRow[]; readonly spans: TimelineSpans; readonly ranksBeyond: number; readonly spansBeyond: number } {
    for (const span of this.open.values()) this.close(span);
    const { columns } = this;
    const spans = {
      count: columns.row.length, row: columns.row.toArray(), kind: columns.kind.toArray(), microBatch: columns.microBatch.toArray(), iteration: columns.iteration.toArray(),
      startPs: columns.startPs.toArray(), finishPs: columns.finishPs.toArray(),
    };
    return { rows: this.found, spans, ranksBeyond: this.ranksBeyond.size, spansBeyond: this.spansBeyond };
  }

  private spanOf(job: number, rank: number): OpenSpan | null {
    const key = `${job} ${rank}`;
    let span = this.open.get(key);
    if (span !== undefined) return span;
    if (this.found.length === mostRows) {
      this.ranksBeyond.add(key);
      return null;
    }
    span = { row: this.found.length, kind: -1, microBatch: -1, iteration: -1, startPs: 0, finishPs: 0 };
    this.found.push({ job, rank });
    this.open.set(key, span);
    return span;
  }

  private extend(span: OpenSpan, kind: number, microBatch: number, iteration: number, startPs: number, finishPs: number): void {
    if (span.kind !== kind || span.microBatch !== microBatch || span.iteration !== iteration || span.finishPs !== startPs) {
      this.close(span);
      span.kind = kind;
      span.microBatch = microBatch;
      span.iteration = iteration;
      span.startPs = startPs;
    }
    span.finishPs = finishPs;
  }

  private close(span: OpenSpan): void {
    if (span.kind < 0 || span.finishPs <= span.startPs) return;
    if (this.columns.row.length === mostSpans) {
      this.spansBeyond++;
      return;
    }
    const { columns } = this;
    columns.row.push(span.row);
    columns.kind.push(span.kind);
    columns.microBatch.push(span.microBatch);
    columns.iteration.push(span.iteration);
    columns.startPs.push(span.startPs);
    columns.finishPs.push(span.finishPs);
  }
}
