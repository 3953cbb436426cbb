// Parameters and operations of models against what their authors publish.

import { describe, expect, it } from 'vitest';
import { gpuOfType, gpus } from '../../src/workload/gpus.js';
import { knownModels, type KnownModel } from '../../src/workload/known-models.js';
import {
  activeParameterCount,
  blockNames,
  forwardFlops,
  layerBlocks,
  parameterCount,
  type TransformerModel,
} from '../../src/workload/transformer-model.js';

/** Operations of a forward pass through the whole model. */
function forward(model: TransformerModel, sequences: number): number {
  const of = (block: (typeof blockNames)[number]): number =>
    forwardFlops(model, block, sequences).weights + forwardFlops(model, block, sequences).activations;
  return (
    of('embedding') + of('head') + model.layerCount * layerBlocks(model).reduce((sum, block) => sum + of(block), 0)
  );
}

describe('parameters', () => {
  // the sizes of the published checkpoints
  it.each<[KnownModel, number]>([
    ['llama2-7b', 6_738_415_616],
    ['llama2-13b', 13_015_864_320],
    ['llama2-70b', 68_976_648_192],
    ['llama3-8b', 8_030_261_248],
    ['llama3-70b', 70_553_706_496],
    ['mixtral-8x7b', 46_702_792_704],
  ])('%s has exactly %i', (name, count) => {
    expect(parameterCount(knownModels[name])).toBe(count);
  });

  // Brown et al. 2020, table D.1 (in millions, or rounded as there); Narayanan et al. 2021, table 1; Grattafiori et al.
  // 2024; the card of Mixtral 8x22B
  it.each<[KnownModel, number, number]>([
    ['gpt3-175b', 174.6e9, 0.0001],
    ['gpt3-13b', 12.85e9, 0.001],
    ['gpt3-6.7b', 6.66e9, 0.001],
    ['megatron-1t', 1008e9, 0.0005],
    ['llama3-405b', 405e9, 0.003],
    ['mixtral-8x22b', 141e9, 0.005],
  ])('%s has %i', (name, count, tolerance) => {
    expect(Math.abs(parameterCount(knownModels[name]) / count - 1)).toBeLessThan(tolerance);
  });

  it('of GPT-3 are those of equation 2 of Narayanan et al.', () => {
    const { layerCount: l, hiddenSize: h, vocabularySize: V, sequenceLength: s } = knownModels['gpt3-175b'];
    // the equation leaves out the norm behind the last layer
    expect(parameterCount(knownModels['gpt3-175b']) - 2 * h).toBeCloseTo(
      12 * l * h * h * (1 + 13 / (12 * h) + (V + s) / (12 * l * h)),
      -2,
    );
  });

  it('that are active: 12.9e9 of Mixtral 8x7B, 39e9 of 8x22B, all of a dense model', () => {
    expect(activeParameterCount(knownModels['mixtral-8x7b']) / 12.9e9).toBeCloseTo(1, 2);
    expect(activeParameterCount(knownModels['mixtral-8x22b']) / 39e9).toBeCloseTo(1, 2);
    expect(activeParameterCount(knownModels['llama2-7b'])).toBe(6_738_415_616);
  });
});

describe('operations of a forward pass', () => {
  it('of GPT are those of Narayanan et al., appendix: 24 b s l h^2 (1 + s/6h + V/12lh)', () => {
    for (const name of ['gpt3-175b', 'gpt3-13b', 'megatron-1t'] as const) {
      const { layerCount: l, hiddenSize: h, vocabularySize: V, sequenceLength: s } = knownModels[name];
      expect(
        forward(knownModels[name], 3) / (24 * 3 * s * l * h * h * (1 + s / (6 * h) + V / (12 * l * h))),
      ).toBeCloseTo(1, 12);
    }
  });

  it('are two per token and active parameter that multiplies, and 4 l s h for attention (Chowdhery et al. 2022, appendix B)', () => {
    for (const name of ['llama2-7b', 'llama2-70b', 'llama3-405b', 'mixtral-8x7b'] as const) {
      const model = knownModels[name];
      const { layerCount: l, hiddenSize: h, vocabularySize: V, sequenceLength: s } = model;
      const multiplying = activeParameterCount(model) - V * h - (2 * l + 1) * h;
      expect(forward(model, 2) / (2 * s * (2 * multiplying + 4 * l * s * h))).toBeCloseTo(1, 12);
    }
  });
});

it('knows the GPU that a topology file names', () => {
  expect(
    ['A100', 'h100', 'H100-SXM5', 'H200', 'H20', 'NONE', '', 'A1000', 'V100', 'GB200-NVL72', 'MI300X'].map(gpuOfType),
  ).toEqual(['A100', 'H100', 'H100', 'H200', 'H20', null, null, null, 'V100', 'GB200', 'MI300X']);
  // a sheet's figure with sparsity is twice that without
  expect(gpus.H100.flopsPerSecond * 2).toBeCloseTo(1979e12, -12);
});
