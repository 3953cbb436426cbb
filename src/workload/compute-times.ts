// How long the blocks of a model compute on one rank, for one micro-batch: from measured times, from what kernels reach
// (kernel-times.ts), or from operations and a share of the GPU's peak.
// Invariant: times are whole nanoseconds, so that a workload file holds them exactly.
// Sources: Narayanan et al. 2021, 3 and appendix: gradients of inputs and of weights take as many operations each as
// the forward pass; attention itself has no weights, its backward pass takes twice the forward's. Korthikanti et al.
// 2022, 5: selective recomputation repeats attention itself.
// Not modelled with an `efficiency` that is a number: kernels that are slower for being small, and what is bound by
// memory; the number stands for both.

import { gpus } from './gpus.js';
import { kernelSeconds } from './kernel-times.js';
import { memorySeconds } from './kernels.js';
import { alternateShare, forwardFlops, type BlockName, type TransformerModel } from './transformer-model.js';
import type { TrainingValues } from './training-settings.js';

/** Times of the three passes of a block, in picoseconds. */
export interface BlockTimes {
  readonly forwardPs: number;
  readonly inputGradientPs: number;
  readonly weightGradientPs: number;
}

/** Measured times by block: of one rank, for one micro-batch, as they are under the given parallelism. */
export type MeasuredTimes = Readonly<Partial<Record<BlockName, BlockTimes>>>;

/**
 * Adam in mixed precision reads and writes, per parameter, master copy and two moments in 4 bytes (24), then copies the
 * master to the parameter (4 and 2).
 */
const optimizerBytes = 30;
/**
 * How often a gradient is read or written between its sum and the next iteration: its norm, clipping (read, written),
 * the step, set to zero (Megatron-LM's order: clip_grad_norm, step, zero_grad_buffer).
 */
const gradientPasses = 5;

/** The times of a block: measured ones if there are, else from operations. */
export function blockTimes(
  values: TrainingValues,
  model: TransformerModel,
  block: BlockName,
  measured: MeasuredTimes,
): BlockTimes {
  const given = measured[block];
  if (given !== undefined) return given;
  const { efficiency } = values;
  if (efficiency === 'kernels') {
    const { forward, inputGradient, weightGradient } = kernelSeconds(values, model, block);
    return {
      forwardPs: wholeNanoseconds(forward),
      inputGradientPs: wholeNanoseconds(inputGradient),
      weightGradientPs: wholeNanoseconds(weightGradient),
    };
  }
  const timePs = (flops: number): number =>
    wholeNanoseconds(
      flops / values.tensorParallel / values.contextParallel / (gpus[values.gpu].flopsPerSecond * efficiency),
    );
  const { weights, activations } = forwardFlops(model, block, values.microBatchSize);
  const isLayer = block !== 'embedding' && block !== 'head';
  const again =
    values.recomputation === 'selective'
      ? activations
      : values.recomputation === 'alternate' && isLayer
        ? weights * alternateShare(model, block)
        : 0;
  return {
    forwardPs: timePs(weights + activations),
    inputGradientPs: timePs(weights + 2 * activations + again),
    weightGradientPs: timePs(weights),
  };
}

/**
 * Time of what becomes of a micro-batch's gradients before ZeRO stages 2 and 3 sum them: cast where they are summed in
 * 4 bytes, and divided by the number of ranks (PyTorch's FSDP, _reduce_grad). With a number for `efficiency` none.
 */
export function gradientCastPs(values: TrainingValues, parameters: number): number {
  if (values.efficiency !== 'kernels') return 0;
  const bytes = gradientBytes(values);
  const cast = bytes === 2 ? 0 : 2 + bytes;
  return wholeNanoseconds(memorySeconds(values.gpu, parameters * (cast + 2 * bytes)));
}

/** Time of the optimizer's step over so many parameters of a rank: bound by memory. */
export function optimizerPs(values: TrainingValues, parameters: number): number {
  const bytes = parameters * (optimizerBytes + gradientPasses * gradientBytes(values));
  return wholeNanoseconds(memorySeconds(values.gpu, bytes));
}

/** How much longer computation takes beside collectives: not at all where a number stands for everything. */
export function overlapSlowdownOf({ efficiency, overlapSlowdown }: TrainingValues): number {
  return efficiency === 'kernels' ? overlapSlowdown : 0;
}

/** Bytes of a gradient when it is summed and sent. */
export function gradientBytes({ gradientPrecision }: TrainingValues): number {
  return gradientPrecision === 'fp32' ? 4 : 2;
}

function wholeNanoseconds(seconds: number): number {
  return Math.round(seconds * 1e9) * 1000;
}
