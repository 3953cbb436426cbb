// Links that lose packets without saying so themselves: one error rate for all of them, as SimAI's and HPCC's
// ERROR_RATE_PER_LINK.
// Invariant: a link with an error rate of its own keeps it.

import type { Fabric } from './fabric.js';

/** The same fabric, in which every link without an error rate has this one: the probability that it loses a packet. */
export function withErrorRate(fabric: Fabric, errorRate: number): Fabric {
  return errorRate === 0
    ? fabric
    : { ...fabric, linkErrorRate: fabric.linkErrorRate.map((own) => (own > 0 ? own : errorRate)) };
}
