// What a plan is made of, as plain data: the command and its worker processes (campaign/run-pool.ts) make the same of
// it.

import { simulate } from '../../app/simulate.js';
import { readingUntil } from '../../base/host.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import type { SimaiInputs } from '../../scenario/foreign/simai/inputs.js';
import { InputDigests } from '../../storage/input-digests.js';
import { nodeHost } from '../../storage/node-host.js';
import type { CommandContext } from '../context.js';

/** A scenario with what is changed of it. */
export interface PlanSource {
  /** path of a scenario, or SimAI's inputs */
  readonly scenario: string | SimaiInputs;
  /** `path=value` */
  readonly overrides: readonly string[];
  readonly seed?: number | null | undefined;
}

/** What plans are made and run with. */
export type RunWorld = Pick<CommandContext, 'host' | 'inputs' | 'makePlan' | 'simulate'>;

/** The plan of a source. @param stopRequested ends the reading of files @throws Stopped, InputError, HostFileError */
export function planOf(
  { scenario, overrides, seed }: PlanSource,
  { host, makePlan: make }: Pick<RunWorld, 'host' | 'makePlan'>,
  stopRequested: () => boolean,
): Promise<Plan> {
  return readingUntil(host, stopRequested, (reading) => make(scenario, { overrides, host: reading, seed }));
}

/** The world of a worker process. */
export function workerWorld(): RunWorld {
  const inputs = new InputDigests();
  return { inputs, host: nodeHost(inputs), makePlan, simulate };
}
