// The best plans by closed forms, timed again by runs of their scenarios: all on the coarsest backend, the first ones on finer
// ones. Whoever comes to the front is run there, too, until the first ones have been, and so is whoever may still be
// the best: closed forms know no contention, so that a plan is seldom faster than they say.
// Invariant: a plan runs as `weft run` runs the scenario that is written of it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { levelsOfDetail, type PlanQuestion, planScenario } from '../../app/training-plans/plan-request.js';
import { inOrder, rankedPlan, timedAs, timesOfRun } from '../../app/training-plans/rank-plans.js';
import type { BestPlans } from '../../app/training-plans/plan-search.js';
import { failedChecks } from '../../report/run-figures.js';
import { planName } from '../../report/training-plans/plan-words.js';
import { closedForm, type PlanTimes, type RankedPlan } from '../../report/training-plans/ranked-plan.js';
import type { CommandContext } from '../context.js';
import { isFinished } from '../run/run-plan.js';
import { planTask } from '../run/plan-task.js';
import type { SimultaneousRuns } from '../simultaneous-runs.js';

export interface TimedFinalists {
  /** in order */
  readonly plans: readonly RankedPlan[];
  /** checks of runs that failed, with the plan */
  readonly failed: readonly string[];
  /** whether a plan that was not run on the finest backend may be faster than the first */
  readonly isOpen: boolean;
  /** runs plans again; checks that fail go to the others */
  readonly run: PlanRunner;
}

/** How many plans are timed by a backend: the first ones, and beyond them those that may be the best, so many at most. */
export interface Finalists {
  readonly first: number;
  readonly most: number;
}

/** Where plans run. */
export interface FinalistsWorld {
  readonly question: PlanQuestion;
  /** for their scenarios, of this fabric alone */
  readonly folder: string;
  readonly together: SimultaneousRuns;
  readonly context: CommandContext;
}

/**
 * Runs plans, each by the model that it was timed by.
 * @param changes of all of their scenarios, as `--set` takes them @param what of runs, for progress
 * @returns their times, in their order; null: it was stopped before
 */
export type PlanRunner = (
  plans: readonly RankedPlan[],
  changes: readonly string[],
  what: string,
) => Promise<readonly (PlanTimes | null)[]>;

/** Times plans again. @param finalists by backend, from the coarsest @returns them; if it was stopped, as far as it came */
export async function runFinalists(
  { best, next }: Pick<BestPlans, 'best' | 'next'>,
  finalists: readonly Finalists[],
  world: FinalistsWorld,
): Promise<TimedFinalists> {
  const run = new FinalistRuns(best.map(rankedPlan), next, world);
  for (const [level, { first, most }] of finalists.entries())
    if (first > 0 && !(await run.timeOn(level, first, most))) break;
  return {
    plans: run.ranked,
    failed: run.failed,
    isOpen: run.isOpen,
    run: (plans, changes, what) => run.run(plans, plans.map(modelOf), changes, what),
  };
}

/** The backend that timed a plan; of closed forms that which carries them out. */
function modelOf({ times }: RankedPlan): string {
  return times.model === closedForm ? levelsOfDetail[0] : times.model;
}

class FinalistRuns {
  ranked: readonly RankedPlan[];
  readonly failed: string[] = [];
  isOpen = false;
  private files = 0;
  /** of those that are not listed, the first by closed forms: it waits for its turn */
  private waiting: RankedPlan | null = null;

  constructor(
    plans: readonly RankedPlan[],
    private readonly next: BestPlans['next'],
    private readonly world: FinalistsWorld,
  ) {
    this.ranked = inOrder(plans);
  }

  /** @returns false: it was stopped */
  async timeOn(level: number, first: number, most: number): Promise<boolean> {
    const isDone = ({ times }: RankedPlan): boolean => levelsOfDetail.indexOf(times.model) >= level;
    let left = Math.max(first, most);
    for (;;) {
      let plans = this.ranked.slice(0, first).filter((plan) => !isDone(plan));
      if (plans.length === 0 && level > 0) plans = await this.mayBeBest(isDone, Math.max(1, Math.min(left, first)));
      this.isOpen = plans.length > left;
      plans = plans.slice(0, left);
      if (plans.length === 0) {
        // a plan that was not run here is none to stand first
        if (this.isOpen) this.ranked = [...this.ranked.filter(isDone), ...this.ranked.filter((plan) => !isDone(plan))];
        return true;
      }
      left -= plans.length;
      if (!(await this.time(plans, level))) return false;
    }
  }

  /** Plans that closed forms take for faster than the first is by a run. */
  private async mayBeBest(isDone: (plan: RankedPlan) => boolean, most: number): Promise<RankedPlan[]> {
    const bestPs = this.ranked.find(isDone)!.times.totalPs;
    const isFaster = ({ times }: RankedPlan): boolean => times.totalPs < bestPs;
    const open = this.ranked.filter((plan) => isFaster(plan) && !isDone(plan));
    const more: RankedPlan[] = [];
    while (open.length + more.length < most + 1) {
      if (this.waiting === null) {
        const plan = await this.next();
        this.waiting = plan === null ? null : rankedPlan(plan);
      }
      if (this.waiting === null || !isFaster(this.waiting)) break;
      more.push(this.waiting);
      this.waiting = null;
    }
    this.ranked = inOrder([...this.ranked, ...more]);
    return [...open, ...more];
  }

  /** Times plans. @returns false: it was stopped before all had run */
  private async time(plans: readonly RankedPlan[], level: number): Promise<boolean> {
    const model = levelsOfDetail[level]!;
    const times = await this.run(
      plans,
      plans.map(() => model),
      [],
      model,
    );
    const timed = new Map(plans.map((plan, i) => [plan, times[i] ?? null]));
    this.ranked = inOrder(
      this.ranked.map((plan) => {
        const own = timed.get(plan) ?? null;
        return own === null ? plan : timedAs(plan, own);
      }),
    );
    return times.every((own) => own !== null);
  }

  /** Runs plans. @param models of each its backend @param changes, what as of PlanRunner */
  async run(
    plans: readonly RankedPlan[],
    models: readonly string[],
    changes: readonly string[],
    what: string,
  ): Promise<readonly (PlanTimes | null)[]> {
    const { question, folder, together, context } = this.world;
    const tasks = await Promise.all(
      plans.map(async (plan, i) => {
        const scenario = join(folder, `plan-${this.files++}.yaml`);
        await writeFile(scenario, planScenario(question, plan, models[i]!));
        const task = { scenario, overrides: ['timeline.ranks=none', ...changes], seed: null, folders: null };
        return planTask(planName(plan), task, null, context);
      }),
    );
    const names = plans.map((plan) => ({ name: `${planName(plan)} (${what})`, weight: 1 }));
    const runs = await together.run(tasks, names);
    return plans.map((plan, i) => {
      const run = runs[i] ?? null;
      if (!isFinished(run)) return null;
      this.failed.push(...failedChecks(run.summary).map((check) => `${planName(plan)} (${what}): ${check}`));
      return timesOfRun(models[i]!, run.summary.jobs[0]!);
    });
  }
}
