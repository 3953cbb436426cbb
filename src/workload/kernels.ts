// What the kernels of a GPU reach, apart from all communication: matrix products by their shape, attention, and work
// that is bound by memory.
// Invariant: a time is never shorter than the arithmetic at the GPU's peak, nor than the traffic at its memory's rate.
// Sources: matrix products of the shapes of language models: H100 and H200 720 TFLOP/s (SemiAnalysis, "MI300X vs H100
// vs H200 Benchmark Part 1: Training", 2024), B200 1,448 to 1,562 (arXiv:2604.23466, tables III and IV; the middle is
// taken here). Best shapes: A100 271.2 and H100 794.5 (Bekman, "Machine Learning Engineering", table of maximum
// achievable matmul FLOPS); for the A100 its best is taken times H100's 720 / 794.5. Both agree with kernels timed one
// by one (microsoft/vidur, data/profiling/compute; test/workload/kernel-times.test.ts). Waves of tiles: NVIDIA, "Matrix
// Multiplication Background User's Guide". Attention: of an A100's peak FlashAttention reaches 30 to 50 % forward and
// 25 to 35 % backward, FlashAttention-2 50 to 73 % (Dao 2023; the middles are taken). Of an H100 FlashAttention-2
// reaches forward 333, backward 318 TFLOP/s with heads of 128 and 8k tokens (Shah et al. 2024, figures 5 and 6),
// FlashAttention-3 forward 590 at 4k tokens (pytorch/benchmark, pull request 2391), backward 1.5 to 1.75 times
// FlashAttention-2 (Shah et al.; the middle); for FlashAttention on an H100 no figure is published: as far behind
// FlashAttention-2 as on an A100.
// Memory: additions of whole tensors reach 88 % of the data sheet's rate on an A100 and 96 % on an H100 (vidur); 90 %
// is taken.
// Not modelled: clocks that fall under load beyond what the figures above hold, launches of small kernels, and what
// communication takes from computation beside it.

import { gpus, type GpuName } from './gpus.js';

/** FlashAttention, FlashAttention-2, FlashAttention-3. */
export type AttentionVersion = 1 | 2 | 3;

interface AttentionShares {
  readonly forward: number;
  readonly backward: number;
}

interface Kernels {
  /** share of the peak that large matrix products reach */
  readonly products: number;
  /** by version of FlashAttention: share of the peak that it reaches, of the operations that it carries out */
  readonly attention: Readonly<Record<AttentionVersion, AttentionShares>>;
  readonly multiprocessors: number;
}

const first: AttentionShares = { forward: 0.4, backward: 0.3 };
const second: AttentionShares = { forward: 0.615, backward: 0.615 };
const secondOnHopper: AttentionShares = { forward: 333 / 989.4, backward: 318 / 989.4 };

const ampere: Kernels = {
  products: (271.2 / 312) * (720 / 794.5),
  // FlashAttention-3 is for Hopper alone; the settings refuse it
  attention: { 1: first, 2: second, 3: second },
  multiprocessors: 108,
};
const hopper: Kernels = {
  products: 720 / 989.4,
  attention: {
    1: {
      forward: (first.forward / second.forward) * secondOnHopper.forward,
      backward: (first.backward / second.backward) * secondOnHopper.backward,
    },
    2: secondOnHopper,
    3: { forward: 590 / 989.4, backward: 1.625 * secondOnHopper.backward },
  },
  multiprocessors: 132,
};
// attention: no figure of training kernels is taken; the share of Hopper's stands for it
const blackwell: Kernels = { ...hopper, products: 1505 / 2250, multiprocessors: 148 };
// products: 620 TFLOP/s (SemiAnalysis, as above); attention is assumed as far behind Hopper's as products are
const behindHopper = 620 / 1307.4 / hopper.products;
const cdna3Attention: AttentionShares = {
  forward: behindHopper * secondOnHopper.forward,
  backward: behindHopper * secondOnHopper.backward,
};
const cdna3: Kernels = {
  products: 620 / 1307.4,
  attention: { 1: cdna3Attention, 2: cdna3Attention, 3: cdna3Attention },
  multiprocessors: 304,
};
const kernels: Readonly<Record<GpuName, Kernels>> = {
  A100: ampere,
  'A100-40GB': ampere,
  A800: ampere,
  H100: hopper,
  'H100-96GB': hopper,
  H800: hopper,
  H200: hopper,
  // its arithmetic is limited below Hopper's, its multiprocessors are 78 of Hopper's
  H20: { ...hopper, multiprocessors: 78 },
  B200: blackwell,
  B300: blackwell,
  GB200: blackwell,
  GB300: blackwell,
  MI300X: cdna3,
  // no figure of its kernels is taken; the shares of an A100 stand for it
  V100: { ...ampere, multiprocessors: 80 },
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
export function attentionSeconds(
  gpu: GpuName,
  flops: number,
  pass: 'forward' | 'backward',
  version: AttentionVersion,
): number {
  return flops / (gpus[gpu].flopsPerSecond * kernels[gpu].attention[version][pass]);
}

/** Seconds in which so many bytes are read and written. */
export function memorySeconds(gpu: GpuName, bytes: number): number {
  return bytes / (gpus[gpu].memoryBytesPerSecond * memoryShare);
}
