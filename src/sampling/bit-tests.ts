// The receiving end of the one-bit variant: for every link that a packet may have taken, does its hash agree?
// Packets of the same links, weight and kind are collected until there are 128 and tested together: the words y
// (link-hash.ts) of 32 are turned, so that bit n of slice j is bit j of packet n, and the hashes of a link for all 32 are
// the XOR of the slices of its number's bits. So a test costs a packet less than one operation, not a multiplication.
// Links of the two hosts are known by their own and tested one packet at a time: mostly one each.
// What arrives is noted first and sorted in by the thousand: packets of a large fabric have nothing in common that a
// cache would keep, and a loop over many of them waits for several at once.
// What is the same for all links of a batch, how many were tested, is added to them once, at `flush`.
// Invariant: after `flush` every packet has been tested for every link that it may have taken by the routes in force when it
// arrived; the sums do not depend on how packets were collected. Memory: at most `mostBatches` batches of some 600 bytes; with more pairs under way all are tested early.
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithm 6.

import { grown } from '../base/columns.js';
import type { Fabric } from '../fabric/fabric.js';
import { bitCount, parity } from './link-hash.js';
import { type LinkTallies, Tally } from './link-tallies.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { PossibleLinks } from './possible-links.js';

const mostBatches = 1 << 16;
/** a batch is up to 4 sets of 32 packets */
const setsShift = 2;
const sets = 1 << setsShift;
const batchShift = 5 + setsShift;
const batchSize = 1 << batchShift;
/** packets that are noted before they are sorted in; words of each, the last of which has its hop count and two bits */
const mostNotes = 1024;
const noteShift = 3;
const HASH = 1 << 16;
const CONGESTED = 1 << 17;
const hopMask = 0xffff;
/** link numbers have at most this many bits */
const sliceBits = 25;

const sumsOfSet = (sliceBits / 5) * 32;

export class BitTests {
  /** by label: batch of a pair and a weight */
  private readonly batchOf: (Map<number, number> | undefined)[] = [];
  private readonly links: Int32Array[] = [];
  private labels = new Int32Array(256);
  private weight = new Float64Array(256);
  private count = new Uint8Array(256);
  /** by batch: packets that were tested for its links, and those among them that met congestion */
  private tested = new Float64Array(256);
  private congestedTested = new Float64Array(256);
  /** by queue pair: the batch of its last packet, its label, and its nodes and hop count as one number */
  private lastKey = new Float64Array(256).fill(-1);
  private lastBatch = new Int32Array(256);
  private lastLabel = new Int32Array(256);
  private readonly isWide: boolean;
  /** by batch and set: a bit for each packet */
  private hashes = new Int32Array(256 * sets);
  private congested = new Int32Array(256 * sets);
  private words = new Uint32Array(256 * batchSize);
  private readonly notes = new Int32Array(mostNotes << noteShift);
  private noted = 0;
  /** by the routes that were in force when the packets came that are noted or in batches */
  private readonly possible: PossibleLinks;
  private readonly slices = new Int32Array(sliceBits);
  /** by set: XORs of five slices each; a bit for each packet */
  private readonly sums = new Int32Array(sumsOfSet * sets);
  private readonly present = new Int32Array(sets);

  /** @param routes those in force now @param weights hop counts are below it, and that is below 65,536 @param weightOfHop what a hop weighs */
  constructor(
    private readonly fabric: Fabric,
    private readonly routes: () => EqualCostRoutes,
    private readonly tallies: LinkTallies,
    private readonly weights: number,
    private readonly weightOfHop: number,
  ) {
    this.possible = new PossibleLinks(routes());
    this.isWide = fabric.portCount >= 1 << 15;
  }

