// The round trip of a queue pair without queues: a full packet there and its answer back, over the way that its
// connection would have by hash. Invariant: with routes that stay no packet is faster on a way of this length.

import { pathDelay } from '../../../../routing/base-delay.js';
import type { TransportParts } from '../../parts.js';

/**
 * In picoseconds; without a route the largest of the fabric.
 * @param path room for the longest way
 */
export function baseRoundTripPs(
  {
    fabric,
    tracer,
    settings: { packet },
    pairs,
    largestRttPs,
  }: Pick<TransportParts, 'fabric' | 'tracer' | 'settings' | 'pairs' | 'largestRttPs'>,
  pair: number,
  path: Int32Array,
): number {
  const { source, destination, sourcePort, destinationPort } = pairs;
  const length = tracer.trace(source[pair]!, destination[pair]!, sourcePort[pair]!, destinationPort[pair]!, path);
  if (length === 0) return largestRttPs();
  const bytes = packet.payload + packet.header + packet.acknowledgement + 2 * packet.gap;
  return pathDelay(fabric, path, length, bytes, { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 }).roundTripPs;
}
