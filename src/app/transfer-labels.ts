// What transfers of a run are part of. Jobs are numbered in the order of the summary: training jobs before programs, and
// both before jobs that are nothing but transfers. Networks are made before the work that they carry is planned, so it
// comes later.

import { clearLabel, type TransferLabel } from '../records/transfer-label.js';
import type { PlanWork } from './plan-work.js';

type Work = Pick<PlanWork, 'jobs' | 'programs' | 'transferJobs'>;

export class TransferLabels {
  private work: Work = { jobs: null, programs: null, transferJobs: null };

  use(work: Work): void {
    this.work = work;
  }

  /** What a transfer under way is a part of (records/transfer-label.ts). */
  describe(transfer: number, source: number, destination: number, into: TransferLabel): void {
    clearLabel(into);
    if (transfer < 0) return;
    const { jobs, programs, transferJobs } = this.work;
    if (jobs?.describe(transfer, source, destination, into) === true) return;
    const before = jobs?.runs.length ?? 0;
    if (programs?.describe(transfer, into) === true) {
      into.job += before;
      return;
    }
    const listed = transferJobs?.jobOfTransfer(transfer) ?? -1;
    if (listed >= 0) into.job = before + (programs?.runs.length ?? 0) + listed;
  }
}
