// Which packets of each queue pair are there, when they may come out of order: the first that is missing, and a bit for
// every later one that is there. A receiver counts every packet once with it; a sender keeps in it what it knows to
// have arrived. The first missing packet stands in a word of the queue pair's record that the owner names, so a queue
// pair whose packets come in order costs that word alone.
// Invariants: the first missing packet is not there, all before it are; bits stand for packets behind it alone, and all
// other bits of the arena are 0; a queue pair has a ring only while something is there out of order.
// Memory: a ring has a power of two of words of 32 bits. If W packets may be under way at once (those of the window, or
// all of the flow without one), it has less than W / 4 + 8 bytes. Rings that are given back are used again for their
// size; all of them lie in one arena, whose size is told.
// Not modelled: what such a bitmap takes of a NIC's memory, and what a NIC does whose bitmap is too short.

import { grown } from '../../../base/columns.js';
import type { QueuePairs } from '../queue-pairs.js';

/** No ring. */
const none = -1;

export class ReceivedPackets {
  /**
   * the arena of rings: bit `sequence & 31` of word `(sequence >> 5) & (words - 1)`; a free block's first word names
   * the next
   */
  private bits = new Int32Array(256);
  private arenaWords = 0;
  /** first free block by the logarithm of its words */
  private readonly free = new Int32Array(32).fill(none);
  /** per pair: start of its ring, words of it, the highest packet that is there while it has one */
  private ring = new Int32Array(0);
  private ringWords = new Int32Array(0);
  private highest = new Int32Array(0);

  /**
   * @param pairs those whose packets are kept
   * @param firstWord word of their records (PairWord) that holds the first packet that is missing
   */
  constructor(
    private readonly pairs: QueuePairs,
    private readonly firstWord: number,
  ) {
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
    pairs.onAllocate((pair) => {
      if (this.ring[pair]! >= 0) this.empty(pair);
    });
  }

  /** Bytes of the arena: what all rings took at most so far, with what was left over when they grew. */
  get memoryBytes(): number {
    return this.bits.byteLength;
  }

  /** First packet that is missing. */
  firstMissing(pair: number): number {
    return this.pairs.words[(pair << 4) + this.firstWord]!;
  }

  /** Highest packet that is there; -1 if none is. */
  highestReceived(pair: number): number {
    return this.ring[pair]! < 0 ? this.firstMissing(pair) - 1 : this.highest[pair]!;
  }

  /** True if packets are there behind one that is missing. */
  hasGap(pair: number): boolean {
    return this.ring[pair]! >= 0;
  }

  /** True if a packet is there. */
  has(pair: number, sequence: number): boolean {
    if (sequence < this.firstMissing(pair)) return true;
    const ring = this.ring[pair]!;
    if (ring < 0 || sequence > this.highest[pair]!) return false;
    return ((this.bits[ring + ((sequence >> 5) & (this.ringWords[pair]! - 1))]! >> (sequence & 31)) & 1) === 1;
  }

  /** A bit for each of the 32 packets from 32 x word on that is there. */
  wordOf(pair: number, word: number): number {
    const before = this.firstMissing(pair) - 32 * word;
    if (before >= 32) return -1;
    const low = before > 0 ? ~(-1 << before) : 0;
    const ring = this.ring[pair]!;
    if (ring < 0 || word > this.highest[pair]! >> 5) return low;
    return low | this.bits[ring + (word & (this.ringWords[pair]! - 1))]!;
  }

  /** A packet has come. @returns true if it was not there before */
  record(pair: number, sequence: number): boolean {
    const { words } = this.pairs;
    const at = (pair << 4) + this.firstWord;
    const first = words[at]!;
    if (sequence < first) return false;
    if (sequence === first) {
      if (this.ring[pair]! < 0) words[at] = first + 1;
      else this.advanceTo(pair, first + 1);
      return true;
    }
    this.makeRoom(pair, first, sequence);
    const word = this.ring[pair]! + ((sequence >> 5) & (this.ringWords[pair]! - 1));
    const bit = 1 << (sequence & 31);
    if ((this.bits[word]! & bit) !== 0) return false;
    this.bits[word]! |= bit;
    if (sequence > this.highest[pair]!) this.highest[pair] = sequence;
    return true;
  }

