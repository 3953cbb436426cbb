// The flows of each bundle in the order in which they drain. All of them have the same rate, so what each has left is
// what one of them has left and a constant: the order never changes, whatever the rate does, and only the first flow of
// a bundle has to stand in a list of times.
// A pairing heap for each bundle, over columns by slot. Invariant: a flow is before its children by (offset, newest
// first); the order among flows of equal offsets is what the records of earlier versions have.
// Source: Fredman, Sedgewick, Sleator and Tarjan, The pairing heap, 1986 (from memory).

import { grown } from '../../base/columns.js';

const none = -1;

export class EndQueues {
  /** by slot: bits that the flow has to drain beyond those that the first flow of its bundle had to */
  offsetBits = new Float64Array(0);
  /** by slot: number of the start, ascending */
  started = new Float64Array(0);
  /** by bundle: slot of the flow that drains first */
  private firsts = new Int32Array(0).fill(none);
  /** by slot: first child, next sibling, and previous sibling (of a first child: its parent) */
  private child = new Int32Array(0);
  private sibling = new Int32Array(0);
  private previous = new Int32Array(0);

  /** The flow of a bundle that drains first; -1: it has none. */
  first(bundle: number): number {
    return bundle < this.firsts.length ? this.firsts[bundle]! : none;
  }

  /** Puts a flow that is in no queue into that of a bundle. */
  add(bundle: number, slot: number, offsetBits: number, started: number): void {
    if (slot >= this.child.length) this.growSlots(slot + 1);
    if (bundle >= this.firsts.length)
      this.firsts = grown(this.firsts, Math.max(64, bundle + 1, 2 * this.firsts.length), none);
    this.offsetBits[slot] = offsetBits;
    this.started[slot] = started;
    this.child[slot] = none;
    this.sibling[slot] = none;
    this.previous[slot] = none;
    const first = this.firsts[bundle]!;
    this.firsts[bundle] = first < 0 ? slot : this.joined(first, slot);
  }

  /** Takes a flow out of a bundle's queue. */
  remove(bundle: number, slot: number): void {
    const rest = this.merged(this.child[slot]!);
    const first = this.firsts[bundle]!;
    if (first === slot) {
      this.firsts[bundle] = rest;
      return;
    }
    const before = this.previous[slot]!;
    const after = this.sibling[slot]!;
    if (this.child[before] === slot) this.child[before] = after;
    else this.sibling[before] = after;
    if (after >= 0) this.previous[after] = before;
    if (rest >= 0) this.firsts[bundle] = this.joined(first, rest);
  }

  /** Joins two queues. @returns the first of both */
  private joined(a: number, b: number): number {
    const { offsetBits, started, child, sibling, previous } = this;
    const offsetA = offsetBits[a]!;
    const offsetB = offsetBits[b]!;
    const aFirst = offsetA < offsetB || (offsetA === offsetB && started[a]! > started[b]!);
    const first = aFirst ? a : b;
    const second = aFirst ? b : a;
    const next = child[first]!;
    sibling[second] = next;
    previous[second] = first;
    if (next >= 0) previous[next] = second;
    child[first] = second;
    sibling[first] = none;
    previous[first] = none;
    return first;
  }

  /** Joins a row of siblings, in pairs and then from the last pair on. @returns the first; -1 if there are none */
  private merged(siblings: number): number {
    const { sibling } = this;
    // the pairs that are joined already, the last one first
    let pairs = none;
    for (let at = siblings; at >= 0;) {
      const partner = sibling[at]!;
      const next = partner >= 0 ? sibling[partner]! : none;
      const pair = partner >= 0 ? this.joined(at, partner) : at;
      sibling[pair] = pairs;
      pairs = pair;
      at = next;
    }
    let all = none;
    for (let at = pairs; at >= 0;) {
      const next = sibling[at]!;
      all = all < 0 ? this.alone(at) : this.joined(all, this.alone(at));
      at = next;
    }
    return all;
  }

  private alone(slot: number): number {
    this.sibling[slot] = none;
    this.previous[slot] = none;
    return slot;
  }

  private growSlots(slots: number): void {
    const capacity = Math.max(256, slots, 2 * this.child.length);
    this.offsetBits = grown(this.offsetBits, capacity);
    this.started = grown(this.started, capacity);
    this.child = grown(this.child, capacity);
    this.sibling = grown(this.sibling, capacity);
    this.previous = grown(this.previous, capacity);
  }
}
