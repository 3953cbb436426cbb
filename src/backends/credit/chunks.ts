// Packets of the credit backend: records of the kernel (engine/event-records.ts), each its own arrival event, with two
// columns beside them.
// Invariant: a record is on a link (scheduled), in one queue, stranded, or free.

import { grown } from '../../base/columns.js';
import { type EventRecords, EventWord } from '../../engine/event-records.js';

/** Words of a packet's record; `next` links those of one queue, and is the node that a packet on a link comes to. */
export const ChunkWord = {
  next: EventWord.next,
  /** output port that sent it last */
  port: EventWord.code,
  /** slot of its queue pair */
  slot: 4,
  /** links of its path behind it, and {@link toldBit} */
  hop: 5,
  /** bytes on the link: payload, header and gap */
  bytes: 6,
  /** pool of the credits that it holds (CreditPools); -1: it holds none */
  pool: 7,
} as const;

/** Set in a packet's `hop` if the port behind it had been told before, where packets choose their ways. */
export const toldBit = 1 << 16;

export class Chunks {
  /** by record: when its first bit left its sender, and when its last bit is where it is */
  sentPs: Float64Array;
  tailPs: Float64Array;
  /** by record: its number among those of its queue pair (Senders); only where packets may overtake each other */
  number: Int32Array;
  /** records in use */
  live = 0;
  peak = 0;

  /** @param mayOvertake packets of a queue pair may come out of order */
  constructor(
    readonly records: EventRecords,
    readonly mayOvertake: boolean,
  ) {
    this.sentPs = new Float64Array(records.capacity);
    this.tailPs = new Float64Array(records.capacity);
    this.number = new Int32Array(mayOvertake ? records.capacity : 0);
    records.onGrow((capacity) => {
      this.sentPs = grown(this.sentPs, capacity);
      this.tailPs = grown(this.tailPs, capacity);
      if (mayOvertake) this.number = grown(this.number, capacity);
    });
  }

  /** A record whose contents are unspecified. May replace the columns and those of the records. */
  allocate(): number {
    if (++this.live > this.peak) this.peak = this.live;
    return this.records.allocate();
  }

  release(record: number): void {
    this.live--;
    this.records.release(record);
  }
}
