// Broadcast and reduce around a ring: a chain from the root to the last place of the ring, or back to it, in chunks
// that follow each other. With c chunks of size s the last place has everything after (n - 2 + c) times the time of a
// chunk.
// Source: NCCL's ring broadcast and reduce; "pipelined chain" in Sanders et al. (see double-binary-tree.ts).

import { Forest, isRoot, type Parents } from './forest.js';
import type { RingOrders } from './ring-order.js';

/** The chain of each channel's ring: from the root on in its order (broadcast), or against it (reduce). */
export function ringChains(
  { rankCount, channelCount, order }: RingOrders,
  root: number,
  direction: 'away' | 'towards',
): Forest {
  const trees = Array.from({ length: channelCount }, (_, channel) => {
    const ring = order.subarray(channel * rankCount, (channel + 1) * rankCount);
    const parents: Parents = new Int32Array(rankCount);
    ring.forEach((place, position) => {
      const next = ring[(position + 1) % rankCount]!;
      // along the ring data leaves the root to the next place, or comes to it from the one before
      if (direction === 'away') parents[next] = place;
      else parents[place] = next;
    });
    parents[root] = isRoot;
    return parents;
  });
  return new Forest(rankCount, trees);
}
