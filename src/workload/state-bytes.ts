// What a rank keeps from one iteration to the next: bytes of parameters, gradients and optimizer states.
// Invariant: ZeRO divides among the ranks that hold the same parameters, which for experts are fewer than for the rest.
// Source: Rajbhandari et al. 2020, 3.1 and 5: Adam in mixed precision keeps parameters in 2 bytes, gradients in 2 (or 4,
// as Megatron-LM sums them: `gradientPrecision`), and 12 of the optimizer (master copy and two moments in 4 each); stages
// 1, 2 and 3 divide the optimizer's, the gradients and the parameters.
// Stage 3 gathers a layer, and with `overlapParameters` the next one beside it (Zhao et al. 2023, 3.3).
// Not modelled: buckets in which gradients are sent.

import { gradientBytes } from './compute-times.js';
import { chunkBlocks, rankParameters, ranksOf, sharersOf } from './model-shares.js';
import type { TrainingPlan } from './training-plan.js';
import { layerBlocks, type TransformerModel } from './transformer-model.js';

/** Bytes of a parameter. */
const parameterBytes = 2;
/** Bytes of the optimizer's states per parameter. */
const optimizerStateBytes = 12;

export interface StateBytes {
  readonly weightsBytes: number;
  readonly gradientsBytes: number;
  readonly optimizerBytes: number;
  /** ZeRO stage 3: the parameters of the largest layer, gathered while it computes, and of the one prefetched */
  readonly gatheredBytes: number;
}

/** What a rank keeps of some model chunks. @param model as its ranks store it */
export function stateBytes(plan: TrainingPlan, model: TransformerModel, chunks: readonly number[]): StateBytes {
  const { zeroStage, overlapParameters } = plan.values;
  const perGradient = gradientBytes(plan.values);
  let [weights, gradients, optimizer, gathered, layer] = [0, 0, 0, 0, 0];
  for (const [block, times] of chunks.flatMap((chunk) => chunkBlocks(plan, model, chunk))) {
    const parameters = rankParameters(plan, model, block);
    const ranks = ranksOf(plan, sharersOf(block));
    const among = (stage: number): number => (times * parameters) / (zeroStage >= stage ? ranks : 1);
    weights += parameterBytes * among(3);
    gradients += perGradient * among(2);
    optimizer += optimizerStateBytes * among(1);
    if (zeroStage !== 3 || ranks === 1) continue;
    const bytes = parameterBytes * parameters;
    if (layerBlocks(model).includes(block)) layer += bytes / chunks.length;
    else gathered = Math.max(gathered, bytes);
  }
  gathered = Math.max(gathered, layer) * (overlapParameters ? 2 : 1);
  return { weightsBytes: weights, gradientsBytes: gradients, optimizerBytes: optimizer, gatheredBytes: gathered };
}
