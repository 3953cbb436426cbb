// The best plans by closed forms, timed again by runs of their scenarios: all on the coarsest backend, the first ones on finer
// ones. Whoever comes to the front is run there, too, until the first ones have been, and so is whoever may still be
// the best: closed forms know no contention, so that a plan is seldom faster than they say.
// Invariants: a plan runs as `weft run` runs the scenario that is written of it; one whose iteration takes longer than a
// simulation can last keeps its time by closed forms.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { estimatorOf } from '../../app/training-plans/estimate-plans.js';
import { levelsOfDetail, type PlanQuestion, planScenario } from '../../app/training-plans/plan-request.js';
import { inOrder, rankedPlan, timedAs, timesOfRuns } from '../../app/training-plans/rank-plans.js';
import { roundPs, roundsAreSteady, type ShortRuns, shortRuns } from '../../app/training-plans/short-runs.js';
import type { BestPlans } from '../../app/training-plans/plan-search.js';
import { failedChecks } from '../../report/run-figures.js';
import { planName } from '../../report/training-plans/plan-words.js';
import { closedForm, longestRunPs, type PlanTimes, type RankedPlan } from '../../report/training-plans/ranked-plan.js';
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

/** Whether a plan can be run. */
function isRunnable({ times }: RankedPlan): boolean {
  return times.totalPs <= longestRunPs;
}

/** Where plans run. */
export interface FinalistsWorld {
  readonly question: PlanQuestion;
  /** of the fabric */
  readonly estimator: ReturnType<typeof estimatorOf>;
  /** for their scenarios, of this fabric alone */
  readonly folder: string;
  /** all micro-batches are run, however long it takes */
  readonly runsAreWhole: boolean;
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

type RunJob = Parameters<typeof timesOfRuns>[1][number];

/** The runs that time a plan. */
interface PlanRuns {
  /** among those that are timed together */
  readonly place: number;
  readonly plan: RankedPlan;
  readonly model: string;
  /** its path */
  readonly scenario: string;
  /** for progress */
  readonly name: string;
  readonly changes: readonly string[];
  /** those that are tried in turn; none: one run with all micro-batches */
  readonly short: readonly ShortRuns[];
  /** what a round took in those that were tried before; null: there were none */
  readonly earlierPs: number | null;
}

class FinalistRuns {
  ranked: readonly RankedPlan[];
  readonly failed: string[] = [];
  isOpen = false;
  private files = 0;
  /** by scenario and changes */
  private readonly finished = new Map<string, RunJob>();
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
    const isDone = (plan: RankedPlan): boolean =>
      levelsOfDetail.indexOf(plan.times.model) >= level || !isRunnable(plan);
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
    const times: (PlanTimes | null)[] = plans.map(() => null);
    let open: PlanRuns[] = [];
    for (const [place, plan] of plans.entries()) {
      if (this.world.together.interrupt.requested) break;
      if (!isRunnable(plan)) continue;
      const scenario = join(this.world.folder, `plan-${this.files++}.yaml`);
      await writeFile(scenario, planScenario(this.world.question, plan, models[place]!));
      const own = {
        place,
        plan,
        model: models[place]!,
        scenario,
        name: `${planName(plan)} (${what})`,
        changes,
        earlierPs: null,
      };
      open.push({ ...own, short: changes.length === 0 ? await this.shortRunsOf(own) : [] });
    }
    while (open.length > 0) {
      const found = await this.timesOf(open);
      const unsteady: PlanRuns[] = [];
      for (const [i, own] of open.entries()) {
        const came = found[i]!;
        if (came === null || 'model' in came) times[own.place] = came;
        else unsteady.push({ ...own, short: own.short.slice(1), earlierPs: came.roundPs });
      }
      open = unsteady;
    }
    return times;
  }

  /**
   * Carries runs out.
   * @returns of each plan its times, or, if its short runs tell nothing of a long one, what their round took; null: stopped
   */
  private async timesOf(
    all: readonly PlanRuns[],
  ): Promise<readonly (PlanTimes | { readonly roundPs: number } | null)[]> {
    const { together, context } = this.world;
    const wanted = all.flatMap(({ name, plan, scenario, changes, short: [short] }) =>
      (short?.changes ?? [[]]).map((own) => {
        const overrides = ['timeline.ranks=none', ...changes, ...own];
        const task = planTask(planName(plan), { scenario, overrides, seed: null, folders: null }, null, context);
        return { key: [scenario, ...overrides].join(' '), name, task };
      }),
    );
    const left = wanted.filter(({ key }) => !this.finished.has(key));
    const runs = await together.run(
      left.map(({ task }) => task),
      left.map(({ name }) => ({ name, weight: 1 })),
    );
    for (const [i, { key, name }] of left.entries()) {
      const run = runs[i] ?? null;
      if (!isFinished(run)) continue;
      this.finished.set(key, run.summary.jobs[0]!);
      this.failed.push(...failedChecks(run.summary).map((check) => `${name}: ${check}`));
    }
    let at = 0;
    return all.map(({ plan, model, short: [short], earlierPs }) => {
      const own = wanted.slice(at, (at += short?.changes.length ?? 1));
      const jobs = own.flatMap(({ key }) => this.finished.get(key) ?? []);
      if (jobs.length < own.length) return null;
      if (short !== undefined) {
        const ownPs = roundPs(jobs.map(({ totalPs }) => totalPs.maximum) as [number, number]);
        if (!this.isSteady(plan, ownPs, earlierPs, short)) return { roundPs: ownPs };
      }
      return timesOfRuns(model, jobs, short?.rounds ?? null);
    });
  }

  /** The short runs in place of that of a scenario; none: it is run whole. */
  private async shortRunsOf({
    plan,
    model,
    scenario,
  }: Omit<PlanRuns, 'short' | 'earlierPs'>): Promise<readonly ShortRuns[]> {
    const { runsAreWhole, context } = this.world;
    if (runsAreWhole || levelsOfDetail.indexOf(model) === 0) return [];
    const wholePlan = await context.makePlan(scenario, { overrides: [], host: context.host });
    await wholePlan.source.close();
    return shortRuns(plan.training, wholePlan);
  }

  private isSteady(plan: RankedPlan, ownPs: number, earlierPs: number | null, { rounds }: ShortRuns): boolean {
    return roundsAreSteady(plan, ownPs, earlierPs, rounds, this.world.question.space, this.world.estimator);
  }
}
