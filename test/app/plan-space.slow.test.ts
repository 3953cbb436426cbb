// The space of plans beside a walk through every combination of its settings, and the best of it beside estimates of
// all.

import { describe, expect, it } from 'vitest';
import { settingDefaults } from '../../src/base/settings.js';
import { estimateOf, estimatorOf, layerCostsOf } from '../../src/app/training-plans/estimate-plans.js';
import { bestPlans } from '../../src/app/training-plans/plan-search.js';
import { feasiblePlans, plannedSettings, type SpaceRequest } from '../../src/app/training-plans/plan-space.js';
import { planQuestion, planScenario, type PlanRequest } from '../../src/app/training-plans/plan-request.js';
import { InputError } from '../../src/base/diagnostics.js';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { dimensions } from '../../src/collectives/parallel-groups.js';
import { LeastTimes } from '../../src/workload/least-time.js';
import { planTraining, type TrainingPlan } from '../../src/workload/training-plan.js';
import { trainingSettingsOf, type TrainingValues } from '../../src/workload/training-settings.js';

const fabric = (gpus: number): string => `{ generate: spectrum-x, gpuType: H100, gpus: ${gpus} }`;

function planOf(text: string): Promise<Plan> {
  return makePlan('plan.yaml', { host: { ...nodeHost(), readText: () => Promise.resolve(text) }, overrides: [] });
}

/** A model of few layers, so that a space is small. */
function smallSpace(gpus: number, globalBatchSize: number, given: Partial<TrainingValues> = {}): SpaceRequest {
  const values = {
    ...settingDefaults(trainingSettingsOf('llama2-7b')),
    model: 'llama2-7b' as const,
    layerCount: 4,
    hiddenSize: 1024,
    attentionHeads: 8,
    keyValueHeads: 4,
    feedForwardSize: 2048,
    sequenceLength: 1024,
    gpuMemory: 2 ** 32,
    globalBatchSize,
    ...given,
  };
  return { values, gpus, schedule: '1f1b', given: {} };
}

const keyOf = ({ values, data }: TrainingPlan): string =>
  [...plannedSettings.map((name) => values[name]), data].join(' ');

const found = (request: SpaceRequest): TrainingPlan[] =>
  [
    // mappings apart
    ...feasiblePlans(
      { ...request, layout: dimensions },
      { ofComputation: () => 0 },
      {
        infeasible: new Map(),
        feasible: 0,
      },
    ),
  ].map(({ training }) => training);

const upTo = (most: number): number[] => Array.from({ length: most }, (_, i) => i + 1);

const plansWithin = (gpuMemory: number): number => found(smallSpace(8, 8, { gpuMemory })).length;

describe('the plans of a space', () => {
  it('are all that the generator takes, of those that say the same thing one', () => {
    const request = smallSpace(4, 4, { gpuMemory: 'unlimited' });
    const all = new Set<string>();
    for (const tensorParallel of upTo(4))
      for (const pipelineParallel of upTo(4))
        for (const contextParallel of upTo(4)) {
          const dataParallel = 4 / (tensorParallel * pipelineParallel * contextParallel);
          if (!Number.isInteger(dataParallel)) continue;
          for (const chunksPerStage of upTo(4))
            for (const endsAsLayers of [false, true])
              for (const sequenceParallel of [false, true])
                for (const microBatchSize of upTo(4))
                  for (const recomputation of ['none', 'alternate', 'full'] as const)
                    for (const zeroStage of [0, 1, 2, 3]) {
                      // what has no effect, by hand
                      if (sequenceParallel && tensorParallel === 1) continue;
                      if (zeroStage > 0 && dataParallel * contextParallel === 1) continue;
                      if (endsAsLayers && pipelineParallel * chunksPerStage <= 2) continue;
                      if (zeroStage === 2 && pipelineParallel > 1) continue;
                      const values = {
                        ...request.values,
                        tensorParallel,
                        pipelineParallel,
                        contextParallel,
                        dataParallel,
                        chunksPerStage,
                        endsAsLayers,
                        sequenceParallel,
                        microBatchSize,
                        recomputation,
                        zeroStage,
                      };
                      const { plan } = planTraining(values, 4);
                      if (plan !== null) all.add(keyOf(plan));
                    }
        }
    const keys = found(request).map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys)).toEqual(all);
  });

  it('of a mixture of experts has expert groups, and sequence parallelism beside tensor groups', () => {
    const plans = found(smallSpace(8, 8, { experts: 4, activeExperts: 2, gpuMemory: 'unlimited' }));
    expect(new Set(plans.map(({ groups }) => groups.expert))).toEqual(new Set([1, 2, 4]));
    expect(plans.every(({ groups, values }) => groups.tensor === 1 || values.sequenceParallel)).toBe(true);
  });

  it('fit into memory, and a smaller memory takes plans away', () => {
    const [some, fewer] = [plansWithin(2 ** 30), plansWithin(2 ** 29)];
    expect(some).toBeGreaterThan(fewer);
    expect(fewer).toBeGreaterThan(0);
  });
});

