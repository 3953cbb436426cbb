// Events by time, equal times in the order in which they were asked for, or as the caller says. A flow's event can be
// moved or taken out.
// Invariants: each place is before its four children by (time, sequence); a key stands in the heap at most once. Times
// and sequences stand beside the keys, in order of places, so that finding the least of four children touches one or
// two cache lines.

import { grown } from './columns.js';

const absent = -1;

export class TimeHeap {
  /** by place in the heap */
  private keys = new Int32Array(64);
  private timePs = new Float64Array(64);
  private order = new Float64Array(64);
  private count = 0;
  private sequence = 0;
  /** by key: its place in the heap or -1 */
  private place = new Int32Array(0);

  get size(): number {
    return this.count;
  }

  /** Time of the first event; Infinity if there is none. */
  get firstPs(): number {
    return this.count === 0 ? Infinity : this.timePs[0]!;
  }

  /** Order of the first event among those of its time; the heap must not be empty. */
  get firstOrder(): number {
    return this.order[0]!;
  }

  /** The first key; the heap must not be empty. */
  get firstKey(): number {
    return this.keys[0]!;
  }

  /**
   * Sets the time of a key, whether it is there or not.
   * @param order among equal times, ascending; left out: after all that were set before without one
   */
  set(key: number, timePs: number, order = this.sequence++): void {
    if (key >= this.place.length) this.place = grown(this.place, Math.max(64, key + 1, 2 * this.place.length), absent);
    let at = this.place[key]!;
    if (at === absent) {
      if (this.count === this.keys.length) this.grow();
      at = this.count++;
    }
    this.settle(key, timePs, order, at);
  }

  /** Takes a key out, if it is there. */
  remove(key: number): void {
    const at = key < this.place.length ? this.place[key]! : absent;
    if (at === absent) return;
    this.place[key] = absent;
    const last = --this.count;
    if (last !== at) this.settle(this.keys[last]!, this.timePs[last]!, this.order[last]!, at);
  }

  /** Takes the first key out. The heap must not be empty. */
  pop(): number {
    const key = this.keys[0]!;
    this.remove(key);
    return key;
  }

  /** Puts a key into the place `at`, which is free or its own, then where it belongs. */
  private settle(key: number, ownPs: number, ownOrder: number, at: number): void {
    const { keys, timePs, order, place, count } = this;
    let hole = at;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      const parentPs = timePs[parent]!;
      if (parentPs < ownPs || (parentPs === ownPs && order[parent]! < ownOrder)) break;
      place[(keys[hole] = keys[parent]!)] = hole;
      timePs[hole] = parentPs;
      order[hole] = order[parent]!;
      hole = parent;
    }
    for (let child = 4 * hole + 1; child < count; child = 4 * hole + 1) {
      let least = child;
      let leastPs = timePs[child]!;
      const end = child + 4 < count ? child + 4 : count;
      for (let other = child + 1; other < end; other++) {
        const otherPs = timePs[other]!;
        if (otherPs < leastPs || (otherPs === leastPs && order[other]! < order[least]!)) {
          least = other;
          leastPs = otherPs;
        }
      }
      if (leastPs > ownPs || (leastPs === ownPs && order[least]! > ownOrder)) break;
      place[(keys[hole] = keys[least]!)] = hole;
      timePs[hole] = leastPs;
      order[hole] = order[least]!;
      hole = least;
    }
    keys[hole] = key;
    timePs[hole] = ownPs;
    order[hole] = ownOrder;
    place[key] = hole;
  }

  private grow(): void {
    const capacity = 2 * this.count;
    this.keys = grown(this.keys, capacity);
    this.timePs = grown(this.timePs, capacity);
    this.order = grown(this.order, capacity);
  }
}
