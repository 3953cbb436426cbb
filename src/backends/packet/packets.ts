// Packets: which records are packets, what kinds there are, and how many exist.

import { type EventRecords, Word } from './event-records.js';

/**
 * kinds of packets: from pause on they are link-local control frames; none: no packet any more, or one that waits for
 * its ACK to be sent
 */
export const Kind = { data: 0, ack: 1, nack: 2, notification: 3, pause: 4, resume: 5, none: 7 } as const;

/** parts of the head word */
export const kindMask = 7;
export const queueShift = 3;
/** ECN congestion-experienced on data, its echo on an acknowledgement */
export const markBit = 64;
export const bytesShift = 7;

export class PacketPool {
  live = 0;
  peak = 0;

  constructor(private readonly records: EventRecords) {}

  /** A packet whose words are unspecified. */
  allocate(): number {
    if (++this.live > this.peak) this.peak = this.live;
    return this.records.allocate();
  }

  release(packet: number): void {
    this.live--;
    this.records.words[(packet << 3) + Word.head] = Kind.none;
    this.records.release(packet);
  }

  /** How many packets of a kind exist: a walk over all records, for the checks at the end. */
  countOfKind(kind: number): number {
    const { words, top } = this.records;
    let count = 0;
    for (let record = 0; record < top; record++)
      if (words[(record << 3) + Word.port]! >= 0 && (words[(record << 3) + Word.head]! & kindMask) === kind) count++;
    return count;
  }
}
