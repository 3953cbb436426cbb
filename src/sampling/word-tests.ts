// Many packets tested for many links at once: how often does the hash of a link agree, and how often not?
// Words y (link-hash.ts) of 32 packets are turned, so that bit n of slice j is bit j of packet n; the hash of a link for
// all 32 is the XOR of the slices of its number's bits. Links come in blocks of 32 numbers, as the ports of a switch do,
// which differ in their low 5 bits alone: packets are sorted by the low 5 bits of their words, so that one XOR of the
// high slices says of all packets of a group what the block's links have in common, and a Walsh-Hadamard transform of the
// 32 groups' sums tells its links apart. Where there are few packets or the links are scattered, the groups and the
// transform cost more than they save: then each link is a block of its own, and there is one group.
// Invariant: sums do not depend on how they were made. Memory: 100 kB.
// Source: Fino and Algazi, "Unified matrix treatment of the fast Walsh-Hadamard transform", IEEE Transactions on
// Computers C-25(11), 1976. Turning: H. Warren, Hacker's Delight, 2nd edition, section 7-3.

import { bitCount } from './link-hash.js';

/** packets that are tested together at most */
export const mostWords = 2048;
/** Bits of a packet behind those of y: the bit that it carries, and whether it met congestion. */
export const CARRIED = 1 << 30;
export const MET_CONGESTION = 1 << 31;

/** bits of a link's number within a block */
const blockBits = 5;
/** link numbers have at most five times this many bits */
const choiceGroups = 5;
/** sets of 32 packets: every group of a block may have one that is not full */
const mostSets = mostWords / 32 + (1 << blockBits);
/** what a transform and its links cost, in tests of one block with 32 packets */
const transformCost = 10;

/** Links that are tested together, ascending by sending port, which is the link's number less 1. */
export interface TestedLinks {
  readonly links: Int32Array;
  /** blocks of numbers that they are in */
  readonly blocks: number;
}

/** How many blocks of numbers links are in. @param links ascending */
export function blocksOf(links: Int32Array): number {
  let blocks = 0;
  let last = -1;
  for (const port of links) {
    const block = (port + 1) >> blockBits;
    if (block !== last) blocks++;
    last = block;
  }
  return blocks;
}

export class WordTests {
  /** by link that was tested: packets that agree less those that do not; all and, in the upper half, congested ones */
  sums = new Int32Array(256);
  private readonly words = new Int32Array(mostSets * 32);
  /** by group: how many packets, how many congested ones, and its first set */
  private readonly inGroup = new Int32Array(1 << blockBits);
  private readonly congestedInGroup = new Int32Array(1 << blockBits);
  private readonly firstSet = new Int32Array((1 << blockBits) + 1);
  private readonly nextPlace = new Int32Array(1 << blockBits);
  /** by five bits of a number and their value, then by set: the XOR of their slices; those of 0 stay 0 */
  private readonly choices = new Int32Array(choiceGroups * 32 * mostSets);
  /** by set: a bit for each packet */
  private readonly hashes = new Int32Array(mostSets);
  private readonly congested = new Int32Array(mostSets);
  private readonly present = new Int32Array(mostSets);
  /** of a block, by group */
  private readonly block = new Int32Array(1 << blockBits);
  private readonly usedGroups: number;

  /** @param links the largest link number, below 2^25 */
  constructor(links: number) {
    this.usedGroups = Math.max(1, Math.ceil((32 - Math.clz32(links)) / 5));
  }

  /**
   * Tests packets for links: `sums` has what came of it.
   * @param packets words y with {@link CARRIED} and {@link MET_CONGESTION}, `count` of them, at most {@link mostWords},
   * from a place on
   */
  run(packets: Int32Array, from: number, count: number, tested: TestedLinks): void {
    const { links, blocks } = tested;
    const plainCost = links.length * ((count + 31) >> 5);
    const groupedCost = blocks * (Math.min(count, (count >> 5) + (1 << (blockBits - 1))) + transformCost);
    const bits = groupedCost < plainCost ? blockBits : 0;
    if (links.length > this.sums.length) this.sums = new Int32Array(2 * links.length);
    this.sort(packets, from, count, bits);
    const sets = this.firstSet[1 << bits]!;
    for (let set = 0; set < sets; set++) this.turn(set, bits);
    this.countCongested(bits);
    for (let i = 0; i < links.length;) {
      const block = (links[i]! + 1) >> bits;
      this.testBlock(block << bits, bits);
      for (; i < links.length && (links[i]! + 1) >> bits === block; i++)
        this.sums[i] = this.block[(links[i]! + 1) & ((1 << bits) - 1)]!;
    }
  }

