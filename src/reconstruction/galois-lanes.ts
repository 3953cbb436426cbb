// Lanes of pairs by finite fields, so that two ways of a fat tree are alike in as few links and lanes as can be: on five
// lanes in at most 4 of 6 links, 2 of 4, 1 of 2, if tables are ftree's. No switch can do it, for it does not look at
// sources; it shows what lanes could bring.
// Source: Taffet's dissertation (docs/SOURCES.md), 4.4.3. The last five lanes of a way of six links from s to d are the
// digits of a_d x alpha^s + b_d in GF(5^5), the last three of one of four links those in GF(5^3), with a_d (not 0) and
// b_d drawn for d and alpha a primitive element. The first lanes of ways of four links that have their first three
// links in common differ.
// Invariant: pair of hosts and place on the way alone decide the lane.

import type { FatTree } from '../fabric/fat-tree.js';
import { RandomStream } from '../base/random.js';
import { ecmpHash } from '../routing/ecmp-hash.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import type { LaneMap } from '../routing/lane-maps.js';

/** Lanes, which are the digits of elements; the fields need a prime. */
export const galoisLanes = 5;

/** The powers of a primitive element of a field of 5^n elements, whose digits are lanes. */
export class GaloisField {
  /** elements but for 0 */
  readonly order: number;
  /** alpha^k as n digits, one after the other */
  readonly powers: Uint8Array;

  /** @param reduced digits of alpha^n, which the primitive polynomial of the field says */
  constructor(readonly reduced: readonly number[]) {
    const { length } = reduced;
    this.order = 1;
    for (let i = 0; i < length; i++) this.order *= galoisLanes;
    this.order--;
    this.powers = new Uint8Array(this.order * length);
    const element: number[] = reduced.map((_, i) => (i === 0 ? 1 : 0));
    for (let k = 0; k < this.order; k++) {
      this.powers.set(element, k * length);
      const carry = element.pop()!;
      element.unshift(0);
      for (let i = 0; i < length; i++) element[i] = (element[i]! + carry * reduced[i]!) % galoisLanes;
    }
  }

  /** A digit of alpha^(a + s) + b. @param b digits of which are those of its number to the base 5 */
  digit(place: number, a: number, s: number, b: number): number {
    let shifted = b;
    for (let i = 0; i < place; i++) shifted = Math.floor(shifted / galoisLanes);
    const power = this.powers[((a + s) % this.order) * this.reduced.length + place]!;
    return (power + shifted) % galoisLanes;
  }
}

/** x^5 = x + 2, and x^3 = 2 x + 2: of the Conway polynomials x^5 + 4 x + 3 and x^3 + 3 x + 3, which are primitive. */
export const fieldOfFive = new GaloisField([2, 1, 0, 0, 0]);
export const fieldOfThree = new GaloisField([2, 2, 0]);

export class GaloisLanes implements LaneMap {
  readonly count = galoisLanes;
  readonly isSteady = false;
  private readonly seed: number;
  /** ranks of the hosts of each leaf, by its node */
  private readonly ofLeaf = new Map<number, number[]>();

  /** @param tables whose ways are to differ @param seed of what is drawn */
  constructor(
    private readonly tree: FatTree,
    private readonly tables: ForwardingTables,
    seed: number,
  ) {
    this.seed = new RandomStream(seed, 'galois lanes').nextUint32();
    tree.hostLeaf.forEach((leaf, rank) => {
      const own = this.ofLeaf.get(leaf);
      if (own === undefined) this.ofLeaf.set(leaf, [rank]);
      else own.push(rank);
    });
  }

  lane(_level: number, source: number, destination: number, inPort: number, outPort: number): number {
    const { tree, seed } = this;
    const { hostRank, hostLeaf, podOf, nodeLevel, fabric } = tree;
    const [from, to] = [hostRank[source]!, hostRank[destination]!];
    const [leaf, lastLeaf] = [hostLeaf[from]!, hostLeaf[to]!];
    const isShort = podOf[leaf] === podOf[lastLeaf];
    if (leaf === lastLeaf) return ecmpHash(source, destination, outPort, seed) % galoisLanes;
    if (inPort === -1)
      return isShort
        ? this.firstLane(source, destination, leaf, lastLeaf)
        : ecmpHash(source, destination, 0, seed) % galoisLanes;
    const node = fabric.portNode[outPort]!;
    const isUp = nodeLevel[fabric.portNeighbour[outPort]!]! > nodeLevel[node]!;
    const level = nodeLevel[node]!;
    const field = isShort ? fieldOfThree : fieldOfFive;
    const last = field.reduced.length - 1;
    const place = Math.min(isUp ? level : last - level, last);
    const [a, b] = [ecmpHash(destination, 1, last, seed), ecmpHash(destination, 2, last, seed)];
    return field.digit(place, a % field.order, from % field.order, b % (field.order + 1));
  }

  /** The lane of the first link of a way of four: a permutation of lanes for its first three, in turn by destination. */
  private firstLane(source: number, destination: number, leaf: number, lastLeaf: number): number {
    const { tree, tables, seed } = this;
    const { fabric, hostRank } = tree;
    const up = tables.port(leaf, destination);
    const spine = up === -1 ? -1 : fabric.portNeighbour[up]!;
    const down = spine === -1 || tables.rowOf[spine] === -1 ? -1 : tables.port(spine, destination);
    let turn = 0;
    for (const rank of this.ofLeaf.get(lastLeaf)!) {
      if (rank >= hostRank[destination]!) break;
      const other = fabric.hosts[rank]!;
      if (tables.port(leaf, other) === up && down !== -1 && tables.port(spine, other) === down) turn++;
    }
    return permuted(turn % galoisLanes, ecmpHash(source, up, down, seed) % 120);
  }
}

/** Where a permutation of five puts a place. @param number of the permutation, below 120 */
function permuted(place: number, number: number): number {
  const left = [0, 1, 2, 3, 4];
  let rest = number;
  for (let i = 0; ; i++) {
    const pick = rest % left.length;
    rest = Math.floor(rest / left.length);
    const [own] = left.splice(pick, 1);
    if (i === place) return own!;
  }
}
