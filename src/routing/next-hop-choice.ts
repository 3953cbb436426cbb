// Whether switches have several next hops to choose among: only then does a balancer do anything. Forwarding tables
// leave one, and so do the shortest ways of a tree without parallel ways.
// Invariant: an answer of "none" is certain while all links are up; NVSwitches in levels count as a choice.

import { type Fabric, NodeKind } from '../fabric/fabric.js';

/** Algorithms that make no tables: every equal-cost way is one. */
export function isEqualCost(algorithm: string): boolean {
  return algorithm === 'equal-cost' || algorithm === 'ecmp';
}

/** By fabric: whether shortest ways leave a switch a choice; several rules ask. */
const known = new WeakMap<Fabric, boolean>();

/** Whether some switch has several shortest next hops to some host, all links up. */
export function shortestWaysBranch(fabric: Fabric): boolean {
  let branches = known.get(fabric);
  if (branches === undefined) known.set(fabric, (branches = findBranch(fabric)));
  return branches;
}

/** Searches from one host of every class, those with links to the same switches. */
function findBranch(fabric: Fabric): boolean {
  const { hosts, nodeCount, nodeKind, portOffset, portNeighbour } = fabric;
  const distance = new Int32Array(nodeCount);
  const queue = new Int32Array(nodeCount);
  const seen = new Set<string>();
  for (const host of hosts) {
    const neighbours: number[] = [];
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) neighbours.push(portNeighbour[port]!);
    const key = neighbours.sort((a, b) => a - b).join();
    if (seen.has(key)) continue;
    seen.add(key);
    distance.fill(-1);
    distance[host] = 0;
    queue[0] = host;
    let filled = 1;
    for (let i = 0; i < filled; i++) {
      const node = queue[i]!;
      if (node !== host && nodeKind[node] === NodeKind.host) continue;
      let closer = 0;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (nodeKind[node] === NodeKind.nvswitch && nodeKind[peer] === NodeKind.nvswitch) return true;
        if (distance[peer] === -1) {
          distance[peer] = distance[node]! + 1;
          queue[filled++] = peer;
        } else if (distance[peer] === distance[node]! - 1 && (peer === host || nodeKind[peer] !== NodeKind.host))
          closer++;
      }
      if (closer > 1) return true;
    }
  }
  return false;
}
