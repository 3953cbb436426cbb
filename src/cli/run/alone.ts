// weft run --alone: how long each job of a scenario takes by itself, before all run together.
// Invariant: the jobs' times by themselves do not depend on how many processes there are; the run itself is the same
// with --alone and without.

import { InputError } from '../../base/diagnostics.js';
import type { CommandContext } from '../context.js';
import { withRuns } from '../simultaneous-runs.js';
import { planOf, type PlanRun, type RunRequest, sourceOf } from './run-plan.js';
import { planTask } from './plan-task.js';

/** The jobs by themselves. */
export interface AloneTimes {
  /** nanoseconds by job; null: not finished */
  readonly timesNs: readonly (number | null)[];
  /** set if a signal ended it */
  readonly exitCode: number | null;
}

/**
 * Runs every job by itself.
 * @throws InputError if there is none; what makes plans and runs throw
 */
export async function aloneTimes(request: RunRequest, context: CommandContext): Promise<AloneTimes> {
  const source = sourceOf(request);
  const plan = await planOf(source, context, () => false);
  await plan.source.close();
  const { jobs } = plan;
  if (jobs.length === 0)
    throw InputError.about('alone-jobs', '--alone', 'this scenario has no job', {
      wanted: 'a workload or jobs, each of which runs by itself first',
    });
  return withRuns({ kind: 'plan', count: jobs.length, ...request }, context, async (together) => {
    const runs = await together.run(
      jobs.map((job, number) => planTask(job.name, { ...source, folders: null, job: number }, plan, context)),
      jobs.map((job) => ({ name: `${job.name} alone`, weight: 1 })),
    );
    return { timesNs: runs.map(longestNs), exitCode: together.exitCode };
  });
}

/** How long the job of a run took, in nanoseconds: the longest of its ranks; null if it did not finish. */
function longestNs(run: PlanRun | null): number | null {
  const own = run?.summary.jobs[0];
  return own?.isFinished === true ? own.totalPs.maximum / 1000 : null;
}
