// Can the moves of a collective be made at all? On a fabric where not every host reaches every other (ranks without a
// NIC, islands), an algorithm may ask ranks to send to each other that no path joins.
// Invariant: null means that every move has a path. A step of a ring stands for all of them.

import type { Communicator } from './communicator.js';
import { Ring } from './ring.js';
import { emptyMove, type Schedule } from './schedule.js';

/** Two places of a communicator. */
export interface PlacePair {
  readonly source: number;
  readonly destination: number;
}

/**
 * The first move between two ranks that no path joins; null if there is none. Moves to and from NVSwitches have their
 * links.
 * @param connected of two hosts (fabric/host-pairs.ts)
 */
export function unconnectedMove(
  schedule: Schedule,
  { nodes, rankCount }: Communicator,
  connected: (source: number, destination: number) => boolean,
): PlacePair | null {
  const move = emptyMove();
  const isRing = schedule instanceof Ring;
  const count = isRing ? schedule.hopCount : schedule.moveCount;
  for (let number = 0; number < count; number++) {
    if (isRing) schedule.describeHop(number, move);
    else schedule.describe(number, move);
    const { source, destination, sizeBytes } = move;
    if (sizeBytes === 0 || source === destination || source >= rankCount || destination >= rankCount) continue;
    if (!connected(nodes[source]!, nodes[destination]!)) return { source, destination };
  }
  return null;
}
