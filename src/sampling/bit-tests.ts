// The receiving end of the one-bit variant: for every link that a packet may have taken, does its hash agree?
// Packets of the same links, weight and kind are collected until there are 32 and tested together: their words y
// (link-hash.ts) are turned, so that bit n of slice j is bit j of packet n, and the hashes of a link for all 32 are the
// XOR of the slices of its number's bits. So a test costs a packet less than one operation, not a multiplication.
// Links of the two hosts are known by their own and tested one packet at a time: mostly one each.
// What is the same for all links of a batch, how many were tested, is added to them once, at `flush`.
// Invariant: after `flush` every packet has been tested for every link; the sums do not depend on how packets were
// collected. Memory: at most `mostBatches` batches of some 200 bytes; with more pairs under way all are tested early.
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithm 6.

import { grown } from '../base/columns.js';
import type { Fabric } from '../fabric/fabric.js';
import { bitCount, parity } from './link-hash.js';
import { type LinkTallies, Tally } from './link-tallies.js';
import type { PossibleLinks } from './possible-links.js';

const mostBatches = 1 << 16;
/** link numbers have at most this many bits */
const sliceBits = 25;

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
  private hashes = new Int32Array(256);
  private congested = new Int32Array(256);
  private words = new Uint32Array(256 * 32);
  private readonly slices = new Int32Array(sliceBits);
  /** XORs of five slices each */
  private readonly sums = new Int32Array((sliceBits / 5) * 32);

  /** @param weights hop counts are below it */
  constructor(
    private readonly fabric: Fabric,
    private readonly possible: PossibleLinks,
    private readonly tallies: LinkTallies,
    private readonly weights: number,
  ) {
    this.isWide = fabric.portCount >= 1 << 15;
  }

  /**
   * A packet has arrived.
   * @param pair its queue pair, which has one source and destination at a time @param word y of its identifier @param hash the bit that it carries @param hops its hop count @param weight
   * the same x `every` @param label of its kind of traffic
   */
  add(
    pair: number,
    source: number,
    destination: number,
    word: number,
    hash: number,
    hops: number,
    weight: number,
    isCongested: boolean,
    label: number,
  ): void {
    const { portOffset, portPeer } = this.fabric;
    for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++)
      this.testOne(label, port, word, hash, weight, isCongested);
    for (let port = portOffset[destination]!; port < portOffset[destination + 1]!; port++)
      this.testOne(label, portPeer[port]!, word, hash, weight, isCongested);
    const batch = this.batchFor(pair, source, destination, hops, weight, label);
    const n = this.count[batch]!;
    this.words[(batch << 5) + n] = word;
    if (hash === 1) this.hashes[batch]! |= 1 << n;
    if (isCongested) this.congested[batch]! |= 1 << n;
    this.count[batch] = n + 1;
    if (n === 31) this.test(batch);
  }

  /** Tests what has been collected, and forgets who sends to whom. */
  flush(): void {
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
    if (this.links.length === mostBatches) this.flush();
    const batch = this.links.length;
    if (batch === this.count.length) {
      this.labels = grown(this.labels, 2 * batch);
      this.weight = grown(this.weight, 2 * batch);
      this.count = grown(this.count, 2 * batch);
      this.tested = grown(this.tested, 2 * batch);
      this.congestedTested = grown(this.congestedTested, 2 * batch);
      this.hashes = grown(this.hashes, 2 * batch);
      this.congested = grown(this.congested, 2 * batch);
      this.words = grown(this.words, 64 * batch);
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
    const count = this.count[batch]!;
    const hashes = this.hashes[batch]!;
    const congested = this.congested[batch]!;
    const weight = this.weight[batch]!;
    const links = this.links[batch]!;
    const label = this.labels[batch]!;
    this.count[batch] = this.hashes[batch] = this.congested[batch] = 0;
    this.turn(batch, count);
    const { sums, tallies } = this;
    const all = count === 32 ? -1 : (1 << count) - 1;
    const congestedTested = bitCount(congested);
    this.tested[batch]! += count;
    this.congestedTested[batch]! += congestedTested;
    const { values } = tallies;
    for (let i = 0; i < links.length; i++) {
      const port = links[i]!;
      const link = port + 1;
      let own = sums[link & 31]! ^ sums[32 | ((link >>> 5) & 31)]! ^ sums[64 | ((link >>> 10) & 31)]!;
      if (this.isWide) own ^= sums[96 | ((link >>> 15) & 31)]! ^ sums[128 | ((link >>> 20) & 31)]!;
      const disagree = (own ^ hashes) & all;
      const cell = tallies.cellOf(label, port);
      values[cell + Tally.traffic]! += weight * (count - 2 * bitCount(disagree));
      if (congestedTested > 0)
        values[cell + Tally.congested]! += weight * (congestedTested - 2 * bitCount(disagree & congested));
    }
  }

  private testOne(label: number, port: number, word: number, hash: number, weight: number, isCongested: boolean): void {
    this.tallies.test(label, port, weight, parity(word & (port + 1)) === hash ? 1 : -1, isCongested);
  }

  /** Bit j of packet n becomes bit n of slice j; then the XORs of all choices among five slices. */
  private turn(batch: number, count: number): void {
    const { slices, sums, words } = this;
    slices.fill(0);
    for (let n = 0; n < count; n++)
      for (let rest = words[(batch << 5) + n]!; rest !== 0; rest &= rest - 1)
        slices[31 - Math.clz32(rest & -rest)]! |= 1 << n;
    for (let group = 0; group < sliceBits / 5; group++) {
      const at = group << 5;
      for (let choice = 1; choice < 32; choice++) {
        const lowest = choice & -choice;
        sums[at + choice] = sums[at + choice - lowest]! ^ slices[group * 5 + 31 - Math.clz32(lowest)]!;
      }
    }
  }
}
