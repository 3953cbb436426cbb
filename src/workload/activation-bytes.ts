// What the backward pass of a micro-batch needs to have kept: bytes of activations on one rank.
// Invariant: bytes of a whole layer that is divided among t ranks with sequence parallelism are those of one rank,
// times t.
// Source: Korthikanti et al. 2022, 4 and 5: without parallelism a layer of a dense GPT keeps sbh (34 + 5as/h) bytes;
// the terms here are those of that sum, one by one, with the widths of grouped-query attention, gated feed-forward
// parts and experts in place of h and 4h. Dao et al. 2022 (FlashAttention): scores are not kept.
// Alternate recomputation keeps what TorchTitan saves: the input of a layer, the output of attention and of every
// second matrix product. With context parallelism a rank keeps its share of the tokens, and all keys and values that it
// gathered.
// Not modelled: experts' buckets that are padded; what a framework
// keeps beside (fragments of its allocator, buffers of NCCL, the CUDA context).

import type { TrainingValues } from './training-settings.js';
import { keyValueSize, type BlockName, type TransformerModel } from './transformer-model.js';

/** Bytes of an activation. */
const valueBytes = 2;
/** Bytes of an element of a dropout mask. */
const maskBytes = 1;
/** Bytes of a logit, on which the loss is computed. */
const logitBytes = 4;

/**
 * Bytes that a block keeps of one micro-batch, of one layer where layers have it, without full recomputation.
 * @param model as its ranks store it
 */
export function activationBytes(values: TrainingValues, model: TransformerModel, block: BlockName): number {
  const { tensorParallel: t, sequenceParallel, microBatchSize, sequenceLength, contextParallel } = values;
  const { hiddenSize: h, vocabularySize } = model;
  const tokens = (microBatchSize * sequenceLength) / contextParallel;
  // what every rank of a tensor group keeps whole, unless they share the sequence
  const whole = sequenceParallel ? 1 / t : 1;
  // inputs of column-parallel matrices: gathered again in the backward pass, or kept as gathered
  const gathered = sequenceParallel && !values.gatherInputsAgain ? 1 : whole;
  const norm = valueBytes * h * whole;
  const input = valueBytes * h * gathered;
  const mask = model.dropout ? maskBytes * h * whole : 0;
  const keys = keyValueSize(model);
  // of other ranks, gathered before attention
  const otherKeys =
    contextParallel > 1 && values.contextExchange === 'gather' ? 2 * valueBytes * keys * (contextParallel - 1) : 0;
  if (values.recomputation === 'alternate' && (block === 'attention' || block === 'feedForward'))
    return block === 'attention'
      ? tokens * (norm + (valueBytes * (2 * h + keys)) / t + otherKeys / t)
      : tokens * ((valueBytes * model.feedForwardSize) / t + norm);
  switch (block) {
    case 'embedding':
      return tokens * mask;
    case 'attention': {
      const inner = (valueBytes * (h + 2 * keys + h)) / t;
      return tokens * (norm + input + inner + otherKeys / t + mask + scoreBytes(values, model) / t);
    }
    case 'feedForward':
      return tokens * (norm + input + innerBytes(model) / t + mask);
    case 'router':
      return tokens * (norm + logitBytes * model.experts * whole);
    case 'experts':
      return (
        tokens * model.activeExperts * (valueBytes * h * gathered + innerBytes(model) / t + valueBytes * h * whole) +
        tokens * mask
      );
    case 'head':
      return tokens * (norm + input + (logitBytes * vocabularySize) / t);
  }
}

/** Bytes that a layer keeps of one micro-batch under full recomputation: its input. */
export function checkpointBytes(values: TrainingValues, { hiddenSize }: TransformerModel): number {
  const { tensorParallel, sequenceParallel, microBatchSize, sequenceLength, contextParallel } = values;
  return (
    (valueBytes * microBatchSize * sequenceLength * hiddenSize) /
    contextParallel /
    (sequenceParallel ? tensorParallel : 1)
  );
}

/** Per token and all heads: scores behind softmax, their dropout mask, and behind dropout. */
function scoreBytes(
  { flashAttention, recomputation, sequenceLength }: TrainingValues,
  model: TransformerModel,
): number {
  return flashAttention || recomputation === 'selective'
    ? 0
    : (2 * valueBytes + maskBytes) * model.attentionHeads * sequenceLength;
}

/** Per token: what goes into the activation function (of a gated part two), and what comes out of it. */
function innerBytes({ feedForwardSize, gatedFeedForward }: TransformerModel): number {
  return (gatedFeedForward ? 3 : 2) * valueBytes * feedForwardSize;
}