  /** Sorts packets by the low bits of their words, each group from the beginning of a set on. */
  private sort(packets: Int32Array, from: number, count: number, bits: number): void {
    const { words, inGroup, firstSet, nextPlace, present } = this;
    const groups = 1 << bits;
    inGroup.fill(0, 0, groups);
    for (let i = from; i < from + count; i++) inGroup[packets[i]! & (groups - 1)]!++;
    let sets = 0;
    for (let group = 0; group < groups; group++) {
      firstSet[group] = sets;
      nextPlace[group] = sets << 5;
      let rest = inGroup[group]!;
      for (; rest >= 32; rest -= 32) present[sets++] = -1;
      if (rest > 0) present[sets++] = -1 << (32 - rest);
      words.fill(0, nextPlace[group]! + inGroup[group]!, sets << 5);
    }
    firstSet[groups] = sets;
    for (let i = from; i < from + count; i++) {
      const word = packets[i]!;
      words[nextPlace[word & (groups - 1)]!++] = word;
    }
  }

  /** Turns the words of a set: bit j of packet n becomes bit 31 - n of slice j. Then all XORs of five slices each. */
  private turn(set: number, bits: number): void {
    const { words, choices } = this;
    const base = set << 5;
    for (let width = 16, mask = 0xffff; width !== 0; width >>= 1, mask ^= mask << width)
      for (let k = 0; k < 32; k = (k + width + 1) & ~width) {
        const at = base + k;
        const swapped = (words[at]! ^ (words[at + width]! >>> width)) & mask;
        words[at]! ^= swapped;
        words[at + width]! ^= swapped << width;
      }
    this.congested[set] = words[base]!;
    this.hashes[set] = words[base + 1]!;
    for (let group = bits / 5; group < this.usedGroups; group++)
      for (let bit = 0; bit < 5; bit++) {
        const slice = words[base + 31 - group * 5 - bit]!;
        const first = group << 5;
        for (let choice = 0; choice < 1 << bit; choice++)
          choices[(first + choice + (1 << bit)) * mostSets + set] = choices[(first + choice) * mostSets + set]! ^ slice;
      }
  }

  private countCongested(bits: number): void {
    const { congested, congestedInGroup, firstSet } = this;
    for (let group = 0; group < 1 << bits; group++) {
      let own = 0;
      for (let set = firstSet[group]!; set < firstSet[group + 1]!; set++) own += bitCount(congested[set]!);
      congestedInGroup[group] = own;
    }
  }

  /** Tests the packets for a block of links: `block` has the sums of each. @param first number of its first link */
  private testBlock(first: number, bits: number): void {
    const { choices, hashes, congested, present, firstSet, inGroup, congestedInGroup, block } = this;
    const a = bits === 0 ? (first & 31) * mostSets : 0;
    const b = (32 | ((first >> 5) & 31)) * mostSets;
    const c = (64 | ((first >> 10) & 31)) * mostSets;
    const d = (96 | ((first >> 15) & 31)) * mostSets;
    const e = (128 | ((first >> 20) & 31)) * mostSets;
    const isWide = this.usedGroups > 3;
    for (let group = 0; group < 1 << bits; group++) {
      let disagree = 0;
      let congestedDisagree = 0;
      const end = firstSet[group + 1]!;
      for (let set = firstSet[group]!; set < end; set++) {
        let differ = choices[a + set]! ^ choices[b + set]! ^ choices[c + set]! ^ hashes[set]!;
        if (isWide) differ ^= choices[d + set]! ^ choices[e + set]!;
        differ &= present[set]!;
        disagree += bitCount(differ);
        congestedDisagree += bitCount(differ & congested[set]!);
      }
      block[group] = packed(inGroup[group]! - 2 * disagree, congestedInGroup[group]! - 2 * congestedDisagree);
    }
    walshHadamard(block, 1 << bits);
  }
}

/** Two sums as one number, the second in the upper half: what adds such numbers adds both. */
function packed(all: number, congested: number): number {
  return (all + (congested << 16)) | 0;
}

/** Of packets whose hash agrees, less the others: all of them. @param sum of {@link WordTests.sums} */
export function agreement(sum: number): number {
  return (sum << 16) >> 16;
}

/** Of packets whose hash agrees, less the others: those that met congestion. @param sum of {@link WordTests.sums} */
export function congestedAgreement(sum: number): number {
  return (sum - agreement(sum)) >> 16;
}

/** The transform in place, modulo 2^32. @param length a power of two */
function walshHadamard(values: Int32Array, length: number): void {
  for (let step = 1; step < length; step <<= 1)
    for (let block = 0; block < length; block += step << 1)
      for (let at = block; at < block + step; at++) {
        const a = values[at]!;
        const b = values[at + step]!;
        values[at] = a + b;
        values[at + step] = a - b;
      }
}
