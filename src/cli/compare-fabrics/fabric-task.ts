// The work of a comparison on one fabric: simulated, and what is compared of it. In this process, or as a task of a worker
// process (campaign/run-pool.ts), where the plan is made anew from what it was made of.

import { simulate } from '../../app/simulate.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { LinkLoads } from '../../measurement/link-loads.js';
import { type ComparedFabric, fabricShape, nicImbalance } from '../../report/fabric-comparison.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import { nodeHost } from '../../storage/node-host.js';
import type { CommandContext } from '../context.js';

/** What a plan is made of. */
export interface FabricTask {
  readonly name: string;
  readonly scenario: string;
  /** `path=value` */
  readonly overrides: readonly string[];
  readonly seed: number | null;
}

/** Makes a plan and runs it. @returns null if it was stopped */
export default async function performFabric(
  _shared: null,
  { name, scenario, overrides, seed }: FabricTask,
  tools: TaskTools,
): Promise<ComparedFabric | null> {
  const host = nodeHost();
  const plan = await makePlan(scenario, { overrides, host, ...(seed === null ? {} : { seed }) });
  return comparedFabric(name, plan, tools, { host, simulate });
}

/** Runs a plan. @param name of its fabric @returns null if it was stopped */
export async function comparedFabric(
  name: string,
  plan: Plan,
  { report, stopRequested }: TaskTools,
  { host, simulate: drive }: Pick<CommandContext, 'host' | 'simulate'>,
): Promise<ComparedFabric | null> {
  const linkLoads = new LinkLoads(plan.fabric);
  const summary = await drive(plan, { host, linkLoads, onProgress: report, stopRequested });
  if (summary.outcome === 'stopped') return null;
  return {
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
    problems: summary.verdicts.filter(({ ok }) => !ok).map(({ name: check, detail }) => `${check}: ${detail}`),
  };
}