describe('the best plans', () => {
  it('are the best of all, though most are left out', async () => {
    const gpus = 8;
    const given = {
      recomputation: ['none', 'full'],
      zeroStage: [0, 3],
      contextParallel: [1, 2],
      microBatchSize: [1, 2],
      endsAsLayers: [false],
    } as const;
    const request = { ...smallSpace(gpus, 8), given };
    const estimator = estimatorOf(
      await planOf(
        `backend: analytical\nfabric: ${fabric(gpus)}\nworkload: { generate: transformer, model: llama2-7b, gpuMemory: unlimited }\n`,
      ),
    );
    const { best, feasible, estimated } = await bestPlans(request, estimator, 5, { host: nodeHost() }, true);
    const all = [
      ...feasiblePlans(
        request,
        { ofComputation: () => 0 },
        {
          infeasible: new Map(),
          feasible: 0,
        },
      ),
    ];
    const times = all.map((plan) => estimateOf(plan, request, estimator).totalPs).sort((a, b) => a - b);
    expect(best.map(({ estimate }) => estimate.totalPs)).toEqual(times.slice(0, 5));
    expect(all.length).toBe(feasible);
    expect(estimated).toBeLessThan(feasible / 2);
    // no estimate lies below its bound
    for (const { leastPs, estimate } of best) expect(leastPs).toBeLessThanOrEqual(estimate.totalPs);
  });
});

describe('bounds', () => {
  it('lie below the time of every plan, with gathered parameters and other mappings, too', async () => {
    const given = {
      pipelineParallel: [1, 2],
      contextParallel: [1, 2],
      recomputation: ['none', 'full'],
      zeroStage: [0, 3],
      microBatchSize: [1],
      endsAsLayers: [false],
    } as const;
    // two servers: gathers cross the network
    const request = { ...smallSpace(16, 32), given };
    const estimator = estimatorOf(
      await planOf(
        `backend: analytical\nfabric: ${fabric(16)}\nworkload: { generate: transformer, model: llama2-7b, gpuMemory: unlimited }\n`,
      ),
    );
    const times = new LeastTimes(layerCostsOf(estimator));
    const plans = [...feasiblePlans(request, times, { infeasible: new Map(), feasible: 0 })];
    const rows = plans.map((plan) => ({
      zeroStage: plan.training.values.zeroStage,
      computationPs: plan.leastPs,
      boundPs: times.ofPlan(plan.training, plan.layout),
      timePs: estimateOf(plan, request, estimator).totalPs,
    }));
    expect(new Set(plans.map(({ layout }) => layout[1]))).toEqual(new Set(['ep', 'pp']));
    expect(rows.filter(({ boundPs, timePs }) => boundPs > timePs)).toEqual([]);
    // what is gathered is most of the time of some
    const isClose = ({ boundPs, computationPs, timePs }: (typeof rows)[number]): boolean =>
      boundPs > 2 * computationPs && boundPs > 0.5 * timePs;
    expect(rows.filter((row) => row.zeroStage === 3 && isClose(row)).length).toBeGreaterThan(5);
  });
});

