// Tokens per second and GPU of MPT models, as llm-foundry publishes them: PyTorch FSDP, sequences of 2,048 tokens, BF16.
// Invariant: every row of its table that was collected, whether it fits or not.
// Source: mosaicml/llm-foundry, scripts/train/benchmarking/README.md; shapes of the models: its configurations of
// MPT 125M to 70B. FULL_SHARD is ZeRO stage 3, SHARD_GRAD_OP stage 2. As its submit_benchmarks.py and sweep.sh say: PyTorch
// 1.13 to 2.0 without compilation, FlashAttention in Triton (version 1, which computes the masked half), gradients summed in 2 bytes on A100
// (mixed precision PURE) and in 4 on H100 (DEFAULT); MPT has no dropout and no biases.

import type { PublishedRow } from './published-rows.js';

type MptName = keyof typeof shapes;

const shapes = {
  '125m': [12, 768, 12],
  '350m': [24, 1024, 16],
  '760m': [24, 1536, 12],
  '1b': [24, 2048, 16],
  '3b': [32, 2560, 20],
  '7b': [32, 4096, 32],
  '13b': [40, 5120, 40],
  '30b': [48, 7168, 56],
  '70b': [80, 8192, 64],
} as const;

type MptRow = readonly [
  name: MptName,
  gpu: 'A100' | 'H100',
  gpuMemory: string,
  gpus: number,
  microBatchSize: number,
  microBatches: number,
  isRecomputed: boolean,
  tokensPerSecondAndGpu: number,
  zeroStage: 2 | 3,
];

const rows: readonly MptRow[] = [
  ['70b', 'H100', '80GiB', 256, 8, 1, true, 1035, 3],
  ['30b', 'H100', '80GiB', 256, 8, 1, true, 2148, 3],
  ['30b', 'H100', '80GiB', 128, 8, 1, true, 2199, 3],
  ['13b', 'H100', '80GiB', 512, 16, 1, true, 4952, 3],
  ['13b', 'H100', '80GiB', 256, 16, 1, true, 4989, 3],
  ['13b', 'H100', '80GiB', 128, 16, 1, true, 5080, 3],
  ['7b', 'H100', '80GiB', 512, 6, 1, false, 9670, 3],
  ['7b', 'H100', '80GiB', 256, 6, 1, false, 10119, 3],
  ['7b', 'H100', '80GiB', 128, 6, 1, false, 10475, 3],
  ['3b', 'H100', '80GiB', 256, 8, 1, false, 22772, 2],
  ['1b', 'H100', '80GiB', 512, 12, 1, false, 39837, 2],
  ['1b', 'H100', '80GiB', 256, 12, 1, false, 42555, 2],
  ['1b', 'H100', '80GiB', 128, 12, 1, false, 44123, 2],
  ['70b', 'H100', '80GiB', 64, 8, 4, true, 1039, 3],
  ['30b', 'H100', '80GiB', 32, 14, 3, true, 2308, 3],
  ['13b', 'H100', '80GiB', 32, 2, 1, false, 4811, 3],
  ['13b', 'H100', '80GiB', 16, 2, 1, false, 4767, 3],
  ['3b', 'H100', '80GiB', 64, 6, 3, false, 22525, 3],
  ['3b', 'H100', '80GiB', 32, 6, 3, false, 23021, 3],
  ['3b', 'H100', '80GiB', 16, 10, 3, false, 24142, 3],
  ['1b', 'H100', '80GiB', 64, 20, 1, false, 44402, 3],
  ['1b', 'H100', '80GiB', 32, 20, 1, false, 45130, 3],
  ['760m', 'H100', '80GiB', 32, 24, 1, false, 67971, 3],
  ['760m', 'H100', '80GiB', 16, 24, 1, false, 68551, 3],
  ['70b', 'A100', '80GiB', 64, 8, 4, true, 410, 3],
  ['70b', 'A100', '80GiB', 32, 2, 16, true, 373, 3],
  ['70b', 'A100', '40GiB', 128, 4, 1, true, 376, 3],
  ['30b', 'A100', '40GiB', 128, 6, 1, true, 865, 3],
  ['13b', 'A100', '40GiB', 64, 16, 1, true, 1976, 3],
  ['13b', 'A100', '40GiB', 32, 14, 1, true, 1998, 3],
  ['7b', 'A100', '40GiB', 128, 18, 1, true, 3623, 3],
  ['7b', 'A100', '40GiB', 64, 18, 1, true, 3665, 3],
  ['7b', 'A100', '40GiB', 32, 18, 1, true, 3725, 3],
  ['3b', 'A100', '40GiB', 128, 6, 1, false, 9538, 3],
  ['3b', 'A100', '40GiB', 32, 6, 1, false, 9914, 3],
  ['1b', 'A100', '40GiB', 128, 10, 1, false, 18647, 3],
  ['1b', 'A100', '40GiB', 64, 10, 1, false, 19001, 3],
  ['1b', 'A100', '40GiB', 32, 10, 1, false, 15555, 3],
  ['760m', 'A100', '40GiB', 64, 12, 1, false, 29344, 3],
  ['760m', 'A100', '40GiB', 32, 12, 1, false, 29648, 3],
  ['760m', 'A100', '40GiB', 16, 12, 1, false, 29607, 3],
  ['350m', 'A100', '40GiB', 128, 18, 1, false, 51934, 3],
  ['350m', 'A100', '40GiB', 64, 18, 1, false, 52689, 3],
  ['350m', 'A100', '40GiB', 32, 18, 1, false, 53811, 3],
  ['350m', 'A100', '40GiB', 16, 18, 1, false, 55413, 3],
  ['125m', 'A100', '40GiB', 128, 26, 1, false, 123936, 3],
  ['125m', 'A100', '40GiB', 32, 26, 1, false, 127122, 3],
];

export const mptRows: readonly PublishedRow[] = rows.map(
  ([name, gpu, gpuMemory, gpus, microBatchSize, microBatches, isRecomputed, figure, zeroStage]) => {
    const [layerCount, hiddenSize, attentionHeads] = shapes[name];
    return {
      name: `MPT ${name}, ${gpus} ${gpu} ${gpuMemory}`,
      source: 'llm-foundry',
      system: `llm-foundry on ${gpu}`,
      figure,
      unit: 'tokensPerSecondAndGpu',
      gpu,
      gpus,
      workload: {
        model: 'gpt3-6.7b',
        layerCount,
        hiddenSize,
        attentionHeads,
        keyValueHeads: attentionHeads,
        feedForwardSize: 4 * hiddenSize,
        vocabularySize: 50_368,
        biases: false,
        learnedPositions: false,
        dropout: false,
        zeroStage,
        fusedKernels: false,
        flashAttentionVersion: 1,
        skipsMasked: false,
        gradientPrecision: gpu === 'H100' ? 'fp32' : 'bf16',
        ...(gpuMemory === '40GiB' ? { gpu: 'A100-40GB' } : {}),
        microBatchSize,
        microBatches,
        recomputation: isRecomputed ? 'full' : 'none',
      },
      assumed: 'network',
    };
  },
);
