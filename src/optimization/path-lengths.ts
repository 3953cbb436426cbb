// How long the ways of tables are: switches that packets pass from each switch with hosts to each host, beside the
// fewest that links allow.
// Invariant: counted over ways that lead; a host on the same switch is one switch away.

import type { FatTree } from '../fabric/fat-tree.js';

/** Lengths of ways, over pairs (switch with hosts, LID of a host). */
export interface PathLengths {
  readonly averageSwitches: number;
  readonly mostSwitches: number;
  /** pairs whose way passes more switches than links would need, and by how many the longest does */
  readonly longerPairs: number;
  readonly mostLonger: number;
}

/** Lengths of the ways to one host after the other. */
export class PathLengthCount {
  /** switches with hosts */
  private readonly leaves: Int32Array;
  /** place among those, by node */
  private readonly placeOf: Int32Array;
  /** fewest switches between two of those, 0 where links join them not */
  private readonly fewest: Uint16Array;
  private pairs = 0;
  private sum = 0;
  private mostSwitches = 0;
  private longerPairs = 0;
  private mostLonger = 0;

  constructor(private readonly tree: FatTree) {
    this.leaves = Int32Array.from(new Set(tree.hostLeaf));
    this.placeOf = new Int32Array(tree.fabric.nodeCount).fill(-1);
    this.leaves.forEach((node, place) => {
      this.placeOf[node] = place;
    });
    this.fewest = fewestSwitches(tree, this.leaves, this.placeOf);
  }

  /**
   * Takes the ways to some hosts.
   * @param length switches to each by row x `held` + place among the destinations, 0 where tables do not lead there
   * @param rowOf row by node
   */
  add(destinations: Int32Array, length: Uint16Array, held: number, rowOf: Int32Array): void {
    const { leaves, fewest, tree } = this;
    const first = destinations.map((node) => this.placeOf[tree.hostLeaf[tree.hostRank[node]!]!]! * leaves.length);
    for (let place = 0; place < leaves.length; place++) {
      const row = rowOf[leaves[place]!]! * held;
      for (let i = 0; i < first.length; i++) {
        const own = length[row + i]!;
        if (own === 0) continue;
        const longer = own - fewest[first[i]! + place]!;
        this.pairs++;
        this.sum += own;
        if (own > this.mostSwitches) this.mostSwitches = own;
        if (longer > 0) this.longerPairs++;
        if (longer > this.mostLonger) this.mostLonger = longer;
      }
    }
  }

  get lengths(): PathLengths {
    const { pairs, sum, mostSwitches, longerPairs, mostLonger } = this;
    return { averageSwitches: pairs === 0 ? 0 : sum / pairs, mostSwitches, longerPairs, mostLonger };
  }
}

/**
 * The fewest switches on ways between switches, over all links, both ends among them: a search in breadth from all at
 * once, 32 of them in each word (M. Then and others, "The More the Merrier: Efficient Multi-Source Graph Traversal",
 * VLDB 8(4), 2014). Links times switches / 32, for each switch of the longest way.
 */
function fewestSwitches({ fabric, hostRank }: FatTree, ends: Int32Array, placeOf: Int32Array): Uint16Array {
  const { nodeCount, portOffset, portNeighbour } = fabric;
  const words = Math.ceil(ends.length / 32);
  const fewest = new Uint16Array(ends.length * ends.length);
  /** ends that a way leads from, by node: of any length, of the length in hand, and of one switch more */
  const [known, last, next] = Array.from({ length: 3 }, () => new Uint32Array(nodeCount * words)) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  ends.forEach((node, place) => {
    next[node * words + (place >> 5)] = 1 << (place & 31);
  });
  for (let switches = 1, found = true; found; switches++) {
    found = false;
    for (let node = 0; node < nodeCount; node++)
      for (let word = node * words; word < (node + 1) * words; word++) {
        let fresh = next[word]! & ~known[word]!;
        next[word] = 0;
        last[word] = fresh;
        if (fresh === 0) continue;
        known[word] = known[word]! | fresh;
        found = true;
        if (placeOf[node] === -1) continue;
        const first = placeOf[node]! * ends.length + (word - node * words) * 32;
        for (; fresh !== 0; fresh &= fresh - 1) fewest[first + 31 - Math.clz32(fresh & -fresh)] = switches;
      }
    for (let node = 0; node < nodeCount; node++) {
      if (hostRank[node] !== -1) continue;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (hostRank[peer] !== -1) continue;
        for (let word = 0; word < words; word++)
          next[peer * words + word] = next[peer * words + word]! | last[node * words + word]!;
      }
    }
  }
  return fewest;
}
