// Which hosts can reach which: hosts never forward, so two hosts meet only through switches that are connected among
// themselves, or over a link of their own. Reachability is therefore not transitive: a host on two separate planes
// reaches hosts that do not reach each other.

import { NodeKind, type Fabric } from './fabric.js';

/** Two hosts with links between which no path exists. */
export interface UnreachablePair {
  readonly from: number;
  readonly to: number;
}

/** The hosts that have no link at all, ascending. */
export function unlinkedHosts(fabric: Fabric): number[] {
  return Array.from(fabric.hosts).filter((host) => fabric.portOffset[host] === fabric.portOffset[host + 1]);
}

/**
 * Number of the connected group of switches that each switch belongs to (groups count from 0), -1 for hosts.
 * Two planes that only hosts join are two groups; an NVSwitch is usually a group of its own.
 */
export function switchGroups(fabric: Fabric): { groupOf: Int32Array; count: number } {
  const { nodeCount, nodeKind, portOffset, portNode, portPeer } = fabric;
  const groupOf = new Int32Array(nodeCount).fill(-1);
  const stack = new Int32Array(nodeCount);
  let count = 0;
  for (let first = 0; first < nodeCount; first++) {
    if (nodeKind[first] === NodeKind.host || groupOf[first] !== -1) continue;
    let depth = 0;
    stack[depth++] = first;
    groupOf[first] = count;
    while (depth > 0) {
      const node = stack[--depth]!;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNode[portPeer[port]!]!;
        if (nodeKind[peer] === NodeKind.host || groupOf[peer] !== -1) continue;
        groupOf[peer] = count;
        stack[depth++] = peer;
      }
    }
    count++;
  }
  return { groupOf, count };
}

/**
 * A pair of hosts that cannot reach each other although both have links; null if every such pair can.
 * Hosts without links are left out: they are reported by {@link unlinkedHosts}.
 */
export function unreachablePair(fabric: Fabric): UnreachablePair | null {
  const { portOffset, portNode, portPeer, nodeKind } = fabric;
  const hosts = Array.from(fabric.hosts).filter((host) => portOffset[host]! < portOffset[host + 1]!);
  const { groupOf, count } = switchGroups(fabric);
  const members: number[][] = Array.from({ length: count }, () => []);
  for (const host of hosts) {
    for (const group of groupsOfHost(fabric, groupOf, host)) members[group]!.push(host);
  }
  // One group that every host is in settles the usual case; only hosts outside the largest group have to be looked at
  // one by one: two hosts inside it reach each other.
  let largest = -1;
  members.forEach((list, group) => {
    if (largest === -1 || list.length > members[largest]!.length) largest = group;
  });
  const inLargest = new Set(largest === -1 ? [] : members[largest]);
  const seenBy = new Int32Array(fabric.nodeCount).fill(-1);
  for (const host of hosts) {
    if (inLargest.has(host)) continue;
    let reached = 0;
    const see = (other: number): void => {
      if (seenBy[other] === host) return;
      seenBy[other] = host;
      reached++;
    };
    see(host);
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      const peer = portNode[portPeer[port]!]!;
      if (nodeKind[peer] === NodeKind.host) see(peer);
    }
    for (const group of groupsOfHost(fabric, groupOf, host)) {
      if (reached === hosts.length) break;
      for (const other of members[group]!) see(other);
    }
    if (reached < hosts.length) {
      const to = hosts.find((other) => seenBy[other] !== host)!;
      return host < to ? { from: host, to } : { from: to, to: host };
    }
  }
  return null;
}

function groupsOfHost(fabric: Fabric, groupOf: Int32Array, host: number): Set<number> {
  const groups = new Set<number>();
  for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++) {
    const group = groupOf[fabric.portNode[fabric.portPeer[port]!]!]!;
    if (group !== -1) groups.add(group);
  }
  return groups;
}
