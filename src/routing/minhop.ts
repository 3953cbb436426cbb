// OpenSM's minhop and updn: of the ports with the fewest hops every switch takes the one that leads to the fewest
// destinations so far; destinations of switches with many hosts first.
// Of hosts with several LIDs (LMC above 0) all first LIDs come first, then all second ones; a switch prefers neighbours
// that it does not yet send to for an earlier LID of the same host, and of equal ports the next one.
// Invariant: the tables are those of opensm 3.3.23 (-R minhop, -R updn), entry for entry; compared with runs.
// Sources: OpenSM's documentation (opensm(8), "ROUTING") and its behaviour, described from runs. Not modelled:
// guid_routing_order, scatter_ports, port_shifting.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { hostLidCount, tableOrder, type FabricIdentity } from '../fabric/identity.js';
import { ForwardingTables } from './forwarding-tables.js';
import type { TablesByOffset } from './lid-offsets.js';
import { noHops, ranksBelow, ShortestHops, UpDownHops, type PortHops } from './port-hops.js';

/** Tables over the shortest ways, evenly by number of destinations. On a fabric with circles they may deadlock. */
export function routeMinhop(fabric: Fabric, identity: FabricIdentity): ForwardingTables {
  return minhopByOffset(fabric, identity, 1)[0]!;
}

/** The same for all LIDs of hosts. @param lids of every host; left out: those that it has */
export function minhopByOffset(
  fabric: Fabric,
  identity: FabricIdentity,
  lids = hostLidCount(fabric, identity),
): TablesByOffset {
  return evenTables(identity, new ShortestHops(fabric), lids);
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
  return upDownByOffset(fabric, identity, roots, 1)?.[0] ?? null;
}

/** The same for all LIDs of hosts. @param lids of every host; left out: those that it has */
export function upDownByOffset(
  fabric: Fabric,
  identity: FabricIdentity,
  roots: readonly number[] = [],
  lids = hostLidCount(fabric, identity),
): TablesByOffset | null {
  const top = roots.length > 0 ? roots : centralSwitches(fabric, identity);
  if (top.length === 0) return null;
  return evenTables(identity, new UpDownHops(fabric, ranksBelow(fabric, top), guidRanks(identity)), lids);
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
 * distance has more than 5 %. Ports of aggregation nodes count as hosts, as they do in OpenSM.
 */
export function centralSwitches(fabric: Fabric, { attached = [] }: Pick<FabricIdentity, 'attached'>): number[] {
  const { nodeCount, nodeKind, hosts, portOffset, portNeighbour } = fabric;
  const hostsOf = new Int32Array(nodeCount);
  for (const host of hosts) hostsOf[portNeighbour[portOffset[host]!]!]!++;
  for (const { switchNode } of attached) hostsOf[switchNode]!++;
  const portsOfHosts = hosts.length + attached.length;
  const ways = new ShortestHops(fabric);
  const found: number[] = [];
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] === NodeKind.host) continue;
    ways.towards(node);
    const bars = new Map<number, number>();
    for (let other = 0; other < nodeCount; other++)
      if (hostsOf[other]! > 0) bars.set(ways.least[other]!, (bars.get(ways.least[other]!) ?? 0) + hostsOf[other]!);
    const above = (share: number): number => [...bars.values()].filter((bar) => bar > share * portsOfHosts).length;
    if (above(0.9) === 1 && above(0.05) === 1) found.push(node);
  }
  return found;
}

