// One collective on an idle fabric as a task of another process (campaign/task-engine.ts): the fabric comes as columns,
// the plan and the schedule are made anew from what they were made of.
// Invariant: what comes back is what `simulateCollective` would have said in the process that asked.

import {
  type CollectiveSetup,
  type CollectiveTask,
  type GroupSetup,
  planCollective,
  simulateCollective,
  type CollectiveTime,
} from '../../app/simulate-collective.js';
import { simulate } from '../../app/simulate.js';
import { fail } from '../../base/fail.js';
import type { Host } from '../../base/host.js';
import type { PooledTask } from '../../campaign/task-source.js';
import type { TaskTools } from '../../campaign/worker-messages.js';
import { Communicator } from '../../collectives/communicator.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Plan } from '../../scenario/plan.js';
import { type FabricPlanOptions, planOnFabric } from '../../scenario/plan-on-fabric.js';
import type { CommandContext } from '../context.js';

/** What the plan of all tasks is made of. */
export interface CollectivesOnFabric {
  readonly fabric: Fabric;
  readonly options: Omit<FabricPlanOptions, 'host' | 'catalogues'>;
}

/** A group without what its fabric says of it, and what it does. */
interface CollectiveInput {
  readonly setup: GroupSetup;
  readonly ranks: Int32Array;
  readonly task: CollectiveTask;
}

/** Carries out one task. */
export default async function performCollective(
  shared: CollectivesOnFabric,
  { setup, ranks, task }: CollectiveInput,
  { report, stopRequested, host: hostWith }: TaskTools,
): Promise<CollectiveTime> {
  const host = hostWith();
  const plan = await planOf(shared, host);
  const whole = { ...setup, communicator: communicatorOf(plan, ranks) };
  const planned = planCollective(whole, task);
  if (typeof planned === 'string') return fail(planned);
  return timed(await simulateCollective(plan, whole, planned, simulate, { host, onProgress: report, stopRequested }));
}

/** A task for this process or a worker. @param plan whose fabric the communicator is of */
export function collectiveTask(
  plan: Plan,
  { communicator, ...setup }: CollectiveSetup,
  task: CollectiveTask,
  { host, simulate: drive }: Pick<CommandContext, 'host' | 'simulate'>,
): PooledTask<CollectiveTime> {
  return {
    name: `${task.kind} of ${task.sizeBytes} B`,
    here: async ({ report, stopRequested }) => {
      const whole = { ...setup, communicator };
      const planned = planCollective(whole, task);
      if (typeof planned === 'string') return fail(planned);
      return timed(await simulateCollective(plan, whole, planned, drive, { host, onProgress: report, stopRequested }));
    },
    input: (): CollectiveInput => ({ setup, ranks: communicator.ranks, task }),
  };
}

/** Without the plan of it, whose columns are large. */
function timed({ timePs, summary, algorithmBandwidth, busBandwidth }: CollectiveTime): CollectiveTime {
  return { timePs, summary, algorithmBandwidth, busBandwidth };
}

/** of the tasks before: a worker has one plan, and few groups */
let lastShared: CollectivesOnFabric | null = null;
let lastPlan: Promise<Plan> | null = null;
let communicators = new Map<string, Communicator>();

function planOf(shared: CollectivesOnFabric, host: Host): Promise<Plan> {
  if (lastPlan === null || lastShared !== shared) {
    lastShared = shared;
    lastPlan = planOnFabric(shared.fabric, { ...shared.options, host });
    communicators = new Map();
  }
  return lastPlan;
}

function communicatorOf({ fabric }: Plan, ranks: Int32Array): Communicator {
  const key = ranks.join();
  const known = communicators.get(key) ?? new Communicator(fabric, ranks);
  communicators.set(key, known);
  return known;
}
