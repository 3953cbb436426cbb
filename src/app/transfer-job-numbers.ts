// Whose a transfer is: the number of its job in the order of the summary, training jobs before programs and both before
// jobs that are nothing but transfers. Networks are made before the work that they carry is planned, so it comes later.

import type { PlanWork } from './plan-work.js';

type Work = Pick<PlanWork, 'jobs' | 'programs' | 'transferJobs'>;

export class TransferJobNumbers {
  private work: Work = { jobs: null, programs: null, transferJobs: null };

  use(work: Work): void {
    this.work = work;
  }

  /** Number of the job of a transfer under way, from 0; -1: it belongs to none. */
  of(transfer: number): number {
    if (transfer < 0) return -1;
    const { jobs, programs, transferJobs } = this.work;
    const trained = jobs?.jobOfTransfer(transfer) ?? -1;
    if (trained >= 0) return trained;
    const before = jobs?.runs.length ?? 0;
    const program = programs?.programOfTransfer(transfer) ?? -1;
    if (program >= 0) return before + program;
    const listed = transferJobs?.jobOfTransfer(transfer) ?? -1;
    return listed < 0 ? -1 : before + (programs?.runs.length ?? 0) + listed;
  }
}
