// How long a burst of a job takes in each world where its ranks wait for each other: what one loses the next one begins
// later, so losses add up along a chain of ranks. The burst is gone through once more. A rank begins a message as long
// after the last one that had ended at it, sent or received, as it did; each message takes what it takes in that world.
// Invariant: without any loss messages begin and end as they did.
// Not covered: what a rank waits for besides, such as a receiver that is ready; such times stay as they were.

import { lifeIn, worlds, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';

const worldsAndAlone = [...worlds, null];

/** Of a rank: when the last of its messages ended, and when it would have, by world. */
interface Ended {
  atPs: number;
  readonly thenPs: Float64Array;
}

/**
 * How long a burst takes, by world, then alone, in picoseconds.
 * @param burst flows of one job, in the order of their starts, all of which have ranks
 */
export function chainTimesPs(flows: ObservedFlows, found: FlowProgress, burst: Int32Array): Float64Array {
  const { startPs, finishPs, sourceRank, destinationRank } = flows;
  const count = worldsAndAlone.length;
  const longest = new Float64Array(count);
  const ranks = new Map<number, Ended>();
  const ended = (rank: number): Ended => {
    const own = ranks.get(rank) ?? { atPs: startPs[burst[0]!]!, thenPs: new Float64Array(count) };
    ranks.set(rank, own);
    return own;
  };
  /** by place of a flow in the burst, and world */
  const ends = new Float64Array(burst.length * count);
  const byFinish = Int32Array.from(burst.keys()).sort((a, b) => finishPs[burst[a]!]! - finishPs[burst[b]!]! || a - b);
  let done = 0;
  burst.forEach((flow, i) => {
    for (; finishPs[burst[byFinish[done]!]!]! <= startPs[flow]!; done++) {
      const at = byFinish[done]!;
      for (const rank of [sourceRank[burst[at]!]!, destinationRank[burst[at]!]!]) {
        const own = ended(rank);
        own.atPs = finishPs[burst[at]!]!;
        own.thenPs.forEach((thenPs, world) => {
          own.thenPs[world] = Math.max(thenPs, ends[at * count + world]!);
        });
      }
    }
    const { atPs, thenPs } = ended(sourceRank[flow]!);
    worldsAndAlone.forEach((world, number) => {
      const endPs = thenPs[number]! + (startPs[flow]! - atPs) + lifeIn(flows, found, flow, world);
      ends[i * count + number] = endPs;
      longest[number] = Math.max(longest[number]!, endPs);
    });
  });
  return longest;
}
