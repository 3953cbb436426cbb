// A scenario under one policy of the controller, or without one: what is compared of it. In this process, or as a task of
// a worker process (campaign/run-pool.ts), where the plan is made anew.

import { readingUntil } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { simulate } from '../../app/simulate.js';
import type { PolicyRun } from '../../report/policy-table.js';
import { makePlan } from '../../scenario/make-plan.js';
import { nodeHost } from '../../storage/node-host.js';
import type { CommandContext } from '../context.js';

/** What a plan is made of. */
export interface PolicyTask {
  readonly scenario: string;
  /** `path=value` */
  readonly overrides: readonly string[];
  readonly seed: number | null;
}

/** Makes a plan and runs it. @returns null if it was stopped */
export default async function performPolicy(
  _shared: null,
  task: PolicyTask,
  tools: TaskTools,
): Promise<PolicyRun | null> {
  return policyRun(task, tools, { host: nodeHost(), makePlan, simulate });
}

/** Runs a scenario under a policy. @returns null if it was stopped @throws as makePlan and simulate */
export async function policyRun(
  { scenario, overrides, seed }: PolicyTask,
  { report, stopRequested }: TaskTools,
  { host, makePlan: make, simulate: drive }: Pick<CommandContext, 'host' | 'makePlan' | 'simulate'>,
): Promise<PolicyRun | null> {
  const plan = await readingUntil(host, stopRequested, (reading) =>
    make(scenario, { overrides, host: reading, ...(seed === null ? {} : { seed }) }),
  );
  const { outcome, fct, jobs, collisions, controller, cpuSeconds, verdicts } = await drive(plan, {
    host,
    onProgress: report,
    stopRequested,
  });
  if (outcome === 'stopped') return null;
  return {
    meanNs: fct.meanNs,
    maxNs: fct.maxNs,
    jobNs: jobs.length === 0 ? null : Math.max(...jobs.map((job) => job.totalPs.maximum)) / 1000,
    flowPairs: collisions.flowPairs,
    assigned: controller?.assigned ?? null,
    unassigned: controller?.unassigned ?? null,
    cpuSeconds,
    problems: verdicts.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`),
  };
}