  /** First packet from one on that is missing; `from` is not before the first that is. */
  nextMissing(pair: number, from: number): number {
    const ring = this.ring[pair]!;
    if (ring < 0) return from;
    const highest = this.highest[pair]!;
    if (from > highest) return from;
    const { bits } = this;
    const mask = this.ringWords[pair]! - 1;
    const last = highest >> 5;
    let word = from >> 5;
    let missing = ~bits[ring + (word & mask)]! & (-1 << (from & 31));
    while (missing === 0) {
      if (++word > last) return word * 32;
      missing = ~bits[ring + (word & mask)]!;
    }
    return word * 32 + 31 - Math.clz32(missing & -missing);
  }

  /** All packets before one are there: the first missing one is it, or a later one. Does nothing if that is known. */
  advanceTo(pair: number, sequence: number): void {
    const { words } = this.pairs;
    const at = (pair << 4) + this.firstWord;
    const first = words[at]!;
    if (sequence <= first) return;
    const next = this.nextMissing(pair, sequence);
    words[at] = next;
    if (this.ring[pair]! < 0) return;
    if (next > this.highest[pair]!) this.empty(pair);
    else this.clear(pair, first, next);
  }

  /** Clears the bits from one packet to before another, which is not beyond the highest. */
  private clear(pair: number, from: number, to: number): void {
    const { bits } = this;
    const ring = this.ring[pair]!;
    const mask = this.ringWords[pair]! - 1;
    const last = to >> 5;
    for (let word = from >> 5; word < last; word++) bits[ring + (word & mask)] = 0;
    bits[ring + (last & mask)]! &= -1 << (to & 31);
  }

  /** A ring that reaches to a packet: no two of the words from the first missing packet to it are the same. */
  private makeRoom(pair: number, first: number, sequence: number): void {
    const needed = (sequence >> 5) - (first >> 5) + 1;
    const before = this.ringWords[pair]!;
    const old = this.ring[pair]!;
    if (old >= 0 && needed <= before) return;
    const size = needed <= 1 ? 0 : 32 - Math.clz32(needed - 1);
    const ring = this.take(size);
    if (old < 0) this.highest[pair] = first;
    else {
      const last = this.highest[pair]! >> 5;
      for (let word = first >> 5; word <= last; word++)
        this.bits[ring + (word & ((1 << size) - 1))] = this.bits[old + (word & (before - 1))]!;
      this.giveBack(old, before);
    }
    this.ring[pair] = ring;
    this.ringWords[pair] = 1 << size;
  }

  /** Gives a queue pair's ring back. */
  private empty(pair: number): void {
    this.giveBack(this.ring[pair]!, this.ringWords[pair]!);
    this.ring[pair] = none;
  }

  /** A block of 2^size words, all 0. */
  private take(size: number): number {
    const block = this.free[size]!;
    if (block >= 0) {
      this.free[size] = this.bits[block]!;
      this.bits[block] = 0;
      return block;
    }
    const start = this.arenaWords;
    this.arenaWords += 1 << size;
    if (this.arenaWords > this.bits.length)
      this.bits = grown(this.bits, Math.max(this.arenaWords, 2 * this.bits.length));
    return start;
  }

  private giveBack(block: number, words: number): void {
    const size = 31 - Math.clz32(words);
    this.bits.fill(0, block, block + words);
    this.bits[block] = this.free[size]!;
    this.free[size] = block;
  }

  private reserve(capacity: number): void {
    this.ring = grown(this.ring, capacity, none);
    this.ringWords = grown(this.ringWords, capacity);
    this.highest = grown(this.highest, capacity);
  }
}
