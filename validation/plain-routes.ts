// Routes and paths once more, plainly: a breadth-first search per destination, and the independent hash. Shares nothing
// with routing/.

import { NodeKind, type Fabric } from '#weft/fabric/fabric.js';
import type { NextHopOrder } from '#weft/routing/equal-cost.js';
import { headerKey, murmur3 } from './murmur3.js';

/** Links from every node to a host when only nodes of some kinds forward; Infinity where there is no way. */
export function plainDistances(
  fabric: Fabric,
  destination: number,
  forwarding: readonly NodeKind[] = [NodeKind.switch, NodeKind.nvswitch],
): number[] {
  const distance = Array.from({ length: fabric.nodeCount }, () => Infinity);
  distance[destination] = 0;
  const queue = [destination];
  for (const node of queue) {
    if (node !== destination && !forwarding.includes(fabric.nodeKind[node] as NodeKind)) continue;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      const neighbour = fabric.portNode[fabric.portPeer[port]!]!;
      if (distance[neighbour] !== Infinity) continue;
      distance[neighbour] = distance[node]! + 1;
      queue.push(neighbour);
    }
  }
  return distance;
}

/** Distances to a host over all that forwards, and over NVSwitches alone. */
export interface Distances {
  readonly any: readonly number[];
  readonly nvlink: readonly number[];
}

export function distancesTo(fabric: Fabric, destination: number): Distances {
  return { any: plainDistances(fabric, destination), nvlink: plainDistances(fabric, destination, [NodeKind.nvswitch]) };
}

/**
 * The ports by which a node sends towards a host: its links to that host, if it has some; else, from a host or an
 * NVSwitch, the shortest ways over NVSwitches alone, if there are any; else the shortest ways, of which only those over
 * NVSwitches if one is. By neighbour id, parallel links in their order.
 */
export function plainNextHops(
  fabric: Fabric,
  { any, nvlink }: Distances,
  node: number,
  destination: number,
  order: NextHopOrder,
): number[] {
  const isByNvlink = any[node]! > 1 && fabric.nodeKind[node] !== NodeKind.switch && nvlink[node]! < Infinity;
  const distance = isByNvlink ? nvlink : any;
  const closer: { port: number; neighbour: number }[] = [];
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
    const neighbour = fabric.portNode[fabric.portPeer[port]!]!;
    if (neighbour !== destination && fabric.nodeKind[neighbour] === NodeKind.host) continue;
    if (distance[neighbour] === distance[node]! - 1) closer.push({ port, neighbour });
  }
  const nvswitches = closer.filter(({ neighbour }) => fabric.nodeKind[neighbour] === NodeKind.nvswitch);
  const kept = nvswitches.length > 0 ? nvswitches : closer;
  const sign = order === 'descending-node-id' ? -1 : 1;
  kept.sort((a, b) => sign * (a.neighbour - b.neighbour) || a.port - b.port);
  return kept.map(({ port }) => port);
}

/** The path of a header, from plain routes and the independent hash. */
export function plainPath(
  fabric: Fabric,
  source: number,
  destination: number,
  sourcePort: number,
  destinationPort: number,
  order: NextHopOrder,
): number[] {
  const key = headerKey(0x0b000001 + source * 256, 0x0b000001 + destination * 256, sourcePort, destinationPort);
  const distances = distancesTo(fabric, destination);
  const path: number[] = [];
  for (let node = source; node !== destination;) {
    const choices = plainNextHops(fabric, distances, node, destination, order);
    const port = choices[murmur3(key, node === source ? 0x8badf00d : node) % choices.length]!;
    path.push(port);
    node = fabric.portNode[fabric.portPeer[port]!]!;
  }
  return path;
}
