// A plan of `weft plan` with what it comes to, and why it stands where it stands.
// Invariant: computation, waits and bubble of the rank that ends last add up to the time of the iteration, so that the
// difference of two plans is the sum of theirs.

import type { Dimension } from '../../collectives/parallel-groups.js';
import { longestJobPs } from '../../base/units.js';
import type { IterationEstimate, MicroBatchRounds } from '../../jobs/micro-batch-rounds.js';
import type { TrainingPlan } from '../../workload/training-plan.js';

/** What a plan was timed by before it ran. */
export const closedForm = 'closed form';

/** What an iteration of a plan comes to. */
export interface PlanTimes extends IterationEstimate {
  /** a closed form, or the backend of a run */
  readonly model: string;
  /** of runs: they had these numbers of micro-batches, and what all of them take follows; left out: one run had all */
  readonly rounds?: MicroBatchRounds;
}

/** speed of the slow GPU of a disturbed plan, as a share */
export const slowGpuSpeed = 0.9;

/** The longest iteration that is run, with a slow GPU, too, in picoseconds; of longer ones the closed forms' times stay. */
export const longestRunPs = slowGpuSpeed * longestJobPs;

/** Why nothing is known of a plan with a link down: there is none between switches, closed forms cannot tell, or it was stopped. */
export type NoLinkFault = 'no such link' | 'closed forms' | 'stopped';

/** Times of a plan with a fault, in picoseconds. */
interface DisturbedTimes {
  /** with a GPU that computes slowly */
  readonly slowGpuPs: number;
  /** with a link between switches that is down */
  readonly failedLinkPs: number | NoLinkFault;
}

export interface RankedPlan {
  readonly training: TrainingPlan;
  /** the order in which ranks are numbered: neighbouring ranks, which share servers and rails, differ in the first */
  readonly layout: readonly Dimension[];
  /** of the fullest stage */
  readonly memoryBytes: number;
  /** share of the GPUs' peak that operations of the model take, without those that are repeated; 0 to 1 */
  readonly mfu: number;
  /** by the finest model that it was timed by */
  readonly times: PlanTimes;
  /** by the same model with a fault; left out: nobody asked */
  readonly disturbed?: DisturbedTimes;
}
