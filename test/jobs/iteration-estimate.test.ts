// Estimates of iterations beside runs of the same jobs on the analytical backend, which carry out every event: the same
// picosecond where no micro-batch is left out, near it else.

import { describe, expect, it } from 'vitest';
import { collectiveCosts } from '../../src/app/make-network.js';
import { simulate } from '../../src/app/simulate.js';
import { IterationEstimator } from '../../src/jobs/iteration-estimate.js';
import type { Job } from '../../src/jobs/job.js';
import type { IterationEstimate } from '../../src/jobs/micro-batch-rounds.js';
import { PathTracer } from '../../src/routing/path.js';
import { routesByRules } from '../../src/routing/table-routes.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

type Settings = Readonly<Record<string, string | number | boolean>>;

/** A small model, so that a run has few events. */
const small: Settings = {
  model: 'llama2-7b',
  layerCount: 8,
  hiddenSize: 2048,
  attentionHeads: 16,
  keyValueHeads: 8,
  feedForwardSize: 4096,
  sequenceLength: 2048,
  gpuMemory: 'unlimited',
};

async function planOf(settings: Settings, gpus: number): Promise<Plan> {
  const workload = Object.entries({ generate: 'transformer', ...small, ...settings })
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
  const text = `backend: analytical\nfabric: { generate: spectrum-x, gpuType: H100, gpus: ${gpus} }\ntimeline: { ranks: none }\nworkload: { ${workload} }\n`;
  const host = { ...nodeHost(), readText: () => Promise.resolve(text) };
  return makePlan('small.yaml', { host, overrides: [] });
}

async function both(settings: Settings, gpus: number): Promise<readonly [IterationEstimate, IterationEstimate]> {
  const plan = await planOf(settings, gpus);
  const { workload, pipelineSchedule, overlapSlowdown = 0 } = plan.jobs[0] as Job;
  const costs = collectiveCosts(plan, new PathTracer(routesByRules(plan.fabric, plan.routing)))!;
  const estimator = new IterationEstimator({ fabric: plan.fabric, settings: plan.collectives, costs });
  const estimate = estimator.estimate(workload, pipelineSchedule, overlapSlowdown);
  const { jobs } = await simulate(plan, { host: nodeHost() });
  const { totalPs, stages } = jobs[0]!;
  const slowest = stages.reduce((most, stage) => (stage.totalPs > most.totalPs ? stage : most));
  const { computePs, bubblePs, exposedPs } = slowest;
  return [estimate, { totalPs: totalPs.maximum, computePs, bubblePs, exposedPs }];
}

const cases: readonly (readonly [name: string, settings: Settings])[] = [
  ['one rank', { dataParallel: 1, microBatches: 3 }],
  ['replicas that sum gradients', { dataParallel: 8, microBatches: 2 }],
  ['replicas that sum them behind the backward pass', { dataParallel: 8, microBatches: 2, overlapGradients: false }],
  ['a tensor group', { tensorParallel: 8, dataParallel: 1, microBatches: 2 }],
  ['sequence parallelism', { tensorParallel: 4, dataParallel: 2, sequenceParallel: true, microBatches: 2 }],
  ['ZeRO 1', { dataParallel: 16, zeroStage: 1, microBatches: 3 }],
  ['ZeRO 1 that waits for parameters', { dataParallel: 16, zeroStage: 1, overlapParameters: false, microBatches: 3 }],
  ['ZeRO 2', { dataParallel: 16, zeroStage: 2, microBatches: 3 }],
  ['ZeRO 3', { dataParallel: 16, zeroStage: 3, microBatches: 3 }],
  ['ZeRO 3 with recomputation', { dataParallel: 16, zeroStage: 3, microBatches: 2, recomputation: 'full' }],
  ['a pipeline', { pipelineParallel: 4, dataParallel: 2, microBatches: 8 }],
  ['a pipeline with ZeRO 1', { pipelineParallel: 4, dataParallel: 4, microBatches: 8, zeroStage: 1 }],
  ['a pipeline with ZeRO 3', { pipelineParallel: 4, dataParallel: 4, microBatches: 8, zeroStage: 3 }],
  ['interleaved', { pipelineParallel: 2, chunksPerStage: 4, tensorParallel: 2, dataParallel: 2, microBatches: 6 }],
  ['interleaved, one round', { pipelineParallel: 4, chunksPerStage: 2, dataParallel: 2, microBatches: 4 }],
  [
    'interleaved with ZeRO 1',
    { pipelineParallel: 4, chunksPerStage: 2, dataParallel: 4, microBatches: 8, zeroStage: 1 },
  ],
  [
    'all forward first',
    { pipelineParallel: 4, dataParallel: 2, microBatches: 6, pipelineSchedule: 'all-forward-all-backward' },
  ],
  ['context parallelism', { contextParallel: 4, dataParallel: 2, microBatches: 2 }],
  ['a ring of keys', { contextParallel: 4, dataParallel: 2, microBatches: 2, contextExchange: 'ring' }],
  ['experts', { experts: 8, activeExperts: 2, expertParallel: 8, dataParallel: 8, microBatches: 2 }],
  [
    'experts and tensor groups',
    {
      experts: 8,
      expertParallel: 4,
      tensorParallel: 2,
      sequenceParallel: true,
      dataParallel: 8,
      zeroStage: 1,
      microBatches: 2,
    },
  ],
];

/** GPUs of a job. */
function gpusOf(settings: Settings): number {
  const kinds = ['tensorParallel', 'pipelineParallel', 'contextParallel', 'dataParallel'];
  return kinds.reduce((product, name) => product * Number(settings[name] ?? 1), 1);
}

/** More micro-batches than a pipeline is walked with. */
const long: typeof cases = [
  ['one stage', { dataParallel: 8, microBatches: 12 }],
  ['one stage with ZeRO 3', { dataParallel: 8, microBatches: 12, zeroStage: 3 }],
  ['a pipeline, the last round not full', { pipelineParallel: 4, dataParallel: 2, microBatches: 23, zeroStage: 1 }],
  ['interleaved', { pipelineParallel: 4, chunksPerStage: 2, dataParallel: 2, microBatches: 20, zeroStage: 1 }],
];

describe('of many micro-batches most are left out', () => {
  it.each(long)('%s', async (_, settings) => {
    const [estimate, run] = await both(settings, Math.max(8, gpusOf(settings)));
    // rounds that are left out take what the last one takes
    expect(Math.abs(estimate.totalPs / run.totalPs - 1)).toBeLessThan(0.001);
    const waits = Object.values(estimate.exposedPs).reduce((sum, ps) => sum + ps, 0);
    expect(Math.abs(estimate.computePs + estimate.bubblePs + waits - estimate.totalPs)).toBeLessThan(1000);
  });
});

describe('an iteration by parts is the iteration by events', () => {
  it.each(cases)('%s', async (_, settings) => {
    const [estimate, run] = await both(settings, Math.max(8, gpusOf(settings)));
    expect(estimate).toEqual(run);
  });
});
