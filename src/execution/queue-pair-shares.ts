// How many queue pairs a transfer has, and what each of them carries: an equal share, in whole packets.
// Invariants: the shares sum to the transfer's size; none is empty; they have as many packets in all as the transfer
// has alone, because only the last share may end with a short packet; two shares differ by at most one packet.
// Source: NCCL's queue pairs per connection: with NCCL_IB_SPLIT_DATA_ON_QPS every message is split over all of them,
// without (the default since 2.20) messages take them in turn. Not modelled: shares that are dealt out while the
// transfer runs.

/** How many queue pairs a flow has at most, by the nodes between which it goes. */
export interface QueuePairsByEnds {
  /** nowhere more than that */
  readonly mostQueuePairs: number;
  queuePairs(source: number, destination: number): number;
}

/** Queue pairs of connections, where they are given apart from those of flows. */
export interface ConnectionQueuePairs {
  /** for each port of a NIC over which flows are spread, at least 1: NCCL_IB_QPS_PER_CONNECTION */
  readonly perPort: number;
  /** every transfer is split over all of them; else its messages take them in turn: NCCL_IB_SPLIT_DATA_ON_QPS */
  readonly splits: boolean;
  /** of a transfer that is not split: one slot of a connection's buffer */
  readonly messageBytes: number;
}

/** How many queue pairs transfers and connections have. */
export class QueuePairNumbers {
  /**
   * @param flows most queue pairs of a transfer: a number, or what says it by the ends
   * @param connections of transfers over connections; null: as many
   */
  constructor(
    private readonly flows: number | QueuePairsByEnds,
    private readonly payloadBytes: number,
    private readonly connections: ConnectionQueuePairs | null = null,
  ) {}

  /** No connection has more. */
  get mostOfConnection(): number {
    const { flows, connections } = this;
    const most = typeof flows === 'number' ? flows : flows.mostQueuePairs;
    return connections === null ? most : connections.perPort * (typeof flows === 'number' ? 1 : most);
  }

  /** Most queue pairs of a transfer that has its own. @param isPinned whether its path is pinned */
  ofFlow(source: number, destination: number, isPinned: boolean): number {
    return queuePairLimit(this.flows, source, destination, isPinned);
  }

  /** Queue pairs of a connection. */
  ofConnection(source: number, destination: number, isPinned: boolean): number {
    const { flows, connections } = this;
    if (connections === null) return this.ofFlow(source, destination, isPinned);
    return connections.perPort * (typeof flows === 'number' ? 1 : this.ofFlow(source, destination, isPinned));
  }

  /** How many a transfer takes of those that it may. @param isOverConnection or they are its own */
  taken(sizeBytes: number, most: number, isOverConnection: boolean): number {
    const { payloadBytes, connections } = this;
    if (!isOverConnection || connections === null || connections.splits)
      return queuePairCount(sizeBytes, payloadBytes, most);
    const messages = Math.ceil(sizeBytes / connections.messageBytes);
    return queuePairCount(sizeBytes, payloadBytes, Math.min(most, (messages * most) / connections.perPort));
  }
}

/**
 * Most queue pairs of a transfer, at least 1.
 * @param perFlow a number for all, or what says it by the ends
 * @param isPinned its path is pinned: then it has one, unless a number is given
 */
function queuePairLimit(
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
