// What the kernels of a GPU reach, apart from all communication: matrix products by their shape, attention, and work
// that is bound by memory.
// Invariant: a time is never shorter than the arithmetic at the GPU's peak, nor than the traffic at its memory's rate.
// Sources: matrix products of the shapes of language models: H100 and H200 720 TFLOP/s (SemiAnalysis, "MI300X vs H100 vs
// H200 Benchmark Part 1: Training", 2024), B200 1,448 to 1,562 (arXiv:2604.23466, tables III and IV; the middle is taken
// here). Best shapes: A100 271.2 and H100 794.5 (Bekman, "Machine Learning Engineering", table of maximum achievable
// matmul FLOPS); for the A100 no figure of usual shapes is published, so its best is taken times H100's 720 / 794.5. Waves
// of tiles: NVIDIA, "Matrix Multiplication Background User's Guide". Attention: FlashAttention-2 reaches 50 to 73 % of an
// A100's peak (Dao 2023; the middle is taken), and forward 333, backward 318 TFLOP/s of an H100 with heads of 128 and 8k
// tokens (Shah et al. 2024, figures 5 and 6). Memory: copies reach 90 % of the data sheet's rate.
// Not modelled: clocks that fall under load beyond what the figures above hold, launches of small kernels, and what
// communication takes from computation beside it.

import { gpus, type GpuName } from './gpus.js';

interface Kernels {
  /** share of the peak that large matrix products reach */
  readonly products: number;
  /** share of the peak that attention reaches forward and backward, of the operations that it carries out */
  readonly attentionForward: number;
  readonly attentionBackward: number;
  readonly multiprocessors: number;
}

const ampere: Kernels = {
  products: (271.2 / 312) * (720 / 794.5),
  attentionForward: 0.615,
  attentionBackward: 0.615,
  multiprocessors: 108,
};
const hopper: Kernels = {
  products: 720 / 989.4,
  attentionForward: 333 / 989.4,
  attentionBackward: 318 / 989.4,
  multiprocessors: 132,
};
const kernels: Readonly<Record<GpuName, Kernels>> = {
  A100: ampere,
  A800: ampere,
  H100: hopper,
  H800: hopper,
  H200: hopper,
  // its arithmetic is limited below Hopper's, its multiprocessors are 78 of Hopper's
  H20: { ...hopper, multiprocessors: 78 },
  // attention: no figure of training kernels is taken; the share of Hopper's stands for it
  B200: { ...hopper, products: 1505 / 2250, multiprocessors: 148 },
};

/** Share of the data sheet's memory rate that kernels reach. */
const memoryShare = 0.9;
/** Outputs that a multiprocessor computes at a time: the two largest tiles of the guide. */
const tiles = [
  [256, 128],
  [128, 256],
  [128, 128],
] as const;

/**
 * Seconds of a matrix product of m x k by k x n in 2-byte elements, `count` of them at once.
 * @param outputBytes of an element of the result: 2, or 8 where gradients of 4 bytes are added to
 */
export function productSeconds(
  gpu: GpuName,
  [m, n, k]: readonly [m: number, n: number, k: number],
  outputBytes = 2,
  count = 1,
): number {
  if (m === 0 || n === 0 || k === 0) return 0;
  const { products, multiprocessors } = kernels[gpu];
  const full = tiles.reduce((most, [height, width]) => {
    const waves = (count * Math.ceil(m / height) * Math.ceil(n / width)) / multiprocessors;
    const used = (count * m * n) / (height * width) / multiprocessors;
    return Math.max(most, used / Math.ceil(waves));
  }, 0);
  const bytes = count * (2 * (m * k + k * n) + outputBytes * m * n);
  return Math.max(
    (2 * count * m * n * k) / (gpus[gpu].flopsPerSecond * products * Math.min(1, full)),
    memorySeconds(gpu, bytes),
  );
}

/** Seconds of attention's products, forward or backward. @param flops that are carried out */
export function attentionSeconds(gpu: GpuName, flops: number, pass: 'forward' | 'backward'): number {
  const { attentionForward, attentionBackward } = kernels[gpu];
  return flops / (gpus[gpu].flopsPerSecond * (pass === 'forward' ? attentionForward : attentionBackward));
}

/** Seconds in which so many bytes are read and written. */
export function memorySeconds(gpu: GpuName, bytes: number): number {
  return bytes / (gpus[gpu].memoryBytesPerSecond * memoryShare);
}
