// OpenSM's minhop and updn: of the ports with the fewest hops every switch takes the one that leads to the fewest
// destinations so far; destinations of switches with many hosts first.
// Invariant: the tables are those of opensm 3.3.23 (-R minhop, -R updn), entry for entry; compared with runs.
// Sources: OpenSM's documentation (opensm(8), "ROUTING") and its behaviour, described from runs. Not modelled: LMC,
// guid_routing_order, scatter_ports, port_shifting.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { tableOrder, type FabricIdentity } from '../fabric/identity.js';
import { ForwardingTables } from './forwarding-tables.js';
import { noHops, ranksBelow, ShortestHops, UpDownHops, type PortHops } from './port-hops.js';

/** Tables over the shortest ways, evenly by number of destinations. On a fabric with circles they may deadlock. */
export function routeMinhop(fabric: Fabric, identity: FabricIdentity): ForwardingTables {
  return evenTables(identity, new ShortestHops(fabric));
}

/**
 * Tables over ways that go up and then down.
 * @param roots switches of rank 0; empty to find them as OpenSM does ({@link centralSwitches})
 * @returns null if there are no roots
 */
export function routeUpDown(
  fabric: Fabric,
  identity: FabricIdentity,
  roots: readonly number[] = [],
): ForwardingTables | null {
  const top = roots.length > 0 ? roots : centralSwitches(fabric);
  if (top.length === 0) return null;
  return evenTables(identity, new UpDownHops(fabric, ranksBelow(fabric, top), guidRanks(identity)));
}

/** Place of each node in ascending order of GUIDs. */
function guidRanks({ nodeGuid }: FabricIdentity): Int32Array {
  const place = new Int32Array(nodeGuid.length);
  Array.from(nodeGuid, (guid, node) => ({ guid, node }))
    .sort((a, b) => (a.guid < b.guid ? -1 : a.guid > b.guid ? 1 : a.node - b.node))
    .forEach(({ node }, i) => {
      place[node] = i;
    });
  return place;
}

/**
 * Switches that look like the top of a tree: more than 90 % of the hosts are equally far from them, and no other
 * distance has more than 5 %.
 */
export function centralSwitches(fabric: Fabric): number[] {
  const { nodeCount, nodeKind, hosts, portOffset, portNode, portPeer } = fabric;
  const hostsOf = new Int32Array(nodeCount);
  for (const host of hosts) hostsOf[portNode[portPeer[portOffset[host]!]!]!]!++;
  const ways = new ShortestHops(fabric);
  const found: number[] = [];
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] === NodeKind.host) continue;
    ways.towards(node);
    const bars = new Map<number, number>();
    for (let other = 0; other < nodeCount; other++)
      if (hostsOf[other]! > 0) bars.set(ways.least[other]!, (bars.get(ways.least[other]!) ?? 0) + hostsOf[other]!);
    const above = (share: number): number => [...bars.values()].filter((bar) => bar > share * hosts.length).length;
    if (above(0.9) === 1 && above(0.05) === 1) found.push(node);
  }
  return found;
}

function evenTables(identity: FabricIdentity, ways: PortHops): ForwardingTables {
  const { fabric } = ways;
  const { portOffset, portNode, portPeer } = fabric;
  const tables = new ForwardingTables(fabric);
  const paths = new Int32Array(fabric.portCount);
  const { hosts, switches } = destinationOrder(fabric, identity);
  const lay = (target: number, destination: number, counts: boolean): void => {
    for (const node of tables.switches) {
      const fewest = ways.least[node]!;
      if (node === target || fewest === noHops) continue;
      let best = -1;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
        if (ways.hops[port] === fewest && (best === -1 || paths[port]! < paths[best]!)) best = port;
      tables.setPort(node, destination, best);
      if (counts) paths[best]!++;
    }
  };
  let last = -1;
  for (const host of hosts) {
    const link = portPeer[portOffset[host]!]!;
    const target = portNode[link]!;
    if (target !== last) ways.towards((last = target));
    tables.setPort(target, host, link);
    lay(target, host, true);
  }
  for (const target of switches) {
    ways.towards(target);
    // ways to switches are management's: they count for nothing
    lay(target, target, false);
  }
  return tables;
}

/**
 * Destinations in OpenSM's order: hosts by the number of hosts of their switch, most first, then in the order of its
 * tables and of ports; switches in the order of its tables.
 */
export function destinationOrder(
  fabric: Fabric,
  { nodeGuid, portGuid }: FabricIdentity,
): { readonly hosts: number[]; readonly switches: number[] } {
  const { nodeKind, portOffset, portNode, portPeer } = fabric;
  const hostsOf = (node: number): number[] =>
    Array.from(
      { length: portOffset[node + 1]! - portOffset[node]! },
      (_, i) => portNode[portPeer[portOffset[node]! + i]!]!,
    ).filter((peer) => nodeKind[peer] === NodeKind.host);
  const hosts = Array.from(tableOrder(nodeGuid))
    .filter((node) => nodeKind[node] !== NodeKind.host)
    .map(hostsOf)
    .sort((a, b) => b.length - a.length)
    .flat();
  return { hosts, switches: Array.from(tableOrder(portGuid)).filter((node) => nodeKind[node] !== NodeKind.host) };
}
