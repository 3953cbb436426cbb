// Back to zero: after a loss both ends go back to the start of the chunk or of the whole message, and what had arrived
// of it counts for nothing. Invariants: a start is the start of its own chunk; payload counts once, when it arrives in
// order for the first time; a number of a queue pair that has finished begins anew; a sender sends its
// message at most mostAttempts times again without getting further than ever before, so that a flow that cannot end
// ends.
// Source: Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.1 (go-back-0 and its livelock);
// chunks: SimAI's and HPCC's L2_BACK_TO_ZERO and L2_CHUNK_SIZE (docs/models/simai.md#hosts). A message is what a queue
// pair carries, a transfer or its share.

import { grown } from '../../../base/columns.js';

/**
 * times a sender sends as much as its whole message without getting further until it gives up; NICs would go on for
 * ever
 */
export const mostAttempts = 1000;

export class Restart {
  /** per pair: packets that its receiver has had in order, and that its sender has had acknowledged, at the most */
  private delivered = new Int32Array(0);
  private acknowledged = new Int32Array(0);
  /**
   * per pair: packets that its sender had acknowledged when it went back, at the most; sent again since, Infinity: it
   * gave up
   */
  private furthest = new Int32Array(0);
  private wasted = new Float64Array(0);

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

  /**
   * A sender is about to go back.
   * @param acknowledged packets of this attempt
   * @param again packets that it will send again
   * @param count packets of its message
   * @returns what to do: go back; give up now; or nothing, because it gave up before
   */
  goesBack(pair: number, acknowledged: number, again: number, count: number): 'back' | 'gives-up' | 'gave-up' {
    if (this.wasted[pair] === Infinity) return 'gave-up';
    if (acknowledged > this.furthest[pair]!) {
      this.furthest[pair] = acknowledged;
      this.wasted[pair] = 0;
    }
    this.wasted[pair]! += again;
    if (this.wasted[pair]! <= mostAttempts * count) return 'back';
    this.wasted[pair] = Infinity;
    return 'gives-up';
  }

  /** Whether a sender gave up. */
  hasGivenUp(pair: number): boolean {
    return this.wasted[pair] === Infinity;
  }

  /** A queue pair has finished: its number begins anew. */
  forget(pair: number): void {
    this.delivered[pair] = this.acknowledged[pair] = this.furthest[pair] = this.wasted[pair] = 0;
  }

  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void {
    this.delivered = grown(this.delivered, capacity);
    this.acknowledged = grown(this.acknowledged, capacity);
    this.furthest = grown(this.furthest, capacity);
    this.wasted = grown(this.wasted, capacity);
  }
}
