// Which flows have met, where flows may meet again under way and a pair counts once: a bit for each two slots, as long as
// that is little memory; else for each flow the numbers of those that it met.
// Invariant: a flow that begins in a slot has met nobody, whoever had the slot before. Memory: bits of up to
// `mostBitBytes`; beyond it some 50 bytes a pair, of at most `mostRemembered` pairs of flows under way.

import { grown } from '../base/columns.js';

const none = -1;
const mostBitBytes = 16e6;
/** pairs that are remembered without bits: some hundred megabytes */
const mostRemembered = 2e6;

export class MetFlows {
  /** false: pairs were too many to remember */
  isWhole = true;
  /** by slot: the number of its flow */
  private numberOf = new Float64Array(256).fill(none);
  /** by slot: a bit for each slot; null: there are too many */
  private bits: Uint32Array | null;
  private words = 256 >> 5;
  private readonly partners = new Map<number, Set<number>>();
  private remembered = 0;

  /** @param mostBytes that bits may take */
  constructor(private readonly mostBytes = mostBitBytes) {
    this.bits = 4 * this.words * 256 <= mostBytes ? new Uint32Array(this.words * 256) : null;
  }

  /** A flow begins in a slot, unless it is the one that is there. @param number of the flow, never used again */
  begin(slot: number, number: number): void {
    if (slot >= this.numberOf.length) this.reserve(Math.max(2 * this.numberOf.length, slot + 1));
    if (this.numberOf[slot] === number) return;
    this.numberOf[slot] = number;
    if (this.bits !== null) this.forget(slot);
    else {
      this.remembered -= this.partners.get(slot)?.size ?? 0;
      this.partners.delete(slot);
    }
  }

  /** Two flows meet, by their slots. @returns whether it is the first time */
  meet(a: number, b: number): boolean {
    const { bits, words } = this;
    if (bits === null) return this.remember(a, b);
    const at = a * words + (b >>> 5);
    const bit = 1 << (b & 31);
    if ((bits[at]! & bit) !== 0) return false;
    bits[at]! |= bit;
    bits[b * words + (a >>> 5)]! |= 1 << (a & 31);
    return true;
  }

  private remember(a: number, b: number): boolean {
    const own = this.partnersOf(a);
    if (own.has(this.numberOf[b]!)) return false;
    own.add(this.numberOf[b]!);
    this.partnersOf(b).add(this.numberOf[a]!);
    this.remembered += 2;
    if (this.remembered > 2 * mostRemembered) this.isWhole = false;
    return true;
  }

  /** Nobody has met the flow of a slot. */
  private forget(slot: number): void {
    const { words } = this;
    const bits = this.bits!;
    for (let word = 0; word < words; word++) {
      for (let rest = bits[slot * words + word]!; rest !== 0; rest &= rest - 1)
        bits[((word << 5) + 31 - Math.clz32(rest & -rest)) * words + (slot >>> 5)]! &= ~(1 << (slot & 31));
      bits[slot * words + word] = 0;
    }
  }

  private partnersOf(slot: number): Set<number> {
    let own = this.partners.get(slot);
    if (own === undefined) this.partners.set(slot, (own = new Set()));
    return own;
  }

  /** Room for more slots: in bits, or, where those become too many, in sets. */
  private reserve(slots: number): void {
    const known = this.numberOf.length;
    this.numberOf = grown(this.numberOf, slots, none);
    const { bits, words } = this;
    if (bits === null) return;
    const wider = (slots + 31) >> 5;
    if (4 * wider * slots <= this.mostBytes) {
      const next = new Uint32Array(wider * slots);
      for (let slot = 0; slot < known; slot++) next.set(bits.subarray(slot * words, (slot + 1) * words), slot * wider);
      this.bits = next;
      this.words = wider;
      return;
    }
    this.bits = null;
    for (let a = 0; a < known; a++)
      for (let b = 0; b < a; b++) if ((bits[a * words + (b >>> 5)]! & (1 << (b & 31))) !== 0) this.remember(a, b);
  }
}
