// The timeline of ranks as spans to draw, one row per rank, out of the batches of the table `timeline`: phases
// (forward and backward of a micro-batch, the optimizer) and, within them or between, waits.
// Invariants: phases of a row do not overlap, nor do waits; layer after layer of the same phase is one span, its waits
// included, those for gradients excepted: a phase ends there. Of very long runs the first spans and the first ranks are
// kept, and it is known how much is not; times by kind are of all of it.

import { Float64List, Int32List } from '../base/columns.js';
import { Activity, TimelineColumn } from '../records/job-records.js';
import type { Batch } from '../records/schema.js';
import type { TimelineJob } from './timeline-jobs.js';

/** What a span shows, in the order of the legend: phases, then waits. */
export const spanKinds = [
  'forward',
  'backward',
  'optimizer',
  'waits for another stage',
  'waits for TP',
  'waits for DP',
  'waits for EP',
  'waits for DP_EP',
  'waits for PP',
  'waits for others',
  'waits for CP',
] as const;

const optimizer = spanKinds.indexOf('optimizer');
/** by pass of a layer: forward, gradients of inputs and of weights, update */
const phaseOfPass = [0, 1, 1, optimizer] as const;
const otherStage = spanKinds.indexOf('waits for another stage');
const firstWait = spanKinds.indexOf('waits for TP');
/** waits that end a phase, so that they look alike wherever they are: those for DP and DP_EP */
const gradientGroups: ReadonlySet<number> = new Set([1, 3]);

/** True of waits that stand between phases, never within one. */
export function isBetweenPhases(kind: number): boolean {
  return gradientGroups.has(kind - firstWait);
}

const mostRows = 64;
const mostSpans = 2 ** 20;

const spanColumns = ['row', 'kind', 'microBatch', 'iteration', 'startPs', 'finishPs'] as const;

/** Spans in columns, in the order in which they ended. */
export class SpanList {
  readonly row = new Int32List();
  /** index into spanKinds */
  readonly kind = new Int32List();
  /** -1: of a wait, or of the optimizer */
  readonly microBatch = new Int32List();
  readonly iteration = new Int32List();
  readonly startPs = new Float64List();
  readonly finishPs = new Float64List();
  /** spans that found no room */
  beyond = 0;

  get count(): number {
    return this.row.length;
  }

  add(span: Span): void {
    if (this.count === mostSpans) {
      this.beyond++;
      return;
    }
    for (const key of spanColumns) this[key].push(span[key]);
  }
}

/** One span, as it grows. */
export interface Span {
  readonly row: number;
  /** -1: none yet */
  kind: number;
  microBatch: number;
  iteration: number;
  startPs: number;
  finishPs: number;
}

/** One rank of a job. */
export interface TimelineRow {
  readonly job: number;
  readonly rank: number;
}

interface OpenRow {
  readonly phase: Span;
  readonly wait: Span;
}

/** Collects spans from the batches of a run. */
export class TimelineRows {
  readonly rows: TimelineRow[] = [];
  readonly phases = new SpanList();
  readonly waits = new SpanList();
  /** by kind: time of all ranks, computing of the phases alone */
  readonly timesPs = new Float64Array(spanKinds.length);
  endPs = 0;
  private readonly open = new Map<string, OpenRow>();
  private readonly others = new Set<string>();

  /** @param jobs by their numbers */
  constructor(readonly jobs: readonly TimelineJob[]) {}

  /** Ranks that found no room. */
  get ranksBeyond(): number {
    return this.others.size;
  }

  /** Takes the rows of a batch of the table `timeline`. */
  put({ columns, rows }: Batch): void {
    const column = (name: keyof typeof TimelineColumn): ArrayLike<number> => columns[TimelineColumn[name]]!;
    const [jobs, ranks, activities, groups] = [column('job'), column('rank'), column('activity'), column('group')];
    const [layers, passes] = [column('layer'), column('pass')];
    const [microBatches, iterations] = [column('microBatch'), column('iteration')];
    const [starts, finishes] = [column('start'), column('finish')];
    for (let i = 0; i < rows; i++) {
      const [startPs, finishPs, activity] = [starts[i]!, finishes[i]!, activities[i]!];
      const isOptimizer = this.jobs[jobs[i]!]?.optimizerLayers.has(layers[i]!) === true;
      const phaseKind = isOptimizer ? optimizer : phaseOfPass[passes[i]!]!;
      const microBatch = phaseKind === optimizer ? -1 : microBatches[i]!;
      const kind =
        activity === Activity.compute ? phaseKind : activity === Activity.receive ? otherStage : firstWait + groups[i]!;
      this.timesPs[kind] = this.timesPs[kind]! + finishPs - startPs;
      this.endPs = Math.max(this.endPs, finishPs);
      const open = this.openRow(jobs[i]!, ranks[i]!);
      if (open === null) continue;
      const { phase, wait } = open;
      if (kind === otherStage) this.extend(this.phases, phase, otherStage, -1, -1, startPs, finishPs);
      else if (kind < firstWait) this.carryOn(phase, kind, microBatch, iterations[i]!, startPs, finishPs);
      else {
        if (gradientGroups.has(groups[i]!)) this.interrupt(phase);
        else this.carryOn(phase, phaseKind, microBatch, iterations[i]!, startPs, finishPs);
        this.extend(this.waits, wait, kind, -1, -1, startPs, finishPs);
      }
    }
  }

  /** The run has ended: what is under way is added. */
  end(): void {
    for (const { phase, wait } of this.open.values()) {
      close(this.phases, phase);
      close(this.waits, wait);
    }
  }

  private openRow(job: number, rank: number): OpenRow | null {
    const key = `${job} ${rank}`;
    let open = this.open.get(key);
    if (open !== undefined) return open;
    if (this.rows.length === mostRows) {
      this.others.add(key);
      return null;
    }
    const none = { row: this.rows.length, kind: -1, microBatch: -1, iteration: -1, startPs: 0, finishPs: 0 };
    open = { phase: { ...none }, wait: { ...none } };
    this.rows.push({ job, rank });
    this.open.set(key, open);
    return open;
  }

  /** A phase goes on, whatever was waited for meanwhile, as long as it is of the same micro-batch. */
  private carryOn(
    phase: Span,
    kind: number,
    microBatch: number,
    iteration: number,
    startPs: number,
    finishPs: number,
  ): void {
    const isSame = phase.kind === kind && phase.microBatch === microBatch && phase.iteration === iteration;
    this.extend(this.phases, phase, kind, microBatch, iteration, isSame ? phase.finishPs : startPs, finishPs);
  }

  /** Whatever phase comes next is a new span. */
  private interrupt(phase: Span): void {
    close(this.phases, phase);
    phase.kind = -1;
  }

  private extend(
    list: SpanList,
    span: Span,
    kind: number,
    microBatch: number,
    iteration: number,
    startPs: number,
    finishPs: number,
  ): void {
    if (
      span.kind !== kind ||
      span.microBatch !== microBatch ||
      span.iteration !== iteration ||
      span.finishPs !== startPs
    ) {
      close(list, span);
      span.kind = kind;
      span.microBatch = microBatch;
      span.iteration = iteration;
      span.startPs = startPs;
    }
    span.finishPs = finishPs;
  }
}

function close(list: SpanList, span: Span): void {
  if (span.kind >= 0 && span.finishPs > span.startPs) list.add(span);
}
