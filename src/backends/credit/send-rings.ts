// Queue pairs that have something to send: a ring for each lane of each port of a host, each pair in turn with a
// packet.
// Invariant: a slot is in one ring while it has unsent packets, in none else.

import { grown } from '../../base/columns.js';

export class SendRings {
  /** by ring (port x lanes + lane): the slot whose turn was last, -1 if the ring is empty */
  private readonly last: Int32Array;
  /** by slot: the one after it in its ring */
  private next = new Int32Array(0);

  constructor(rings: number) {
    this.last = new Int32Array(rings).fill(-1);
  }

  isEmpty(ring: number): boolean {
    return this.last[ring]! < 0;
  }

  /** Whether more than one slot is in a ring that is not empty. */
  holdsSeveral(ring: number): boolean {
    const last = this.last[ring]!;
    return this.next[last] !== last;
  }

  /** The slot whose turn is next, of a ring that is not empty. */
  first(ring: number): number {
    return this.next[this.last[ring]!]!;
  }

  /** Puts a slot at the end of the line. */
  add(ring: number, slot: number): void {
    if (slot >= this.next.length) this.next = grown(this.next, Math.max(256, 2 * (slot + 1)));
    const last = this.last[ring]!;
    if (last < 0) this.next[slot] = slot;
    else {
      this.next[slot] = this.next[last]!;
      this.next[last] = slot;
    }
    this.last[ring] = slot;
  }

  /** The first slot has had its turn. */
  turn(ring: number): void {
    this.last[ring] = this.next[this.last[ring]!]!;
  }

  /** The first slot has nothing left to send. */
  removeFirst(ring: number): void {
    const last = this.last[ring]!;
    const first = this.next[last]!;
    if (first === last) this.last[ring] = -1;
    else this.next[last] = this.next[first]!;
  }

  /** Takes a slot out of a ring: a walk. @returns whether it was in it */
  remove(ring: number, slot: number): boolean {
    const last = this.last[ring]!;
    if (last < 0) return false;
    let before = last;
    while (this.next[before] !== slot) {
      before = this.next[before]!;
      if (before === last) return false;
    }
    if (before === slot) this.last[ring] = -1;
    else {
      this.next[before] = this.next[slot]!;
      if (last === slot) this.last[ring] = before;
    }
    return true;
  }
}
