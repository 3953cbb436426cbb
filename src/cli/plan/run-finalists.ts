// The best plans by closed forms, timed again by runs of their scenarios: all on the coarsest backend, the first ones on finer
// ones. Whoever comes to the front is run there, too, until the first ones have been.
// Invariant: a plan runs as `weft run` runs the scenario that is written of it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { levelsOfDetail, type PlanQuestion, planScenario } from '../../app/training-plans/plan-request.js';
import { inOrder, timedAs, timesOfRun } from '../../app/training-plans/rank-plans.js';
import { failedChecks } from '../../report/run-figures.js';
import { planName } from '../../report/training-plans/plan-words.js';
import type { RankedPlan } from '../../report/training-plans/ranked-plan.js';
import type { CommandContext } from '../context.js';
import { isFinished } from '../run/run-plan.js';
import { planTask } from '../run/plan-task.js';
import type { SimultaneousRuns } from '../simultaneous-runs.js';

export interface TimedFinalists {
  readonly plans: readonly RankedPlan[];
  /** checks of runs that failed, with the plan */
  readonly failed: readonly string[];
}

/** Times plans again. @param finalists how many of the first plans are timed by each backend, from the coarsest @param folder for their scenarios @returns them in order; if it was stopped, as far as it came */
export async function runFinalists(
  plans: readonly RankedPlan[],
  finalists: readonly number[],
  question: PlanQuestion,
  folder: string,
  together: SimultaneousRuns,
  context: CommandContext,
): Promise<TimedFinalists> {
  let ranked = inOrder(plans);
  const failed: string[] = [];
  let files = 0;
  for (const [level, model] of levelsOfDetail.entries()) {
    const wanted = finalists[level] ?? 0;
    const isDone = ({ times }: RankedPlan): boolean => levelsOfDetail.indexOf(times.model) >= level;
    for (;;) {
      const next = ranked.slice(0, wanted).filter((plan) => !isDone(plan));
      if (next.length === 0) break;
      const tasks = await Promise.all(
        next.map(async (plan) => {
          const scenario = join(folder, `plan-${files++}.yaml`);
          await writeFile(scenario, planScenario(question, plan.training, model));
          const task = { scenario, overrides: ['timeline.ranks=none'], seed: null, folders: null };
          return planTask(planName(plan), task, null, context);
        }),
      );
      const names = next.map((plan) => ({ name: `${planName(plan)} (${model})`, weight: 1 }));
      const runs = await together.run(tasks, names);
      const timed = new Map<RankedPlan, RankedPlan>();
      for (const [i, plan] of next.entries()) {
        const run = runs[i] ?? null;
        if (!isFinished(run)) continue;
        failed.push(...failedChecks(run.summary).map((check) => `${planName(plan)} on ${model}: ${check}`));
        timed.set(plan, timedAs(plan, timesOfRun(model, run.summary.jobs[0]!)));
      }
      ranked = inOrder(ranked.map((plan) => timed.get(plan) ?? plan));
      if (timed.size < next.length) return { plans: ranked, failed };
    }
  }
  return { plans: ranked, failed };
}
