// How much of a run is done, by what it does: packet-hops, flows or bytes of all that there will be.
// Invariants: the share grows with the work and never goes back; it is null while nobody knows how much work there is.
// What jobs send is counted beside the run (jobs/job-amount.ts; beside inference work-count.ts), from its second second
// on, in a quarter of its time until it is known and a tenth until it is exact; nothing of that reaches results. Not
// modelled: that some packet-hops or flows take longer than others.

import type { Host } from '../../base/host.js';
import { TransferList } from '../../flows/transfer-list.js';
import { JobWork } from '../../jobs/job-work.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Plan } from '../../scenario/plan.js';
import type { ProgramWork } from '../../programs/program-work.js';
import { planWork, type PlanWork } from '../plan-work.js';
import { JobsCount } from './jobs-count.js';
import { nowhere, WorkCount } from './work-count.js';

/** Wall-clock milliseconds of a run before its work is counted: short runs show no progress. */
const countAfterMs = 1000;
/** parts of a run's time that counting may take while nothing is known, and after */
const countShares = { unknown: 0.25, known: 0.1 };
/** steps between two looks at the clock */
const stepsAtOnce = 64;
/**
 * ranks beyond which the work of jobs is not carried out a second time beside inference: operations are counted then
 */
const mostRanks = 32_768;

/** What a run has done so far. */
export interface WorkDone {
  readonly nowPs: number;
  readonly flowsStarted: number;
  readonly flowsFinished: number;
  readonly payloadStarted: number;
  readonly payloadDelivered: number;
  /** null on a backend without packets */
  readonly packetHops: number | null;
}

export class WorkShare {
  private readonly startMs: number;
  private count: WorkCount | JobsCount | null = null;
  private readonly jobs: JobWork | null;
  private readonly programs: ProgramWork | null;
  private readonly counts: boolean;
  private largest = 0;

  /**
   * @param work of the run, whose jobs and programs know how many operations are done
   * @param total flows that there will be, as far as sources know
   */
  constructor(
    private readonly plan: Plan,
    private readonly host: Host,
    { jobs, programs, jobsSend }: Pick<PlanWork, 'jobs' | 'programs' | 'jobsSend'>,
    private readonly total: number,
  ) {
    this.jobs = jobs;
    this.programs = programs;
    this.startMs = host.wallMs();
    const ranks = plan.jobs.reduce((sum, job) => sum + job.ranks.length, 0);
    this.counts = programs === null && jobs !== null && jobsSend && (plan.inference === null || ranks <= mostRanks);
  }

  /** Counts on, if that is due. @param sliceMs what the last slice of the run took */
  countOn(sliceMs: number): void {
    const nowMs = this.host.wallMs();
    if (!this.counts || nowMs - this.startMs < countAfterMs || this.count?.isComplete === true) return;
    this.count ??= countOf(this.plan);
    const { unknown, known } = countShares;
    const untilMs = nowMs + Math.max(1, (this.count.isKnown ? known : unknown) * sliceMs);
    while (this.count.advance(stepsAtOnce) && this.host.wallMs() < untilMs);
  }

  /** The share that is done, 0 to 1; null if it is not known. */
  of(done: WorkDone): number | null {
    // a run that ends at a time is done with it, however much is left
    const untilStop = done.nowPs / this.plan.stopPs;
    const share = untilStop > 0 ? Math.max(untilStop, this.measured(done) ?? 0) : this.measured(done);
    if (share === null || !Number.isFinite(share)) return null;
    // what is sent again comes on top of what was counted
    this.largest = Math.max(this.largest, Math.min(1, share));
    return this.largest;
  }

  private measured({
    flowsStarted,
    flowsFinished,
    payloadStarted,
    payloadDelivered,
    packetHops,
  }: WorkDone): number | null {
    const { plan, jobs, programs, count, total } = this;
    if (programs !== null) return jobs === null ? programs.fraction : Math.min(programs.fraction, jobs.fraction);
    const { totalBytes } = plan.source;
    if (jobs !== null) {
      if (!this.counts) return jobs.fraction;
      if (count?.isKnown !== true) return null;
      const inAll = count instanceof JobsCount ? count.amount : count;
      if (plan.source.total !== 0)
        return totalBytes === undefined ? null : payloadDelivered / (totalBytes + inAll.payloadBytes);
      const { payloadReplayedBytes } = jobs;
      if (payloadReplayedBytes !== null) return (payloadDelivered + payloadReplayedBytes) / inAll.payloadBytes;
      return packetHops === null ? flowsFinished / inAll.flows : packetHops / inAll.packetHops;
    }
    if (plan.inference === null && totalBytes !== undefined) return payloadDelivered / totalBytes;
    if (!(Number.isFinite(total) && total > 0)) return null;
    // flows that have not started are taken to be as large as those that have
    return payloadStarted === 0 ? 0 : ((payloadDelivered / payloadStarted) * flowsStarted) / total;
  }
}

/** The count of what jobs and inference of a plan send. */
function countOf(plan: Plan): WorkCount | JobsCount {
  const tracer = new PathTracer(routesByRules(plan.fabric, plan.routing));
  if (plan.inference === null) return new JobsCount(plan, tracer);
  return new WorkCount(plan, planWork({ ...plan, source: new TransferList() }, tracer, nowhere, null), tracer);
}
