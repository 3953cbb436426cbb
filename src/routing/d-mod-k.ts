// d-mod-k routing: the number of the destination, digit by digit, chooses the way up; so destinations are spread
// evenly, and every destination has one way down. On a whole tree ftree comes to nearly the same.
// Ports are counted in the order of the neighbours' numbers, so that all switches of a level count alike whatever their
// wiring.
// Source: E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees",
// CCIT 776, 2010.

import type { FatTree } from '../fabric/fat-tree.js';
import { fillMinimal } from './fill-minimal.js';
import type { ForwardingTables } from './forwarding-tables.js';

/**
 * Tables for all hosts (d is a host's rank) and switches (d is the node); damaged trees count over what is left.
 * @param offset which of the LIDs of a host: each counts on from the one before, so that ways up differ wherever there
 * are several
 */
export function routeDmodK(tree: FatTree, offset = 0): ForwardingTables {
  const divisors = levelDivisors(tree);
  return fillMinimal(tree, (node, candidates) => {
    const ordered = inNeighbourOrder(tree, candidates);
    const level = tree.nodeLevel[node]!;
    const up = tree.nodeLevel[tree.fabric.portNeighbour[ordered[0]!]!]! > level;
    const divisor = up ? divisors[level]! : 1;
    return (destination) => {
      const rank = tree.hostRank[destination]!;
      const digit = Math.floor((rank === -1 ? destination : rank) / divisor);
      return ordered[(digit + offset) % ordered.length]!;
    };
  });
}

/** Ports by the numbers of their neighbours; usually they stand so already. */
function inNeighbourOrder(tree: FatTree, ports: Int32Array): Int32Array {
  const { portNeighbour } = tree.fabric;
  for (let i = 1; i < ports.length; i++) {
    if (portNeighbour[ports[i]!]! < portNeighbour[ports[i - 1]!]!)
      return ports.slice().sort((a, b) => portNeighbour[a]! - portNeighbour[b]! || a - b);
  }
  return ports.slice();
}

/** Product of the ports upwards of the levels below each level. */
function levelDivisors(tree: FatTree): number[] {
  const { fabric, nodeLevel } = tree;
  const divisors = [1];
  for (let level = 0; level < tree.levels; level++) {
    let most = 1;
    for (const node of tree.switches[level]!) {
      let up = 0;
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
        if (nodeLevel[fabric.portNeighbour[port]!]! > level) up++;
      most = Math.max(most, up);
    }
    divisors.push(divisors[level]! * most);
  }
  return divisors;
}
