// What a training job keeps in the memory of its GPUs, stage by stage.
// Invariant: the parts add up to the total; activations are those of the micro-batches that the schedule has in flight
// when they are most, or, where gradients come and go (ZeRO stage 2 in a pipeline), when both together are.
// Sources: workload/state-bytes.ts, workload/activation-bytes.ts; Korthikanti et al. 2022, 4.2.3 (stages under 1F1B and
// interleaved 1F1B).
// Not modelled: the framework's own (CUDA context, NCCL's buffers, fragments of the allocator): a few GB.

import { fail } from '../base/fail.js';
import { activationBytes, checkpointBytes } from '../workload/activation-bytes.js';
import { gpus } from '../workload/gpus.js';
import { chunkBlocks, chunkLayers, storedModel } from '../workload/model-shares.js';
import { stateBytes, wholeGradientBytes } from '../workload/state-bytes.js';
import type { TrainingPlan } from '../workload/training-plan.js';
import { layerBlocks, type TransformerModel } from '../workload/transformer-model.js';
import type { PipelineSchedule } from './job.js';
import type { JobMemory, StageMemory } from './memory-figures.js';
import { mostInFlight, pipelineOrder, type PipelineShape } from './pipeline-order.js';

/** What a generated job keeps. */
export function jobMemory(plan: TrainingPlan, schedule: PipelineSchedule): JobMemory {
  const { values, groups } = plan;
  const model = storedModel(plan);
  const stages = Array.from({ length: groups.pipeline }, (_, stage) => stageMemory(plan, model, schedule, stage));
  const fullestStage = stages.reduce(
    (most, { totalBytes }, i) => (totalBytes > stages[most]!.totalBytes ? i : most),
    0,
  );
  const limitBytes =
    values.gpuMemory === 'unlimited'
      ? null
      : values.gpuMemory === 'auto'
        ? gpus[values.gpu].memoryBytes
        : values.gpuMemory;
  return { stages, limitBytes, fullestStage };
}

function stageMemory(
  plan: TrainingPlan,
  model: TransformerModel,
  schedule: PipelineSchedule,
  stage: number,
): StageMemory {
  const { values, groups, microBatches } = plan;
  const chunks = Array.from({ length: values.chunksPerStage }, (_, i) => stage + i * groups.pipeline);
  const state = stateBytes(plan, model, chunks);
  const shape = { stages: groups.pipeline, chunksPerStage: values.chunksPerStage, microBatches, hasBackward: true };
  const perMicroBatch = chunks.map((chunk) => chunkActivationBytes(plan, model, chunk));
  const whole = chunks.map((chunk) => wholeGradientBytes(plan, model, chunk));
  const most = whole.some((bytes) => bytes > 0)
    ? fullestMoment(pipelineOrder(schedule, stage, shape), shape, perMicroBatch, whole)
    : { kept: mostKept(mostInFlight(schedule, stage, shape), perMicroBatch), gradients: 0 };
  let activationsBytes = most.kept;
  // one layer is whole while its backward pass runs
  if (values.recomputation === 'full')
    activationsBytes += layerBlocks(model).reduce((sum, block) => sum + activationBytes(values, model, block), 0);
  const { weightsBytes, optimizerBytes, gatheredBytes } = state;
  const gradientsBytes = state.gradientsBytes + most.gradients;
  return {
    ...state,
    gradientsBytes,
    activationsBytes,
    totalBytes: weightsBytes + gradientsBytes + optimizerBytes + gatheredBytes + activationsBytes,
  };
}

function mostKept(inFlight: Float64Array, perMicroBatch: readonly number[]): number {
  return perMicroBatch.reduce((sum, bytes, i) => sum + inFlight[i]! * bytes, 0);
}

/**
 * Bytes of activations and of whole gradients, by chunk, when both together are most; looked at between passes, so that
 * nothing counts twice.
 */
function fullestMoment(
  passes: ReturnType<typeof pipelineOrder>,
  { microBatches }: PipelineShape,
  perMicroBatch: readonly number[],
  whole: readonly number[],
): { readonly kept: number; readonly gradients: number } {
  const left = whole.map(() => microBatches);
  let [kept, gradients] = [0, 0];
  let most = { kept, gradients };
  for (const { isForward, chunk } of passes) {
    kept += isForward ? perMicroBatch[chunk]! : -perMicroBatch[chunk]!;
    if (!isForward) {
      if (left[chunk] === microBatches) gradients += whole[chunk]!;
      left[chunk]!--;
    }
    if (kept + gradients > most.kept + most.gradients) most = { kept, gradients };
    if (!isForward && left[chunk] === 0) gradients -= whole[chunk]!;
  }
  if (left.some((count) => count !== 0)) fail('a micro-batch that went forward has not gone backward');
  return most;
}

/** What a chunk keeps of one micro-batch. */
function chunkActivationBytes(plan: TrainingPlan, model: TransformerModel, chunk: number): number {
  const { values } = plan;
  const isRecomputed = values.recomputation === 'full';
  const layers = chunkLayers(plan, model, chunk);
  return chunkBlocks(plan, model, chunk).reduce(
    (sum, [block, times]) =>
      isRecomputed && block !== 'embedding' && block !== 'head'
        ? sum
        : sum + times * activationBytes(values, model, block),
    isRecomputed ? layers * checkpointBytes(values, model) : 0,
  );
}
