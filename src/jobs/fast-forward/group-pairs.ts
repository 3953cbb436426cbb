// Between which places of a group its collectives send.
// Invariant: every move of bytes of every plan given has its pair, once.

import { emptyMove } from '../../collectives/schedule.js';
import type { CollectivePlan, JobGroup } from '../job-groups.js';

export interface GroupPairs {
  readonly group: JobGroup;
  /** source x places + destination, ascending; NVSwitches are places, too */
  readonly pairs: Float64Array;
}

/** The pairs of all collectives that a group does. */
export function groupPairs(group: JobGroup, plans: Iterable<CollectivePlan>): GroupPairs {
  const places = group.communicator.nodes.length;
  const pairs = new Set<number>();
  const move = emptyMove();
  for (const { schedule } of plans)
    for (let number = 0; number < schedule.moveCount; number++) {
      schedule.describe(number, move);
      if (move.sizeBytes > 0) pairs.add(move.source * places + move.destination);
    }
  return { group, pairs: Float64Array.from(pairs).sort() };
}

/** Calls back with the nodes of every pair. */
export function visitPairs({ group, pairs }: GroupPairs, visit: (source: number, destination: number) => void): void {
  const { nodes } = group.communicator;
  for (const pair of pairs) visit(nodes[Math.floor(pair / nodes.length)]!, nodes[pair % nodes.length]!);
}
