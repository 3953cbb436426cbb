// Many collectives on the fabric of a plan that have nothing to do with each other.

import { fail } from '../../base/fail.js';
import type { Plan } from '../../scenario/plan.js';
import type { RunSummary } from '../run-progress.js';
import type { SimulateOptions } from '../simulate.js';
import {
  type CollectiveSetup,
  type CollectiveTask,
  planCollective,
  simulateCollective,
  type CollectiveTime,
} from '../simulate-collective.js';

/** A group and what it does. */
export interface GroupTask {
  readonly setup: CollectiveSetup;
  readonly task: CollectiveTask;
}

/**
 * Simulates them.
 * @param onDone told how many of them are done, parts of them included
 * @returns in their order; null: stopped before its end
 */
export type SimulateAll = (
  runs: readonly GroupTask[],
  onDone: (done: number) => void,
) => Promise<readonly (CollectiveTime | null)[]>;

/** One after the other. @param simulate the composition (simulate.ts) */
export function oneByOne(
  plan: Plan,
  simulate: (plan: Plan, options: SimulateOptions) => Promise<RunSummary>,
  options: SimulateOptions,
): SimulateAll {
  return async (runs, onDone) => {
    const times: (CollectiveTime | null)[] = runs.map(() => null);
    for (const [i, { setup, task }] of runs.entries()) {
      const planned = planCollective(setup, task);
      if (typeof planned === 'string') fail(planned);
      const timed = await simulateCollective(plan, setup, planned, simulate, {
        ...options,
        onProgress: ({ share }) => onDone(i + (share ?? 0)),
      });
      if (timed.summary.outcome === 'stopped' || options.stopRequested?.() === true) break;
      times[i] = timed;
      onDone(i + 1);
    }
    return times;
  };
}
