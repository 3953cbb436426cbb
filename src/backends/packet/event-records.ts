// The records that the packet backend lives on: 32 bytes each, in one growing buffer, recycled through a free list. A
// record is an event; a packet is a record too, so a packet in transit is its own arrival event and nothing is
// allocated per hop. A data packet becomes its own acknowledgement in place. Memory grows with packets in flight, never
// with bytes sent. Measured against separate columns for events and packets: docs/models/engine.md.

import { fail } from '../../base/fail.js';

/**
 * int32 words of a record: index `record << 3 | word` of EventRecords.words. Words 0-1 hold the time (float64,
 * `reals[record << 2]`).
 */
export const Word = {
  /** next record in a bucket of the wheel, in a port's queue, or in the free list */
  next: 2,
  /** below 0: the complement of an event's code (events.ts). Else the record is a packet: in transit, the port it was sent from;
   *  queued, the port it came in by; queued where it begins, the port it leaves by */
  port: 3,
  /** packet: its queue pair, -1 for a PFC frame */
  pair: 4,
  /** packet: its place in the path, kept by the balancing plug-in */
  place: 5,
  /** packet: kind | queue << 3 | mark << 6 | wire bytes << 7 */
  head: 6,
  /** packet: number of a data packet in its flow, next expected packet of an acknowledgement, number of a pause */
  sequence: 7,
} as const;

const { next: NEXT } = Word;

export class EventRecords {
  words: Int32Array;
  reals: Float64Array;
  /** records ever used at the same time */
  top = 0;
  capacity = 4096;
  private freeHead = -1;
  private readonly growListeners: ((capacity: number) => void)[] = [];

  constructor() {
    const buffer = new ArrayBuffer(this.capacity * 32);
    this.words = new Int32Array(buffer);
    this.reals = new Float64Array(buffer);
  }

  /** @param listener is told when record numbers up to a capacity may come */
  onGrow(listener: (capacity: number) => void): void {
    this.growListeners.push(listener);
  }

  /** A record whose contents are unspecified. May replace `words` and `reals`. */
  allocate(): number {
    const record = this.freeHead;
    if (record >= 0) {
      this.freeHead = this.words[(record << 3) + NEXT]!;
      return record;
    }
    if (this.top === this.capacity) this.grow();
    return this.top++;
  }

  release(record: number): void {
    this.words[(record << 3) + NEXT] = this.freeHead;
    this.freeHead = record;
  }

  private grow(): void {
    this.capacity *= 2;
    // event codes name records in 27 bits
    if (this.capacity > 1 << 27) fail(`${this.top} packets and events at once: the run does not fit`);
    const buffer = new ArrayBuffer(this.capacity * 32);
    const words = new Int32Array(buffer);
    words.set(this.words);
    this.words = words;
    this.reals = new Float64Array(buffer);
    for (const listener of this.growListeners) listener(this.capacity);
  }
}
