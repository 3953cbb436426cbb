// All jobs of a run as work for the executor: ranks compute, and what they send are transfers that the executor starts.
// Invariant: transfers of jobs are numbered from firstId, in the order in which their collectives and messages begin.

import { hasConnections } from '../collectives/selection.js';
import type { Fabric } from '../fabric/fabric.js';
import type { TransferSink } from '../flows/work-source.js';
import { type TransferLabel, untold } from '../records/transfer-label.js';
import { ActorsWork } from './actors-work.js';
import { cutBooks } from './cut-books.js';
import type { FastForwardFigures } from './fast-forward/fast-forward-figures.js';
import type { Job } from './job.js';
import { jobReport } from './job-figures.js';
import type { JobReport } from './job-report.js';
import type { JobParts, TransferOwner } from './job-parts.js';
import { JobRun } from './job-run.js';
import { TransferOwners } from './transfer-owners.js';

export class JobWork extends ActorsWork<JobRun> {
  readonly runs: readonly JobRun[];
  /** given if collectives go over connections with slots */
  readonly transferSent?: (id: number, nowPs: number, sink: TransferSink) => void;
  private readonly owners: TransferOwners<TransferOwner>;
  private readonly fabric: Fabric;
  private rankOf: Int32Array | null = null;
  /** operations of all ranks that are carried out, over all iterations */
  readonly operations: number;

  /** @param firstId number of the first transfer */
  constructor(jobs: readonly Job[], parts: Omit<JobParts, 'owners'>, firstId = 0) {
    super();
    this.owners = new TransferOwners(firstId);
    this.fabric = parts.fabric;
    this.runs = jobs.map((job, number) => new JobRun(job, number, { ...parts, owners: this.owners }));
    if (parts.costs === null && hasConnections(parts.settings.profile))
      this.transferSent = (id, nowPs, sink) => this.owners.of(id).sent?.(id, nowPs, sink);
    this.operations = this.runs.reduce((sum, run) => sum + run.operations, 0);
  }

  get unfinished(): number {
    return this.runs.reduce((sum, run) => sum + run.unfinished, 0);
  }

  /** Whether anything waits for the wire: no collective without slots does. */
  get awaitsSent(): boolean {
    for (let i = 0; i < this.runs.length; i++) if (this.runs[i]!.open.awaitsSent) return true;
    return false;
  }

  transferFinished(id: number, nowPs: number, sink: TransferSink): void {
    this.owners.of(id).finished(id, nowPs, sink);
  }

  /**
   * Says what a transfer under way is a part of: pass, collective and group as in the table of collectives.
   * @param source @param destination its nodes @returns whether it is of a job
   */
  describe(id: number, source: number, destination: number, into: TransferLabel): boolean {
    const owner = this.owners.find(id);
    if (owner === null) return false;
    const { job } = this.runs[owner.job]!;
    const rankOf = (this.rankOf ??= this.rankOfNodes());
    into.job = owner.job;
    into.phase = owner.pass;
    into.collective = owner.collective;
    into.group = owner.group;
    into.tag = untold;
    into.sourceRank = rankOf[source]!;
    into.destinationRank = rankOf[destination]!;
    into.ranks = job.ranks.length;
    return true;
  }

  /** By node: the rank of its job, -1 of none. No two jobs share a rank of the fabric. */
  private rankOfNodes(): Int32Array {
    const rankOf = new Int32Array(this.fabric.nodeCount).fill(untold);
    for (const { job } of this.runs)
      for (const [rank, host] of job.ranks.entries()) rankOf[this.fabric.hosts[host]!] = rank;
    return rankOf;
  }

  /**
   * Books what ranks were doing when the run ended before the jobs did. Call it once, before the records are closed.
   */
  cutAt(nowPs: number): void {
    for (const run of this.runs) if (!run.isFinished) cutBooks(run, nowPs);
  }

  /** Payload of what was replayed so far, in bytes; null: nothing may be. */
  get payloadReplayedBytes(): number | null {
    return this.runs[0]?.fastForward?.payloadReplayedBytes ?? null;
  }

  /** What of the jobs was replayed; null: nothing may be. */
  fastForwardFigures(): FastForwardFigures | null {
    return this.runs[0]?.fastForward?.figures() ?? null;
  }

  /** What the jobs came to. @param nowPs time reached */
  reports(nowPs: number): JobReport[] {
    return this.runs.map((run) => jobReport(run, nowPs));
  }
}
