// Bytes that the kernels of a block read and write beside matrix products and attention: norms, residuals, activation
// functions, rotary positions and the loss.
// Invariant: a kernel reads its inputs and writes its outputs once. Elements have 2 bytes, those of a dropout mask 1,
// those that are computed in single precision 4.
// Sources: fused kernels: Narayanan et al. 2021, 4.2. Kernels of their own: the operations of PyTorch as its modules
// call them: nn.LayerNorm, GELU and the loss of MPT (llm-foundry: fused loss, and two metrics of training that each
// cast the logits to 4 bytes and take their log-softmax), nn.RMSNorm, SwiGLU and rotary positions of Llama (torchtitan,
// model.py); how often each reads and writes was counted here and is published nowhere.
// A gated model is taken for one of Llama's kind: RMSNorm, rotary positions, three matrices of queries, keys and
// values.
// Not modelled: sums of biases' gradients, the permutation of tokens to experts.

import type { TrainingValues } from './training-settings.js';
import { keyValueSize, type BlockName, type TransformerModel } from './transformer-model.js';

/** Bytes that kernels read and write, forward and backward. */
export interface KernelTraffic {
  readonly forward: number;
  readonly backward: number;
}

/** Bytes per element of each kind of kernel. */
interface KernelBytes {
  /** per element of the hidden state */
  readonly norm: KernelTraffic;
  readonly gatedNorm: KernelTraffic;
  readonly residual: KernelTraffic;
  readonly dropout: KernelTraffic;
  /** what three matrices in place of one add to the gradient of their input */
  readonly gatedEntry: KernelTraffic;
  /** per element of the inner width of the feed-forward part */
  readonly activation: KernelTraffic;
  readonly gatedActivation: KernelTraffic;
  /** per element of queries and keys */
  readonly rotary: KernelTraffic;
  /** per logit */
  readonly loss: KernelTraffic;
}

const nothing: KernelTraffic = { forward: 0, backward: 0 };

const fused: KernelBytes = {
  // backward: gradient, input, and the gradient out added to that of the residual
  norm: { forward: 4, backward: 8 },
  gatedNorm: { forward: 4, backward: 8 },
  // bias and residual: two inputs, output; dropout in the same kernel: its mask; backward gradient, mask, gradient
  residual: { forward: 6, backward: 0 },
  dropout: { forward: 1, backward: 5 },
  gatedEntry: nothing,
  activation: { forward: 4, backward: 6 },
  gatedActivation: { forward: 6, backward: 10 },
  rotary: { forward: 4, backward: 4 },
  // logits to 4 bytes, maximum, sum of exponentials; backward the softmax once more
  loss: { forward: 14, backward: 6 },
};

const unfused: KernelBytes = {
  // backward: inputs' gradients 6, weights' gradients 4, sum with the gradient of the residual 6
  norm: { forward: 4, backward: 16 },
  // in single precision, one by one: cast 6, square 8, mean 4, product 8, cast 6, product with the weights 4
  gatedNorm: { forward: 36, backward: 72 },
  residual: { forward: 6, backward: 0 },
  dropout: { forward: 5, backward: 5 },
  // sums of the gradients of three inputs before attention: two of 6 bytes
  gatedEntry: { forward: 0, backward: 12 },
  activation: { forward: 4, backward: 6 },
  // SiLU 4, product 6; backward 12 and 6
  gatedActivation: { forward: 10, backward: 18 },
  // cast 6, product of complex numbers 8, cast 6
  rotary: { forward: 20, backward: 20 },
  // cast 6, log-softmax 8; backward: zeros 4, log-softmax 12, cast 6
  loss: { forward: 14, backward: 22 },
};

/** Bytes that a block reads and writes for one micro-batch on one rank. @param model as its ranks store it */
export function blockTraffic(values: TrainingValues, model: TransformerModel, block: BlockName): KernelTraffic {
  const { tensorParallel: t, sequenceParallel, microBatchSize, contextParallel } = values;
  const { hiddenSize: h, feedForwardSize: f, gatedFeedForward } = model;
  const bytes = values.fusedKernels ? fused : unfused;
  const tokens = (microBatchSize * model.sequenceLength) / contextParallel;
  const whole = (tokens * h) / (sequenceParallel ? t : 1);
  const norm = times(whole, gatedFeedForward ? bytes.gatedNorm : bytes.norm);
  const dropout = model.dropout ? times(whole, bytes.dropout) : nothing;
  const residual = sum(times(whole, bytes.residual), dropout);
  const activation = (of: number): KernelTraffic =>
    times((of * f) / t, gatedFeedForward ? bytes.gatedActivation : bytes.activation);
  switch (block) {
    case 'embedding':
      return sum(times(whole, { forward: 4, backward: 4 }), dropout);
    case 'attention': {
      const rotated = (tokens * (h + keyValueSize(model))) / t;
      const llama = gatedFeedForward ? sum(times(rotated, bytes.rotary), times(tokens * h, bytes.gatedEntry)) : nothing;
      return sum(norm, llama, residual);
    }
    case 'feedForward':
      return sum(norm, activation(tokens), residual);
    case 'router':
      return norm;
    case 'experts':
      return sum(activation(tokens * model.activeExperts), residual);
    case 'head':
      return sum(norm, times((tokens * model.vocabularySize) / t, bytes.loss));
  }
}

function times(elements: number, { forward, backward }: KernelTraffic): KernelTraffic {
  return { forward: elements * forward, backward: elements * backward };
}

function sum(...parts: readonly KernelTraffic[]): KernelTraffic {
  return {
    forward: parts.reduce((all, { forward }) => all + forward, 0),
    backward: parts.reduce((all, { backward }) => all + backward, 0),
  };
}
