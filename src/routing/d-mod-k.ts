// d-mod-k routing: the number of the destination, digit by digit, chooses the way up; so destinations are spread evenly, and every
// destination has one way down. On a whole tree ftree comes to nearly the same.
// Ports are counted in the order of the neighbours' numbers, so that all switches of a level count alike whatever their wiring.
// Source: E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", CCIT 776, 2010.

import type { FatTree } from '../fabric/fat-tree.js';
import { fillMinimal } from './fill-minimal.js';
import type { ForwardingTables } from './forwarding-tables.js';
import type { MinimalPorts } from './minimal-ports.js';

/** Tables for all hosts (d is a host's rank) and switches (d is the node); damaged trees count over what is left. */
export function routeDmodK(tree: FatTree): ForwardingTables {
  const divisors = levelDivisors(tree);
  return fillMinimal(tree, (minimal, node, destination) => {
    const rank = tree.hostRank[destination]!;
    const d = rank === -1 ? destination : rank;
    const candidates = inNeighbourOrder(tree, minimal, node);
    const level = tree.nodeLevel[node]!;
    const up = tree.nodeLevel[tree.fabric.portNode[tree.fabric.portPeer[candidates[0]!]!]!]! > level;
    return candidates[(up ? Math.floor(d / divisors[level]!) : d) % candidates.length]!;
  });
}

function inNeighbourOrder(tree: FatTree, minimal: MinimalPorts, node: number): number[] {
  const { portNode, portPeer } = tree.fabric;
  return Array.from(minimal.ports.subarray(minimal.offset[node]!, minimal.offset[node + 1]!)).sort((a, b) => portNode[portPeer[a]!]! - portNode[portPeer[b]!]! || a - b);
}

/** Product of the ports upwards of the levels below each level. */
function levelDivisors(tree: FatTree): number[] {
  const { fabric, nodeLevel } = tree;
  const divisors = [1];
  for (let level = 0; level < tree.levels; level++) {
    let most = 1;
    for (const node of tree.switches[level]!) {
      let up = 0;
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) if (nodeLevel[fabric.portNode[fabric.portPeer[port]!]!]! > level) up++;
      most = Math.max(most, up);
    }
    divisors.push(divisors[level]! * most);
  }
  return divisors;
}
