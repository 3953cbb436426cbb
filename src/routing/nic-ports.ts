// The ports that a flow leaves by, and how its queue pairs are spread over them: those of a NIC, or those to
// NVSwitches. A host is a GPU with a NIC of one or two ports: exactly two links of one rate that leave its server are
// the ports of one NIC. More links, or links of different rates, are NICs of their own, and a flow has one of them.
// Links to several NVSwitches of one rate are striped: a flow over NVLink has a queue pair for each.
// Invariant: ports in turn are those that lead to the destination by equal-cost routes in force.
// Source: NCCL merges the ports of a NIC into one device (NCCL_IB_MERGE_NICS, 1 by default since 2.20), opens at least
// one queue pair per port (NCCL_IB_QPS_PER_CONNECTION times the number of ports) and splits every message over one of
// each port; a bonded NIC gives its ports to queue pairs in turn as they are made (queue affinity of the mlx5 driver).
// HPN's hosts choose source ports for disjoint paths (Qian et al., SIGCOMM 2024, 6; Zhang et al., ATC 2021). A GPU
// spreads what it reads and writes over all its NVLinks by address (NVIDIA, "NVSwitch technical overview", 2018).
// Not modelled: a receiver with more ports than its sender; ports chosen by what is queued at them.

import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { isMeshPort } from '../fabric/server-mesh.js';
import type { PathTracer } from './path.js';

/** Queue pairs per flow as a scenario gives them, and how these find their ports. */
export interface QueuePairSettings {
  readonly perFlow: number | 'auto';
  readonly portChoice: 'in-turn' | 'hash';
}

/** 1 for each host whose links outside NVLink are the two ports of a NIC, by node. */
export function hostsWithTwoPorts(fabric: Fabric): Uint8Array {
  const { hosts, nodeCount, nodeKind, portOffset, portLink, linkRateBps, portNeighbour } = fabric;
  const hasTwo = new Uint8Array(nodeCount);
  for (const host of hosts) {
    let ports = 0;
    let firstBps = 0;
    let areAlike = true;
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      if (nodeKind[portNeighbour[port]!] === NodeKind.nvswitch || isMeshPort(fabric, port)) continue;
      const rateBps = linkRateBps[portLink[port]!]!;
      if (ports++ === 0) firstBps = rateBps;
      else areAlike &&= rateBps === firstBps;
    }
    if (ports === 2 && areAlike) hasTwo[host] = 1;
  }
  return hasTwo;
}

/** Links to NVSwitches of the host that has most of them, where all of a host have one rate; at most mostStripes. */
function mostNvlinks(fabric: Fabric): number {
  let most = 0;
  for (const host of fabric.hosts) most = Math.max(most, Math.min(mostStripes, nvlinksOf(fabric, host)));
  return most;
}

/** Links of a host to NVSwitches; 0 where they differ in rate. */
function nvlinksOf(fabric: Fabric, host: number): number {
  const { nodeKind, portOffset, portLink, linkRateBps, portNeighbour } = fabric;
  let [links, firstBps] = [0, 0];
  for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
    if (nodeKind[portNeighbour[port]!] !== NodeKind.nvswitch) continue;
    const rateBps = linkRateBps[portLink[port]!]!;
    if (links++ === 0) firstBps = rateBps;
    else if (rateBps !== firstBps) return 0;
  }
  return links;
}

/** queue pairs of a flow at most (queuePair.perFlow) */
const mostStripes = 64;

/** Whether some host spreads what it sends by itself: two ports of a NIC, or links to several NVSwitches. */
export function hasSpread(fabric: Fabric): boolean {
  return hostsWithTwoPorts(fabric).includes(1) || mostNvlinks(fabric) > 1;
}

/** How many queue pairs flows have, and over which ports these are spread; by the routes in force. */
export class NicPorts {
  /** the ports of the last call of `leading` */
  readonly ports: Int32Array;
  /** of a flow, whatever its ends */
  readonly mostQueuePairs: number;
  private readonly hasTwoPorts: Uint8Array;

  constructor(
    private readonly tracer: PathTracer,
    private readonly settings: QueuePairSettings,
  ) {
    const { fabric } = tracer;
    this.mostQueuePairs = settings.perFlow === 'auto' ? Math.max(2, mostNvlinks(fabric)) : settings.perFlow;
    this.hasTwoPorts = hostsWithTwoPorts(fabric);
    let most = 1;
    for (const host of fabric.hosts) most = Math.max(most, fabric.portOffset[host + 1]! - fabric.portOffset[host]!);
    this.ports = new Int32Array(most);
  }

  /** Most queue pairs of a flow between two nodes, at least 1. */
  queuePairs(source: number, destination: number): number {
    const { perFlow } = this.settings;
    if (perFlow !== 'auto') return perFlow;
    const count = this.leading(source, destination);
    if (count < 2) return 1;
    if (this.leadsToNvswitch()) return Math.min(count, this.mostQueuePairs);
    return this.hasTwoPorts[source] === 1 && count === 2 ? 2 : 1;
  }

  /** Over how many ports a flow of many packets is spread for sure: 1 where the hash decides. */
  spread(source: number, destination: number): number {
    const queuePairs = this.queuePairs(source, destination);
    return queuePairs === 1 || this.settings.portChoice === 'hash'
      ? 1
      : Math.max(1, Math.min(queuePairs, this.leading(source, destination)));
  }

  /**
   * The ports that lead from a host to a node, into `this.ports`: those of its NICs, or those to NVSwitches of one
   * rate.
   * @returns how many; 0 where the links to NVSwitches differ
   */
  leading(source: number, destination: number): number {
    const { fabric, routes } = this.tracer;
    if (fabric.nodeKind[source] !== NodeKind.host) return 0;
    const count = routes.sourcePorts(source, destination, this.ports);
    return count > 1 && this.leadsToNvswitch() && nvlinksOf(fabric, source) === 0 ? 0 : count;
  }

  /** Whether the first of the ports of the last call leads to an NVSwitch: then all of them do. */
  private leadsToNvswitch(): boolean {
    const { nodeKind, portNeighbour } = this.tracer.fabric;
    return nodeKind[portNeighbour[this.ports[0]!]!] === NodeKind.nvswitch;
  }
}

/** NicPorts where they matter: null if no host has a choice of ports, or no flow has several queue pairs. */
export function nicPortsOf(tracer: PathTracer, settings: QueuePairSettings): NicPorts | null {
  const { hosts, portOffset } = tracer.fabric;
  if (settings.perFlow === 1) return null;
  if (settings.perFlow === 'auto') {
    if (!hasSpread(tracer.fabric)) return null;
  } else if (hosts.every((host) => portOffset[host + 1]! - portOffset[host]! < 2)) return null;
  return new NicPorts(tracer, settings);
}

/** Most queue pairs of a flow: a number, or by its ends where that depends on the NIC. */
export function mostQueuePairs(nics: NicPorts | null, { perFlow }: QueuePairSettings): number | NicPorts {
  return perFlow === 'auto' ? (nics ?? 1) : perFlow;
}

/**
 * What one of the ports carries of a transfer that is spread over several, in whole packets: the most that any does, to
 * a packet.
 * @param spread ports, at least 1
 */
export function largestPartBytes(sizeBytes: number, payloadBytes: number, spread: number): number {
  if (spread === 1) return sizeBytes;
  return Math.min(sizeBytes, Math.ceil(Math.ceil(sizeBytes / payloadBytes) / spread) * payloadBytes);
}
