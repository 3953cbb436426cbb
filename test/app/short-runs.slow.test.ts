// Plans of many micro-batches timed by two short runs, beside one run of all of them.

import { describe, expect, it } from 'vitest';
import { estimatorOf } from '../../src/app/training-plans/estimate-plans.js';
import { planQuestion, planScenario } from '../../src/app/training-plans/plan-request.js';
import { feasiblePlans } from '../../src/app/training-plans/plan-space.js';
import { timesOfRuns } from '../../src/app/training-plans/rank-plans.js';
import { roundPs, roundsAreSteady, shortRuns } from '../../src/app/training-plans/short-runs.js';
import { simulate } from '../../src/app/simulate.js';
import { dimensions } from '../../src/collectives/parallel-groups.js';
import type { JobReport } from '../../src/jobs/job-report.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { isDrawn } from '../support/drawn.js';

function planOf(text: string, overrides: readonly string[]): Promise<Plan> {
  const host = { ...nodeHost(), readText: () => Promise.resolve(text) };
  return makePlan('plan.yaml', { host, overrides: ['timeline.ranks=none', ...overrides] });
}

async function jobOf(text: string, overrides: readonly string[]): Promise<JobReport> {
  return (await simulate(await planOf(text, overrides), { host: nodeHost() })).jobs[0]!;
}

type Settings = Readonly<Record<string, string | number>>;

/** A small model, and one way to train it. */
const small: Settings = {
  layerCount: 8,
  hiddenSize: 2048,
  attentionHeads: 16,
  keyValueHeads: 8,
  feedForwardSize: 4096,
  sequenceLength: 2048,
  gpuMemory: 'unlimited',
  tensorParallel: 1,
  pipelineParallel: 1,
  contextParallel: 1,
  expertParallel: 1,
  chunksPerStage: 1,
  endsAsLayers: 'false',
  sequenceParallel: 'false',
  microBatchSize: 1,
  recomputation: 'none',
  zeroStage: 0,
};

const rails = (gpus: number): string => `{ generate: spectrum-x, gpuType: H100, gpus: ${gpus} }`;
/** servers without NVLink, and two spines that all groups share */
const crowded = (gpus: number): string => `{ generate: leaf-spine, leaves: ${gpus / 4}, hostsPerLeaf: 4, spines: 2 }`;

const cases: readonly (readonly [
  name: string,
  gpus: number,
  fabric: (gpus: number) => string,
  settings: Settings,
  batch: number,
  /** micro-batches of the longer of the two runs that tell of all; 0: none do */
  larger: number,
])[] = [
  ['a pipeline', 32, rails, { pipelineParallel: 4, tensorParallel: 4 }, 2 * 32, 8],
  ['a pipeline over shared spines', 32, crowded, { pipelineParallel: 4, zeroStage: 1 }, 8 * 40, 0],
  ['interleaved', 64, rails, { pipelineParallel: 4, chunksPerStage: 2, tensorParallel: 8 }, 2 * 40, 12],
  ['interleaved beside others', 64, rails, { pipelineParallel: 4, chunksPerStage: 2, tensorParallel: 4 }, 4 * 40, 12],
  [
    'interleaved, shared spines',
    32,
    crowded,
    { pipelineParallel: 2, chunksPerStage: 4, contextParallel: 2 },
    8 * 20,
    0,
  ],
  // groups meet on links, from the second round on always in the same way
  [
    'groups that share rails',
    64,
    rails,
    { pipelineParallel: 2, contextParallel: 8, tensorParallel: 2, chunksPerStage: 4, zeroStage: 1 },
    2 * 40,
    8,
  ],
  ['a round that is not full', 32, rails, { pipelineParallel: 4, tensorParallel: 4, zeroStage: 1 }, 2 * 33, 9],
  ['one stage', 32, rails, { tensorParallel: 8, zeroStage: 1 }, 4 * 16, 4],
  ['one stage over shared spines', 32, crowded, { tensorParallel: 2, zeroStage: 1 }, 16 * 16, 4],
  ['parameters that are gathered', 32, rails, { tensorParallel: 4, zeroStage: 3 }, 8 * 20, 0],
];

describe('two short runs on fluid tell how long all micro-batches take', () => {
  it.each(cases.filter((_, place) => isDrawn(place, 3)))(
    '%s',
    async (_, gpus, fabric, settings, globalBatchSize, larger) => {
      const question = planQuestion({
        model: 'llama2-7b',
        gpus,
        gpu: 'H100',
        globalBatchSize,
        fabric: fabric(gpus),
        changes: Object.entries({ ...small, ...settings, layout: `[${dimensions.join(', ')}]` }).map(
          ([name, value]) => `workload.${name}=${value}`,
        ),
      });
      const [plan] = feasiblePlans(question.space, { ofComputation: () => 0 }, { infeasible: new Map(), feasible: 0 });
      const text = planScenario(question, plan!, 'fluid');
      const short = shortRuns(plan!.training, await planOf(text, []), 0);
      const estimator = estimatorOf(await planOf(planScenario(question, null, 'analytical'), []));
      let steadyBy = 0;
      let earlierPs: number | null = null;
      for (const { rounds, changes } of short) {
        expect(2 * (rounds.smaller + rounds.larger)).toBeLessThanOrEqual(plan!.training.microBatches);
        const jobs = [await jobOf(text, changes[0]!), await jobOf(text, changes[1]!)];
        const ownPs = roundPs(jobs.map(({ totalPs }) => totalPs.maximum) as [number, number]);
        const isSteady = roundsAreSteady(plan!, ownPs, earlierPs, rounds, question.space, estimator);
        earlierPs = ownPs;
        if (!isSteady) continue;
        steadyBy = rounds.larger;
        const times = timesOfRuns('fluid', jobs, rounds);
        const whole = await jobOf(text, []);
        expect(Math.abs(times.totalPs / whole.totalPs.maximum - 1)).toBeLessThan(0.005);
        const slowest = whole.stages.reduce((most, stage) => (stage.totalPs > most.totalPs ? stage : most));
        expect(Math.abs(times.computePs / slowest.computePs - 1)).toBeLessThan(0.005);
        break;
      }
      // where groups share links the rounds differ, and a plan is run whole
      expect(steadyBy).toBe(larger);
    },
  );
});