  /**
   * A packet has arrived.
   * @param pair its queue pair, which has one source and destination at a time @param word y of its identifier
   * @param hash the bit that it carries @param hops its hop count @param label of its kind of traffic
   */
  add(
    pair: number,
    source: number,
    destination: number,
    word: number,
    hash: number,
    hops: number,
    isCongested: boolean,
    label: number,
  ): void {
    const routes = this.routes();
    if (routes !== this.possible.routes) {
      this.flush();
      this.possible.follow(routes);
    } else if (this.noted === mostNotes) this.sortIn();
    const { notes } = this;
    const at = this.noted++ << noteShift;
    notes[at] = pair;
    notes[at + 1] = source;
    notes[at + 2] = destination;
    notes[at + 3] = word;
    notes[at + 4] = label;
    notes[at + 5] = hops | (hash === 1 ? HASH : 0) | (isCongested ? CONGESTED : 0);
  }

  /** Puts the packets that were noted into their batches, and tests the links of their hosts. */
  private sortIn(): void {
    const { notes, noted } = this;
    this.noted = 0;
    for (let at = 0; at < noted << noteShift; at += 1 << noteShift)
      this.collect(notes[at]!, notes[at + 1]!, notes[at + 2]!, notes[at + 3]!, notes[at + 4]!, notes[at + 5]!);
  }

