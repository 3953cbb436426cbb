// Credits of every lane of every output port: bytes that the other end of its link still takes. What is given back is
// under way for a while; it is counted when somebody looks, so that a credit costs no event unless a sender waits for
// it. The first of the credits under way stands in the record of its queue, as there are seldom more.
// Invariants: of each lane, credits at hand, credits under way and what the other end holds together are its buffer; of
// one lane, credits under way stand in the order of their times.
// Source: credit-based flow control, InfiniBand Architecture Specification vol. 1, 7.9; Kung and Morris, Credit-based
// flow control for ATM networks, IEEE Network 9(2), 1995. Not modelled: the frames that carry credits and their
// bandwidth (InfiniBand: one of 8 bytes at least every 65,536 symbol times), blocks of 64 bytes.

import { grown } from '../../base/columns.js';
import { type QueueLines, QueueReal, QueueWord } from './queue-lines.js';
import type { QueueLoads } from './queue-loads.js';

const none = -1;
const { creditBytes: CREDIT_BYTES, lastCredit: LAST } = QueueWord;
const { atHandBytes: AT_HAND, creditPs: CREDIT_PS } = QueueReal;

export class CreditPools {
  /** by credit under way that is not the first of its pool; those of a pool are a ring */
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
    private readonly pools: QueueLines,
    private readonly lanes: number,
    private readonly bufferBytes: Float64Array,
    private readonly loads: QueueLoads | null,
  ) {
    for (let pool = 0; pool < pools.count; pool++)
      pools.reals[(pool << 3) + AT_HAND] = bufferBytes[Math.floor(pool / lanes)]!;
  }

  /** Number of pools. */
  get count(): number {
    return this.pools.count;
  }

  /** Takes credits for so many bytes if they are there at a time. @returns whether they were */
  take(pool: number, bytes: number, nowPs: number): boolean {
    const { reals } = this.pools;
    const at = pool << 3;
    if (reals[at + CREDIT_PS]! <= nowPs) this.ripen(pool, nowPs);
    if (reals[at + AT_HAND]! < bytes) return false;
    reals[at + AT_HAND]! -= bytes;
    if (this.loads !== null) this.loads.add(pool, bytes);
    return true;
  }

  /** Credits for so many bytes are on their way back and will be there at a time, which may be now. */
  giveBack(pool: number, bytes: number, atPs: number, nowPs: number): void {
    const { reals, words } = this.pools;
    const at = pool << 3;
    // what is there by now need not wait among those under way
    if (reals[at + CREDIT_PS]! <= nowPs) this.ripen(pool, nowPs);
    if (atPs <= nowPs) this.arrive(pool, bytes);
    else if (reals[at + CREDIT_PS] === Infinity) this.setFirst(pool, bytes, atPs);
    else if (atPs === reals[at + CREDIT_PS]) words[(pool << 4) + CREDIT_BYTES]! += bytes;
    else if (atPs > reals[at + CREDIT_PS]!) this.insert(pool, bytes, atPs);
    else {
      this.insert(pool, words[(pool << 4) + CREDIT_BYTES]!, reals[at + CREDIT_PS]!);
      this.setFirst(pool, bytes, atPs);
    }
  }

  /** When the next credits of a pool are there; Infinity if none is under way. */
  nextPs(pool: number): number {
    return this.pools.reals[(pool << 3) + CREDIT_PS]!;
  }

  /** Bytes of a pool's credits that are at hand at a time. */
  atHandBytes(pool: number, nowPs: number): number {
    const { reals } = this.pools;
    if (reals[(pool << 3) + CREDIT_PS]! <= nowPs) this.ripen(pool, nowPs);
    return reals[(pool << 3) + AT_HAND]!;
  }

  /** Whether the credits at hand and those under way are all that there are: a walk, for checks. */
  isWhole(pool: number): boolean {
    const { words, reals } = this.pools;
    let total = reals[(pool << 3) + AT_HAND]!;
    if (this.nextPs(pool) < Infinity) total += words[(pool << 4) + CREDIT_BYTES]!;
    const last = words[(pool << 4) + LAST]!;
    if (last >= 0) {
      let credit = last;
      do {
        credit = this.next[credit]!;
        total += this.bytes[credit]!;
      } while (credit !== last);
    }
    return total === this.bufferBytes[Math.floor(pool / this.lanes)];
  }

  /** Counts the credits that are there by now, which are some. */
  ripen(pool: number, nowPs: number): void {
    const { words, reals } = this.pools;
    const at = (pool << 3) + CREDIT_PS;
    do {
      this.arrive(pool, words[(pool << 4) + CREDIT_BYTES]!);
      this.advance(pool);
    } while (reals[at]! <= nowPs);
    if (this.loads !== null) this.loads.awaits(pool, reals[at]!);
  }

  private arrive(pool: number, bytes: number): void {
    this.pools.reals[(pool << 3) + AT_HAND]! += bytes;
    if (this.loads !== null) this.loads.add(pool, -bytes);
  }

  /** The first of the credits under way are these. */
  private setFirst(pool: number, bytes: number, atPs: number): void {
    this.pools.words[(pool << 4) + CREDIT_BYTES] = bytes;
    this.pools.reals[(pool << 3) + CREDIT_PS] = atPs;
    if (this.loads !== null) this.loads.awaits(pool, atPs);
  }

  /** The next of the credits under way are the first. */
  private advance(pool: number): void {
    const { words, reals } = this.pools;
    const { next } = this;
    const last = words[(pool << 4) + LAST]!;
    if (last < 0) {
      reals[(pool << 3) + CREDIT_PS] = Infinity;
      return;
    }
    const credit = next[last]!;
    reals[(pool << 3) + CREDIT_PS] = this.timePs[credit]!;
    words[(pool << 4) + CREDIT_BYTES] = this.bytes[credit]!;
    if (credit === last) words[(pool << 4) + LAST] = none;
    else next[last] = next[credit]!;
    next[credit] = this.free;
    this.free = credit;
  }

  /** Credits that are there after the first. */
  private insert(pool: number, bytes: number, atPs: number): void {
    const credit = this.allocate();
    const { next, timePs } = this;
    const { words } = this.pools;
    const at = (pool << 4) + LAST;
    timePs[credit] = atPs;
    this.bytes[credit] = bytes;
    const last = words[at]!;
    if (last < 0) next[credit] = credit;
    else {
      // links of different speed end their transmissions in another order
      let before = last;
      if (timePs[last]! > atPs) while (timePs[next[before]!]! <= atPs) before = next[before]!;
      next[credit] = next[before]!;
      next[before] = credit;
    }
    if (last < 0 || timePs[last]! <= atPs) words[at] = credit;
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
