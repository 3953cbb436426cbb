// The ways of a flow whose packets choose for themselves, from the rows of its records: several ports may stand at one
// hop. Nothing of the engine or of its routes is used: distances are counted anew, link by link.
// Invariants that are checked: every port lies on a shortest way on from a node that the flow's packets reach, and some
// port ends at the receiver.

import { type Fabric, NodeKind } from '#weft/fabric/fabric.js';
import type { HopRow } from './engine-run.js';

/** What one queue pair took. */
export interface SpreadPath {
  /** links from its first switch to the receiver */
  readonly switches: number;
  /** output ports of switches by links to go, from 1; the first entry is empty */
  readonly portsByDistance: readonly (readonly number[])[];
}

/** Links from every node to a host, through switches alone; Infinity where there is no way. */
function distancesTo({ portOffset, portNode, portPeer, nodeKind }: Fabric, host: number): Float64Array {
  const distance = new Float64Array(nodeKind.length).fill(Infinity);
  distance[host] = 0;
  const queue = [host];
  for (const node of queue) {
    if (node !== host && nodeKind[node] === NodeKind.host) continue;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portNode[portPeer[port]!]!;
      if (distance[peer]! < Infinity) continue;
      distance[peer] = distance[node]! + 1;
      queue.push(peer);
    }
  }
  return distance;
}

/** The ways of a queue pair, or what is wrong with its rows. @param rows in any order; none: a link from host to host */
export function spreadPathOf(
  fabric: Fabric,
  source: number,
  destination: number,
  rows: readonly HopRow[],
): SpreadPath | string {
  const { portOffset, portNode, portPeer, nodeKind } = fabric;
  const distance = distancesTo(fabric, destination);
  const switches = rows.length === 0 ? 0 : distance[rows.find(({ hop }) => hop === 0)?.node ?? source]!;
  const portsByDistance: number[][] = Array.from({ length: switches + 1 }, () => []);
  let reached = new Set<number>();
  for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++) {
    const peer = portNode[portPeer[port]!]!;
    if (distance[peer] === switches) reached.add(peer);
  }
  if (reached.size === 0) return `no link of host ${source} leads to a node ${switches} links from host ${destination}`;
  if (rows.some(({ hop }) => hop < 0 || hop >= switches)) return `a hop is not one of ${switches}`;
  for (let hop = 0; hop < switches; hop++) {
    const next = new Set<number>();
    for (const row of rows) {
      if (row.hop !== hop) continue;
      const { node } = row;
      if (!reached.has(node)) return `hop ${hop} is node ${node}, which no hop before it leads to`;
      if (nodeKind[node] === NodeKind.host) return `hop ${hop} is host ${node}: hosts do not forward`;
      const port = portOffset[node]! + row.interface - 1;
      if (row.interface < 1 || port >= portOffset[node + 1]!) return `node ${node} has no interface ${row.interface}`;
      const peer = portNode[portPeer[port]!]!;
      if (distance[peer]! !== distance[node]! - 1)
        return `hop ${hop} leads from node ${node} to node ${peer}, which is no nearer to host ${destination}`;
      const ports = portsByDistance[switches - hop]!;
      if (ports.includes(port)) return `hop ${hop} names port ${row.interface} of node ${node} twice`;
      ports.push(port);
      next.add(peer);
    }
    if (next.size === 0) return `hop ${hop} is missing`;
    reached = next;
  }
  return reached.has(destination) ? { switches, portsByDistance } : `no way ends at host ${destination}`;
}

/**
 * All bytes over all links that were taken at a distance from the receiver, and the smallest packet over the fastest
 * link of every other distance; light to the receiver and back comes on top.
 * @param paths of the flow's queue pairs; distances that not all of them have to go are left out
 * @returns picoseconds
 */
export function leastSpreadPs(
  fabric: Fabric,
  paths: readonly SpreadPath[],
  wireBytes: number,
  leastPacketBytes: number,
): number {
  const common = Math.min(...paths.map(({ switches }) => switches));
  const rates = Array.from({ length: common }, (_, i) => {
    const ports = new Set(paths.flatMap(({ portsByDistance }) => portsByDistance[i + 1]!));
    return [...ports].map((port) => fabric.linkRateBps[fabric.portLink[port]!]!);
  });
  const least = rates.map((list) => (leastPacketBytes * 8e12) / Math.max(...list));
  const sum = least.reduce((a, b) => a + b, 0);
  const whole = rates.map((list, i) => (wireBytes * 8e12) / list.reduce((a, b) => a + b, 0) + sum - least[i]!);
  return Math.max(0, ...whole);
}
