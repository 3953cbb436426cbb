// The work of a comparison on one fabric: simulated, its results written meanwhile if they are kept, and what is
// compared of it. In this process, or as a task of a worker process (campaign/run-pool.ts), where the plan is made anew
// from what it was made of.

import type { TaskTools } from '../../campaign/worker-messages.js';
import { LinkLoads } from '../../measurement/link-loads.js';
import { fabricShape, type MeasuredFabric, nicImbalance } from '../../report/fabric-comparison.js';
import { failedChecks } from '../../report/run-figures.js';
import type { Plan } from '../../scenario/plan.js';
import type { StoredRun } from '../../storage/run-directory.js';
import type { RunFolders } from '../../storage/run-folder.js';
import { planOf, type PlanSource, type RunWorld, workerWorld } from '../run/plan-source.js';
import { runPlan } from '../run/run-plan.js';

/** What a plan is made of, and where the results of its run go. */
export interface FabricTask extends PlanSource {
  readonly name: string;
  /** null: nowhere */
  readonly folders: RunFolders | null;
}

/** What came of the work on a fabric: plain data. */
export interface FabricRun {
  /** null if it was stopped */
  readonly compared: MeasuredFabric | null;
  /** where the results are; null if they were not kept */
  readonly stored: StoredRun | null;
}

/** Makes a plan and runs it. @throws as runPlan */
export default async function performFabric(_shared: null, task: FabricTask, tools: TaskTools): Promise<FabricRun> {
  const world = workerWorld();
  return runOnFabric(task, await planOf(task, world, tools.stopRequested), tools, world);
}

/** Runs a plan. @throws as runPlan */
export async function runOnFabric(
  { name, folders }: Pick<FabricTask, 'name' | 'folders'>,
  plan: Plan,
  tools: TaskTools,
  world: RunWorld,
): Promise<FabricRun> {
  const linkLoads = new LinkLoads(plan.fabric);
  const { summary, stored } = await runPlan(plan, folders, tools, {
    ...world,
    simulate: (own, options) => world.simulate(own, { ...options, linkLoads }),
  });
  if (summary.outcome === 'stopped') return { compared: null, stored };
  const compared = {
    name,
    shape: fabricShape(plan.fabric),
    timePs: summary.simulatedPs,
    jobs: summary.jobs,
    tiers: linkLoads.byTier(),
    queuePair: plan.packet.queuePair,
    nicImbalance: nicImbalance(plan.fabric, linkLoads),
    flows: summary.flows,
    cpuSeconds: summary.cpuSeconds,
    digest: summary.digest,
    problems: failedChecks(summary),
  };
  return { compared, stored };
}
