// Plans in the order of their times, each by the finest model that it was timed by.

import { gpus } from '../../workload/gpus.js';
import { trainingFlops } from '../../workload/transformer-model.js';
import { closedForm, type PlanTimes, type RankedPlan } from '../../report/training-plans/ranked-plan.js';
import type { JobReport } from '../../jobs/job-report.js';
import { beyondRounds, type IterationEstimate, type MicroBatchRounds } from '../../jobs/micro-batch-rounds.js';
import type { EstimatedPlan } from './plan-search.js';
import { decisionOf } from './plan-space.js';

/** A plan with its times by closed forms. */
export function rankedPlan({ estimate, ...plan }: EstimatedPlan): RankedPlan {
  return timedAs(plan, { model: closedForm, ...estimate });
}

/** The plan with other times. */
export function timedAs(
  { training, layout, memoryBytes }: Pick<RankedPlan, 'training' | 'layout' | 'memoryBytes'>,
  times: PlanTimes,
): RankedPlan {
  const { values, groups } = training;
  const peak = groups.gpus * gpus[values.gpu].flopsPerSecond * (times.totalPs / 1e12);
  return { training, layout, memoryBytes, times, mfu: trainingFlops(values, values.globalBatchSize) / peak };
}

/**
 * The times of a plan's job, of the stage that ended last, as its first rank spent them.
 * @param jobs in one run, or in two short ones, the shorter first @param rounds of the short ones; null: one run had all
 */
export function timesOfRuns(
  model: PlanTimes['model'],
  jobs: readonly JobReport[],
  rounds: MicroBatchRounds | null,
): PlanTimes {
  const more = jobs.at(-1)!;
  const stage = more.stages.reduce((most, own, i) => (own.totalPs > more.stages[most]!.totalPs ? i : most), 0);
  const timesOf = ({ totalPs, stages }: JobReport): IterationEstimate => {
    const { computePs, bubblePs, exposedPs } = stages[stage]!;
    return { totalPs: totalPs.maximum, computePs, bubblePs, exposedPs };
  };
  if (rounds === null) return { model, ...timesOf(more) };
  return { model, ...beyondRounds(timesOf(jobs[0]!), timesOf(more), rounds.beyond), rounds };
}

/** Plans by their times; of equal ones the first stays first. */
export function inOrder(plans: readonly RankedPlan[]): RankedPlan[] {
  return [...plans].sort((a, b) => a.times.totalPs - b.times.totalPs);
}

/** Of plans in order the first of each decision. @param most so many of them at most */
export function firstOfDecisions(plans: readonly RankedPlan[], most: number): RankedPlan[] {
  const first = new Map<string, RankedPlan>();
  for (const plan of plans) if (!first.has(decisionOf(plan))) first.set(decisionOf(plan), plan);
  return [...first.values()].slice(0, most);
}
