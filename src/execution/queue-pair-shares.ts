// How a transfer is spread over several queue pairs: each gets an equal share, in whole packets.
// Invariants: the shares sum to the transfer's size; none is empty; they have as many packets in all as the transfer
// has alone, because only the last share may end with a short packet; two shares differ by at most one packet.
// Source: NCCL's queue pairs per connection with data split over them. Not modelled: shares that are dealt out while
// the transfer runs.

/** How many queue pairs a flow has at most, by the nodes between which it goes. */
export interface QueuePairsByEnds {
  queuePairs(source: number, destination: number): number;
}

/**
 * Most queue pairs of a transfer, at least 1.
 * @param perFlow a number for all, or what says it by the ends
 * @param isPinned its path is pinned: then it has one, unless a number is given
 */
export function queuePairLimit(
  perFlow: number | QueuePairsByEnds,
  source: number,
  destination: number,
  isPinned: boolean,
): number {
  if (typeof perFlow === 'number') return perFlow;
  return isPinned ? 1 : perFlow.queuePairs(source, destination);
}

/**
 * Queue pairs of a transfer: as many as are wanted, but no more than it has packets.
 * @param most queue pairs per flow, at least 1
 */
export function queuePairCount(sizeBytes: number, payloadBytes: number, most: number): number {
  return Math.max(1, Math.min(most, Math.ceil(sizeBytes / payloadBytes)));
}

/**
 * Payload of one of the queue pairs of a transfer.
 * @param count of its queue pairs, from queuePairCount
 * @param index from 0
 */
export function queuePairShare(sizeBytes: number, payloadBytes: number, count: number, index: number): number {
  const packets = Math.ceil(sizeBytes / payloadBytes);
  const least = Math.floor(packets / count);
  const larger = packets - least * count;
  const firstPacket = index * least + Math.min(index, larger);
  const share = index < larger ? least + 1 : least;
  return Math.min(sizeBytes, (firstPacket + share) * payloadBytes) - firstPacket * payloadBytes;
}
