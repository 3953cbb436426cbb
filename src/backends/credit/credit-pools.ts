// Credits of every lane of every output port: bytes that the other end of its link still takes. What is given back is
// under way for a while; it is counted when somebody looks, so that a credit costs no event unless a sender waits for
// it.
// Invariants: of each lane, credits at hand, credits under way and what the other end holds together are its buffer; of
// one lane, credits under way stand in the order of their times.
// Source: credit-based flow control, InfiniBand Architecture Specification vol. 1, 7.9; Kung and Morris, Credit-based
// flow control for ATM networks, IEEE Network 9(2), 1995. Not modelled: the frames that carry credits and their
// bandwidth (InfiniBand: one of 8 bytes at least every 65,536 symbol times), blocks of 64 bytes.

import { grown } from '../../base/columns.js';

const none = -1;

export class CreditPools {
  /** by pool (port x lanes + lane): bytes at hand */
  readonly atHand: Float64Array;
  private readonly head: Int32Array;
  private readonly tail: Int32Array;
  /** by credit under way */
  private timePs = new Float64Array(256);
  private bytes = new Int32Array(256);
  private next = new Int32Array(256);
  private top = 0;
  private free = none;

  /** @param bufferBytes by pool: its credits at the beginning */
  constructor(readonly bufferBytes: Float64Array) {
    const pools = bufferBytes.length;
    this.atHand = bufferBytes.slice();
    this.head = new Int32Array(pools).fill(none);
    this.tail = new Int32Array(pools).fill(none);
  }

  /** Takes credits for so many bytes if they are there at a time. @returns whether they were */
  take(pool: number, bytes: number, nowPs: number): boolean {
    if (this.head[pool]! >= 0) this.ripen(pool, nowPs);
    if (this.atHand[pool]! < bytes) return false;
    this.atHand[pool]! -= bytes;
    return true;
  }

  /** Credits for so many bytes are on their way back and will be there at a time. */
  giveBack(pool: number, bytes: number, atPs: number): void {
    const credit = this.allocate();
    this.timePs[credit] = atPs;
    this.bytes[credit] = bytes;
    const { head, tail, next, timePs } = this;
    const last = tail[pool]!;
    if (last < 0 || timePs[last]! <= atPs) {
      next[credit] = none;
      if (last < 0) head[pool] = credit;
      else next[last] = credit;
      tail[pool] = credit;
      return;
    }
    // links of different speed end their transmissions in another order
    let before = none;
    let after = head[pool]!;
    while (timePs[after]! <= atPs) {
      before = after;
      after = next[after]!;
    }
    next[credit] = after;
    if (before < 0) head[pool] = credit;
    else next[before] = credit;
  }

  /** When the next credits of a pool are there; Infinity if none is under way. */
  nextPs(pool: number): number {
    const first = this.head[pool]!;
    return first < 0 ? Infinity : this.timePs[first]!;
  }

  /** Bytes of a pool's credits that are not at hand at a time. */
  inUse(pool: number, nowPs: number): number {
    if (this.head[pool]! >= 0) this.ripen(pool, nowPs);
    return this.bufferBytes[pool]! - this.atHand[pool]!;
  }

  /** Bytes of a pool's credits that are under way: a walk, for checks. */
  underWay(pool: number): number {
    let total = 0;
    for (let credit = this.head[pool]!; credit >= 0; credit = this.next[credit]!) total += this.bytes[credit]!;
    return total;
  }

  private ripen(pool: number, nowPs: number): void {
    const { head, timePs, bytes, next } = this;
    let credit = head[pool]!;
    while (credit >= 0 && timePs[credit]! <= nowPs) {
      this.atHand[pool]! += bytes[credit]!;
      const after = next[credit]!;
      next[credit] = this.free;
      this.free = credit;
      credit = after;
    }
    head[pool] = credit;
    if (credit < 0) this.tail[pool] = none;
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
