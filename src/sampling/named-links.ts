// What receivers have counted of the links that packets name (the standard variant), queue pair by queue pair. Packets of
// a queue pair that take the same way name one of its few links, each by its place on the way: so they are counted in a
// cache line of the pair, and the tallies, which no cache keeps, hear of many at once.
// Invariant: after `flush` the tallies have all packets; sums do not depend on how they were made. Memory: 64 bytes a queue
// pair.

import { grown } from '../base/columns.js';
import type { LinkTallies } from './link-tallies.js';

const none = -1;
/** words of a queue pair: label, hop count, then by place on its way (modulo 7) the port and the counts */
const pairShift = 4;
const labelWord = 0;
const hopsWord = 1;
const firstPlace = 2;
const places = 7;
/** counts of a place: all packets in the lower half, congested ones in the upper one */
const congestedOne = 1 << 16;
const mostCounted = 0x7fff;

export class NamedLinks {
  private pairs = new Int32Array(256 << pairShift).fill(none);

  /** @param weightOfHop what a hop of a packet's way weighs */
  constructor(
    private readonly tallies: LinkTallies,
    private readonly weightOfHop: number,
  ) {}

  /**
   * A packet names a link. @param pair its queue pair @param label of its kind of traffic @param hops its hop count
   * @param place of the link on its way, modulo 8
   */
  add(pair: number, label: number, hops: number, place: number, port: number, isCongested: boolean): void {
    const own = pair << pairShift;
    if (own >= this.pairs.length) this.reserve(own);
    const { pairs } = this;
    if (pairs[own + labelWord] !== label || pairs[own + hopsWord] !== hops) this.meet(own, label, hops);
    const at = own + firstPlace + 2 * (place === places ? 0 : place);
    const one = isCongested ? 1 + congestedOne : 1;
    if (pairs[at] === port && (pairs[at + 1]! & mostCounted) < mostCounted) {
      pairs[at + 1]! += one;
      return;
    }
    if (pairs[at] !== none) this.count(label, hops, at);
    pairs[at] = port;
    pairs[at + 1] = one;
  }

  /** All goes into the tallies, and queue pairs are forgotten. */
  flush(): void {
    for (let own = 0; own < this.pairs.length; own += 1 << pairShift) this.countPair(own);
    this.pairs.fill(none);
  }

  private reserve(own: number): void {
    this.pairs = grown(this.pairs, Math.max(2 * this.pairs.length, own + (1 << pairShift)), none);
  }

  /** The packets of a queue pair are of another kind from now on. */
  private meet(own: number, label: number, hops: number): void {
    this.countPair(own);
    this.pairs[own + labelWord] = label;
    this.pairs[own + hopsWord] = hops;
    this.pairs.fill(none, own + firstPlace, own + firstPlace + 2 * places);
  }

  private countPair(own: number): void {
    const { pairs } = this;
    const label = pairs[own + labelWord]!;
    if (label === none) return;
    for (let at = own + firstPlace; at < own + firstPlace + 2 * places; at += 2)
      if (pairs[at] !== none) this.count(label, pairs[own + hopsWord]!, at);
  }

  private count(label: number, hops: number, at: number): void {
    const { pairs, tallies } = this;
    tallies.add(label, pairs[at]!, hops * this.weightOfHop, pairs[at + 1]! & 0xffff, pairs[at + 1]! >>> 16);
  }
}