  private collect(pair: number, source: number, destination: number, word: number, label: number, state: number): void {
    const { portOffset, portPeer } = this.fabric;
    const hash = (state & HASH) === 0 ? 0 : 1;
    const isCongested = (state & CONGESTED) !== 0;
    const hops = state & hopMask;
    const weight = hops * this.weightOfHop;
    for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++)
      this.testOne(label, port, word, hash, weight, isCongested);
    for (let port = portOffset[destination]!; port < portOffset[destination + 1]!; port++)
      this.testOne(label, portPeer[port]!, word, hash, weight, isCongested);
    const batch = this.batchFor(pair, source, destination, hops, weight, label);
    const n = this.count[batch]!;
    this.words[(batch << batchShift) + n] = word;
    const set = (batch << setsShift) + (n >> 5);
    if (hash === 1) this.hashes[set]! |= 1 << (n & 31);
    if (isCongested) this.congested[set]! |= 1 << (n & 31);
    this.count[batch] = n + 1;
    if (n === batchSize - 1) this.test(batch);
  }

  /** Tests all that has arrived, and forgets who sends to whom. */
  flush(): void {
    this.sortIn();
    this.testAll();
  }

  /** Tests what is in batches, and forgets who sends to whom. */
  private testAll(): void {
    for (let batch = 0; batch < this.links.length; batch++) {
      if (this.count[batch]! > 0) this.test(batch);
      for (const port of this.links[batch]!)
        this.tallies.count(
          this.labels[batch]!,
          port,
          this.weight[batch]!,
          this.tested[batch]!,
          this.congestedTested[batch]!,
        );
    }
    this.lastKey.fill(-1);
    this.batchOf.length = 0;
    this.links.length = 0;
  }

  /** The batch of a packet, opened if there is none. */
  private batchFor(
    pair: number,
    source: number,
    destination: number,
    hops: number,
    weight: number,
    label: number,
  ): number {
    if (pair >= this.lastKey.length) {
      const capacity = Math.max(2 * this.lastKey.length, pair + 1);
      this.lastKey = grown(this.lastKey, capacity, -1);
      this.lastBatch = grown(this.lastBatch, capacity);
      this.lastLabel = grown(this.lastLabel, capacity);
    }
    const nodes = source * this.fabric.nodeCount + destination;
    const pairKey = nodes * this.weights + hops;
    if (this.lastKey[pair] === pairKey && this.lastLabel[pair] === label) return this.lastBatch[pair]!;
    const key = this.possible.pairOf(source, destination) * this.weights + hops;
    const known = (this.batchOf[label] ??= new Map()).get(key);
    const batch = known ?? this.open(label, key, this.possible.between(source, destination), weight);
    this.lastKey[pair] = pairKey;
    this.lastLabel[pair] = label;
    return (this.lastBatch[pair] = batch);
  }

  private open(label: number, key: number, links: Int32Array, weight: number): number {
    if (this.links.length === mostBatches) this.testAll();
    const batch = this.links.length;
    if (batch === this.count.length) {
      this.labels = grown(this.labels, 2 * batch);
      this.weight = grown(this.weight, 2 * batch);
      this.count = grown(this.count, 2 * batch);
      this.tested = grown(this.tested, 2 * batch);
      this.congestedTested = grown(this.congestedTested, 2 * batch);
      this.hashes = grown(this.hashes, 2 * batch * sets);
      this.congested = grown(this.congested, 2 * batch * sets);
      this.words = grown(this.words, 2 * batch * batchSize);
    }
    (this.batchOf[label] ??= new Map()).set(key, batch);
    this.links.push(links);
    this.tested[batch] = this.congestedTested[batch] = 0;
    // so that no cell is opened while a batch is tested
    for (const port of links) this.tallies.cellOf(label, port);
    this.labels[batch] = label;
    this.weight[batch] = weight;
    return batch;
  }

  private test(batch: number): void {
    const { sums, present, tallies, hashes, congested } = this;
    const count = this.count[batch]!;
    const weight = this.weight[batch]!;
    const links = this.links[batch]!;
    const label = this.labels[batch]!;
    const first = batch << setsShift;
    const used = (count + 31) >> 5;
    let congestedTested = 0;
    for (let set = 0; set < used; set++) {
      const inSet = Math.min(32, count - (set << 5));
      present[set] = inSet === 32 ? -1 : (1 << inSet) - 1;
      this.turn((batch << batchShift) + (set << 5), inSet, set * sumsOfSet);
      congestedTested += bitCount(congested[first + set]!);
    }
    this.tested[batch]! += count;
    this.congestedTested[batch]! += congestedTested;
    const { values } = tallies;
    for (let i = 0; i < links.length; i++) {
      const port = links[i]!;
      const link = port + 1;
      let disagree = 0;
      let congestedDisagree = 0;
      for (let set = 0, at = 0; set < used; set++, at += sumsOfSet) {
        let own = sums[at + (link & 31)]! ^ sums[at + (32 | ((link >>> 5) & 31))]!;
        own ^= sums[at + (64 | ((link >>> 10) & 31))]!;
        if (this.isWide) own ^= sums[at + (96 | ((link >>> 15) & 31))]! ^ sums[at + (128 | ((link >>> 20) & 31))]!;
        const differ = (own ^ hashes[first + set]!) & present[set]!;
        disagree += bitCount(differ);
        congestedDisagree += bitCount(differ & congested[first + set]!);
      }
      const cell = tallies.cellOf(label, port);
      values[cell + Tally.traffic]! += weight * (count - 2 * disagree);
      values[cell + Tally.congested]! += weight * (congestedTested - 2 * congestedDisagree);
    }
    this.count[batch] = 0;
    hashes.fill(0, first, first + sets);
    congested.fill(0, first, first + sets);
  }

  private testOne(label: number, port: number, word: number, hash: number, weight: number, isCongested: boolean): void {
    this.tallies.test(label, port, weight, parity(word & (port + 1)) === hash ? 1 : -1, isCongested);
  }

  /**
   * Bit j of packet n becomes bit n of slice j; then the XORs of all choices among five slices.
   * @param from place of the first of the packets @param sumsAt place of their XORs
   */
  private turn(from: number, count: number, sumsAt: number): void {
    const { slices, sums, words } = this;
    slices.fill(0);
    for (let n = 0; n < count; n++)
      for (let rest = words[from + n]!; rest !== 0; rest &= rest - 1) slices[31 - Math.clz32(rest & -rest)]! |= 1 << n;
    for (let group = 0; group < sliceBits / 5; group++) {
      const at = sumsAt + (group << 5);
      for (let choice = 1; choice < 32; choice++) {
        const lowest = choice & -choice;
        sums[at + choice] = sums[at + choice - lowest]! ^ slices[group * 5 + 31 - Math.clz32(lowest)]!;
      }
    }
  }
}
