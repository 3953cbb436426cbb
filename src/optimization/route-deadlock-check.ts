// Whether tables that were judged may deadlock.
// Invariant: up-down ways cannot, in whatever lanes, so that for tables of a tree which keep to them nothing is walked
// again; for all others the dependencies of channels are looked at (routing/channel-dependencies.ts).

import type { FatTree } from '../fabric/fat-tree.js';
import { checkDeadlock, type DeadlockCheck } from '../routing/channel-dependencies.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { laneCount, type FlowLevels } from '../routing/route-lanes.js';
import type { RouteValidity } from './route-validity.js';

export type { DeadlockCheck };

/**
 * Looks for links that may wait for each other in a circle.
 * @param lanes null = one lane
 * @param validity of the same tables
 */
export function judgeDeadlock(
  tree: FatTree,
  tables: TablesByOffset,
  lanes: FlowLevels | null,
  { faults }: RouteValidity,
): DeadlockCheck {
  if (tree.isTree && faults['down-up'] === 0 && faults.loop === 0 && faults.unreachable === 0)
    return { lanes: laneCount(lanes), cycle: null };
  return checkDeadlock(tables, lanes);
}
