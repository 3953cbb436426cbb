// A run of a scenario on one backend as a task of a worker process (campaign/run-pool.ts): the plan is made anew there,
// from what it was made of.

import { simulate } from '../../app/simulate.js';
import { readingUntil } from '../../base/host.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { SimaiInputs } from '../../scenario/foreign/simai/inputs.js';
import { InputDigests } from '../../storage/input-digests.js';
import { nodeHost } from '../../storage/node-host.js';
import type { RunFolders } from '../../storage/run-folder.js';
import { withFailureWarning } from './failure-warning.js';
import { type PlanRun, runPlan } from './run-plan.js';

/** What a plan is made of, and where the results of its run go. */
export interface BackendTask {
  readonly scenario: string | SimaiInputs;
  /** `path=value` */
  readonly overrides: readonly string[];
  readonly seed: number | null;
  /** null: nowhere */
  readonly folders: RunFolders | null;
}

/** Makes a plan and runs it. @throws as runPlan */
export default async function performBackend(
  _shared: null,
  { scenario, overrides, seed, folders }: BackendTask,
  { report, stopRequested }: TaskTools,
): Promise<PlanRun> {
  const inputs = new InputDigests();
  const host = nodeHost(inputs);
  const plan = await readingUntil(host, stopRequested, (reading) =>
    makePlan(scenario, { overrides, host: reading, ...(seed === null ? {} : { seed }) }),
  );
  return runPlan(
    await withFailureWarning(plan),
    folders,
    { stopRequested, onProgress: report },
    { host, inputs, simulate },
  );
}
