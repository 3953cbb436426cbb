// Tables in use after links or switches failed, on a fabric of any kind: every entry that still leads to its destination
// stays, all others lead to the neighbour that is nearest to the destination, over the link that carries the least for
// its rate.
// Invariants: a switch from which links lead to a destination has an entry that leads there; no entry that led there is
// changed; no way is a circle. Not held: freedom of deadlock, which lanes give (lane-layers.ts).

import { NodeKind } from '../fabric/fabric.js';
import type { ForwardingTables } from './forwarding-tables.js';

/** What is known of the way of a switch to a destination. */
const unknown = 0;
const leads = 1;
const lost = 2;
const walked = 3;

/** Repairs tables. @returns a copy, or the given ones if every entry leads. Switches times nodes, and links where not */
export function repairAnyTables(given: ForwardingTables): ForwardingTables {
  const { fabric, switches, rowOf } = given;
  const { nodeCount, nodeKind, portOffset, portPeer, portNeighbour, portLink, linkRateBps } = fabric;
  let tables = given;
  const way = new Uint8Array(nodeCount);
  const distance = new Int32Array(nodeCount);
  const trail = new Int32Array(nodeCount);
  const carried = new Float64Array(fabric.portCount);
  for (const node of switches)
    for (let destination = 0; destination < nodeCount; destination++) {
      const port = given.port(node, destination);
      if (port !== -1) carried[port]!++;
    }

  /** Whether the entries of a switch lead on to where a way is known. */
  const walk = (from: number, destination: number): void => {
    let depth = 0;
    let node = from;
    while (way[node] === unknown) {
      way[node] = walked;
      trail[depth++] = node;
      const port = tables.port(node, destination);
      const next = port === -1 ? node : portNeighbour[port]!;
      if (next === node || (next !== destination && rowOf[next] === -1)) break;
      node = next;
    }
    const found = way[node] === leads ? leads : lost;
    while (depth > 0) way[trail[--depth]!] = found;
  };

  /** Hops of all switches to one, over switches. */
  const measure = (target: number): void => {
    distance.fill(-1);
    distance[target] = 0;
    const queue = [target];
    for (const node of queue)
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (distance[peer] !== -1 || rowOf[peer] === -1) continue;
        distance[peer] = distance[node]! + 1;
        queue.push(peer);
      }
  };

  const set = (node: number, destination: number, port: number): void => {
    if (tables === given) tables = given.copy();
    const before = tables.port(node, destination);
    if (before !== -1) carried[before]!--;
    carried[port]!++;
    tables.setPort(node, destination, port);
  };

  for (let destination = 0; destination < nodeCount; destination++) {
    const isHost = nodeKind[destination] === NodeKind.host;
    if (isHost && portOffset[destination]! >= portOffset[destination + 1]!) continue;
    const last = isHost ? portPeer[portOffset[destination]!]! : -1;
    const target = isHost ? fabric.portNode[last]! : destination;
    if (rowOf[target] === -1) continue;
    way.fill(unknown);
    way[target] = leads;
    if (isHost && tables.port(target, destination) !== last) set(target, destination, last);
    for (const node of switches) if (way[node] === unknown) walk(node, destination);
    // tables may leave out how switches are reached, as OpenSM's ftree does; only hosts need every way
    const missing = Array.from(switches).filter(
      (node) => way[node] === lost && (isHost || given.port(node, destination) !== -1),
    );
    if (missing.length === 0) continue;
    measure(target);
    missing.sort((a, b) => distance[a]! - distance[b]!);
    for (const node of missing) {
      let best = -1;
      let least = Infinity;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (way[peer] !== leads || distance[peer] === -1) continue;
        // nearer ones first: what a link carries for its rate decides between those
        const cost = (carried[port]! + 1) / linkRateBps[portLink[port]!]!;
        const nearer = best === -1 ? 1 : distance[portNeighbour[best]!]! - distance[peer]!;
        if (nearer < 0 || (nearer === 0 && cost >= least)) continue;
        best = port;
        least = cost;
      }
      if (best === -1) continue;
      set(node, destination, best);
      way[node] = leads;
    }
  }
  return tables;
}
