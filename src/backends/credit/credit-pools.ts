// Credits of every lane of every output port: bytes that the other end of its link still takes. What is given back is
// under way for a while; it is counted when somebody looks, so that a credit costs no event unless a sender waits for
// it.
// Invariants: of each lane, credits at hand, credits under way and what the other end holds together are its buffer; of
// one lane, credits under way stand in the order of their times.
// Source: credit-based flow control, InfiniBand Architecture Specification vol. 1, 7.9; Kung and Morris, Credit-based
// flow control for ATM networks, IEEE Network 9(2), 1995. Not modelled: the frames that carry credits and their
// bandwidth (InfiniBand: one of 8 bytes at least every 65,536 symbol times), blocks of 64 bytes.

import { grown } from '../../base/columns.js';
import { type LineRecords, QueueReal, QueueWord } from './line-records.js';
import type { QueueLoads } from './queue-loads.js';

const none = -1;
const { firstCredit: FIRST, lastCredit: LAST } = QueueWord;
const { atHandBytes: AT_HAND } = QueueReal;

export class CreditPools {
  /** by credit under way */
  private timePs = new Float64Array(256);
  private bytes = new Int32Array(256);
  private next = new Int32Array(256);
  private top = 0;
  private free = none;

  /**
   * @param pools the records of queues (port x lanes + lane) @param bufferBytes by port: credits of a lane at first
   * @param loads what queues have to do, which is kept up; null: nobody asks
   */
  constructor(
    private readonly pools: LineRecords,
    private readonly lanes: number,
    private readonly bufferBytes: Float64Array,
    private readonly loads: QueueLoads | null,
  ) {
    const { words, reals } = pools;
    for (let pool = 0; pool < pools.count; pool++) {
      reals[(pool << 3) + AT_HAND] = bufferBytes[Math.floor(pool / lanes)]!;
      words[(pool << 4) + FIRST] = words[(pool << 4) + LAST] = none;
    }
  }

  /** Number of pools. */
  get count(): number {
    return this.pools.count;
  }

  /** Takes credits for so many bytes if they are there at a time. @returns whether they were */
  take(pool: number, bytes: number, nowPs: number): boolean {
    const { words, reals } = this.pools;
    const first = words[(pool << 4) + FIRST]!;
    if (first >= 0 && this.timePs[first]! <= nowPs) this.ripen(pool, nowPs);
    const at = (pool << 3) + AT_HAND;
    if (reals[at]! < bytes) return false;
    reals[at]! -= bytes;
    if (this.loads !== null) this.loads.add(pool, bytes);
    return true;
  }

  /** Credits for so many bytes are on their way back and will be there at a time, which may be now. */
  giveBack(pool: number, bytes: number, atPs: number, nowPs: number): void {
    // one that is there at once needs no place among those under way, which are later
    if (atPs > nowPs) this.send(pool, bytes, atPs);
    else {
      this.pools.reals[(pool << 3) + AT_HAND]! += bytes;
      if (this.loads !== null) this.loads.add(pool, -bytes);
    }
  }

  private send(pool: number, bytes: number, atPs: number): void {
    const credit = this.allocate();
    this.timePs[credit] = atPs;
    this.bytes[credit] = bytes;
    const { next, timePs } = this;
    const { words } = this.pools;
    const at = pool << 4;
    const last = words[at + LAST]!;
    if (last < 0 || timePs[last]! <= atPs) {
      next[credit] = none;
      if (last < 0) this.begin(pool, credit);
      else next[last] = credit;
      words[at + LAST] = credit;
      return;
    }
    // links of different speed end their transmissions in another order
    let before = none;
    let after = words[at + FIRST]!;
    while (timePs[after]! <= atPs) {
      before = after;
      after = next[after]!;
    }
    next[credit] = after;
    if (before < 0) this.begin(pool, credit);
    else next[before] = credit;
  }

  /** The first of the credits under way is another, or none is any more. */
  private begin(pool: number, credit: number): void {
    this.pools.words[(pool << 4) + FIRST] = credit;
    if (this.loads !== null) this.loads.awaits(pool, credit < 0 ? Infinity : this.timePs[credit]!);
  }

  /** When the next credits of a pool are there; Infinity if none is under way. */
  nextPs(pool: number): number {
    const first = this.pools.words[(pool << 4) + FIRST]!;
    return first < 0 ? Infinity : this.timePs[first]!;
  }

  /** Bytes of a pool's credits that are at hand at a time. */
  atHandBytes(pool: number, nowPs: number): number {
    const { words, reals } = this.pools;
    const first = words[(pool << 4) + FIRST]!;
    if (first >= 0 && this.timePs[first]! <= nowPs) this.ripen(pool, nowPs);
    return reals[(pool << 3) + AT_HAND]!;
  }

  /** Whether the credits at hand and those under way are all that there are: a walk, for checks. */
  isWhole(pool: number): boolean {
    const { words, reals } = this.pools;
    let total = reals[(pool << 3) + AT_HAND]!;
    for (let credit = words[(pool << 4) + FIRST]!; credit >= 0; credit = this.next[credit]!)
      total += this.bytes[credit]!;
    return total === this.bufferBytes[Math.floor(pool / this.lanes)];
  }

  /** Counts the credits that are there by now. */
  ripen(pool: number, nowPs: number): void {
    const { timePs, bytes, next } = this;
    const { words, reals } = this.pools;
    let credit = words[(pool << 4) + FIRST]!;
    while (credit >= 0 && timePs[credit]! <= nowPs) {
      reals[(pool << 3) + AT_HAND]! += bytes[credit]!;
      if (this.loads !== null) this.loads.add(pool, -bytes[credit]!);
      const after = next[credit]!;
      next[credit] = this.free;
      this.free = credit;
      credit = after;
    }
    this.begin(pool, credit);
    if (credit < 0) words[(pool << 4) + LAST] = none;
  }

  private allocate(): number {
    const credit = this.free;
    if (credit >= 0) {
      this.free = this.next[credit]!;
      return credit;
    }
    if (this.top === this.bytes.length) {
      const capacity = 2 * this.top;
      this.timePs = grown(this.timePs, capacity);
      this.bytes = grown(this.bytes, capacity);
      this.next = grown(this.next, capacity);
    }
    return this.top++;
  }
}
