// A run of a scenario as a task of this process or another (campaign/task-engine.ts): the plan is made where it
// runs, unless it is there already.

import type { PooledTask } from '../../campaign/task-source.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { TransferList } from '../../flows/transfer-list.js';
import { LinkLoads } from '../../measurement/link-loads.js';
import type { CarriedOutRun, RunPlace } from '../../report/run-place.js';
import type { Plan } from '../../scenario/plan.js';
import type { RunFolders } from '../../storage/run-folder.js';
import { PlaceNow } from '../place-now.js';
import { withFailureWarning } from './failure-warning.js';
import { planOf, type PlanSource, type RunWorld, workerWorld, type PlanRun, runPlan } from './run-plan.js';

/** A run: plain data. */
export interface PlanTask extends PlanSource {
  /** where its results go; null: nowhere */
  readonly folders: RunFolders | null;
  /** number of the one job that runs, without anything else of the scenario; left out: all does */
  readonly job?: number;
  /** whether what links carry is counted */
  readonly countsLinks?: boolean;
}

/** What came of a task: plain data. */
export interface PlacedRun extends PlanRun {
  readonly place: RunPlace;
}

/** Makes a plan and runs it. @throws as runPlan */
export default async function performPlan(_shared: null, task: PlanTask, tools: TaskTools): Promise<PlacedRun> {
  return madeAndRun(task, workerWorld(tools), tools);
}

/** A run as a task. @param plan of the task; null: it is made when it is run */
export function planTask(name: string, task: PlanTask, plan: Plan | null, world: RunWorld): PooledTask<PlacedRun> {
  const { scenario } = task;
  return {
    name,
    here: (tools) => (plan === null ? madeAndRun(task, world, tools) : runTask(task, plan, world, tools)),
    // the environment of a process is no plain object
    input: (): PlanTask =>
      typeof scenario === 'string'
        ? task
        : { ...task, scenario: { ...scenario, environment: { ...scenario.environment } } },
  };
}

/** Where runs were carried out. @param names of all, in the order of the runs @param runs null: it was not begun */
export function carriedOutBy(names: readonly string[], runs: readonly (PlacedRun | null)[]): readonly CarriedOutRun[] {
  return runs.flatMap((run, i) => {
    if (run === null) return [];
    const { cpuSeconds, wallSeconds } = run.summary;
    return [{ run: names[i]!, place: run.place, cpuSeconds, wallSeconds }];
  });
}

async function madeAndRun(task: PlanTask, world: RunWorld, tools: TaskTools): Promise<PlacedRun> {
  const plan = await planOf(task, world, tools.stopRequested);
  try {
    const isKept = task.folders !== null && task.countsLinks !== true;
    return await runTask(task, isKept ? await withFailureWarning(plan) : plan, world, tools);
  } finally {
    await plan.source.close();
  }
}

async function runTask(
  { folders, job, countsLinks }: PlanTask,
  plan: Plan,
  world: RunWorld,
  tools: TaskTools,
): Promise<PlacedRun> {
  const { place } = tools.keep(PlaceNow);
  const own: Plan =
    job === undefined ? plan : { ...plan, jobs: [plan.jobs[job]!], source: new TransferList(), inference: null };
  const results = folders === null ? null : await tools.folders(folders);
  const more = countsLinks === true ? { linkLoads: new LinkLoads(plan.fabric) } : {};
  return { ...(await runPlan(own, results, tools, world, more)), place };
}
