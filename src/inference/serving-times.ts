// What serving a transformer takes: the time of a prefill, the time of a decode step, and the bytes of keys and values
// that a token leaves behind.
// Sources: operations as of training's forward pass (workload/transformer-model.ts), logits of the last token only;
// keys and values: two vectors per layer and token over all heads of keys and values (Shazeer 2019; Ainslie et al.,
// "GQA", 2023), 2 bytes each element (BF16); a decode step reads all weights that work on a token once: it is bound by
// memory (Pope et al., "Efficiently Scaling Transformer Inference", 2023).
// Not modelled: batches of prompts, chunked prefill, the reading of the cache in a decode step, communication within an
// instance.

import type { Gpu } from '../workload/gpus.js';
import {
  activeParameterCount,
  forwardFlops,
  layerBlocks,
  type TransformerModel,
} from '../workload/transformer-model.js';

const elementBytes = 2;

/**
 * Bytes of keys and values of one token in one layer that a rank of an instance keeps. A rank has at least one head:
 * with more ranks than heads of keys and values, several ranks keep the same ones.
 */
export function cacheBytesPerTokenAndLayer(
  { hiddenSize, attentionHeads, keyValueHeads }: TransformerModel,
  tensorParallel: number,
): number {
  return 2 * Math.ceil(keyValueHeads / tensorParallel) * (hiddenSize / attentionHeads) * elementBytes;
}

/**
 * Time of a prompt through all layers, in picoseconds (whole nanoseconds).
 * @param efficiency share of the GPU's peak, 0 to 1
 */
export function prefillPs(
  model: TransformerModel,
  promptTokens: number,
  tensorParallel: number,
  gpu: Gpu,
  efficiency: number,
): number {
  const prompt = { ...model, sequenceLength: promptTokens };
  let flops = forwardFlops(prompt, 'head', 1).weights / promptTokens;
  for (const block of layerBlocks(model)) {
    const { weights, activations } = forwardFlops(prompt, block, 1);
    flops += model.layerCount * (weights + activations);
  }
  return wholeNanoseconds(flops / tensorParallel / (gpu.flopsPerSecond * efficiency));
}

/** Time of a step that makes one token of a request, in picoseconds (whole nanoseconds). */
export function decodeStepPs(model: TransformerModel, tensorParallel: number, gpu: Gpu): number {
  return wholeNanoseconds((activeParameterCount(model) * elementBytes) / tensorParallel / gpu.memoryBytesPerSecond);
}

function wholeNanoseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1e9)) * 1000;
}
