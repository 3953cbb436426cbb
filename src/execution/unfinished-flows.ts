// What the flows have come to that a run ends without: who they are, and what of their payload has arrived.
// Invariant: a flow's payload that has arrived is at most its payload; queue pairs that have finished count whole.

import { type Frontier, Stage } from './frontier.js';
import type { Network } from './network.js';

/** A flow that has begun and not finished. */
export interface UnfinishedFlow {
  /** number of the transfer in its source */
  readonly id: number;
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly sizeBytes: number;
  /** when its first queue pair was created, in picoseconds; it may be ahead */
  readonly startPs: number;
  /** null: the network does not tell */
  readonly deliveredBytes: number | null;
}

/** The unfinished flows of a frontier, in order of their numbers. */
export function unfinishedFlows(frontier: Frontier, network: Network): UnfinishedFlow[] {
  const { isLive, first, stage, sizeBytes, flowBytes } = frontier;
  const missingBytes = new Map<number, number>();
  for (let slot = 0; slot < frontier.slotCount; slot++) {
    if (isLive[slot] !== 1) continue;
    const arrived =
      stage[slot] === Stage.over
        ? sizeBytes[slot]!
        : stage[slot] === Stage.underWay
          ? (network.deliveredBytes?.(slot) ?? 0)
          : 0;
    missingBytes.set(first[slot]!, (missingBytes.get(first[slot]!) ?? 0) + sizeBytes[slot]! - arrived);
  }
  return Array.from(missingBytes, ([slot, missing]) => ({
    id: frontier.id[slot]!,
    source: frontier.source[slot]!,
    destination: frontier.destination[slot]!,
    sourcePort: frontier.sourcePort[slot]!,
    destinationPort: frontier.destinationPort[slot]!,
    sizeBytes: flowBytes[slot]!,
    startPs: frontier.startPs[slot]!,
    deliveredBytes: network.deliveredBytes === undefined ? null : flowBytes[slot]! - missing,
  })).sort((a, b) => a.id - b.id);
}
