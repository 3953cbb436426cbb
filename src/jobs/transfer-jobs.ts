// Jobs that are nothing but transfers: those that carry the same name are one, from the start of the first to the end
// of the last.
// Invariant: it watches its source and changes nothing of what that hands out.

import { SourceInFront } from '../flows/source-forms.js';
import type { TransferSink, WorkSource } from '../flows/work-source.js';

/** The transfers of one name. */
export interface TransferJob {
  readonly name: string;
  /** numbers in their source */
  readonly transfers: readonly number[];
  readonly payloadBytes: number;
  /** start of the first one, in picoseconds */
  readonly startPs: number;
}

/** What became of one. */
export interface TransferJobFigures {
  readonly name: string;
  readonly isFinished: boolean;
  readonly transfers: number;
  readonly payloadBytes: number;
  readonly startPs: number;
  /** from its start to the end of the last transfer that finished, in picoseconds; 0 if none has */
  readonly totalPs: number;
}

/** A source whose transfers are told apart by the jobs that they belong to. */
export class TransferJobs extends SourceInFront {
  private readonly jobOf = new Map<number, number>();
  private readonly unfinishedOf: Int32Array;
  private readonly lastPs: Float64Array;
  readonly transferSent?: (id: number, nowPs: number, sink: TransferSink) => void;

  constructor(
    source: WorkSource,
    private readonly jobs: readonly TransferJob[],
  ) {
    super(source);
    this.unfinishedOf = Int32Array.from(jobs, ({ transfers }) => transfers.length);
    this.lastPs = new Float64Array(jobs.length).fill(-1);
    for (const [job, { transfers }] of jobs.entries()) for (const id of transfers) this.jobOf.set(id, job);
    if (source.transferSent !== undefined) this.transferSent = source.transferSent.bind(source);
  }

  transferFinished(id: number, nowPs: number, sink: TransferSink): void {
    const job = this.jobOf.get(id);
    if (job !== undefined) {
      this.unfinishedOf[job]!--;
      this.lastPs[job] = nowPs;
    }
    this.source.transferFinished?.(id, nowPs, sink);
  }

  /** The job of a transfer, in the order of `figures`; -1: none. */
  jobOfTransfer(id: number): number {
    return this.jobOf.get(id) ?? -1;
  }

  /** In order of their first transfers. */
  figures(): TransferJobFigures[] {
    return this.jobs.map(({ name, transfers, payloadBytes, startPs }, job) => ({
      name,
      isFinished: this.unfinishedOf[job] === 0,
      transfers: transfers.length,
      payloadBytes,
      startPs,
      totalPs: Math.max(0, this.lastPs[job]! - startPs),
    }));
  }
}
