// The records that an event-driven backend lives on: 32 bytes each, in one growing buffer, recycled through a free
// list. A record is an event; what moves (a packet) may be a record too, so that it is its own arrival event and
// nothing is allocated per hop. Memory grows with what is in flight, never with what was sent.
// Invariant: words 0-3 are the kernel's; a record whose code word is 0 or more belongs to the backend, which gives that
// word and the last four their meaning.
// Measured against separate columns for events and packets: docs/models/engine.md.

import { fail } from '../base/fail.js';

/**
 * int32 words of a record: index `record << 3 | word` of EventRecords.words. Words 0-1 hold the time (float64,
 * `reals[record << 2]`); words 4-7 are the backend's.
 */
export const EventWord = {
  /** next record in the free list, or in a list of the backend's */
  next: 2,
  /** below 0: the complement of an alarm's code (alarms.ts); else the backend's */
  code: 3,
} as const;

const { next: NEXT } = EventWord;

/** so many records fit the index `record << 3` of 31 bits */
const mostRecords = 1 << 27;

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
    if (this.capacity > mostRecords) fail(`${this.top} packets and events at once: the run does not fit`);
    const buffer = new ArrayBuffer(this.capacity * 32);
    const words = new Int32Array(buffer);
    words.set(this.words);
    this.words = words;
    this.reals = new Float64Array(buffer);
    for (const listener of this.growListeners) listener(this.capacity);
  }
}
