// Where a workload stands in a scenario, and what it may run on: all of the fabric, or the ranks of a job.

import type { TrainingPlan } from '../../workload/training-plan.js';
import type { Workload } from '../../workload/workload.js';
import type { Section } from '../form/section.js';
import type { Planned } from '../network/plan-fabric.js';
import type { TrainingForm } from '../form/workload-schema.js';

export interface WorkloadSite {
  /** `workload`, or an item of `jobs` */
  readonly block: Section;
  readonly form: TrainingForm;
  /** GPUs that it may have */
  readonly gpus: number;
  /** as the fabric names it; "" if unknown */
  readonly gpuType: string;
}

/** A workload, and what it was generated from. */
export interface PlannedWorkload extends Planned<Workload> {
  /** left out: it was not generated */
  readonly training?: TrainingPlan;
}
