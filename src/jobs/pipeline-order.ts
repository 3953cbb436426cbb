// In which order a stage of a pipeline takes forward and backward passes of its micro-batches.
// Sources: Huang et al. 2019 (GPipe: all forward, all backward); Narayanan et al. 2019 (PipeDream-Flush, 1F1B);
// Narayanan et al. 2021, 2.2 (interleaved 1F1B: a stage has several chunks of the model, and the order of micro-batches
// is that of Megatron-LM).
// Invariants: every micro-batch runs forward once in every chunk, and backward once after that; all stages together
// never wait in a circle.

import { fail } from '../base/fail.js';
import type { PipelineSchedule } from './job.js';

/** A pass of one micro-batch through one of the stage's chunks, counted from 0. */
export interface StagePass {
  readonly isForward: boolean;
  readonly microBatch: number;
  readonly chunk: number;
}

export interface PipelineShape {
  readonly stages: number;
  readonly chunksPerStage: number;
  /** with several chunks per stage a multiple of the stages */
  readonly microBatches: number;
  /** left out: only forward passes are of interest (inference) */
  readonly hasBackward: boolean;
}

/** The passes of a stage in their order. */
export function pipelineOrder(schedule: PipelineSchedule, stage: number, shape: PipelineShape): StagePass[] {
  const { stages, chunksPerStage, microBatches, hasBackward } = shape;
  if (chunksPerStage > 1 && microBatches % stages !== 0)
    fail(`${microBatches} micro-batches interleaved over ${stages} stages`);
  const total = microBatches * chunksPerStage;
  const forward = (k: number): StagePass => ({ isForward: true, ...position(k, stages, chunksPerStage) });
  const passes: StagePass[] = [];
  if (!hasBackward || schedule === 'all-forward-all-backward') {
    for (let k = 0; k < total; k++) passes.push(forward(k));
    if (hasBackward) for (let k = total - 1; k >= 0; k--) passes.push({ ...forward(k), isForward: false });
    return passes;
  }
  const backward = (k: number): StagePass => {
    const { microBatch, chunk } = position(k, stages, chunksPerStage);
    return { isForward: false, microBatch, chunk: chunksPerStage - 1 - chunk };
  };
  const warmUp = Math.min(total, warmUpPasses(stage, shape));
  for (let k = 0; k < warmUp; k++) passes.push(forward(k));
  for (let k = warmUp; k < total; k++) passes.push(forward(k), backward(k - warmUp));
  for (let k = total - warmUp; k < total; k++) passes.push(backward(k));
  return passes;
}

/**
 * Micro-batches of each chunk of a stage that have gone forward and not yet backward when their number is largest: what
 * the stage keeps activations of.
 */
export function mostInFlight(schedule: PipelineSchedule, stage: number, shape: PipelineShape): Float64Array {
  const { stages, chunksPerStage, microBatches } = shape;
  const total = microBatches * chunksPerStage;
  const passes = schedule === 'all-forward-all-backward' ? total : Math.min(total, warmUpPasses(stage, shape) + 1);
  if (chunksPerStage === 1) return Float64Array.of(passes);
  const round = stages * chunksPerStage;
  const rest = passes % round;
  return Float64Array.from(
    { length: chunksPerStage },
    (_, chunk) => Math.floor(passes / round) * stages + Math.min(stages, Math.max(0, rest - chunk * stages)),
  );
}

/** Forward passes before the first backward pass: the way to the last stage and back. */
function warmUpPasses(stage: number, { stages, chunksPerStage, microBatches }: PipelineShape): number {
  if (chunksPerStage === 1) return stages - 1 - stage;
  if (microBatches === stages) return Infinity;
  return 2 * (stages - 1 - stage) + (chunksPerStage - 1) * stages;
}

/** Micro-batches go through a chunk in groups as large as the pipeline is long. */
function position(
  k: number,
  stages: number,
  chunksPerStage: number,
): { readonly microBatch: number; readonly chunk: number } {
  if (chunksPerStage === 1) return { microBatch: k, chunk: 0 };
  const round = stages * chunksPerStage;
  const within = k % round;
  return { microBatch: Math.floor(k / round) * stages + (within % stages), chunk: Math.floor(within / stages) };
}
