// Packets of the credit backend: records of the kernel (engine/event-records.ts), each its own arrival event. All of a
// packet that every hop asks for is in its record, which is half a cache line.
// Invariant: a record is on a link (scheduled), in one queue, stranded, or free.

import { grown } from '../../base/columns.js';
import { type EventRecords, EventWord } from '../../engine/event-records.js';
import type { Senders } from './senders.js';

/** Words of a packet's record; `next` links those of one queue. */
export const ChunkWord = {
  next: EventWord.next,
  /** output port that sent it last */
  port: EventWord.code,
  /** slot of its queue pair */
  slot: 4,
  /** {@link ChunkState} */
  state: 5,
} as const;

/** A packet's state. */
export const ChunkState = {
  /** links of its path behind it */
  hops: 0xffff,
  /** where packets choose their ways: the port behind it had been told before */
  isTold: 1 << 16,
  /** it is the last one of its queue pair, and shorter than a full one */
  isShort: 1 << 17,
  /** it holds credits of the port that sent it last, of the lane that stands from bit `laneShift` on */
  holdsCredits: 1 << 18,
  laneShift: 19,
  laneMask: 15,
  /** where samplers foresee which link it keeps: that was congested */
  metCongestion: 1 << 23,
  /** where samplers foresee it: the link that its reservoir takes next, or keeps, from bit `sampleShift` on */
  sampleShift: 24,
} as const;

/** Real of a packet's record, index `record << 2 | real` of `reals`: when its first bit left its sender. */
const SENT_PS = 3;

const { port: PORT, slot: SLOT, state: STATE } = ChunkWord;
const { isShort: IS_SHORT, holdsCredits: HOLDS, laneShift, laneMask } = ChunkState;

/** What is known of packets beforehand. */
export interface ChunkRules {
  /** of a full packet on the link: payload, header and gap */
  readonly fullBytes: number;
  /** queues of a port */
  readonly lanes: number;
  readonly cutsThrough: boolean;
  /** packets of a queue pair may come out of order */
  readonly mayOvertake: boolean;
}

export class Chunks {
  readonly mayOvertake: boolean;
  /** by record: when its last bit is where it is; only where packets cut through */
  tailPs: Float64Array;
  /** by record: its number among those of its queue pair (Senders); only where packets may overtake each other */
  number: Int32Array;
  /** records in use */
  live = 0;
  peak = 0;
  private readonly fullBytes: number;
  private readonly lanes: number;

  constructor(
    readonly records: EventRecords,
    private readonly senders: Senders,
    { fullBytes, lanes, cutsThrough, mayOvertake }: ChunkRules,
  ) {
    this.fullBytes = fullBytes;
    this.lanes = lanes;
    this.mayOvertake = mayOvertake;
    this.tailPs = new Float64Array(cutsThrough ? records.capacity : 0);
    this.number = new Int32Array(mayOvertake ? records.capacity : 0);
    records.onGrow((capacity) => {
      if (cutsThrough) this.tailPs = grown(this.tailPs, capacity);
      if (mayOvertake) this.number = grown(this.number, capacity);
    });
  }

  /** A packet that its sender begins to send, of so many bytes. May replace the columns and those of the records. */
  begin(slot: number, bytes: number, nowPs: number): number {
    if (++this.live > this.peak) this.peak = this.live;
    const record = this.records.allocate();
    const { words, reals } = this.records;
    words[(record << 3) + SLOT] = slot;
    words[(record << 3) + STATE] = bytes === this.fullBytes ? 0 : IS_SHORT;
    reals[(record << 2) + SENT_PS] = nowPs;
    return record;
  }

  /** Bytes on the link: payload, header and gap. */
  bytes(record: number): number {
    const { words } = this.records;
    const at = record << 3;
    return (words[at + STATE]! & IS_SHORT) === 0 ? this.fullBytes : this.senders.lastBytes[words[at + SLOT]!]!;
  }

  /** When the first bit of a packet left its sender. */
  sentPs(record: number): number {
    return this.records.reals[(record << 2) + SENT_PS]!;
  }

  /** The pool of the credits that a packet holds (port x lanes + lane); -1: it holds none. */
  pool(record: number): number {
    const { words } = this.records;
    const state = words[(record << 3) + STATE]!;
    return (state & HOLDS) === 0 ? -1 : words[(record << 3) + PORT]! * this.lanes + ((state >>> laneShift) & laneMask);
  }

  release(record: number): void {
    this.live--;
    this.records.release(record);
  }
}
