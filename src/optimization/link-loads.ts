// Loads: how much traffic crosses every link in each direction, by walking the tables from leaf to destination. A
// directed link is the port that sends into it. A load is traffic times base rate / rate of the link, so that links of
// several rates compare; the base rate is that of most hosts. With one rate a load is the traffic itself.
// Invariant: an evaluation of its own: it reads tables entry by entry and knows nothing of how they were made.

import type { FatTree } from '../fabric/fat-tree.js';
import type { Fabric } from '../fabric/fabric.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import type { LeafTraffic } from './leaf-traffic.js';

export interface LinkLoads {
  /** by sending port of the fabric, hosts' ports included */
  readonly load: Float64Array;
  /** flows (leaf, destination) that do not arrive: no entry, or a loop */
  readonly lostFlows: number;
}

/** What a unit of traffic is worth on each link, by sending port: base rate / rate. */
export function loadPerTraffic(fabric: Fabric): Float64Array {
  const count = new Map<number, number>();
  for (const host of fabric.hosts) {
    const rate = fabric.linkRateBps[fabric.portLink[fabric.portOffset[host]!]!]!;
    count.set(rate, (count.get(rate) ?? 0) + 1);
  }
  let base = 0;
  for (const [rate, hosts] of count) if (hosts > (count.get(base) ?? 0)) base = rate;
  return Float64Array.from(fabric.portLink, (link) => base / fabric.linkRateBps[link]!);
}

/** Loads of all links. Linear in the flows times their hops. */
export function linkLoads(tables: ForwardingTables, traffic: LeafTraffic): LinkLoads {
  const { tree, offset, leaf, weight, hostOut, hostIn } = traffic;
  const { fabric } = tree;
  const { portNode, portPeer, hosts, portOffset } = fabric;
  const leaves = tree.switches[0]!;
  const load = new Float64Array(fabric.portCount);
  const longest = tables.switches.length;
  let lostFlows = 0;
  for (let rank = 0; rank < hosts.length; rank++) {
    const destination = hosts[rank]!;
    const hostPort = portOffset[destination]!;
    load[hostPort] = hostOut[rank]!;
    load[portPeer[hostPort]!] = hostIn[rank]!;
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
      const amount = weight[flow]!;
      let node = leaves[leaf[flow]!]!;
      let steps = 0;
      for (; steps < longest; steps++) {
        const port = tables.port(node, destination);
        if (port === -1) break;
        node = portNode[portPeer[port]!]!;
        if (node === destination) break;
        load[port]! += amount;
        if (tables.rowOf[node] === -1) break;
      }
      if (node !== destination) lostFlows++;
    }
  }
  const worth = loadPerTraffic(fabric);
  for (let port = 0; port < load.length; port++) load[port]! *= worth[port]!;
  return { load, lostFlows };
}

/** 1 for every port that sends from one switch to another. */
export function interSwitchPorts(tree: FatTree): Uint8Array {
  const { fabric, nodeLevel } = tree;
  return Uint8Array.from(fabric.portNode, (node, port) =>
    nodeLevel[node]! >= 0 && nodeLevel[fabric.portNode[fabric.portPeer[port]!]!]! >= 0 ? 1 : 0,
  );
}