function evenTables(identity: FabricIdentity, ways: PortHops, lids: number): TablesByOffset {
  const { fabric } = ways;
  const { portOffset, portNode, portPeer, portNeighbour } = fabric;
  const offsets = Array.from({ length: lids }, () => new ForwardingTables(fabric));
  const paths = new Int32Array(fabric.portCount);
  const { hosts, switches } = destinationOrder(fabric, identity);
  /** how often a switch sends to a neighbour of a port for earlier LIDs of a destination */
  const earlier = (node: number, destination: number, port: number, offset: number): number => {
    let uses = 0;
    for (let other = 0; other < offset; other++) {
      const used = offsets[other]!.port(node, destination);
      if (used !== -1 && portNeighbour[used] === portNeighbour[port]) uses++;
    }
    return uses;
  };
  /** @param destination null: a port that is no node of the fabric, whose way counts and is not kept */
  const lay = (offset: number, target: number, destination: number | null, counts: boolean): void => {
    const tables = offsets[offset]!;
    for (const node of tables.switches) {
      const fewest = ways.least[node]!;
      if (node === target || fewest === noHops) continue;
      let best = -1;
      let leastUses = Infinity;
      let other = -1;
      const first = portOffset[node]!;
      const count = portOffset[node + 1]! - first;
      // of equal ports the next one after that of the LID before
      const isFirst = offset === 0 || destination === null;
      const begin = isFirst ? 0 : offsets[offset - 1]!.port(node, destination) + 1 - first;
      for (let i = 0; i < count; i++) {
        const port = first + ((begin + i) % count);
        if (ways.hops[port] !== fewest) continue;
        const uses = isFirst ? 0 : earlier(node, destination, port, offset);
        if (uses === 0 && (other === -1 || paths[port]! < paths[other]!)) other = port;
        const isLess = best === -1 || paths[port]! < paths[best]!;
        // the fewest uses so far are compared with, also if a port that carries less has more, as in OpenSM
        if (isLess || (paths[port] === paths[best] && uses > 0 && uses < leastUses)) best = port;
        else continue;
        if (uses > 0) leastUses = Math.min(leastUses, uses);
      }
      if (other !== -1) best = other;
      if (destination !== null) tables.setPort(node, destination, best);
      if (counts) paths[best]!++;
    }
  };
  for (let offset = 0; offset < lids; offset++) {
    let last = -1;
    for (const host of hosts) {
      // of attached ports OpenSM lays ways as of hosts; here those of their switch are theirs
      const link = host < 0 ? -1 : portPeer[portOffset[host]!]!;
      const target = host < 0 ? identity.attached![-1 - host]!.switchNode : portNode[link]!;
      if (target !== last) ways.towards((last = target));
      if (host >= 0) offsets[offset]!.setPort(target, host, link);
      lay(offset, target, host < 0 ? null : host, true);
    }
    if (offset > 0) continue;
    for (const target of switches) {
      ways.towards(target);
      // ways to switches are management's: they count for nothing
      lay(0, target, target, false);
    }
  }
  return offsets;
}

/**
 * Destinations in OpenSM's order: hosts by the number of hosts of their switch, most first, then in the order of its
 * tables and of ports; switches in the order of its tables. Attached ports stand among the hosts as -1 - their index.
 */
export function destinationOrder(
  fabric: Fabric,
  { nodeGuid, portGuid, portNumber, attached = [] }: FabricIdentity,
): { readonly hosts: number[]; readonly switches: number[] } {
  const { nodeKind, portOffset, portNeighbour } = fabric;
  const attachedTo = new Map<number, { number: number; end: number }[]>();
  attached.forEach(({ switchNode, switchPort: number }, index) => {
    const found = attachedTo.get(switchNode);
    if (found === undefined) attachedTo.set(switchNode, [{ number, end: -1 - index }]);
    else found.push({ number, end: -1 - index });
  });
  const hostsOf = (node: number): number[] => {
    const ends = Array.from({ length: portOffset[node + 1]! - portOffset[node]! }, (_, i) => {
      const port = portOffset[node]! + i;
      return { number: portNumber[port]!, end: portNeighbour[port]! };
    }).filter(({ end }) => nodeKind[end] === NodeKind.host);
    const more = attachedTo.get(node);
    const all = more === undefined ? ends : [...ends, ...more].sort((a, b) => a.number - b.number);
    return all.map(({ end }) => end);
  };
  const hosts = Array.from(tableOrder(nodeGuid))
    .filter((node) => nodeKind[node] !== NodeKind.host)
    .map(hostsOf)
    .sort((a, b) => b.length - a.length)
    .flat();
  return { hosts, switches: Array.from(tableOrder(portGuid)).filter((node) => nodeKind[node] !== NodeKind.host) };
}
