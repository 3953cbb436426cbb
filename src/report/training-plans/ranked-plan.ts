// A plan of `weft plan` with what it comes to, and why it stands where it stands.
// Invariant: computation, waits and bubble of the rank that ends last add up to the time of the iteration, so that the
// difference of two plans is the sum of theirs.

import type { CommunicationKind } from '../../jobs/job-report.js';
import type { TrainingPlan } from '../../workload/training-plan.js';

/** What a plan was timed by before it ran. */
export const closedForm = 'closed form';

/** Times in picoseconds, of the rank that ends last. */
export interface PlanTimes {
  /** a closed form, or the backend of a run */
  readonly model: string;
  readonly totalPs: number;
  readonly computePs: number;
  readonly bubblePs: number;
  readonly exposedPs: Readonly<Record<CommunicationKind, number>>;
}

export interface RankedPlan {
  readonly training: TrainingPlan;
  /** of the fullest stage */
  readonly memoryBytes: number;
  /** share of the GPUs' peak that operations of the model take, without those that are repeated; 0 to 1 */
  readonly mfu: number;
  /** by the finest model that it was timed by */
  readonly times: PlanTimes;
}
