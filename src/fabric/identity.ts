// Who the nodes of a fabric are on an InfiniBand network: names, GUIDs and LIDs, and the numbers that stand beside the
// ports.
// Invariants: columns beside a Fabric, by node or by port of it; GUIDs of nodes and LIDs other than 0 are unique among
// end ports; the ports of a node ascend with their numbers. A host of the fabric is one end port: an adapter with two
// linked ports is two hosts.
// With an LMC above 0 an end port has 2^LMC LIDs, from its base LID on, which is a multiple of their number; all hosts
// have the same LMC, switches that or none.
// Source of the order of LIDs: how OpenSM 3.3.23 gives them on a cold start.

import type { Fabric } from './fabric.js';
import type { AttachedPort, FabricIdentity } from './identity-columns.js';

export type { AttachedPort, FabricIdentity };

/** The largest LID of an end port; those above are for multicast. */
export const maxLid = 0xbfff;

/** The largest LMC that is read and routed; InfiniBand knows up to 7. */
export const maxLmc = 3;

/** The most ports that a switch may have: 255 means "no port" in forwarding tables. */
export const maxRadix = 254;

/** What the nodes of a fabric are called that is no fat tree. */
export const namesWithoutLevels: readonly string[] = ['node', 'switch'];

/** Names of the levels of a generated fat tree, hosts first. */
const levelNames = ['node', 'leaf', 'spine', 'core'];

/**
 * Names, GUIDs and LIDs for a fabric that has none: `leaf00` is 0x0002c90000010000, `spine00` ...20000, `core00`
 * ...30000, the hosts `node0000 HCA-1` begin at ...100000; 0x10 between two of a kind. Ports are numbered from 1.
 * @param nodeLevel level of each node: -1 hosts, 0 leaf switches and so on
 * @param names of the levels, hosts first
 * @returns null if the fabric has more end ports than LIDs, or a node with more than 254 ports
 */
export function generatedIdentity(
  fabric: Fabric,
  nodeLevel: ArrayLike<number>,
  names: readonly string[] = levelNames,
): FabricIdentity | null {
  const { nodeCount, portOffset } = fabric;
  if (nodeCount > maxLid) return null;
  const counts: number[] = [];
  for (let node = 0; node < nodeCount; node++) counts[nodeLevel[node]! + 1] = (counts[nodeLevel[node]! + 1] ?? 0) + 1;
  let span = 0x10000;
  while (span < 16 * nodeCount) span *= 2;
  const seen: number[] = [];
  const nodeName: string[] = [];
  const nodeGuid = new BigUint64Array(nodeCount);
  const portGuid = new BigUint64Array(nodeCount);
  const radix = new Uint8Array(nodeCount);
  const portNumber = new Uint8Array(fabric.portCount);
  for (let node = 0; node < nodeCount; node++) {
    const kind = nodeLevel[node]! + 1;
    const index = seen[kind] ?? 0;
    seen[kind] = index + 1;
    const digits = Math.max(kind === 0 ? 3 : 2, String(counts[kind]! - 1).length);
    nodeName.push(
      `${names[kind] ?? `level${kind}`}${String(index).padStart(digits, '0')}${kind === 0 ? ' HCA-1' : ''}`,
    );
    nodeGuid[node] = 0x0002c90000000000n + BigInt((kind === 0 ? 16 : kind) * span + 16 * index);
    portGuid[node] = nodeGuid[node]! + (kind === 0 ? 1n : 0n);
    const ports = portOffset[node + 1]! - portOffset[node]!;
    if (ports > maxRadix) return null;
    radix[node] = Math.max(1, ports);
    for (let i = 0; i < ports; i++) portNumber[portOffset[node]! + i] = i + 1;
  }
  return withColdStartLids(fabric, {
    nodeName,
    nodeGuid,
    portGuid,
    lid: new Uint16Array(nodeCount),
    radix,
    portNumber,
  });
}

/** How many LIDs the end port of a node has: 1, 2, 4 or 8. */
export function lidCount({ lmc }: FabricIdentity, node: number): number {
  return lmc === undefined ? 1 : 1 << lmc[node]!;
}

/** How many LIDs every host has, and so how many sets of tables there are: 1, 2, 4 or 8. */
export function hostLidCount({ hosts }: Fabric, identity: FabricIdentity): number {
  return hosts.length === 0 ? 1 : lidCount(identity, hosts[0]!);
}

/**
 * The identity with 2^lmc LIDs for every host and one for every switch, as OpenSM gives with the option `lmc`. Base
 * LIDs stay if those of hosts are multiples of 2^lmc and no two ranges meet; else all are taken away ({@link
 * withColdStartLids} gives new ones). With fewer LIDs than the fabric has those at the end are left out.
 */