describe('the scenario of a plan', () => {
  const request: PlanRequest = {
    model: 'llama2-7b',
    gpus: 8,
    gpu: 'H100',
    globalBatchSize: 16,
    fabric: fabric(8),
    changes: ['workload.layerCount=4', 'workload.tensorParallel=2,4', 'collectives.channels=8'],
  };

  it('runs to the time of the plan', async () => {
    const question = planQuestion(request);
    const estimator = estimatorOf(await planOf(planScenario(question, null, 'analytical')));
    const { best } = await bestPlans(question.space, estimator, 3, { host: nodeHost() });
    expect(best).toHaveLength(3);
    for (const { estimate, memoryBytes, ...own } of best) {
      expect([2, 4]).toContain(own.training.groups.tensor);
      const plan = await planOf(planScenario(question, own, 'analytical'));
      expect(plan.collectives.channels).toBe(8);
      const { jobs } = await simulate(plan, { host: nodeHost() });
      expect(estimate.totalPs / jobs[0]!.totalPs.maximum).toBeCloseTo(1, 3);
      const { stages, fullestStage } = jobs[0]!.memory!;
      expect(memoryBytes).toBe(stages[fullestStage]!.totalBytes);
    }
  });

  it('numbers ranks as the plan does, and takes as long', async () => {
    // two servers of 8: replicas across them, or stages
    const changes = [
      'layerCount=4',
      'tensorParallel=2',
      'pipelineParallel=2',
      'contextParallel=1',
      'recomputation=none',
    ];
    const question = planQuestion({
      ...request,
      gpus: 16,
      fabric: fabric(16),
      changes: changes.map((change) => `workload.${change}`),
    });
    const estimator = estimatorOf(await planOf(planScenario(question, null, 'analytical')));
    const { best } = await bestPlans(question.space, estimator, 1000, { host: nodeHost() }, true);
    const decision = ({ training: { values } }: (typeof best)[number]): string => JSON.stringify(values);
    const [first] = best;
    const alike = best.filter((plan) => decision(plan) === decision(first!));
    expect(alike.map(({ layout }) => layout.join(' ')).sort()).toEqual(['tp ep dp_ep pp', 'tp pp ep dp_ep']);
    expect(alike[0]!.estimate.totalPs).toBeLessThan(alike[1]!.estimate.totalPs);
    for (const plan of alike) {
      const { jobs } = await simulate(await planOf(planScenario(question, plan, 'analytical')), { host: nodeHost() });
      expect(plan.estimate.totalPs / jobs[0]!.totalPs.maximum).toBeCloseTo(1, 3);
    }
  });

  it('has the one mapping that is asked for', async () => {
    const changes = ['workload.layout=[ep, tp, dp_ep, pp]', 'workload.layerCount=4'];
    const question = planQuestion({ ...request, changes });
    const estimator = estimatorOf(await planOf(planScenario(question, null, 'analytical')));
    const { best } = await bestPlans(question.space, estimator, 5, { host: nodeHost() });
    expect(new Set(best.map(({ layout }) => layout.join(' ')))).toEqual(new Set(['ep tp dp_ep pp']));
    expect(planScenario(question, best[0]!, 'analytical')).toContain('layout: [ep, tp, dp_ep, pp]');
  });

  it('asks nothing of the model where the fabric alone is wanted', async () => {
    // it fits into no memory
    const changes = ['workload.layerCount=320', 'workload.hiddenSize=16384'];
    const site = await planOf(planScenario(planQuestion({ ...request, changes }), null, 'analytical'));
    expect(site.fabric.hosts).toHaveLength(8);
  });

  it.each([
    ['workload.model=llama3-8b', /the options give it/],
    ['workload.tensors=2', /no setting tensors/],
    ['workload.tensorParallel=two', /does not fit/],
    ['workload.layout=[tp, pp]', /no order of the dimensions/],
    ['backend=fluid', /decides/],
    ['a[0].b=1', /not the path/],
  ])('refuses --set %s', (change, why) => {
    expect(() => planQuestion({ ...request, changes: [change] })).toThrow(InputError);
    expect(() => planQuestion({ ...request, changes: [change] })).toThrow(why);
  });
});
