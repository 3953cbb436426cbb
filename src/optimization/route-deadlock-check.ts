// Whether tables that were walked may deadlock, and what that makes of their ways.
// Invariants: up-down ways cannot deadlock, in whatever lanes, so that for tables of a tree which keep to them nothing
// is walked again; for all others the dependencies of channels are looked at (routing/channel-dependencies.ts). Ways
// that go down and up again are no faults but detours, if they were shown not to deadlock.

import type { FatTree } from '../fabric/fat-tree.js';
import { checkDeadlock, type DeadlockCheck } from '../routing/channel-dependencies.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { laneCount, type FlowLevels } from '../routing/route-lanes.js';
import type { RouteValidity } from './route-validity.js';

export type { DeadlockCheck };

/**
 * Looks for links that may wait for each other in a circle.
 * @param lanes null = one lane
 * @param ways of the same tables, as they were walked
 * @returns what was found, and validity in its light
 */
export function judgeDeadlock(
  tree: FatTree,
  tables: TablesByOffset,
  lanes: FlowLevels | null,
  ways: RouteValidity,
): { readonly deadlock: DeadlockCheck; readonly validity: RouteValidity } {
  const { faults, examples } = ways;
  const downUp = faults['down-up'];
  const isUpDown = tree.isTree && downUp + faults.loop + faults.unreachable === 0;
  const deadlock = isUpDown ? { lanes: laneCount(lanes), cycle: null } : checkDeadlock(tables, lanes);
  if (downUp === 0 || deadlock.cycle !== null) return { deadlock, validity: ways };
  const { 'down-up': _, ...others } = examples;
  const valid = faults.unreachable + faults.loop === 0;
  const validity = { ...ways, valid, faults: { ...faults, 'down-up': 0 }, examples: others, detours: downUp };
  return { deadlock, validity };
}
