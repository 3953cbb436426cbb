// Hosts with several LIDs (LMC above 0) as so many hosts with one: whatever routes a destination so routes each LID by
// itself, and knows all of them at once.
// Invariants: nodes of the fabric keep their ids and ports their places on their switches, so that entries of tables
// mean the same; the host of rank r and LID offset k has rank k x hosts + r. What others send comes from offset 0.

import { FabricBuilder, NodeKind, type Fabric } from './fabric.js';
import type { FatTree } from './fat-tree.js';
import { maxRadix } from './identity.js';
import type { RoutedFabric } from './routed-fabric.js';

/** The most LIDs per host, 1 to `lids`, a power of two, for which switches have no more ports than tables can name. */
export function mostLidHosts({ fabric, tree: { hostLeaf } }: RoutedFabric, lids: number): number {
  const more = new Int32Array(fabric.nodeCount);
  for (const leaf of hostLeaf) more[leaf]!++;
  const fits = (count: number): boolean =>
    more.every((hosts, node) => {
      const ports = fabric.portOffset[node + 1]! - fabric.portOffset[node]!;
      return hosts === 0 || ports + (count - 1) * hosts <= maxRadix;
    });
  let count = lids;
  while (count > 1 && !fits(count)) count /= 2;
  return count;
}

/** The fabric with a host for every LID of a host. @param lids of every host, at most {@link mostLidHosts} */
export function withLidHosts(source: RoutedFabric, lids: number): RoutedFabric {
  const { identity, tree } = source;
  const fabric = lidHostFabric(source.fabric, lids);
  const { hosts } = source.fabric;
  const more = Array.from({ length: lids - 1 }, () => Array.from(hosts)).flat();
  const { lmc: _, wholeLmc: __, attached: ___, ...rest } = identity;
  const portNumber = new Uint8Array(fabric.portCount);
  for (let port = 0; port < source.fabric.portCount; port++)
    portNumber[samePort(source.fabric, fabric, port)] = identity.portNumber[port]!;
  return {
    ...source,
    fabric,
    tree: lidHostTree(tree, fabric, more),
    identity: {
      ...rest,
      nodeName: [...identity.nodeName, ...more.map((host) => identity.nodeName[host]!)],
      nodeGuid: BigUint64Array.from([...identity.nodeGuid, ...more.map((host) => identity.nodeGuid[host]!)]),
      portGuid: BigUint64Array.from([...identity.portGuid, ...more.map((host) => identity.portGuid[host]!)]),
      lid: Uint16Array.from([
        ...identity.lid,
        ...more.map((host, i) => identity.lid[host]! + 1 + Math.floor(i / hosts.length)),
      ]),
      radix: Uint8Array.from([...identity.radix, ...more.map((host) => identity.radix[host]!)]),
      portNumber,
    },
  };
}

/** The host and LID offset that a node of the fabric with a host for every LID stands for. */
export function lidOfNode(
  { hosts, nodeCount }: Fabric,
  node: number,
): { readonly node: number; readonly lidOffset: number } {
  if (node < nodeCount) return { node, lidOffset: 0 };
  const place = node - nodeCount;
  return { node: hosts[place % hosts.length]!, lidOffset: 1 + Math.floor(place / hosts.length) };
}

/** The port of one of two such fabrics, with more hosts or without, that is a given one between switches of the other. */
export function samePort(from: Fabric, to: Fabric, port: number): number {
  const node = from.portNode[port]!;
  return to.portOffset[node]! + port - from.portOffset[node]!;
}

function lidHostFabric(fabric: Fabric, lids: number): Fabric {
  const { nodeKind, linkPorts, portNode, portOffset, portNeighbour, portLink, linkRateBps, linkLatencyPs } = fabric;
  const builder = new FabricBuilder();
  const places: number[] = [];
  for (const kind of nodeKind) builder.addNode(kind as NodeKind);
  for (let link = 0; link < fabric.linkCount; link++) {
    const [a, b] = [linkPorts[2 * link]!, linkPorts[2 * link + 1]!];
    builder.addLink(portNode[a]!, portNode[b]!, linkRateBps[link]!, linkLatencyPs[link]!);
    for (const port of [a, b]) places.push(port - portOffset[portNode[port]!]!);
  }
  for (let offset = 1; offset < lids; offset++)
    for (const host of fabric.hosts) {
      const port = portOffset[host]!;
      const link = portLink[port]!;
      builder.addLink(builder.addNode(NodeKind.host), portNeighbour[port]!, linkRateBps[link]!, linkLatencyPs[link]!);
      // behind all ports that are there
      places.push(0, Infinity);
    }
  return builder.build(places.map((place) => Math.min(place, maxRadix)));
}

function lidHostTree(tree: FatTree, fabric: Fabric, more: readonly number[]): FatTree {
  const extended = <T extends Int8Array | Int32Array>(column: T, valueOf: (host: number, i: number) => number): T => {
    const own = new (column.constructor as new (length: number) => T)(fabric.nodeCount);
    own.set(column);
    more.forEach((host, i) => {
      own[column.length + i] = valueOf(host, i);
    });
    return own;
  };
  const hosts = tree.hostLeaf.length;
  return {
    ...tree,
    fabric,
    nodeLevel: extended(tree.nodeLevel, () => -1),
    podOf: extended(tree.podOf, (host) => tree.podOf[host]!),
    coreGroupOf: extended(tree.coreGroupOf, () => -1),
    hostLeaf: Int32Array.from({ length: hosts + more.length }, (_, rank) => tree.hostLeaf[rank % hosts]!),
    hostRank: extended(tree.hostRank, (_, i) => hosts + i),
  };
}
