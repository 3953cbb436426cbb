// Whether the sizes of the groups of ranks fit each other and the number of GPUs.
// Source: Megatron-LM's parallel groups (Narayanan et al. 2021, 2.4 and 3): every GPU has one place in each of the
// tensor, data and pipeline dimension; expert groups divide the data groups.

import type { ParallelSizes } from '../collectives/parallel-groups.js';
import type { GroupSizes } from './workload.js';

/** Group sizes that do not fit; `size` is the one to blame. */
export interface GroupSizeProblem {
  readonly size: keyof GroupSizes;
  readonly message: string;
  readonly got: string;
  readonly wanted: string;
}

/**
 * Ranks in a data group: what tensor and pipeline groups leave of the GPUs. The number of GPUs must be given and fit.
 */
export function dataGroupSize({ tensor, pipeline, gpus }: GroupSizes): number {
  return gpus / (tensor * pipeline);
}

/** The sizes as collectives divide the ranks by them. The number of GPUs must be given and fit. */
export function parallelSizes(groups: GroupSizes): ParallelSizes {
  return {
    tensor: groups.tensor,
    data: dataGroupSize(groups),
    pipeline: groups.pipeline,
    expert: groups.expert,
    context: groups.context ?? 1,
  };
}

/** What does not fit, or null. Without a number of GPUs (0) only the fabric can tell: nothing is wrong yet. */
export function groupProblem(groups: GroupSizes): GroupSizeProblem | null {
  const { tensor, expert, context = 1, pipeline, gpus } = groups;
  if (gpus === 0) return null;
  const parts = tensor * pipeline;
  const product =
    pipeline === 1 ? `tensor groups of ${tensor}` : `tensor groups of ${tensor} in ${pipeline} pipeline stages`;
  if (gpus % parts !== 0) {
    return {
      size: 'gpus',
      message: `${gpus} GPUs do not divide into ${product}`,
      got: String(gpus),
      wanted: `a multiple of ${parts}`,
    };
  }
  const data = dataGroupSize(groups);
  if (data % context !== 0)
    return {
      size: 'context',
      message: `data groups of ${data} ranks do not divide into groups of ${context} that share a sequence`,
      got: String(context),
      wanted: `a divisor of ${data} (${gpus} GPUs in ${product})`,
    };
  if (data % expert === 0) return null;
  return {
    size: 'expert',
    message: `data groups of ${data} ranks do not divide into expert groups of ${expert}`,
    got: String(expert),
    wanted: `a divisor of ${data} (${gpus} GPUs in ${product})`,
  };
}
