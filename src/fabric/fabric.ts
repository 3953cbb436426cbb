// The network as built: nodes, ports and full-duplex links in columns (compressed sparse rows from node to port).
// Invariants: node ids are 0..nodeCount-1; a node's ports are consecutive and stand in the order in which its links
// were given, or in that of the port numbers given with them (identity.ts keeps those);
// portPeer is an involution; both ends of a link have its rate and latency. Immutable once built.

import type { FabricIdentity } from './identity-columns.js';
import { fail } from '../base/fail.js';

/** What a node is. Hosts (GPUs) send and receive and never forward; the others forward. */
export const NodeKind = { host: 0, switch: 1, nvswitch: 2 } as const;
export type NodeKind = (typeof NodeKind)[keyof typeof NodeKind];

export const nodeKindNames = ['host', 'switch', 'nvswitch'] as const;

/** A network in columns: nodes, ports and links; one object, because all columns are made and checked together. */
export interface Fabric {
  readonly nodeCount: number;
  /** NodeKind of each node */
  readonly nodeKind: Uint8Array;
  /** ids of the hosts, ascending */
  readonly hosts: Int32Array;
  /** hosts per server; the last server may have fewer */
  readonly gpusPerServer: number;
  /**
   * server of each host, -1 for switches: hosts fill the servers in ascending order of their ids, whatever those ids
   * are
   */
  readonly nodeServer: Int32Array;
  /** what each node takes for a packet that it forwards, in picoseconds: forwarding-latency.ts */
  readonly nodeLatencyPs: Float64Array;
  /** share of its links' rate at which each node receives; 1 unless receive-speed.ts says otherwise */
  readonly nodeReceiveSpeed: Float64Array;
  /** GPU model as the topology file names it, such as A100; "" if unknown */
  readonly gpuType: string;
  /** who its nodes are on InfiniBand, where people are to read and write that; left out: by tier and place */
  readonly identity?: FabricIdentity;

  readonly portCount: number;
  /** nodeCount + 1 offsets: node n owns ports portOffset[n] .. portOffset[n + 1] - 1 */
  readonly portOffset: Int32Array;
  /** owner of each port */
  readonly portNode: Int32Array;
  /** the port at the other end of each port's link */
  readonly portPeer: Int32Array;
  /** node at the other end of the link */
  readonly portNeighbour: Int32Array;
  /** link of each port */
  readonly portLink: Int32Array;

  readonly linkCount: number;
  /** the two ends of each link, as ports: 2 x linkCount, in the order in which the link named them */
  readonly linkPorts: Int32Array;
  readonly linkRateBps: Float64Array;
  readonly linkLatencyPs: Float64Array;
  /** probability that a packet is lost on the link, per packet and direction */
  readonly linkErrorRate: Float64Array;
}

/**
 * The most nodes a fabric may have: readers and generators refuse more before allocating (addresses would allow 2^24).
 */
export const maxNodes = 2 ** 20;

/** The most links a fabric may have. */
export const maxLinks = 2 ** 22;

/** Server of a host, counted from 0; -1 if the node is not a host. */
export function serverOf(fabric: Fabric, host: number): number {
  return fabric.nodeServer[host]!;
}

/** Most ports of a host; 1 if there are none. */
export function mostPortsOfHost({ hosts, portOffset }: Fabric): number {
  return hosts.reduce((most, host) => Math.max(most, portOffset[host + 1]! - portOffset[host]!), 1);
}

/** Number of servers, counting a last one that is not full. */
export function serverCount(fabric: Fabric): number {
  return Math.ceil(fabric.hosts.length / fabric.gpusPerServer);
}

/**
 * Number of a port within its node, from 1, in the order of the node's links: SimAI's interface index (0 is its
 * loopback).
 */
export function interfaceIndex(fabric: Fabric, port: number): number {
  return port - fabric.portOffset[fabric.portNode[port]!]! + 1;
}

/** The port of a node with a number from {@link interfaceIndex}; -1: the fabric has none. */
export function portAt({ portOffset, nodeCount }: Fabric, node: number, number: number): number {
  if (!(node >= 0 && node < nodeCount && number >= 1)) return -1;
  const port = portOffset[node]! + number - 1;
  return port < portOffset[node + 1]! ? port : -1;
}

/** A port as people read it: `node:interface`. */
export function portName(fabric: Fabric, port: number): string {
  return `${fabric.portNode[port]!}:${interfaceIndex(fabric, port)}`;
}

/** Collects nodes and links, then lays them out as a Fabric. */
export class FabricBuilder {
  private readonly kinds: NodeKind[] = [];
  private readonly ends: number[] = [];
  private readonly rates: number[] = [];
  private readonly latencies: number[] = [];
  private readonly errorRates: number[] = [];

  constructor(
    private readonly gpusPerServer = 1,
    private readonly gpuType = '',
  ) {}

