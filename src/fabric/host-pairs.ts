// "Does a path lead from this host to that one?", answered in a few comparisons, so that a trace of a million rows can
// be checked. An NVSwitch at one end is joined to the hosts that are linked to it (nvswitch-ends.ts).
// Hosts never forward: a path is one link between two hosts, or runs through one connected group of switches
// (connectivity.ts).

import { switchGroups } from './connectivity.js';
import { NodeKind, type Fabric } from './fabric.js';
import { isLinked } from './nvswitch-ends.js';

/**
 * Prepares the question for a fabric.
 * @returns a function of two different nodes, hosts or one of them an NVSwitch; symmetric, as links are full duplex
 */
export function hostPairs(fabric: Fabric): (source: number, destination: number) => boolean {
  const { groupOf } = switchGroups(fabric);
  const { nodeCount, nodeKind, portOffset, portNode, portPeer } = fabric;
  // What each host touches, ascending and without repeats: groups as themselves, other hosts as nodeCount + id (groups
  // are fewer than nodes).
  const offset = new Int32Array(nodeCount + 1);
  const touched: number[] = [];
  for (let node = 0; node < nodeCount; node++) {
    offset[node] = touched.length;
    if (nodeKind[node] !== NodeKind.host) continue;
    const mine = new Set<number>();
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portNode[portPeer[port]!]!;
      mine.add(nodeKind[peer] === NodeKind.host ? nodeCount + peer : groupOf[peer]!);
    }
    const ascending = Int32Array.from(mine);
    ascending.sort();
    for (const value of ascending) touched.push(value);
  }
  offset[nodeCount] = touched.length;
  return (source, destination) => {
    if (nodeKind[source] !== NodeKind.host) return isLinked(fabric, destination, source);
    if (nodeKind[destination] !== NodeKind.host) return isLinked(fabric, source, destination);
    const endA = offset[source + 1]!;
    const endB = offset[destination + 1]!;
    let a = offset[source]!;
    let b = offset[destination]!;
    while (a < endA && b < endB && touched[a]! < nodeCount && touched[b]! < nodeCount) {
      if (touched[a] === touched[b]) return true;
      if (touched[a]! < touched[b]!) a++;
      else b++;
    }
    for (; a < endA; a++) if (touched[a] === nodeCount + destination) return true;
    return false;
  };
}
