// What kernels take against published measurements, and against what no kernel can beat.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settingDefaults } from '../../src/base/settings.js';
import { gpuNames, gpus } from '../../src/workload/gpus.js';
import { kernelSeconds } from '../../src/workload/kernel-times.js';
import { memorySeconds, productSeconds } from '../../src/workload/kernels.js';
import { trainingSettingsOf, type TrainingValues } from '../../src/workload/training-settings.js';
import { seed } from '../support/seed.js';

describe('a matrix product', () => {
  it('is slower than peak and memory allow, and the faster the larger', () => {
    const side = fc.integer({ min: 1, max: 16_384 });
    fc.assert(
      fc.property(fc.constantFrom(...gpuNames), side, side, side, (gpu, m, n, k) => {
        const seconds = productSeconds(gpu, [m, n, k]);
        const { flopsPerSecond, memoryBytesPerSecond } = gpus[gpu];
        expect(seconds).toBeGreaterThanOrEqual((2 * m * n * k) / flopsPerSecond);
        expect(seconds).toBeGreaterThanOrEqual((2 * (m * k + k * n + m * n)) / memoryBytesPerSecond);
        expect(productSeconds(gpu, [2 * m, n, k])).toBeGreaterThanOrEqual(seconds * (1 - 1e-12));
      }),
      { seed, numRuns: 500 },
    );
  });

  it('of one more wave of tiles takes one more wave (NVIDIA, Matrix Multiplication Background)', () => {
    // 132 multiprocessors: 12 x 11 tiles of 256 x 128 are one wave, 24 x 12 of 128 x 128 three waves of half the size
    const [one, more] = [productSeconds('H100', [3072, 1408, 8192]), productSeconds('H100', [3072, 1536, 8192])];
    expect(more / one).toBeCloseTo(1.5, 9);
  });

  it('with one row takes hardly longer than reading its weights', () => {
    const reading = memorySeconds('A100', 2 * 12_288 ** 2);
    expect(productSeconds('A100', [1, 12_288, 12_288]) / reading).toBeGreaterThanOrEqual(1);
    expect(productSeconds('A100', [1, 12_288, 12_288]) / reading).toBeLessThan(1.1);
  });
});

describe('a layer of the 22B model on A100, tensor groups of 8 (Korthikanti et al., table 4)', () => {
  const values: TrainingValues = {
    ...settingDefaults(trainingSettingsOf('gpt3-175b')),
    model: 'gpt3-175b',
    gpu: 'A100',
    hiddenSize: 6144,
    attentionHeads: 64,
    keyValueHeads: 64,
    feedForwardSize: 24_576,
    microBatchSize: 4,
    tensorParallel: 8,
    flashAttention: false,
  };
  /** Milliseconds, with four all-reduces at the bus bandwidth of an A100 server, 232 GB/s (NVIDIA, GTC 2024). */
  const layer = (given: Partial<TrainingValues>): readonly [forward: number, backward: number] => {
    const all = { ...values, ...given };
    const parts = (['attention', 'feedForward'] as const).map((block) => kernelSeconds(all, all, block));
    const sums = 2 * ((2 * 4 * 2048 * 6144 * 1.75) / 232e9);
    return [
      1e3 * (sums + parts.reduce((sum, { forward }) => sum + forward, 0)),
      1e3 * (sums + parts.reduce((sum, { inputGradient, weightGradient }) => sum + inputGradient + weightGradient, 0)),
    ];
  };

  it.each<[string, Partial<TrainingValues>, number, number]>([
    ['baseline', {}, 7.7, 11.9],
    ['sequence parallelism', { sequenceParallel: true }, 7.2, 11.8],
    ['selective recomputation', { recomputation: 'selective' }, 7.7, 13.2],
  ])('%s: within 15 %%', (_, given, forward, backward) => {
    const [ours, oursBackward] = layer(given);
    expect(ours / forward).toBeGreaterThan(0.85);
    expect(ours / forward).toBeLessThan(1.15);
    expect(oursBackward / backward).toBeGreaterThan(0.85);
    expect(oursBackward / backward).toBeLessThan(1.15);
  });
});

it('FlashAttention takes less time than scores in memory', () => {
  const values = { ...settingDefaults(trainingSettingsOf('llama3-8b')), model: 'llama3-8b' as const };
  const fused = kernelSeconds(values, values, 'attention');
  const unfused = kernelSeconds({ ...values, flashAttention: false }, values, 'attention');
  expect(unfused.forward).toBeGreaterThan(fused.forward);
  expect(unfused.inputGradient).toBeGreaterThan(fused.inputGradient);
  expect(unfused.weightGradient).toBe(fused.weightGradient);
});
