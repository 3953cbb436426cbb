// Which leaf switches have an up-down way between them: up to some switch that stands above both, then down. A tree
// with missing links may hang together and still have leaves without one; no up-down routes can join these.
// Invariant: leaves are counted from 0 in the order of tree.switches[0]; links lead both ways, so reach is symmetric;
// it holds exactly where MinimalPorts has a distance from one leaf to the other.

import { unreachablePair } from '../fabric/connectivity.js';
import { irregularity, type FatTree } from '../fabric/fat-tree.js';

export class UpDownReach {
  /** 1 where there is a way; by leaf x leafCount + leaf. null = everywhere */
  private readonly joined: Uint8Array | null;
  private readonly leafCount: number;

  private constructor(tree: FatTree) {
    this.leafCount = tree.switches[0]!.length;
    // what is no tree is routed over any ways, and hangs together
    this.joined = !tree.isTree || isWhole(tree) ? null : partedLeaves(tree);
  }

  private static readonly known = new WeakMap<FatTree, UpDownReach>();

  /** The reach of a tree; worked out once. Time for a tree with holes: leaves squared times switches above, over 32 */
  static of(tree: FatTree): UpDownReach {
    let reach = UpDownReach.known.get(tree);
    if (reach === undefined) UpDownReach.known.set(tree, (reach = new UpDownReach(tree)));
    return reach;
  }

  /** Whether every leaf has a way to every other. */
  get complete(): boolean {
    return this.joined === null || !this.joined.includes(0);
  }

  /** Pairs of leaves, without regard to order, that have no way to each other. */
  get partedPairs(): number {
    return this.joined === null ? 0 : this.joined.reduce((count, own) => count + (own === 0 ? 1 : 0), 0) / 2;
  }

  /** Whether there is a way from one leaf to another; from a leaf to itself there is. */
  joins(from: number, to: number): boolean {
    return this.joined === null || this.joined[from * this.leafCount + to] === 1;
  }
}

/** Whether the tree hangs together and is as its kind is whole: then every leaf reaches every other. */
function isWhole(tree: FatTree): boolean {
  return irregularity(tree) === null && unreachablePair(tree.fabric) === null;
}

/** Of every switch the switches that can be come to by going up alone, itself among them but for leaves, as bits. */
export class UpwardSets {
  private readonly bits: Uint32Array;
  private readonly words: number;
  /** words that are not 0, ascending; by node, nodeCount + 1 offsets: those above the leaves have few */
  private readonly offset: Int32Array;
  private readonly filled: Int32Array;

  constructor({ fabric, nodeLevel, switches }: FatTree) {
    const { portOffset, nodeCount, portNeighbour } = fabric;
    const place = new Int32Array(nodeCount).fill(-1);
    let above = 0;
    for (const level of switches.slice(1)) for (const node of level) place[node] = above++;
    const words = (above + 31) >>> 5;
    const bits = new Uint32Array(nodeCount * words);
    for (let level = switches.length - 1; level >= 0; level--) {
      for (const node of switches[level]!) {
        const own = place[node]!;
        if (own !== -1) bits[node * words + (own >>> 5)]! |= 1 << (own & 31);
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNeighbour[port]!;
          if (nodeLevel[peer] !== level + 1) continue;
          for (let word = 0; word < words; word++) bits[node * words + word]! |= bits[peer * words + word]!;
        }
      }
    }
    this.bits = bits;
    this.words = words;
    this.offset = new Int32Array(nodeCount + 1);
    const filled: number[] = [];
    for (let node = 0; node < nodeCount; node++) {
      for (let word = 0; word < words; word++) if (bits[node * words + word] !== 0) filled.push(word);
      this.offset[node + 1] = filled.length;
    }
    this.filled = Int32Array.from(filled);
  }

  /** Whether one switch stands above all of some leaves: then each has a way to every other. */
  allMeet(leaves: Int32Array): boolean {
    const { bits, words } = this;
    for (let word = 0; word < words; word++)
      if (leaves.reduce((common, leaf) => common & bits[leaf * words + word]!, -1) !== 0) return true;
    return false;
  }

  /** Whether an up-down way leads from one switch to another. At most a step for 32 switches above the leaves. */
  meet(a: number, b: number): boolean {
    if (a === b) return true;
    const { bits, words, offset, filled } = this;
    const [fewer, more] = offset[a + 1]! - offset[a]! < offset[b + 1]! - offset[b]! ? [a, b] : [b, a];
    // the highest level comes last, and most switches meet there
    for (let at = offset[fewer + 1]! - 1; at >= offset[fewer]!; at--) {
      const word = filled[at]!;
      if ((bits[fewer * words + word]! & bits[more * words + word]!) !== 0) return true;
    }
    return false;
  }
}

/** Which leaves have a way to which; null if all have one to all. */
function partedLeaves(tree: FatTree): Uint8Array | null {
  const sets = new UpwardSets(tree);
  const leaves = tree.switches[0]!;
  if (sets.allMeet(leaves)) return null;
  const joined = new Uint8Array(leaves.length * leaves.length);
  for (let a = 0; a < leaves.length; a++) {
    for (let b = 0; b <= a; b++) {
      if (!sets.meet(leaves[a]!, leaves[b]!)) continue;
      joined[a * leaves.length + b] = 1;
      joined[b * leaves.length + a] = 1;
    }
  }
  return joined;
}