export function withLmc(fabric: Fabric, identity: FabricIdentity, lmc: number): FabricIdentity {
  const { lmc: before, ...rest } = identity;
  const there = hostLidCount(fabric, identity);
  if (there === 1 << lmc) return identity;
  if (before !== undefined && there > 1 << lmc)
    return {
      ...rest,
      ...(lmc === 0 ? {} : { lmc: before.map((own) => Math.min(own, lmc)) }),
      wholeLmc: identity.wholeLmc ?? before,
    };
  const own = new Uint8Array(fabric.nodeCount);
  for (const host of fabric.hosts) own[host] = lmc;
  const numbered = { ...rest, lmc: own };
  if (lidsFit(fabric, numbered)) return numbered;
  const { attached } = rest;
  return {
    ...numbered,
    lid: new Uint16Array(fabric.nodeCount),
    ...(attached === undefined ? {} : { attached: withAttachedLids(attached, () => 0) }),
  };
}

/** Whether every range of LIDs begins at a multiple of its length, ends in time and meets no other. */
function lidsFit(fabric: Fabric, identity: FabricIdentity): boolean {
  const used = new Uint8Array(maxLid + 1);
  const take = (lid: number, count: number): boolean => {
    if (lid === 0) return true;
    if (lid % count !== 0 || lid + count - 1 > maxLid) return false;
    for (let i = lid; i < lid + count; i++) {
      if (used[i] === 1) return false;
      used[i] = 1;
    }
    return true;
  };
  const ofHosts = hostLidCount(fabric, identity);
  return (
    identity.lid.every((lid, node) => take(lid, lidCount(identity, node))) &&
    (identity.attached ?? []).every(({ lid }) => take(lid, ofHosts))
  );
}

/**
 * The identity with LIDs as OpenSM gives them on a cold start: 1 to the first host (where the subnet manager is taken
 * to run), then 2, 3, ... in the order of {@link tableOrder} over the GUIDs of the end ports; whoever has several gets
 * the next free range that begins at a multiple of their number, and what lies before it stays free. Nodes that have a
 * LID keep it, and it is left out.
 * @returns null if there are not enough
 */
export function withColdStartLids(fabric: Fabric, identity: FabricIdentity): FabricIdentity | null {
  const attached = identity.attached ?? [];
  // attached ports behind the nodes
  const lid = Uint16Array.from([...identity.lid, ...attached.map((port) => port.lid)]);
  const guid = BigUint64Array.from([...identity.portGuid, ...attached.map((port) => port.portGuid)]);
  // attached ports are adapters, as hosts are
  const ofHosts = hostLidCount(fabric, identity);
  const countOf = (end: number): number => (end < fabric.nodeCount ? lidCount(identity, end) : ofHosts);
  const used = new Uint8Array(maxLid + 1);
  lid.forEach((first, end) => {
    if (first !== 0) used.fill(1, first, first + countOf(end));
  });
  const isFree = (first: number, count: number): boolean => {
    for (let i = first; i < first + count; i++) if (used[i] === 1) return false;
    return true;
  };
  let next = 1;
  const give = (end: number): boolean => {
    if (lid[end] !== 0) return true;
    const count = countOf(end);
    let first = Math.ceil(next / count) * count;
    while (first + count - 1 <= maxLid && !isFree(first, count)) first += count;
    if (first + count - 1 > maxLid) return false;
    lid[end] = first;
    used.fill(1, first, first + count);
    next = first + count;
    return true;
  };
  if (fabric.hosts.length > 0 && !give(fabric.hosts[0]!)) return null;
  if (!tableOrder(guid).every(give)) return null;
  return {
    ...identity,
    lid: lid.slice(0, fabric.nodeCount),
    ...(attached.length > 0 ? { attached: withAttachedLids(attached, (_, i) => lid[fabric.nodeCount + i]!) } : {}),
  };
}

/** The same attached ports with other LIDs. */
export function withAttachedLids(
  attached: readonly AttachedPort[],
  lidOf: (port: AttachedPort, index: number) => number,
): AttachedPort[] {
  return attached.map((port, index) => {
    const { name, nodeGuid, portGuid, ownPort, switchNode, switchPort } = port;
    return { name, nodeGuid, portGuid, lid: lidOf(port, index), ownPort, switchNode, switchPort };
  });
}

/**
 * Nodes in the order of OpenSM's tables: by GUID with its bytes reversed (kept in network order, compared as a host
 * integer), equal GUIDs by number of node.
 * @param guid by node
 */
export function tableOrder(guid: BigUint64Array): Int32Array {
  const key = BigUint64Array.from(guid, reversedBytes);
  return Int32Array.from(guid, (_, node) => node).sort((a, b) =>
    key[a]! < key[b]! ? -1 : key[a]! > key[b]! ? 1 : a - b,
  );
}

function reversedBytes(guid: bigint): bigint {
  let rest = guid;
  let reversed = 0n;
  for (let i = 0; i < 8; i++) {
    reversed = (reversed << 8n) | (rest & 0xffn);
    rest >>= 8n;
  }
  return reversed;
}

/** A GUID as OpenSM's files have it: 0x and 16 lower-case digits. */
export function guidText(guid: bigint): string {
  return `0x${guid.toString(16).padStart(16, '0')}`;
}
