// weft run --alone: how long each job of a scenario takes by itself, before all run together.
// Invariant: the jobs' times by themselves do not depend on how many processes there are; the run itself is the same with
// --alone and without.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import type { CommandContext } from '../context.js';
import { SimultaneousRuns } from '../simultaneous-runs.js';
import { aloneTime, type AloneTask } from './alone-task.js';
import type { RunRequest } from './run-plan.js';

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
  const { host } = context;
  const { scenario, set, seed, backends = [] } = request;
  const overrides = [...set, ...backends.map((name) => `backend=${name}`)];
  const plan = await context.makePlan(scenario, { overrides, host, ...(seed === undefined ? {} : { seed }) });
  await plan.source.close();
  if (plan.jobs.length === 0)
    throw InputError.at('alone-jobs', '--alone', wholeFile, 'this scenario has no job', {
      wanted: 'a workload or jobs, each of which runs by itself first',
    });
  const { workers, quiet } = request;
  const module = new URL('./alone-task.js', import.meta.url);
  const runs = new SimultaneousRuns({ module, workers, count: plan.jobs.length, quiet }, context);
  try {
    const timesNs = await runs.run(
      plan.jobs.map((job, number) => ({
        name: job.name,
        here: (tools) => aloneTime(plan, number, tools, context),
        input: (): AloneTask => ({
          scenario: typeof scenario === 'string' ? scenario : { ...scenario, environment: { ...scenario.environment } },
          overrides,
          seed: seed ?? null,
          job: number,
        }),
      })),
      plan.jobs.map((job) => ({ name: `${job.name} alone`, weight: 1 })),
    );
    return { timesNs, exitCode: runs.exitCode };
  } finally {
    await runs.close();
  }
}
