// Whose a transfer is: the number of its job in the order of the summary, jobs with ranks before those that are nothing
// but transfers. Networks are made before the work that they carry is planned, so it comes later.

import type { JobWork } from '../jobs/job-work.js';
import type { TransferJobs } from '../jobs/transfer-jobs.js';

export class TransferJobNumbers {
  private jobs: JobWork | null = null;
  private transferJobs: TransferJobs | null = null;

  use(jobs: JobWork | null, transferJobs: TransferJobs | null): void {
    this.jobs = jobs;
    this.transferJobs = transferJobs;
  }

  /** Number of the job of a transfer under way, from 0; -1: it belongs to none. */
  of(transfer: number): number {
    if (transfer < 0) return -1;
    const ranked = this.jobs?.jobOfTransfer(transfer) ?? -1;
    if (ranked >= 0) return ranked;
    const listed = this.transferJobs?.jobOfTransfer(transfer) ?? -1;
    return listed < 0 ? -1 : (this.jobs?.runs.length ?? 0) + listed;
  }
}
