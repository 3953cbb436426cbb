// Which LIDs the end ports of a fabric have.

import type { Fabric } from './fabric.js';
import { hostLidCount, lidCount, type FabricIdentity } from './identity.js';

/** LIDs of all end ports, hosts and switches. */
export interface LidSummary {
  readonly endPorts: number;
  /** the smallest and the largest LID; null if no end port has one */
  readonly lowest: number | null;
  readonly highest: number | null;
  /** end ports without a LID */
  readonly without: number;
  /** LIDs from the smallest to the largest that nobody has */
  readonly free: number;
  /** 2^LMC */
  readonly perHost: number;
}

/** Sums up the LIDs of a fabric. */
export function summariseLids(fabric: Fabric, identity: FabricIdentity): LidSummary {
  let [lowest, highest, without, taken] = [Infinity, 0, 0, 0];
  identity.lid.forEach((lid, node) => {
    if (lid === 0) {
      without++;
      return;
    }
    const count = lidCount(identity, node);
    lowest = Math.min(lowest, lid);
    highest = Math.max(highest, lid + count - 1);
    taken += count;
  });
  const isKnown = highest > 0;
  return {
    endPorts: identity.lid.length,
    lowest: isKnown ? lowest : null,
    highest: isKnown ? highest : null,
    without,
    free: isKnown ? highest - lowest + 1 - taken : 0,
    perHost: hostLidCount(fabric, identity),
  };
}
