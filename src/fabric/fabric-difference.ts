// What changed between two captures of one fabric: cables that were added, lost, moved or run at another rate, nodes
// that came, went, were replaced, renamed or renumbered.
// Invariants: nodes are told apart by their GUIDs and ports by their numbers, never by names, LIDs or order; every
// cable of either capture is unchanged, or stands in exactly one of the lists, a moved one at another rate in both. A
// cable has moved if one of its ends stayed. A switch is taken as replaced if one that came has most of the cables of
// one that went, port by port.

import type { Fabric } from './fabric.js';
import { NodeKind } from './fabric.js';
import { lidCount, type FabricIdentity } from './identity.js';

/** A capture. */
interface Capture {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity;
}

/** A cable that is in both: one of its ports now, and one before. */
interface CablePair {
  readonly now: number;
  readonly before: number;
}

/** Ports are one of the two of each cable; `before` those of the earlier capture. */
export interface FabricDifference {
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** by the port that stayed */
  readonly moved: readonly CablePair[];
  readonly changedRate: readonly CablePair[];
  /** nodes, of this capture and of the earlier one */
  readonly addedNodes: readonly number[];
  readonly removedNodes: readonly number[];
  readonly replaced: readonly NodePair[];
  /** the same GUID, another LID or (where both captures have LMCs above 0) LMC, or another name */
  readonly renumbered: readonly NodePair[];
  readonly renamed: readonly NodePair[];
}

/** A node now and before. */
interface NodePair {
  readonly now: number;
  readonly before: number;
}

/** The difference of a fabric to an earlier capture of it. Linear in their cables. */
export function fabricDifference(now: Capture, before: Capture): FabricDifference {
  const pairs = pairedNodes(now, before);
  const beforeOf = new Map(pairs.map((pair) => [pair.now, pair.before]));
  const keptBefore = new Set(beforeOf.values());
  const portBefore = portsByNode(before);
  /** the port of the earlier capture that a port of this one was */
  const earlier = Int32Array.from({ length: now.fabric.portCount }, (_, port) => {
    const node = beforeOf.get(now.fabric.portNode[port]!);
    return node === undefined ? -1 : (portBefore.get(node * 256 + now.identity.portNumber[port]!) ?? -1);
  });
  const unchanged = new Uint8Array(before.fabric.linkCount);
  const changedRate: CablePair[] = [];
  const compareRates = (port: number, own: number): void => {
    if (rateOf(before.fabric, own) !== rateOf(now.fabric, port)) changedRate.push({ now: port, before: own });
  };
  const open: number[] = [];
  eachLink(now.fabric, (port, peer) => {
    const own = earlier[port]!;
    if (own === -1 || before.fabric.portPeer[own] !== earlier[peer] || earlier[peer] === -1) {
      open.push(port);
      return;
    }
    const earlierLink = before.fabric.portLink[own]!;
    unchanged[earlierLink] = 1;
    compareRates(port, own);
  });
  const moved: CablePair[] = [];
  const added = open.filter((port) => {
    for (const end of [port, now.fabric.portPeer[port]!]) {
      const own = earlier[end]!;
      if (own === -1 || unchanged[before.fabric.portLink[own]!] === 1) continue;
      unchanged[before.fabric.portLink[own]!] = 1;
      moved.push({ now: end, before: own });
      compareRates(end, own);
      return false;
    }
    return true;
  });
  const removed: number[] = [];
  eachLink(before.fabric, (port, _, link) => {
    if (unchanged[link] === 0) removed.push(port);
  });
  const isSame = ({ now: node, before: other }: NodePair): boolean =>
    now.identity.nodeGuid[node] === before.identity.nodeGuid[other];
  const same = pairs.filter(isSame);
  return {
    added,
    removed,
    moved,
    changedRate,
    addedNodes: Array.from(now.identity.nodeName.keys()).filter((node) => !beforeOf.has(node)),
    removedNodes: Array.from(before.identity.nodeName.keys()).filter((node) => !keptBefore.has(node)),
    replaced: pairs.filter((pair) => !isSame(pair)),
    renumbered: same.filter((pair) => hasOtherLids(now.identity, before.identity, pair)),
    renamed: same.filter((pair) => now.identity.nodeName[pair.now] !== before.identity.nodeName[pair.before]),
  };
}

/** An LMC is compared only if both captures have some above 0: not every format has them. */
function hasOtherLids(now: FabricIdentity, before: FabricIdentity, pair: NodePair): boolean {
  const hasLmc = now.lmc !== undefined && before.lmc !== undefined;
  return (
    now.lid[pair.now] !== before.lid[pair.before] ||
    (hasLmc && lidCount(now, pair.now) !== lidCount(before, pair.before))
  );
}

function rateOf({ linkRateBps, portLink }: Fabric, port: number): number {
  return linkRateBps[portLink[port]!]!;
}

/** Calls with both ports of every link, the one of the lower node first. */
function eachLink({ linkCount, linkPorts }: Fabric, call: (port: number, peer: number, link: number) => void): void {
  for (let link = 0; link < linkCount; link++) call(linkPorts[2 * link]!, linkPorts[2 * link + 1]!, link);
}

/** Ports by node x 256 + number. */
function portsByNode({ fabric, identity }: Capture): Map<number, number> {
  return new Map(Array.from(fabric.portNode, (node, port) => [node * 256 + identity.portNumber[port]!, port] as const));
}

/** Nodes of the same GUID (hosts: of the end port), then switches that stand in the place of those that went. */
function pairedNodes(now: Capture, before: Capture): NodePair[] {
  const isHost = ({ fabric }: Capture, node: number): boolean => fabric.nodeKind[node] === NodeKind.host;
  const key = (capture: Capture, node: number): bigint =>
    isHost(capture, node) ? capture.identity.portGuid[node]! : capture.identity.nodeGuid[node]!;
  const byGuid = new Map(Array.from(before.identity.nodeName, (_, node) => [key(before, node), node] as const));
  const pairs: NodePair[] = [];
  const came: number[] = [];
  now.identity.nodeName.forEach((_, node) => {
    const other = byGuid.get(key(now, node));
    if (other !== undefined && isHost(now, node) === isHost(before, other)) pairs.push({ now: node, before: other });
    else if (!isHost(now, node)) came.push(node);
  });
  const kept = new Set(pairs.map((pair) => pair.before));
  const beforeOf = new Map(pairs.map((pair) => [pair.now, pair.before]));
  const portBefore = portsByNode(before);
  const taken = new Set<number>();
  for (const node of came) {
    // cables of one that went, with the same port numbers at both ends
    const shared = new Map<number, number>();
    const { portOffset, portPeer, portNode } = now.fabric;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portPeer[port]!;
      const peerBefore = beforeOf.get(portNode[peer]!);
      const there =
        peerBefore === undefined ? undefined : portBefore.get(peerBefore * 256 + now.identity.portNumber[peer]!);
      if (there === undefined) continue;
      const end = before.fabric.portPeer[there]!;
      const gone = before.fabric.portNode[end]!;
      if (kept.has(gone) || taken.has(gone) || before.identity.portNumber[end] !== now.identity.portNumber[port])
        continue;
      shared.set(gone, (shared.get(gone) ?? 0) + 1);
    }
    const [best] = [...shared].sort((a, b) => b[1] - a[1]);
    if (best === undefined) continue;
    const cables = before.fabric.portOffset[best[0] + 1]! - before.fabric.portOffset[best[0]]!;
    if (2 * best[1] < cables) continue;
    taken.add(best[0]);
    pairs.push({ now: node, before: best[0] });
  }
  return pairs;
}
