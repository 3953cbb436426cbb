// The records that the packet backend lives on: 64 bytes each, one cache line, in one growing buffer, recycled through a free list.
// A record is an event; a packet is a record too, so a packet in transit is its own arrival event and nothing is allocated per hop.
// A data packet becomes its own acknowledgement in place. Memory grows with packets in flight, never with bytes sent.
// Measured against separate columns for events and packets: docs/models/engine.md.

import { fail } from '../../base/fail.js';

/** int32 words of a record: index `record << 4 | word` of EventRecords.words. Words 0-1 hold the time. */
export const Word = {
  /** next record in a bucket of the wheel, in a port's queue, or in the free list */
  next: 2,
  /** what happens: id << eventBits | kind; 0 for the arrival of the packet in this very record */
  code: 3,
  /** packet in transit: the port it was sent from; queued: the port it came in by */
  port: 4,
  /** its queue pair, -1 for a PFC frame */
  pair: 5,
  /** its place in the path, kept by the balancing plug-in */
  place: 6,
  /** size on the wire, headers included */
  bytes: 7,
  /** kind | queue << 3 | mark << 6 */
  head: 8,
} as const;

/** float64 values of a record: index `record << 3 | value` of EventRecords.reals */
export const Real = {
  /** when the event happens, in picoseconds */
  time: 0,
  /** first byte of a data packet, next expected byte of an acknowledgement */
  sequence: 5,
} as const;

/** shifts from a record's number to its first word and its first real */
export const wordShift = 4;
export const realShift = 3;

export class EventRecords {
  words: Int32Array;
  reals: Float64Array;
  /** records ever used at the same time */
  top = 0;
  private capacity = 4096;
  private freeHead = -1;

  constructor() {
    const buffer = new ArrayBuffer(this.capacity * 64);
    this.words = new Int32Array(buffer);
    this.reals = new Float64Array(buffer);
  }

  /** A record whose contents are unspecified. May replace `words` and `reals`. */
  allocate(): number {
    const record = this.freeHead;
    if (record >= 0) {
      this.freeHead = this.words[(record << 4) + 2]!;
      return record;
    }
    if (this.top === this.capacity) this.grow();
    return this.top++;
  }

  release(record: number): void {
    this.words[(record << 4) + 2] = this.freeHead;
    this.freeHead = record;
  }

  private grow(): void {
    this.capacity *= 2;
    // record << 4 must stay an int32
    if (this.capacity > 1 << 26) fail(`${this.top} packets and events at once: the run does not fit`);
    const buffer = new ArrayBuffer(this.capacity * 64);
    const words = new Int32Array(buffer);
    words.set(this.words);
    this.words = words;
    this.reals = new Float64Array(buffer);
  }
}
