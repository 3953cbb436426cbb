// Back to zero: after a loss both ends go back to the start of the chunk or of the whole message, and what had arrived
// of it counts for nothing. Invariants: a start is the start of its own chunk; payload counts once, when it arrives in
// order for the first time; a number of a queue pair that has finished begins anew.
// Source: Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.1 (go-back-0 and its livelock);
// chunks: SimAI's and HPCC's L2_BACK_TO_ZERO and L2_CHUNK_SIZE (docs/models/simai.md#hosts). A message is what a queue
// pair carries, a transfer or its share.

import { grown } from '../../../base/columns.js';

export class Restart {
  /** per pair: packets that its receiver has had in order, and that its sender has had acknowledged, at the most */
  private delivered = new Int32Array(0);
  private acknowledged = new Int32Array(0);

  /** @param chunkPackets packets of a chunk; Infinity: the message is one chunk */
  constructor(private readonly chunkPackets: number) {}

  /** First packet of the chunk of a packet. */
  startOf(packet: number): number {
    return this.chunkPackets === Infinity ? 0 : packet - (packet % this.chunkPackets);
  }

  /** A packet has come in order. @returns true if it has not before */
  isFirstDelivery(pair: number, packet: number): boolean {
    if (packet < this.delivered[pair]!) return false;
    this.delivered[pair] = packet + 1;
    return true;
  }

  /** Whether more is acknowledged than ever before. */
  isProgress(pair: number, acknowledged: number): boolean {
    if (acknowledged <= this.acknowledged[pair]!) return false;
    this.acknowledged[pair] = acknowledged;
    return true;
  }

  /** A queue pair has finished: its number begins anew. */
  forget(pair: number): void {
    this.delivered[pair] = this.acknowledged[pair] = 0;
  }

  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void {
    this.delivered = grown(this.delivered, capacity);
    this.acknowledged = grown(this.acknowledged, capacity);
  }
}