  get nodeCount(): number {
    return this.kinds.length;
  }

  get linkCount(): number {
    return this.rates.length;
  }

  /** Adds a node; ids count up from 0 in the order of the calls. @returns its id */
  addNode(kind: NodeKind): number {
    return this.kinds.push(kind) - 1;
  }

  /** Adds `count` nodes of a kind. @returns the id of the first */
  addNodes(kind: NodeKind, count: number): number {
    const first = this.kinds.length;
    for (let i = 0; i < count; i++) this.kinds.push(kind);
    return first;
  }

  /**
   * Adds a full-duplex link. Parallel links are allowed; each is a port of its own at both ends.
   * @param rateBps bits per second in each direction, above 0
   * @param latencyPs propagation delay in picoseconds, 0 or more
   * @param errorRate probability that a packet is lost, 0 to 1
   */
  addLink(a: number, b: number, rateBps: number, latencyPs: number, errorRate = 0): void {
    const n = this.kinds.length;
    if (!(a >= 0 && a < n && b >= 0 && b < n) || a === b) fail(`link between nodes ${a} and ${b} of ${n}`);
    if (!(rateBps > 0) || !(latencyPs >= 0))
      fail(`link ${a}-${b} with rate ${rateBps} bit/s and latency ${latencyPs} ps`);
    this.ends.push(a, b);
    this.rates.push(rateBps);
    this.latencies.push(latencyPs);
    this.errorRates.push(errorRate);
  }

  private servers(hosts: Int32Array): Int32Array {
    const nodeServer = new Int32Array(this.kinds.length).fill(-1);
    hosts.forEach((host, rank) => {
      nodeServer[host] = Math.floor(rank / this.gpusPerServer);
    });
    return nodeServer;
  }

  /**
   * Lays everything out.
   * @param portNumbers numbers of the two ends of each link, in the order of the calls of addLink: the ports of a node
   * then stand in
   *   ascending order of theirs (equal numbers in the order of the links); without it, in the order of the links
   */
  build(portNumbers?: ArrayLike<number>): Fabric {
    const { ends } = this;
    const nodeCount = this.kinds.length;
    const linkCount = this.rates.length;
    const nodeKind = Uint8Array.from(this.kinds);
    const portCount = 2 * linkCount;
    const portOffset = new Int32Array(nodeCount + 1);
    for (const node of ends) portOffset[node + 1]!++;
    for (let n = 0; n < nodeCount; n++) portOffset[n + 1]! += portOffset[n]!;
    if (portNumbers !== undefined && portNumbers.length !== ends.length)
      fail(`${portNumbers.length} port numbers for ${ends.length} ends of links`);
    const places = portPlaces(ends, portOffset, portNumbers);
    const portNode = new Int32Array(portCount);
    const portPeer = new Int32Array(portCount);
    const portLink = new Int32Array(portCount);
    const linkPorts = new Int32Array(portCount);
    for (let link = 0; link < linkCount; link++) {
      const a = ends[2 * link]!;
      const b = ends[2 * link + 1]!;
      const portA = places[2 * link]!;
      const portB = places[2 * link + 1]!;
      portNode[portA] = a;
      portNode[portB] = b;
      portPeer[portA] = portB;
      portPeer[portB] = portA;
      portLink[portA] = portLink[portB] = link;
      linkPorts[2 * link] = portA;
      linkPorts[2 * link + 1] = portB;
    }
    const hosts = Int32Array.from(this.kinds.keys()).filter((id) => this.kinds[id] === NodeKind.host);
    return {
      nodeCount,
      nodeKind,
      hosts,
      gpusPerServer: this.gpusPerServer,
      nodeServer: this.servers(hosts),
      nodeLatencyPs: new Float64Array(nodeCount),
      nodeReceiveSpeed: new Float64Array(nodeCount).fill(1),
      gpuType: this.gpuType,
      portCount,
      portOffset,
      portNode,
      portPeer,
      portNeighbour: portPeer.map((peer) => portNode[peer]!),
      portLink,
      linkCount,
      linkPorts,
      linkRateBps: Float64Array.from(this.rates),
      linkLatencyPs: Float64Array.from(this.latencies),
      linkErrorRate: Float64Array.from(this.errorRates),
    };
  }
}

/** The port of every end of a link: within its node in the order of the numbers, else of the links. */
function portPlaces(ends: readonly number[], portOffset: Int32Array, portNumbers?: ArrayLike<number>): Int32Array {
  const places = new Int32Array(ends.length);
  const next = portOffset.slice();
  if (portNumbers === undefined) {
    for (let end = 0; end < ends.length; end++) places[end] = next[ends[end]!]!++;
    return places;
  }
  const order = Int32Array.from(ends, (_, end) => end);
  order.sort((a, b) => portNumbers[a]! - portNumbers[b]! || a - b);
  for (const end of order) places[end] = next[ends[end]!]!++;
  return places;
}
