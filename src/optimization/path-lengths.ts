// How long the ways of tables are: switches that packets pass from each switch with hosts to each host, beside the
// fewest that links allow.
// Invariant: counted from the tables alone, over ways that lead; a host on the same switch is one switch away.

import type { FatTree } from '../fabric/fat-tree.js';
import { ownPort } from '../routing/forwarding-tables.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { forEachColumn } from '../routing/table-columns.js';

/** Lengths of ways, over pairs (switch with hosts, LID of a host). */
export interface PathLengths {
  readonly averageSwitches: number;
  readonly mostSwitches: number;
  /** pairs whose way passes more switches than links would need, and by how many the longest does */
  readonly longerPairs: number;
  readonly mostLonger: number;
}

/** Counts lengths. Switches with hosts times hosts times LIDs, and links times switches with hosts. */
export function pathLengths(tree: FatTree, offsets: TablesByOffset): PathLengths {
  const { fabric, hostLeaf, hostRank } = tree;
  const { nodeCount, portOffset, portNeighbour } = fabric;
  const leaves = [...new Set(hostLeaf)];
  const fewest = new Int32Array(nodeCount);
  let measured = -1;
  const measure = (target: number): void => {
    measured = target;
    fewest.fill(0);
    fewest[target] = 1;
    const queue = [target];
    for (const node of queue)
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (fewest[peer] !== 0 || hostRank[peer] !== -1) continue;
        fewest[peer] = fewest[node]! + 1;
        queue.push(peer);
      }
  };
  let [pairs, sum, mostSwitches, longerPairs, mostLonger] = [0, 0, 0, 0, 0];
  /** switches to the destination in hand; 0: not known yet, -1: no way */
  const length = new Int32Array(nodeCount);
  const trail = new Int32Array(nodeCount);
  for (const tables of offsets)
    forEachColumn(tables, Int32Array.from(fabric.hosts), (destination, entry) => {
      const target = hostLeaf[hostRank[destination]!]!;
      if (target !== measured) measure(target);
      length.fill(0);
      for (const leaf of leaves) {
        let depth = 0;
        let node = leaf;
        let known = -1;
        for (;;) {
          if (length[node] !== 0) {
            known = length[node]!;
            break;
          }
          length[node] = -1;
          trail[depth++] = node;
          const own = entry[tables.rowOf[node]!]!;
          const next = own >= ownPort ? -1 : portNeighbour[portOffset[node]! + own]!;
          if (next === destination) known = 0;
          if (next === -1 || hostRank[next] !== -1) break;
          node = next;
        }
        for (let at = depth - 1; at >= 0; at--) length[trail[at]!] = known = known === -1 ? -1 : known + 1;
        const own = length[leaf]!;
        if (own === -1) continue;
        const longer = own - fewest[leaf]!;
        pairs++;
        sum += own;
        if (own > mostSwitches) mostSwitches = own;
        if (longer > 0) longerPairs++;
        if (longer > mostLonger) mostLonger = longer;
      }
    });
  return { averageSwitches: pairs === 0 ? 0 : sum / pairs, mostSwitches, longerPairs, mostLonger };
}
