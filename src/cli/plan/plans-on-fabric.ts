// The plans of a question on one fabric: the best by closed forms, timed again by runs, disturbed if that is asked for.
// Invariant: fabrics of one command are asked the same question, and their finalists are timed alike.

import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { estimatorOf } from '../../app/training-plans/estimate-plans.js';
import { bestPlans, type BestPlans, type SearchHooks } from '../../app/training-plans/plan-search.js';
import { levelsOfDetail, type PlanQuestion, planScenario } from '../../app/training-plans/plan-request.js';
import { firstOfDecisions } from '../../app/training-plans/rank-plans.js';
import { InputError } from '../../base/diagnostics.js';
import type { RankedPlan } from '../../report/training-plans/ranked-plan.js';
import { grouped } from '../../report/text-style.js';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import type { SimultaneousRuns } from '../simultaneous-runs.js';
import type { AskedFabric } from './plan-asked.js';
import { runFinalists } from './run-finalists.js';
import { withRobustness } from './robustness.js';

/** How plans are looked for and timed. */
export interface PlanOrder {
  /** plans that are listed */
  readonly best: number;
  /** the first that are run on fluid, and on packets */
  readonly fluid: number;
  readonly packets: number;
  readonly mostRuns?: number;
  /** the first that are run with faults */
  readonly robustness: number;
  readonly variants: boolean;
  /** runs on fluid and on packets have all micro-batches */
  readonly whole: boolean;
}

/** A fabric, and what is asked of it. */
export interface PlannedSite extends AskedFabric {
  /** of a small model on the fabric, on the coarsest backend */
  readonly site: Plan;
}

/** What was found on one fabric. */
export interface FabricAnswer extends PlannedSite, Pick<BestPlans, 'feasible' | 'estimated' | 'infeasible'> {
  /** in order, the best first; none: it was stopped before */
  readonly plans: readonly RankedPlan[];
  readonly isOpen: boolean;
  /** checks of runs that failed */
  readonly failed: readonly string[];
}

/** Where runs are made. */
export interface PlanWorld {
  /** for scenarios */
  readonly folder: string;
  readonly together: SimultaneousRuns;
  readonly context: CommandContext;
}

/** Makes the fabric of a question. @throws InputError */
export async function siteOf(
  { name, question }: AskedFabric,
  { folder, context: { makePlan, host } }: Pick<PlanWorld, 'folder' | 'context'>,
): Promise<PlannedSite> {
  const file = join(await mkdtemp(join(folder, 'fabric-')), 'fabric.yaml');
  await writeFile(file, planScenario(question, null, levelsOfDetail[0]));
  const site = await makePlan(file, { overrides: [], host });
  await site.source.close();
  const { gpus } = question.request;
  if (site.fabric.hosts.length === gpus) return { name, question, site };
  // a file of a fabric has a size of its own
  throw InputError.about('plan-gpus', '--gpus', `${name} has ${grouped(site.fabric.hosts.length)} GPUs`, {
    got: String(gpus),
    wanted: String(site.fabric.hosts.length),
    hint: 'a family of fabrics is made for any number (weft topology list)',
  });
}

/** Looks for the best plans on a fabric. @throws InputError if none can run */
export async function plansOnFabric(
  planned: PlannedSite,
  order: PlanOrder,
  hooks: SearchHooks,
  { folder, together, context }: PlanWorld,
): Promise<FabricAnswer> {
  const { question, site } = planned;
  const { best, fluid, packets, mostRuns, robustness, variants } = order;
  const estimator = estimatorOf(site);
  const found = await bestPlans(question.space, estimator, best, hooks, variants);
  const { feasible, estimated, infeasible } = found;
  if (feasible === 0 && found.isComplete) throw noPlan(question, infeasible);
  const finalists = [
    { first: best, most: best },
    ...[fluid, packets].map((first) => ({ first, most: mostRuns ?? 2 * first })),
  ];
  const own = await mkdtemp(join(folder, 'plans-'));
  const world = { question, estimator, folder: own, runsAreWhole: order.whole, together, context };
  const timed = await runFinalists(found, finalists, world);
  const listed = variants ? timed.plans.slice(0, best) : firstOfDecisions(timed.plans, best);
  const plans = together.interrupt.requested
    ? listed
    : await withRobustness(listed, robustness, site.fabric, timed.run);
  return { ...planned, plans, feasible, estimated, infeasible, isOpen: timed.isOpen, failed: timed.failed };
}

/** Nothing can run: why not, most often. */
function noPlan({ request: { model, gpus, gpu } }: PlanQuestion, infeasible: BestPlans['infeasible']): InputError {
  const reasons = [...infeasible].sort(([, a], [, b]) => b.count - a.count).slice(0, 3);
  return InputError.about('plan-none', '--gpus', `no plan for ${model} can run on ${gpus} ${gpu}`, {
    got: reasons.map(([reason, { count, example }]) => `${grouped(count)} by ${reason} (${example})`).join('; '),
    wanted: 'at least one plan that fits',
    hint: 'more GPUs, GPUs with more memory, or a --global-batch that divides into replicas',
  });
}
