// Service levels of pairs on one leaf, chosen so that counters by lane tell exchanges apart. Ways of two links say least:
// four hosts of a leaf can exchange in three matchings of two pairs each, and two matchings are alike in all counters if
// every host sends on the same lane, and hears on the same lane, in both. Drawn levels leave many such, and one that a
// stencil meets costs whole percents. A local search changes level after level while fewer matchings are alike.
// Invariant: levels of other pairs are those that were drawn; the same seed gives the same levels.
// Looked at are four hosts a, a + k, b, b + k in the order of ranks: what shifts and stencils exchange.
// Not looked at: ways of more links, which differ in more lanes.

import type { FatTree } from '../fabric/fat-tree.js';
import { madeHere, type LaneMap } from '../routing/lane-maps.js';
import type { ServiceLevels } from '../routing/service-levels.js';

/** Rounds over all pairs of a leaf, unless nothing changes before. */
const mostRounds = 8;

export class SeparatedLevels implements ServiceLevels {
  readonly count: number;
  /** levels by place of source x hosts of the leaf + place of destination, by leaf */
  private readonly ofLeaf = new Map<number, Uint8Array>();
  private readonly placeOf: Int32Array;

  /** @param drawn levels to begin with @param map lanes that levels have between ports */
  constructor(
    private readonly tree: FatTree,
    private readonly drawn: ServiceLevels,
    map: LaneMap,
  ) {
    this.count = drawn.count;
    const { fabric, hostLeaf } = tree;
    this.placeOf = new Int32Array(hostLeaf.length);
    const hostsOf = new Map<number, number[]>();
    hostLeaf.forEach((leaf, rank) => {
      const own = hostsOf.get(leaf) ?? [];
      this.placeOf[rank] = own.push(fabric.hosts[rank]!) - 1;
      hostsOf.set(leaf, own);
    });
    for (const [leaf, hosts] of hostsOf) this.ofLeaf.set(leaf, new Leaf(hosts, tree, drawn, map).search());
  }

  of(source: number, destination: number): number {
    const { hostRank, hostLeaf } = this.tree;
    const [from, to] = [hostRank[source]!, hostRank[destination]!];
    if (from === -1 || to === -1 || hostLeaf[from] !== hostLeaf[to]) return this.drawn.of(source, destination);
    const levels = this.ofLeaf.get(hostLeaf[from]!)!;
    return levels[this.placeOf[from]! * Math.sqrt(levels.length) + this.placeOf[to]!]!;
  }
}

/** The hosts of a leaf, and the lanes on which they send to and hear from each other. */
class Leaf {
  private readonly size: number;
  private readonly levels: Uint8Array;
  /** lanes of a pair as they are now, send x 16 + hear, and those of each of its levels */
  private readonly lanes: Uint8Array;
  private readonly lanesOf: Uint8Array;

  constructor(hosts: readonly number[], { fabric }: FatTree, drawn: ServiceLevels, map: LaneMap) {
    const { portOffset, portPeer } = fabric;
    const size = (this.size = hosts.length);
    this.levels = new Uint8Array(size * size);
    this.lanes = new Uint8Array(size * size);
    this.lanesOf = new Uint8Array(size * size * drawn.count);
    for (let from = 0; from < size; from++)
      for (let to = 0; to < size; to++) {
        if (from === to) continue;
        const [source, destination] = [hosts[from]!, hosts[to]!];
        const [out, end] = [portOffset[source]!, portPeer[portOffset[destination]!]!];
        const pair = from * size + to;
        for (let level = 0; level < drawn.count; level++)
          this.lanesOf[pair * drawn.count + level] =
            map.lane(level, source, destination, madeHere, out) * 16 +
            map.lane(level, source, destination, portPeer[out]!, end);
        this.take(pair, drawn.of(source, destination));
      }
  }

  /** Changes levels one by one while fewer matchings are alike. @returns the levels */
  search(): Uint8Array {
    const { size, levels } = this;
    const count = this.lanesOf.length / levels.length;
    for (let round = 0, changed = true; round < mostRounds && changed; round++) {
      changed = false;
      for (let from = 0; from < size; from++)
        for (let to = 0; to < size; to++) {
          if (from === to) continue;
          const pair = from * size + to;
          let best = levels[pair]!;
          let least = this.alike(from, to);
          for (let level = 0; least > 0 && level < count; level++) {
            if (level === levels[pair]) continue;
            const before = levels[pair]!;
            this.take(pair, level);
            const own = this.alike(from, to);
            this.take(pair, before);
            if (own < least) [best, least] = [level, own];
          }
          if (best === levels[pair]) continue;
          this.take(pair, best);
          changed = true;
        }
    }
    return levels;
  }

  private take(pair: number, level: number): void {
    this.levels[pair] = level;
    this.lanes[pair] = this.lanesOf[(pair * this.lanesOf.length) / this.levels.length + level]!;
  }

  /** How many pairs of matchings with this pair are alike, of all four hosts that are looked at. */
  private alike(from: number, to: number): number {
    const { size } = this;
    let count = 0;
    for (let third = 0; third < size; third++) {
      if (third === from || third === to) continue;
      // from, to, third and the one that makes a parallelogram of them: in three ways
      const [one, two, three] = [to + third - from, from + third - to, from + to - third];
      if (one >= 0 && one < size && one !== from && one !== to) count += this.alikeIn(from, to, third, one);
      if (two >= 0 && two < size && two !== from && two !== to) count += this.alikeIn(from, to, third, two);
      if (three >= 0 && three < size && three !== third && three > third) count += this.alikeIn(from, to, third, three);
    }
    return count;
  }

  /** The same of four hosts. */
  private alikeIn(from: number, to: number, third: number, fourth: number): number {
    return this.isSame(from, to, third, fourth) + this.isSame(from, to, fourth, third);
  }

  /** 1 if the exchanges a with b and c with d are alike, in all counters, to a with c and b with d. */
  private isSame(a: number, b: number, c: number, d: number): number {
    return this.isSameAt(a, b, c) && this.isSameAt(b, a, d) && this.isSameAt(c, d, a) && this.isSameAt(d, c, b) ? 1 : 0;
  }

  /** Whether a host sends to two others on one lane, and hears from them on one. */
  private isSameAt(host: number, one: number, other: number): boolean {
    const { lanes, size } = this;
    const sends = lanes[host * size + one]! >> 4 === lanes[host * size + other]! >> 4;
    return sends && (lanes[one * size + host]! & 15) === (lanes[other * size + host]! & 15);
  }
}
