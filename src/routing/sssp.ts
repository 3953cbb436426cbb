// Single-source shortest paths that know what they carry: destination by destination, over the shortest ways of which
// the links carry the fewest pairs of hosts so far. On any fabric.
// Invariants: ways have the fewest hops; of equal ones the lowest port is taken. All ways to a destination are one
// tree. The LIDs of a host are destinations one after the other, so that later ones see what the earlier ones carry, as
// in OpenSM.
// Source: T. Hoefler, T. Schneider and A. Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HOTI
// 2009, section 3 (P-SSSP). There hops are kept fewest by large weights at the start, here by going by hops first.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { hostLidCount, type FabricIdentity } from '../fabric/identity.js';
import { ForwardingTables } from './forwarding-tables.js';
import type { TablesByOffset } from './lid-offsets.js';
import { destinationOrder } from './minhop.js';
import { noHops, ShortestHops } from './port-hops.js';

/** Tables to all hosts by their first LIDs, and to all switches over the weights that these leave. */
export function routeSssp(fabric: Fabric, identity: FabricIdentity): ForwardingTables {
  return ssspByOffset(fabric, identity, 1)[0]!;
}

/** Tables to all LIDs of all hosts, and to all switches. @param lids of every host; left out: those that it has */
export function ssspByOffset(
  fabric: Fabric,
  identity: FabricIdentity,
  lids = hostLidCount(fabric, identity),
): TablesByOffset {
  const { nodeCount, nodeKind, portOffset, portNode, portPeer, portNeighbour } = fabric;
  const offsets = Array.from({ length: lids }, () => new ForwardingTables(fabric));
  const ways = new ShortestHops(fabric);
  /** pairs of hosts that a port sends on */
  const weight = new Float64Array(fabric.portCount);
  const cost = new Float64Array(nodeCount);
  const through = new Float64Array(nodeCount);
  const hostsOf = new Float64Array(nodeCount);
  for (const host of fabric.hosts) hostsOf[portNeighbour[portOffset[host]!]!]!++;
  const nearest = Array.from(offsets[0]!.switches);
  const towards = (target: number): void => {
    ways.towards(target);
    nearest.sort((a, b) => ways.least[a]! - ways.least[b]! || a - b);
  };
  const lay = (tables: ForwardingTables, target: number, destination: number): void => {
    cost[target] = 0;
    for (const node of nearest) {
      const fewest = ways.least[node]!;
      if (node === target || fewest === noHops) continue;
      let best = -1;
      let least = Infinity;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        if (ways.hops[port] !== fewest) continue;
        const own = weight[port]! + cost[portNeighbour[port]!]!;
        if (own >= least) continue;
        least = own;
        best = port;
      }
      cost[node] = least;
      tables.setPort(node, destination, best);
    }
  };
  const carry = (tables: ForwardingTables, target: number, destination: number): void => {
    through.set(hostsOf);
    for (let i = nearest.length - 1; i >= 0; i--) {
      const node = nearest[i]!;
      const port = tables.port(node, destination);
      if (node === target || port === -1) continue;
      weight[port]! += through[node]!;
      through[portNeighbour[port]!]! += through[node]!;
    }
  };
  const { hosts, switches } = destinationOrder(fabric, identity);
  let last = -1;
  for (const host of hosts) {
    // attached ports have the ways of their switch
    if (host < 0) continue;
    const link = portPeer[portOffset[host]!]!;
    const target = portNode[link]!;
    if (nodeKind[target] === NodeKind.host) continue;
    if (target !== last) towards((last = target));
    for (const tables of offsets) {
      lay(tables, target, host);
      tables.setPort(target, host, link);
      carry(tables, target, host);
    }
  }
  for (const target of switches) {
    towards(target);
    lay(offsets[0]!, target, target);
  }
  return offsets;
}
