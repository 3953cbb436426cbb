// Adamaps: which packets of a stretch have arrived. A map covers the packets start + 1 .. start + length; its bitmap
// says of the first B of them whether they are there, all others are missing. Maps stand in a pool of columns and are
// recycled; queues of them belong to queue pairs.
// Invariants: a map that is in a queue is in one queue; slots beyond the bitmap are holes.
// Source: OmniDMA's adamap (docs/models/omnidma.md).

import { grown } from '../../../../base/columns.js';
import type { SideColumn, SideColumns } from '../../side-columns.js';

export class AdamapPool {
  /** words of a bitmap */
  readonly words: number;
  /** last packet before the first slot; slots */
  start = new Int32Array(0);
  length = new Int32Array(0);
  /** 32 slots a word, the first in the lowest bit of the first; `words` for each map */
  bitmap = new Int32Array(0);
  /** number of the OmniNACK that told of the map last; how often it was told of */
  nack = new Int32Array(0);
  tier = new Uint8Array(0);
  /** at the receiver the map's own number for its queue pair; at the sender where its receiver keeps the map */
  place = new Int32Array(0);
  /** sender: first slot not yet looked at */
  cursor = new Int32Array(0);
  /** when it was made, told of, or last filled; when it was told of last, -1 once that was answered */
  touchedPs = new Float64Array(0);
  nackedPs = new Float64Array(0);
  /** neighbours in its queue, -1 at the ends; `next` is that of the free list, too */
  next = new Int32Array(0);
  previous = new Int32Array(0);
  /** queue that holds the map: the queue pair's number in it, -1 if none */
  holder = new Int32Array(0);
  live = 0;
  private top = 0;
  private freeHead = -1;

  /** @param bits B, 1 to 256 */
  constructor(readonly bits: number) {
    this.words = (bits + 31) >> 5;
    this.reserve(64);
  }

  /** A map without arrivals. */
  allocate(start: number, length: number): number {
    let map = this.freeHead;
    if (map >= 0) this.freeHead = this.next[map]!;
    else {
      map = this.top++;
      if (map === this.start.length) this.reserve(2 * map);
    }
    this.live++;
    this.start[map] = start;
    this.length[map] = length;
    this.nack[map] = this.tier[map] = this.cursor[map] = 0;
    this.place[map] = this.holder[map] = -1;
    this.bitmap.fill(0, map * this.words, (map + 1) * this.words);
    return map;
  }

  release(map: number): void {
    this.live--;
    this.length[map] = 0;
    this.holder[map] = -1;
    this.next[map] = this.freeHead;
    this.freeHead = map;
  }

  /** Whether a packet is one of those that the map covers and misses. */
  misses(map: number, sequence: number): boolean {
    const slot = sequence - this.start[map]! - 1;
    return slot >= 0 && slot < this.length[map]! && (slot >= this.bits || !this.isSet(map, slot));
  }

  /** @param slot below B */
  isSet(map: number, slot: number): boolean {
    return ((this.bitmap[map * this.words + (slot >> 5)]! >>> (slot & 31)) & 1) === 1;
  }

  /** Notes an arrival. @param slot below B */
  set(map: number, slot: number): void {
    this.bitmap[map * this.words + (slot >> 5)]! |= 1 << (slot & 31);
  }

  /** The first hole at or behind a slot; -1 if there is none. */
  hole(map: number, from: number): number {
    const inBitmap = Math.min(this.bits, this.length[map]!);
    let slot = from;
    while (slot < inBitmap) {
      const left = ~(this.bitmap[map * this.words + (slot >> 5)]! >> (slot & 31));
      // arithmetic shift repeats the sign: what comes from beyond the word is looked at in the next
      const trailing = left === 0 ? 32 : 31 - Math.clz32(left & -left);
      const inWord = 32 - (slot & 31);
      if (trailing < inWord) return slot + trailing < inBitmap ? slot + trailing : this.beyond(map, inBitmap);
      slot += inWord;
    }
    return this.beyond(map, slot);
  }

  /** Forgets the first slots. @param slots 1 to B */
  drop(map: number, slots: number): void {
    const { words, bitmap } = this;
    const at = map * words;
    this.start[map]! += slots;
    this.length[map]! -= slots;
    const whole = slots >> 5;
    const rest = slots & 31;
    for (let i = 0; i < words; i++) {
      const low = i + whole < words ? bitmap[at + i + whole]! : 0;
      const high = i + whole + 1 < words ? bitmap[at + i + whole + 1]! : 0;
      bitmap[at + i] = rest === 0 ? low : (low >>> rest) | (high << (32 - rest));
    }
  }

  /** A map of the first slots of another, at most B of them. */
  chunk(map: number): number {
    const copy = this.allocate(this.start[map]!, Math.min(this.bits, this.length[map]!));
    this.bitmap.copyWithin(copy * this.words, map * this.words, (map + 1) * this.words);
    return copy;
  }

  private beyond(map: number, slot: number): number {
    return slot < this.length[map]! ? slot : -1;
  }

  private reserve(capacity: number): void {
    for (const name of ['start', 'length', 'nack', 'place', 'cursor', 'next', 'previous', 'holder'] as const)
      this[name] = grown(this[name], capacity);
    this.tier = grown(this.tier, capacity);
    for (const name of ['touchedPs', 'nackedPs'] as const) this[name] = grown(this[name], capacity);
    this.bitmap = grown(this.bitmap, capacity * this.words);
  }
}

/** A queue of maps for each queue pair. */
export class AdamapQueues {
  private readonly firsts: SideColumn<'int32'>;
  private readonly lasts: SideColumn<'int32'>;
  private readonly counts: SideColumn<'int32'>;

  constructor(
    private readonly pool: AdamapPool,
    columns: SideColumns,
  ) {
    this.firsts = columns.byPair('int32', -1);
    this.lasts = columns.byPair('int32', -1);
    this.counts = columns.byPair('int32');
  }

  /** The first map of a queue pair; -1 if there is none. */
  first(pair: number): number {
    return this.firsts.values[pair]!;
  }

  count(pair: number): number {
    return this.counts.values[pair]!;
  }

  append(pair: number, map: number): void {
    const { next, previous, holder } = this.pool;
    const last = this.lasts.values[pair]!;
    next[map] = -1;
    previous[map] = last;
    holder[map] = pair;
    if (last < 0) this.firsts.values[pair] = map;
    else next[last] = map;
    this.lasts.values[pair] = map;
    this.counts.values[pair]!++;
  }

  remove(pair: number, map: number): void {
    const { next, previous, holder } = this.pool;
    const after = next[map]!;
    const before = previous[map]!;
    if (before < 0) this.firsts.values[pair] = after;
    else next[before] = after;
    if (after < 0) this.lasts.values[pair] = before;
    else previous[after] = before;
    holder[map] = -1;
    this.counts.values[pair]!--;
  }
}
