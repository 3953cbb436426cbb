// The packets that exist right now: 32-byte records in one growing buffer, recycled through a free list.
// Memory grows with packets in flight, never with bytes sent. A data packet becomes its own acknowledgement in place.

import { fail } from '../../base/fail.js';

/** int32 words of a packet record; `p << 3 | WORD` indexes PacketPool.words */
export const Word = {
  /** next packet in a queue, or in the free list */
  next: 0,
  /** in transit: the port it was sent from; queued: the port it came in by */
  port: 1,
  /** queue pair, -1 for a PFC frame */
  pair: 2,
  /** its place in the path, kept by the balancing plug-in */
  place: 3,
  /** size on the wire, headers included */
  bytes: 4,
  /** kind | queue << 3 | mark << 6 */
  head: 5,
} as const;

/** float64 of a packet record; `p << 2 | sequenceWord` indexes PacketPool.reals */
export const sequenceWord = 3;

/** kinds of packets: from pause on they are link-local control frames */
export const Kind = { data: 0, ack: 1, nack: 2, pause: 3, resume: 4, free: 7 } as const;

export const kindMask = 7;
export const queueShift = 3;
/** ECN congestion-experienced on data, its echo on an acknowledgement */
export const markBit = 64;

export class PacketPool {
  words: Int32Array;
  /** float64 view of the same records: the sequence number (first byte of data, next expected byte of an acknowledgement) */
  reals: Float64Array;
  live = 0;
  peak = 0;
  private freeHead = -1;
  private top = 0;
  private capacity = 4096;

  constructor() {
    const buffer = new ArrayBuffer(this.capacity * 32);
    this.words = new Int32Array(buffer);
    this.reals = new Float64Array(buffer);
  }

  /** A packet whose words are unspecified. */
  allocate(): number {
    if (++this.live > this.peak) this.peak = this.live;
    const packet = this.freeHead;
    if (packet >= 0) {
      this.freeHead = this.words[packet << 3]!;
      return packet;
    }
    if (this.top === this.capacity) this.grow();
    return this.top++;
  }

  release(packet: number): void {
    const { words } = this;
    const at = packet << 3;
    words[at] = this.freeHead;
    words[at + Word.head] = Kind.free;
    this.freeHead = packet;
    this.live--;
  }

  /** How many packets of a kind exist: a walk over the pool, for the checks at the end. */
  countOfKind(kind: number): number {
    let count = 0;
    for (let packet = 0; packet < this.top; packet++) if ((this.words[(packet << 3) + Word.head]! & kindMask) === kind) count++;
    return count;
  }

  private grow(): void {
    this.capacity *= 2;
    // event codes carry a packet number in 27 bits
    if (this.capacity > 1 << 26) fail(`${this.top} packets in flight: the run does not fit`);
    const buffer = new ArrayBuffer(this.capacity * 32);
    const words = new Int32Array(buffer);
    words.set(this.words);
    this.words = words;
    this.reals = new Float64Array(buffer);
  }
}
