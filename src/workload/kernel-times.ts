// How long a block computes on one rank by what its kernels do: matrix products by shape, attention, and what is bound
// by memory.
// Invariant: matrix products, attention and memory traffic come one after the other, as on one stream of a GPU.
// Sources: shapes of Megatron-LM's layers (Shoeybi et al. 2019, 3), divided by the tensor group; norms, biases, dropout
// and residuals are fused as there (Narayanan et al. 2021, 4.2), each kernel reads its inputs and writes its outputs
// once. FlashAttention (Dao 2023): the masked half is skipped, the backward pass takes 2.5 times the forward's
// operations.
// Not modelled: kernels for rotary positions and for the permutation of tokens to experts.

import { attentionSeconds, memorySeconds, productSeconds } from './kernels.js';
import type { TrainingValues } from './training-settings.js';
import type { BlockName, TransformerModel } from './transformer-model.js';

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

/** Bytes that kernels read and write, forward and backward. */
interface Traffic {
  readonly forward: number;
  readonly backward: number;
}

/** Seconds of a block for one micro-batch on one rank. */
export function kernelSeconds(values: TrainingValues, model: TransformerModel, block: BlockName): BlockSeconds {
  const { gpu } = values;
  const traffic = trafficOf(values, model, block);
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
  return { forward, inputGradient, weightGradient };
}

function productsOf(values: TrainingValues, model: TransformerModel, block: BlockName): readonly Product[] {
  const { tensorParallel: t, expertParallel, microBatchSize } = values;
  const { hiddenSize: h, feedForwardSize: f, experts, activeExperts } = model;
  const tokens = microBatchSize * model.sequenceLength;
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

/** Bytes, with 2 for an element, 1 for one of a mask, 4 for a logit of the loss. */
function trafficOf(values: TrainingValues, model: TransformerModel, block: BlockName): Traffic {
  const { tensorParallel: t, sequenceParallel, microBatchSize } = values;
  const { hiddenSize: h, feedForwardSize: f } = model;
  const tokens = microBatchSize * model.sequenceLength;
  const whole = (tokens * h) / (sequenceParallel ? t : 1);
  // norm: input and output; backward gradient, input, and gradient out added to that of the residual
  const norm: Traffic = { forward: 4 * whole, backward: 8 * whole };
  // bias, dropout and residual: two inputs, output, mask; backward gradient, mask, gradient
  const residual: Traffic = { forward: 7 * whole, backward: 5 * whole };
  const gates = model.gatedFeedForward ? 2 : 1;
  const activation = (of: number): Traffic => ({
    forward: (of * (2 * gates + 2) * f) / t,
    backward: (of * (2 + 4 * gates) * f) / t,
  });
  switch (block) {
    case 'embedding':
      return { forward: 9 * whole, backward: 5 * whole };
    case 'attention':
      return sum(norm, residual);
    case 'feedForward':
      return sum(norm, activation(tokens), residual);
    case 'router':
      return norm;
    case 'experts':
      return sum(activation(tokens * model.activeExperts), residual);
    case 'head': {
      // logits to 4 bytes, maximum, sum of exponentials; backward the softmax once more
      const logits = (tokens * model.vocabularySize) / t;
      return sum(norm, { forward: 14 * logits, backward: 6 * logits });
    }
  }
}

function sum(...parts: readonly Traffic[]): Traffic {
  return {
    forward: parts.reduce((all, { forward }) => all + forward, 0),
    backward: parts.reduce((all, { backward }) => all + backward, 0),
  };
}

/** Attention itself: fused, or as matrix products with scores that go through memory. */
function scoreSeconds(
  { gpu, tensorParallel, microBatchSize, flashAttention, recomputation }: TrainingValues,
  { hiddenSize, attentionHeads, sequenceLength }: TransformerModel,
): { readonly forward: number; readonly backward: number } {
  const full = (4 * microBatchSize * sequenceLength * sequenceLength * hiddenSize) / tensorParallel;
  if (flashAttention)
    return {
      forward: attentionSeconds(gpu, full / 2, 'forward'),
      backward: attentionSeconds(gpu, (2.5 * full) / 2, 'backward'),
    };
  const heads = (microBatchSize * attentionHeads) / tensorParallel;
  const width = hiddenSize / attentionHeads;
  const products = (times: number): number =>
    times *
    (productSeconds(gpu, [sequenceLength, sequenceLength, width], 2, heads) +
      productSeconds(gpu, [sequenceLength, width, sequenceLength], 2, heads));
  // softmax reads and writes, dropout reads, writes and masks; the products' own traffic is in them
  const scores = heads * sequenceLength * sequenceLength;
  const forward = products(1) + memorySeconds(gpu, 9 * scores);
  return {
    forward,
    backward: products(2) + memorySeconds(gpu, 11 * scores) + (recomputation === 'selective' ? forward : 0),
  };
}

/** Width of the keys, and of the values, of all heads. */
function keyValueSize({ hiddenSize, attentionHeads, keyValueHeads }: TransformerModel): number {
  return (hiddenSize / attentionHeads) * keyValueHeads;
}
