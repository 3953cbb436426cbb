// What a training job keeps in the memory of its GPUs, stage by stage.
// Invariant: the parts add up to the total; activations are those of the micro-batches that the schedule has in flight
// when they are most.
// Sources: workload/state-bytes.ts, workload/activation-bytes.ts; Korthikanti et al. 2022, 4.2.3 (stages under 1F1B and
// interleaved 1F1B).
// Not modelled: the framework's own (CUDA context, NCCL's buffers, fragments of the allocator): a few GB.

import { activationBytes, checkpointBytes } from '../workload/activation-bytes.js';
import { gpus } from '../workload/gpus.js';
import { chunkBlocks, storedModel } from '../workload/model-shares.js';
import { stateBytes } from '../workload/state-bytes.js';
import type { TrainingPlan } from '../workload/training-plan.js';
import { layerBlocks, type TransformerModel } from '../workload/transformer-model.js';
import type { PipelineSchedule } from './job.js';
import type { JobMemory, StageMemory } from './memory-figures.js';
import { mostInFlight } from './pipeline-order.js';

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
  const inFlight = mostInFlight(schedule, stage, {
    stages: groups.pipeline,
    chunksPerStage: values.chunksPerStage,
    microBatches,
    hasBackward: true,
  });
  let activationsBytes = chunks.reduce(
    (sum, chunk, i) => sum + inFlight[i]! * chunkActivationBytes(plan, model, chunk),
    0,
  );
  // one layer is whole while its backward pass runs
  if (values.recomputation === 'full')
    activationsBytes += layerBlocks(model).reduce((sum, block) => sum + activationBytes(values, model, block), 0);
  const { weightsBytes, gradientsBytes, optimizerBytes, gatheredBytes } = state;
  return {
    ...state,
    activationsBytes,
    totalBytes: weightsBytes + gradientsBytes + optimizerBytes + gatheredBytes + activationsBytes,
  };
}

/** What a chunk keeps of one micro-batch. */
function chunkActivationBytes(plan: TrainingPlan, model: TransformerModel, chunk: number): number {
  const { values, groups } = plan;
  const isRecomputed = values.recomputation === 'full';
  const layers = model.layerCount / (groups.pipeline * values.chunksPerStage);
  return chunkBlocks(plan, model, chunk).reduce(
    (sum, [block, times]) =>
      isRecomputed && block !== 'embedding' && block !== 'head'
        ? sum
        : sum + times * activationBytes(values, model, block),
    isRecomputed ? layers * checkpointBytes(values, model) : 0,
  );
}
