// Events by time, equal times in the order in which they were asked for. A flow's event can be moved or taken out.
// Invariant: the heap is ordered by (time, sequence); a key stands in it at most once.

import { grown } from './columns.js';

const absent = -1;

export class TimeHeap {
  private keys = new Int32Array(64);
  private count = 0;
  private sequence = 0;
  /** by key: time, sequence, place in the heap or -1 */
  private timePs = new Float64Array(0);
  private order = new Float64Array(0);
  private place = new Int32Array(0);

  get size(): number {
    return this.count;
  }

  /** Time of the first event; Infinity if there is none. */
  get firstPs(): number {
    return this.count === 0 ? Infinity : this.timePs[this.keys[0]!]!;
  }

  /** Sets the time of a key, whether it is there or not. */
  set(key: number, timePs: number): void {
    if (key >= this.place.length) this.growKeys(key + 1);
    this.timePs[key] = timePs;
    this.order[key] = this.sequence++;
    let at = this.place[key]!;
    if (at === absent) {
      if (this.count === this.keys.length) this.keys = grown(this.keys, 2 * this.count);
      at = this.count++;
    }
    this.settle(key, at);
  }

  /** Takes a key out, if it is there. */
  remove(key: number): void {
    const at = key < this.place.length ? this.place[key]! : absent;
    if (at === absent) return;
    this.place[key] = absent;
    const last = this.keys[--this.count]!;
    if (last !== key) this.settle(last, at);
  }

  /** Takes the first key out. The heap must not be empty. */
  pop(): number {
    const key = this.keys[0]!;
    this.remove(key);
    return key;
  }

  private isBefore(a: number, b: number): boolean {
    const difference = this.timePs[a]! - this.timePs[b]!;
    return difference < 0 || (difference === 0 && this.order[a]! < this.order[b]!);
  }

  /** Puts a key into the place `at`, which is free or its own, then where it belongs. */
  private settle(key: number, at: number): void {
    const { keys, place } = this;
    let hole = at;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!this.isBefore(key, keys[parent]!)) break;
      keys[hole] = keys[parent]!;
      place[keys[hole]!] = hole;
      hole = parent;
    }
    for (let child = 2 * hole + 1; child < this.count; child = 2 * hole + 1) {
      if (child + 1 < this.count && this.isBefore(keys[child + 1]!, keys[child]!)) child++;
      if (!this.isBefore(keys[child]!, key)) break;
      keys[hole] = keys[child]!;
      place[keys[hole]!] = hole;
      hole = child;
    }
    keys[hole] = key;
    place[key] = hole;
  }

  private growKeys(least: number): void {
    const capacity = Math.max(64, least, 2 * this.place.length);
    this.timePs = grown(this.timePs, capacity);
    this.order = grown(this.order, capacity);
    this.place = grown(this.place, capacity, absent);
  }
}
