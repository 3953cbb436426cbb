// The best plans of a space by closed forms: plans in the order of their least time, each estimated, until no other can
// be among the best.
// Invariant: a plan that is left out takes longer than each of the best by its computation alone.

import { IterationEstimator, type IterationEstimate } from '../../jobs/iteration-estimate.js';
import { generateTransformer } from '../../workload/generate-transformer.js';
import { LeastTimes } from '../../workload/least-time.js';
import type { TrainingPlan } from '../../workload/training-plan.js';
import type { Workload } from '../../workload/workload.js';
import { overlapSlowdownOf } from '../../workload/compute-times.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Plan } from '../../scenario/plan.js';
import { collectiveCosts } from '../make-network.js';
import { fail } from '../../base/fail.js';
import type { Host } from '../../base/host.js';
import { type FeasiblePlan, feasiblePlans, type Infeasible, type SpaceRequest } from './plan-space.js';

/** A plan with what it takes by closed forms. */
export interface EstimatedPlan extends FeasiblePlan {
  readonly estimate: IterationEstimate;
}

export interface BestPlans {
  /** in order of their times, the shortest first */
  readonly best: readonly EstimatedPlan[];
  readonly feasible: number;
  /** of the feasible ones; the others cannot be among the best */
  readonly estimated: number;
  readonly infeasible: ReadonlyMap<string, Infeasible>;
  /** false: somebody stopped it, and other plans may be better */
  readonly isComplete: boolean;
}

/** What somebody may be told, and may ask for, while plans are estimated. */
export interface EstimateHooks {
  readonly host: Pick<Host, 'breathe' | 'wallMs'>;
  readonly stopRequested?: () => boolean;
  /** @param share of the plans that may win, 0 to 1; null: they are still counted */
  readonly onProgress?: (what: string, share: number | null) => void;
}

/** Wall-clock milliseconds between two looks at whether to stop. */
const sliceMs = 50;

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
function exposedLayerPs({ values, groups, ...plan }: TrainingPlan, estimator: IterationEstimator): number {
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

/** Finds the best plans. @param wanted how many of them */
export async function bestPlans(
  request: SpaceRequest,
  estimator: IterationEstimator,
  wanted: number,
  { host, stopRequested = () => false, onProgress = () => {} }: EstimateHooks,
): Promise<BestPlans> {
  const count = { infeasible: new Map<string, Infeasible>(), feasible: 0 };
  let lookMs = host.wallMs() + sliceMs;
  const isStopped = async (what: string, share: number | null): Promise<boolean> => {
    if (host.wallMs() < lookMs) return false;
    onProgress(what, share);
    await host.breathe();
    lookMs = host.wallMs() + sliceMs;
    return stopRequested();
  };
  const plans: FeasiblePlan[] = [];
  let isComplete = true;
  const times = new LeastTimes((plan) => exposedLayerPs(plan, estimator));
  for (const plan of feasiblePlans(request, times, count)) {
    plans.push(plan);
    if (await isStopped(`${plans.length} plans that fit`, null)) {
      isComplete = false;
      break;
    }
  }
  plans.sort((a, b) => a.leastPs - b.leastPs);
  const best: EstimatedPlan[] = [];
  let estimated = 0;
  for (const plan of plans) {
    const last = best[wanted - 1];
    if (last !== undefined && plan.leastPs > last.estimate.totalPs) break;
    insert(best, { ...plan, estimate: estimateOf(plan, request, estimator) }, wanted);
    estimated++;
    if (await isStopped(`${estimated} of ${plans.length} plans estimated`, estimated / plans.length)) {
      isComplete = false;
      break;
    }
  }
  return { best, feasible: count.feasible, estimated, infeasible: count.infeasible, isComplete };
}

/** Puts a plan in its place; of equal times the first stays first. */
function insert(best: EstimatedPlan[], plan: EstimatedPlan, wanted: number): void {
  let at = best.length;
  while (at > 0 && best[at - 1]!.estimate.totalPs > plan.estimate.totalPs) at--;
  best.splice(at, 0, plan);
  if (best.length > wanted) best.pop();
}
