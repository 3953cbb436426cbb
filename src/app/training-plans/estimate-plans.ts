// What a plan takes by closed forms on the fabric of a run, and what its ranks wait for within a layer.

import { IterationEstimator } from '../../jobs/iteration-estimate.js';
import type { IterationEstimate } from '../../jobs/micro-batch-rounds.js';
import { type OversizedSend, oversizedSends } from '../../jobs/oversized-sends.js';
import { generateTransformer } from '../../workload/generate-transformer.js';
import type { TrainingPlan } from '../../workload/training-plan.js';
import type { Workload } from '../../workload/workload.js';
import { overlapSlowdownOf } from '../../workload/compute-times.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Plan } from '../../scenario/plan.js';
import { collectiveCosts } from '../make-network.js';
import { fail } from '../../base/fail.js';
import type { LayerCosts } from '../../workload/least-time.js';
import type { FeasiblePlan, Layout, SpaceRequest } from './plan-space.js';

/** Estimates plans on the fabric of a run. @param site on the analytical backend: its costs are those of closed forms */
export function estimatorOf(site: Plan): IterationEstimator {
  const tracer = new PathTracer(routesByRules(site.fabric, site.routing));
  const costs = collectiveCosts(site, tracer) ?? fail(`${site.backend.name} has no closed forms`);
  return new IterationEstimator({ fabric: site.fabric, settings: site.collectives, costs });
}

/** What a plan takes by closed forms. */
export function estimateOf(
  { training, layout }: Pick<FeasiblePlan, 'training' | 'layout'>,
  request: SpaceRequest,
  estimator: IterationEstimator,
): IterationEstimate {
  return estimated(generateTransformer(training), { training, layout }, request, estimator);
}

/** The same, or what of the plan is larger than may be sent. */
export function estimateOrOversized(
  plan: Pick<FeasiblePlan, 'training' | 'layout'>,
  request: SpaceRequest,
  estimator: IterationEstimator,
): IterationEstimate | OversizedSend {
  const workload = generateTransformer(plan.training);
  const [oversized] = oversizedSends(workload);
  return oversized ?? estimated(workload, plan, request, estimator);
}

function estimated(
  workload: Workload,
  { training, layout }: Pick<FeasiblePlan, 'training' | 'layout'>,
  { schedule }: SpaceRequest,
  estimator: IterationEstimator,
): IterationEstimate {
  return estimator.estimate(workload, schedule, overlapSlowdownOf(training.values), layout);
}

/** What layers cost beside computation, for bounds (workload/least-time.ts). */
export function layerCostsOf(estimator: IterationEstimator): LayerCosts {
  return {
    // nothing of that depends on the replicas
    exposedPs: (plan, layout) =>
      estimator.exposedLayerPs(
        ...ofFewLayers(plan, layout, 0, plan.values.contextParallel * plan.groups.expert),
        layout,
      ),
    gatheringPs: (plan, layout) => estimator.busyLayerPs(...ofFewLayers(plan, layout, 3, plan.data), layout),
  };
}

/** The workload with one layer in each stage, and with two; stages that stand behind all other ranks are left out. */
function ofFewLayers(
  { values, groups, ...plan }: TrainingPlan,
  layout: Layout,
  zeroStage: number,
  data: number,
): readonly [Workload, Workload] {
  const pipeline = layout.at(-1) === 'pp' ? 1 : groups.pipeline;
  const made = (layers: number): Workload =>
    generateTransformer({
      ...plan,
      values: {
        ...values,
        pipelineParallel: pipeline,
        chunksPerStage: 1,
        endsAsLayers: false,
        zeroStage,
        layerCount: layers * pipeline,
      },
      groups: { ...groups, pipeline, gpus: groups.tensor * data * pipeline },
      data,
      microBatches: 2,
    });
  return [made(1), made(2)];
}
