// A fabric in a few numbers, for people and for --json: what stands in it, how its links differ, what is odd about it.

import { NodeKind, nodeKindNames, serverCount, type Fabric } from './fabric.js';
import { unlinkedHosts, unreachablePair, type UnreachablePair } from './connectivity.js';

/** Links that are alike: the same kinds of ends, rate, latency and error rate. */
export interface LinkClass {
  /** kinds of the two ends, such as `host-switch` */
  readonly ends: string;
  readonly rateBps: number;
  readonly latencyPs: number;
  readonly errorRate: number;
  readonly count: number;
}

export interface FabricSummary {
  readonly nodes: number;
  readonly hosts: number;
  readonly servers: number;
  readonly gpusPerServer: number;
  /** "" if unknown */
  readonly gpuType: string;
  readonly nvswitches: number;
  readonly switches: number;
  /**
   * switches at 1, 2, ... hops from the nearest host: leaves, spines, cores; switches no host reaches are not counted
   */
  readonly switchesByTier: readonly number[];
  readonly links: number;
  /** in order of first appearance */
  readonly linkClasses: readonly LinkClass[];
  readonly unlinkedHosts: readonly number[];
  /** null if every pair of linked hosts has a path */
  readonly unreachable: UnreachablePair | null;
}

/** Counts a fabric. Linear in its links. */
export function summariseFabric(fabric: Fabric): FabricSummary {
  return {
    nodes: fabric.nodeCount,
    hosts: fabric.hosts.length,
    servers: serverCount(fabric),
    gpusPerServer: fabric.gpusPerServer,
    gpuType: fabric.gpuType,
    nvswitches: countKind(fabric, NodeKind.nvswitch),
    switches: countKind(fabric, NodeKind.switch),
    switchesByTier: switchTiers(fabric),
    links: fabric.linkCount,
    linkClasses: linkClasses(fabric),
    unlinkedHosts: unlinkedHosts(fabric),
    unreachable: unreachablePair(fabric),
  };
}

function countKind(fabric: Fabric, kind: NodeKind): number {
  let count = 0;
  for (let node = 0; node < fabric.nodeCount; node++) if (fabric.nodeKind[node] === kind) count++;
  return count;
}

function linkClasses(fabric: Fabric): LinkClass[] {
  const classes = new Map<string, { -readonly [K in keyof LinkClass]: LinkClass[K] }>();
  for (let link = 0; link < fabric.linkCount; link++) {
    const a = fabric.nodeKind[fabric.portNode[fabric.linkPorts[2 * link]!]!]!;
    const b = fabric.nodeKind[fabric.portNode[fabric.linkPorts[2 * link + 1]!]!]!;
    const ends = `${nodeKindNames[Math.min(a, b)]!}-${nodeKindNames[Math.max(a, b)]!}`;
    const rateBps = fabric.linkRateBps[link]!;
    const latencyPs = fabric.linkLatencyPs[link]!;
    const errorRate = fabric.linkErrorRate[link]!;
    const key = `${ends} ${rateBps} ${latencyPs} ${errorRate}`;
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { ends, rateBps, latencyPs, errorRate, count: 1 });
    else known.count++;
  }
  return [...classes.values()];
}

/** Breadth first from all hosts over plain switches (NVSwitches stand in the servers and lead nowhere). */
function switchTiers(fabric: Fabric): number[] {
  const { nodeKind, portOffset, portNode, portPeer } = fabric;
  const reached = new Uint8Array(fabric.nodeCount);
  let frontier: number[] = Array.from(fabric.hosts);
  const tiers: number[] = [];
  for (;;) {
    const next: number[] = [];
    for (const node of frontier) {
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNode[portPeer[port]!]!;
        if (nodeKind[peer] !== NodeKind.switch || reached[peer] === 1) continue;
        reached[peer] = 1;
        next.push(peer);
      }
    }
    if (next.length === 0) return tiers;
    tiers.push(next.length);
    frontier = next;
  }
}
