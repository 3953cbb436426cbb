// A job of a scenario by itself: the same fabric and settings, nothing else sent. In this process, or as a task of a
// worker process (campaign/run-pool.ts), where the plan is made anew.

import { simulate } from '../../app/simulate.js';
import { readingUntil } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { TransferList } from '../../flows/transfer-list.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import type { SimaiInputs } from '../../scenario/foreign/simai/inputs.js';
import { nodeHost } from '../../storage/node-host.js';
import type { CommandContext } from '../context.js';

/** What a plan is made of, and the job. */
export interface AloneTask {
  readonly scenario: string | SimaiInputs;
  /** `path=value` */
  readonly overrides: readonly string[];
  readonly seed: number | null;
  /** number of the job, from 0 */
  readonly job: number;
}

/** Makes a plan and runs one of its jobs. @returns nanoseconds, as `aloneTime` */
export default async function performAlone(
  _shared: null,
  { scenario, overrides, seed, job }: AloneTask,
  tools: TaskTools,
): Promise<number | null> {
  const host = nodeHost();
  const plan = await readingUntil(host, tools.stopRequested, (reading) =>
    makePlan(scenario, { overrides, host: reading, ...(seed === null ? {} : { seed }) }),
  );
  try {
    return await aloneTime(plan, job, tools, { host, simulate });
  } finally {
    await plan.source.close();
  }
}

/**
 * How long one job of a plan takes by itself, in nanoseconds: the longest of its ranks.
 * @returns null if it was stopped or did not finish
 */
export async function aloneTime(
  plan: Plan,
  job: number,
  { report, stopRequested }: TaskTools,
  { host, simulate: drive }: Pick<CommandContext, 'host' | 'simulate'>,
): Promise<number | null> {
  const alone: Plan = { ...plan, jobs: [plan.jobs[job]!], source: new TransferList(), inference: null };
  const { jobs } = await drive(alone, { host, onProgress: report, stopRequested });
  const [own] = jobs;
  return own?.isFinished === true ? own.totalPs.maximum / 1000 : null;
}
