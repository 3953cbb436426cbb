// What a rank keeps from one iteration to the next: bytes of parameters, gradients and optimizer states.
// Invariant: ZeRO divides among the ranks that hold the same parameters, which for experts are fewer than for the rest.
// Source: Rajbhandari et al. 2020, 3.1 and 5: Adam in mixed precision keeps parameters in 2 bytes, gradients in 2 (or
// 4, as Megatron-LM sums them: `gradientPrecision`), and 12 of the optimizer (master copy and two moments in 4 each);
// stages 1, 2 and 3 divide the optimizer's, the gradients and the parameters.
// Stage 3 gathers a layer, and with `overlapParameters` the next one beside it (Zhao et al. 2023, 3.3).
// In a pipeline the gradients of stage 2 are added up whole until a chunk's last micro-batch has gone backward
// (model-shares.ts, sumsGradientsOnce).
// Not modelled: buckets in which gradients are sent.

import { gradientBytes } from './compute-times.js';
import { chunkBlocks, chunkParameters, rankParameters, ranksOf, sharersOf, sumsGradientsOnce } from './model-shares.js';
import type { TrainingPlan } from './training-plan.js';
import { layerBlocks, type BlockName, type TransformerModel } from './transformer-model.js';

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
  let [weights, gradients, optimizer, gathered] = [0, 0, 0, 0];
  const layers = new Map<BlockName, number>();
  for (const [block, times] of chunks.flatMap((chunk) => chunkBlocks(plan, model, chunk))) {
    const parameters = rankParameters(plan, model, block);
    const ranks = ranksOf(plan, sharersOf(block));
    const among = (stage: number): number => (times * parameters) / (zeroStage >= stage ? ranks : 1);
    weights += parameterBytes * among(3);
    gradients += perGradient * among(2);
    optimizer += optimizerStateBytes * among(1);
    if (zeroStage !== 3 || ranks === 1) continue;
    const bytes = parameterBytes * parameters;
    if (layerBlocks(model).includes(block)) layers.set(block, bytes);
    else gathered = Math.max(gathered, bytes);
  }
  const layer = [...layers.values()].reduce((sum, bytes) => sum + bytes, 0);
  gathered = Math.max(gathered, layer) * (overlapParameters ? 2 : 1);
  return { weightsBytes: weights, gradientsBytes: gradients, optimizerBytes: optimizer, gatheredBytes: gathered };
}

/**
 * What the gradients of a model chunk take beyond a rank's share of them while they are added up, from the chunk's
 * first backward pass to its last: nothing but in a pipeline with ZeRO stage 2. @param model as its ranks store it
 */
export function wholeGradientBytes(plan: TrainingPlan, model: TransformerModel, chunk: number): number {
  if (plan.values.zeroStage !== 2 || !sumsGradientsOnce(plan)) return 0;
  const parameters = chunkParameters(plan, model, chunk);
  return (['dp', 'dp_ep'] as const).reduce(
    (sum, group) => sum + gradientBytes(plan.values) * parameters[group] * (1 - 1 / ranksOf(plan, group)),
    0,
  );
}
