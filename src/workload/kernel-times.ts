// How long a block computes on one rank by what its kernels do: matrix products by shape, attention, and what is bound
// by memory.
// Invariant: matrix products, attention and memory traffic come one after the other, as on one stream of a GPU.
// Sources: shapes of Megatron-LM's layers (Shoeybi et al. 2019, 3), divided by the tensor group; norms, biases, dropout
// and residuals are as in memory-traffic.ts. FlashAttention (Dao 2023): the masked half is skipped, the backward pass
// takes 2.5 times the forward's operations; version 1 in Triton takes as long with the mask as without
// (Dao-AILab/flash-attention, issue 142: 0.93 and 0.88 ms). Alternate recomputation: TorchTitan saves the outputs of
// all matrix products of a layer but every second (torchtitan, parallelize_llama.py), and those of attention.
// With context parallelism a rank has a share of a sequence, and of its scores as much (Llama 3, 3.3.2: heads and tails
// of the sequence are paired, so that the shares are equal).

import { attentionSeconds, type AttentionVersion, memorySeconds, productSeconds } from './kernels.js';
import type { TrainingValues } from './training-settings.js';
import { blockTraffic } from './memory-traffic.js';
import { keyValueSize, type BlockName, type TransformerModel } from './transformer-model.js';

/** Seconds of the three passes of a block. */
export interface BlockSeconds {
  readonly forward: number;
  readonly inputGradient: number;
  readonly weightGradient: number;
}

/** A matrix product with weights: tokens, outputs, inputs; `count` of the same shape. */
interface Product {
  readonly tokens: number;
  readonly outputs: number;
  readonly inputs: number;
  readonly count?: number;
}

/** Seconds of a block for one micro-batch on one rank. */
export function kernelSeconds(values: TrainingValues, model: TransformerModel, block: BlockName): BlockSeconds {
  const { gpu } = values;
  const traffic = blockTraffic(values, model, block);
  const attention = block === 'attention' ? scoreSeconds(values, model) : { forward: 0, backward: 0 };
  let [forward, inputGradient, weightGradient] = [
    memorySeconds(gpu, traffic.forward) + attention.forward,
    memorySeconds(gpu, traffic.backward) + attention.backward,
    0,
  ];
  const gradientBytes = values.gradientPrecision === 'fp32' ? 8 : 4;
  for (const { tokens, outputs, inputs, count } of productsOf(values, model, block)) {
    forward += productSeconds(gpu, [tokens, outputs, inputs], 2, count);
    inputGradient += productSeconds(gpu, [tokens, inputs, outputs], 2, count);
    weightGradient += productSeconds(gpu, [inputs, outputs, tokens], gradientBytes, count);
  }
  if (values.recomputation === 'alternate' && block !== 'embedding' && block !== 'head') {
    inputGradient += memorySeconds(gpu, traffic.forward);
    for (const { tokens, outputs, inputs, count } of productsAgain(values, model, block))
      inputGradient += productSeconds(gpu, [tokens, outputs, inputs], 2, count);
  }
  return { forward, inputGradient, weightGradient };
}

function productsOf(values: TrainingValues, model: TransformerModel, block: BlockName): readonly Product[] {
  const { tensorParallel: t, expertParallel } = values;
  const { hiddenSize: h, feedForwardSize: f, experts, activeExperts } = model;
  const tokens = rankTokens(values, model);
  const entry = model.gatedFeedForward ? 2 : 1;
  switch (block) {
    case 'embedding':
      return [];
    case 'attention':
      return [
        { tokens, outputs: (h + 2 * keyValueSize(model)) / t, inputs: h },
        { tokens, outputs: h, inputs: h / t },
      ];
    case 'feedForward':
      return [
        { tokens, outputs: (entry * f) / t, inputs: h },
        { tokens, outputs: h, inputs: f / t },
      ];
    case 'router':
      // every rank of a tensor group routes its share of the tokens
      return [{ tokens: tokens / t, outputs: experts, inputs: h }];
    case 'experts': {
      // a dense model has none
      if (experts === 0) return [];
      const count = experts / expertParallel;
      const each = (tokens * activeExperts) / count;
      return [
        { tokens: each, outputs: (entry * f) / t, inputs: h, count },
        { tokens: each, outputs: h, inputs: f / t, count },
      ];
    }
    case 'head':
      return [{ tokens, outputs: model.vocabularySize / t, inputs: h }];
  }
}

/**
 * The products that alternate recomputation carries out again: keys, output; of a gated part the second entry, else the
 * exit.
 */
function productsAgain(values: TrainingValues, model: TransformerModel, block: BlockName): readonly Product[] {
  const { tensorParallel: t } = values;
  const { hiddenSize: h, feedForwardSize: f } = model;
  const products = productsOf(values, model, block);
  const last = products.at(-1);
  if (last === undefined || block === 'router') return [];
  if (block === 'attention') return [{ ...last, outputs: keyValueSize(model) / t, inputs: h }, last];
  return [model.gatedFeedForward ? { ...last, outputs: f / t, inputs: h } : last];
}

/** Tokens of a micro-batch on one rank. */
function rankTokens({ microBatchSize, contextParallel }: TrainingValues, { sequenceLength }: TransformerModel): number {
  return (microBatchSize * sequenceLength) / contextParallel;
}

/** Attention itself: fused, or as matrix products with scores that go through memory. */
function scoreSeconds(
  values: TrainingValues,
  { hiddenSize, attentionHeads, sequenceLength }: TransformerModel,
): { readonly forward: number; readonly backward: number } {
  const { gpu, tensorParallel, contextParallel, microBatchSize, flashAttention, recomputation } = values;
  const queries = sequenceLength / contextParallel;
  const full = (4 * microBatchSize * queries * sequenceLength * hiddenSize) / tensorParallel;
  if (flashAttention) {
    const done = values.skipsMasked ? full / 2 : full;
    const version = values.flashAttentionVersion as AttentionVersion;
    return {
      forward: attentionSeconds(gpu, done, 'forward', version),
      backward: attentionSeconds(gpu, 2.5 * done, 'backward', version),
    };
  }
  const heads = (microBatchSize * attentionHeads) / tensorParallel;
  const width = hiddenSize / attentionHeads;
  const products = (times: number): number =>
    times *
    (productSeconds(gpu, [queries, sequenceLength, width], 2, heads) +
      productSeconds(gpu, [queries, width, sequenceLength], 2, heads));
  // softmax reads and writes, dropout reads, writes and masks; the products' own traffic is in them
  const scores = heads * queries * sequenceLength;
  const forward = products(1) + memorySeconds(gpu, 9 * scores);
  return {
    forward,
    backward: products(2) + memorySeconds(gpu, 11 * scores) + (recomputation === 'selective' ? forward : 0),
  };
}
