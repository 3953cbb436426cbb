// Bounds of plans where they are sharp: the iteration is almost nothing but what a bound is made of, so that a part of it
// that were 1 % too high would lie above the time. (That none does in drawn spaces: test/app/plan-space.slow.test.ts.)

import { describe, expect, it } from 'vitest';
import { estimateOf, estimatorOf, layerCostsOf } from '../../src/app/training-plans/estimate-plans.js';
import { settingDefaults } from '../../src/base/settings.js';
import { dimensions } from '../../src/collectives/parallel-groups.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { LeastTimes } from '../../src/workload/least-time.js';
import { planTraining } from '../../src/workload/training-plan.js';
import { trainingSettingsOf, type TrainingValues } from '../../src/workload/training-settings.js';
import { memoryHost } from '../memory-host.js';

const server = 'generate: spectrum-x, gpuType: H100, gpus: 8';

/** What a plan takes by closed forms, its bound, and that of computation alone. */
async function timesOf(fabric: string, gpus: number, given: Partial<TrainingValues>) {
  const values: TrainingValues = {
    ...settingDefaults(trainingSettingsOf('llama2-7b')),
    model: 'llama2-7b',
    gpuMemory: 'unlimited',
    // hardly anything is outside the layers
    vocabularySize: 1024,
    attentionHeads: 8,
    keyValueHeads: 8,
    ...given,
  };
  const scenario = `backend: analytical\nfabric: { ${fabric} }\nworkload: { generate: transformer, gpuMemory: unlimited }\n`;
  const estimator = estimatorOf(
    await makePlan('site.yaml', { host: memoryHost({ 'site.yaml': scenario }), overrides: [] }),
  );
  const training = planTraining(values, gpus).plan!;
  const times = new LeastTimes(layerCostsOf(estimator));
  const request = { values, gpus, schedule: '1f1b' as const, given: {} };
  return {
    timePs: estimateOf({ training, layout: dimensions }, request, estimator).totalPs,
    boundPs: times.ofPlan(training, dimensions),
    computationPs: times.ofComputation(training),
  };
}

/** The bound lies below the time, and would not with a part of it 1 % higher. @param partPs of the bound */
function expectSharp({ timePs, boundPs }: { readonly timePs: number; readonly boundPs: number }, partPs: number): void {
  expect(boundPs).toBeLessThanOrEqual(timePs);
  expect(boundPs + 0.01 * partPs).toBeGreaterThan(timePs);
}

describe('the least time of a plan is that of', () => {
  it.each(['none', 'full'] as const)('computation, of one GPU (recomputation %s)', async (recomputation) => {
    const alone = 'generate: leaf-spine, leaves: 1, hostsPerLeaf: 1, spines: 1';
    const times = await timesOf(alone, 1, { globalBatchSize: 512, recomputation });
    expect(times.boundPs).toBe(times.computationPs);
    expectSharp(times, times.boundPs);
  });

  it('waits within layers, of a tensor group', async () => {
    const narrow = { hiddenSize: 1024, feedForwardSize: 2048, layerCount: 128 };
    const times = await timesOf(server, 8, { ...narrow, tensorParallel: 8, globalBatchSize: 512 });
    const waitsPs = times.boundPs - times.computationPs;
    expect(waitsPs).toBeGreaterThan(0.5 * times.boundPs);
    expectSharp(times, waitsPs);
  });

  it.each([1, 2])('the fill of a pipeline of 8 stages of %i chunks', async (chunksPerStage) => {
    const [stages, microBatches] = [8, 8];
    const times = await timesOf(server, 8, {
      pipelineParallel: stages,
      chunksPerStage,
      layerCount: 64 * chunksPerStage,
      microBatchSize: 64,
      globalBatchSize: 64 * microBatches,
    });
    // all chunks take as long: those before the last stage, then its own of every micro-batch
    const share = (stages - 1) / (stages - 1 + microBatches * chunksPerStage);
    expectSharp(times, share * times.boundPs);
  });

  it.each(['none', 'full'] as const)(
    'gathered parameters, over a slow network (recomputation %s)',
    async (recomputation) => {
      const slow = 'generate: leaf-spine, leaves: 2, hostsPerLeaf: 1, spines: 1, hostRate: 10Gbps';
      const few = { sequenceLength: 64, globalBatchSize: 32 };
      const times = await timesOf(slow, 2, { ...few, zeroStage: 3, layerCount: 64, recomputation });
      expect(times.boundPs).toBeGreaterThan(100 * times.computationPs);
      expectSharp(times, times.boundPs);
    },
  );
});
