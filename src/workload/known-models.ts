// Models whose shape is published, by name.
// Sources: GPT-3: Brown et al. 2020, table 2.1. Megatron: Narayanan et al. 2021, table 1. LLaMA 2: Touvron et al. 2023
// and its model cards; Llama 3: Grattafiori et al. 2024, table 3. Mixtral: Jiang et al. 2024, table 1; its 8x22B: the
// model card.

import type { TransformerModel } from './transformer-model.js';

type Shape = readonly [
  layerCount: number,
  hiddenSize: number,
  attentionHeads: number,
  keyValueHeads: number,
  feedForwardSize: number,
  vocabularySize: number,
  sequenceLength: number,
];

/** Learned positions, biases, dropout, GELU, one embedding matrix for input and output. */
function gpt([
  layerCount,
  hiddenSize,
  attentionHeads,
  keyValueHeads,
  feedForwardSize,
  vocabularySize,
  sequenceLength,
]: Shape): TransformerModel {
  return {
    layerCount,
    hiddenSize,
    attentionHeads,
    keyValueHeads,
    feedForwardSize,
    vocabularySize,
    sequenceLength,
    gatedFeedForward: false,
    experts: 0,
    activeExperts: 2,
    tiedEmbeddings: true,
    learnedPositions: true,
    biases: true,
    dropout: true,
  };
}

/** Rotary positions, no biases, no dropout, SwiGLU, two embedding matrices. */
function llama(shape: Shape, experts = 0): TransformerModel {
  return {
    ...gpt(shape),
    gatedFeedForward: true,
    experts,
    tiedEmbeddings: false,
    learnedPositions: false,
    biases: false,
    dropout: false,
  };
}

export const knownModels = {
  'gpt3-175b': gpt([96, 12_288, 96, 96, 49_152, 50_257, 2048]),
  'gpt3-13b': gpt([40, 5120, 40, 40, 20_480, 50_257, 2048]),
  'gpt3-6.7b': gpt([32, 4096, 32, 32, 16_384, 50_257, 2048]),
  'megatron-1t': gpt([128, 25_600, 160, 160, 102_400, 51_200, 2048]),
  'llama2-7b': llama([32, 4096, 32, 32, 11_008, 32_000, 4096]),
  'llama2-13b': llama([40, 5120, 40, 40, 13_824, 32_000, 4096]),
  'llama2-70b': llama([80, 8192, 64, 8, 28_672, 32_000, 4096]),
  'llama3-8b': llama([32, 4096, 32, 8, 14_336, 128_256, 8192]),
  'llama3-70b': llama([80, 8192, 64, 8, 28_672, 128_256, 8192]),
  'llama3-405b': llama([126, 16_384, 128, 8, 53_248, 128_256, 8192]),
  'mixtral-8x7b': llama([32, 4096, 32, 8, 14_336, 32_000, 4096], 8),
  'mixtral-8x22b': llama([56, 6144, 48, 8, 16_384, 32_000, 4096], 8),
} as const satisfies Record<string, TransformerModel>;

export type KnownModel = keyof typeof knownModels;

export const knownModelNames = Object.keys(knownModels) as KnownModel[];
