// What a plan takes by closed forms on the fabric of a run, and what its ranks wait for within a layer.

import { IterationEstimator } from '../../jobs/iteration-estimate.js';
import { generateTransformer } from '../../workload/generate-transformer.js';
import type { TrainingPlan } from '../../workload/training-plan.js';
import type { Workload } from '../../workload/workload.js';
import { overlapSlowdownOf } from '../../workload/compute-times.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Plan } from '../../scenario/plan.js';
import { collectiveCosts } from '../make-network.js';
import { fail } from '../../base/fail.js';
import type { FeasiblePlan, SpaceRequest } from './plan-space.js';

/** Estimates plans on the fabric of a run. @param site on the analytical backend: its costs are those of closed forms */
export function estimatorOf(site: Plan): IterationEstimator {
  const tracer = new PathTracer(routesByRules(site.fabric, site.routing));
  const costs = collectiveCosts(site, tracer) ?? fail(`${site.backend.name} has no closed forms`);
  return new IterationEstimator({ fabric: site.fabric, settings: site.collectives, costs });
}

/** What a plan takes by closed forms. */
export function estimateOf({ training }: FeasiblePlan, request: SpaceRequest, estimator: IterationEstimator) {
  return estimator.estimate(generateTransformer(training), request.schedule, overlapSlowdownOf(training.values));
}

/** What a rank of a plan waits for within a layer: that of a model of two layers less that of one. */
export function exposedLayerPs({ values, groups, ...plan }: TrainingPlan, estimator: IterationEstimator): number {
  const alone = { pipelineParallel: 1, chunksPerStage: 1, endsAsLayers: false, zeroStage: 0 };
  const data = values.contextParallel * groups.expert;
  const [one, two] = [1, 2].map((layerCount) =>
    generateTransformer({
      ...plan,
      values: { ...values, ...alone, layerCount },
      groups: { ...groups, pipeline: 1, gpus: groups.tensor * data },
      data,
      microBatches: 2,
    }),
  ) as [Workload, Workload];
  return estimator.exposedLayerPs(one, two);
}
