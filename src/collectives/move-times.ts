// How long the moves of a collective take on an idle fabric, by the places between which they go: alone, and when the
// other moves of the same step use the same host's links. A move alone is a transfer alone (routing/lone-transfer.ts)
// after its delays; beside others it takes longer by what the fuller of its sender's and its receiver's links has to
// carry for all of them.
// Invariant: nothing is faster than alone. Equal-cost paths count as equally long, so one path stands for all, its way
// back for the ACK's.
// Between servers a rank's processor posts one move after the other (posting.ts), while its links carry others.
// The queue pairs of a flow count where they go over the ports of a NIC in turn (routing/nic-ports.ts): each port
// carries its part.
// Not modelled: sharing further inside the fabric (hash collisions, oversubscription); queue pairs that the hash
// spreads.

import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { portRateBps } from '../fabric/receive-speed.js';
import { linkBytes } from '../routing/base-delay.js';
import { lastArrivalPs, narrowestBps, type PacketShape } from '../routing/lone-transfer.js';
import { largestPartBytes, type NicPorts } from '../routing/nic-ports.js';
import type { WayWithinServers } from '../routing/equal-cost.js';
import type { PathTracer } from '../routing/path.js';
import { acknowledgementPs } from '../routing/stream-tail.js';
import { type Communicator, isWithinServer } from './communicator.js';
import { moveWireBytes, type WireCost } from './protocols.js';
import type { Choice } from './selection.js';

/** any source port: equal-cost paths are taken for equally long */
const anyPort = 10_000;
const destinationPort = 100;

/** What a path comes to; many pairs of nodes share one. */
export interface PathTimes {
  readonly ports: Int32Array;
  readonly acknowledgementPs: number;
  /** of all ports together over which flows are spread */
  readonly narrowestBps: number;
  /** ports of the NIC over which flows are spread */
  readonly spread: number;
  /** by bytes: time alone */
  readonly lonePs: Map<number, number>;
}

/** The paths of a fabric, by pair of nodes, made when first asked for. */
export class PathBook {
  readonly fabric: Fabric;
  private readonly byPair = new Map<number, PathTimes>();
  private readonly byForm = new Map<string, PathTimes>();
  private readonly path: Int32Array;

  constructor(
    private readonly tracer: PathTracer,
    readonly shape: PacketShape,
    private readonly nics: NicPorts | null = null,
  ) {
    this.fabric = tracer.fabric;
    this.path = new Int32Array(tracer.maxLength);
  }

  /** Which way hosts that NVSwitches join take to each other. */
  get withinServers(): WayWithinServers {
    return this.tracer.routes.withinServers;
  }

  /** The path from a node to another. */
  between(source: number, destination: number): PathTimes {
    const pair = source * this.fabric.nodeCount + destination;
    let known = this.byPair.get(pair);
    if (known === undefined) this.byPair.set(pair, (known = this.trace(source, destination)));
    return known;
  }

  /** A transfer alone over a path, its last acknowledgement included, in picoseconds; no bytes take no time. */
  lonePs(path: PathTimes, sizeBytes: number): number {
    if (sizeBytes === 0) return 0;
    let timePs = path.lonePs.get(sizeBytes);
    if (timePs === undefined)
      path.lonePs.set(
        sizeBytes,
        (timePs =
          lastArrivalPs(
            this.fabric,
            path.ports,
            path.ports.length,
            largestPartBytes(sizeBytes, this.shape.payloadBytes, path.spread),
            this.shape,
          ) + path.acknowledgementPs),
      );
    return timePs;
  }

  private trace(source: number, destination: number): PathTimes {
    const { fabric, path, shape } = this;
    const length = this.tracer.trace(source, destination, anyPort, destinationPort, path);
    const { portLink, portPeer, linkLatencyPs } = fabric;
    const spread = this.nics?.spread(source, destination) ?? 1;
    let form = `${spread} `;
    for (let hop = 0; hop < length; hop++)
      form +=
        `${portRateBps(fabric, path[hop]!)} ${portRateBps(fabric, portPeer[path[hop]!]!)} ` +
        `${linkLatencyPs[portLink[path[hop]!]!]!} ${fabric.nodeKind[fabric.portNode[path[hop]!]!]!},`;
    let known = this.byForm.get(form);
    if (known === undefined) {
      const ports = path.slice(0, length);
      const back = Int32Array.from(ports, (_, hop) => portPeer[ports[length - 1 - hop]!]!);
      known = {
        ports,
        acknowledgementPs: acknowledgementPs(fabric, back, length, shape.acknowledgementBytes),
        narrowestBps: narrowestBps(fabric, ports, length) * spread,
        spread,
        lonePs: new Map(),
      };
      this.byForm.set(form, known);
    }
    return known;
  }
}

/** A place's links to NVSwitches and other hosts, and those to the network. */
const nvlink = 1;
const network = 0;

/** The moves of one group, as one choice makes them. */
export class MoveTimes {
  private readonly hasNvlink: Uint8Array;
  /** by place: 1 if it sends to its server over the network, where the other end can, too */
  private readonly prefersNetwork: Uint8Array;
  /**
   * by 4 x place + 2 x kind of link + direction (0 out, 1 in): bits to carry; bit/s of all such links, NaN until asked
   * for
   */
  private readonly bits: Float64Array;
  private readonly rateBps: Float64Array;
  /** by 2 x place + direction: moves from it to other servers, and to it */
  private readonly posts: Float64Array;
  private readonly postPs: number;

  constructor(
    private readonly book: PathBook,
    private readonly communicator: Communicator,
    private readonly choice: WireCost &
      Pick<Choice, 'intraServerDelayPs' | 'networkDelayPs'> &
      Partial<Pick<Choice, 'postPs'>>,
    private readonly sendLatencyPs: number,
  ) {
    const { rankCount, nodes } = communicator;
    const { portOffset, portPeer, portNode, nodeKind } = book.fabric;
    this.hasNvlink = new Uint8Array(rankCount);
    this.prefersNetwork = new Uint8Array(rankCount);
    for (let place = 0; place < rankCount; place++) {
      for (let port = portOffset[nodes[place]!]!; port < portOffset[nodes[place]! + 1]!; port++)
        if (nodeKind[portNode[portPeer[port]!]!] !== NodeKind.switch) this.hasNvlink[place] = 1;
        else if (book.withinServers === 'network') this.prefersNetwork[place] = 1;
    }
    this.bits = new Float64Array(4 * rankCount);
    this.rateBps = new Float64Array(4 * rankCount).fill(NaN);
    this.posts = new Float64Array(2 * rankCount);
    this.postPs = choice.postPs ?? 0;
  }

  /** Forgets all loads. */
  clear(): void {
    this.bits.fill(0);
    this.posts.fill(0);
  }

  /** A move of this step. @param times how often it is made */
  load(source: number, destination: number, sizeBytes: number, times = 1): void {
    const { rankCount } = this.communicator;
    if (source < rankCount) this.loadAt(source, destination, 0, sizeBytes, times);
    if (destination < rankCount) this.loadAt(destination, source, 1, sizeBytes, times);
  }

  /**
   * What a place sends to a peer or receives from it, counted at that place alone.
   * @param direction 0: sends, 1: receives
   */
  loadAt(place: number, peer: number, direction: 0 | 1, sizeBytes: number, times: number): void {
    this.bits[4 * place + 2 * this.kind(place, peer) + direction]! += this.bitsOf(place, peer, sizeBytes) * times;
    if (sizeBytes > 0 && !this.isIntraServer(place, peer)) this.posts[2 * place + direction]! += times;
  }

  /** A move alone: its delays and its transfer; moves of no bytes arrive at once. */
  lonePs(source: number, destination: number, sizeBytes: number): number {
    if (sizeBytes === 0 || source === destination) return 0;
    return (
      this.delayPs(source, destination) +
      this.book.lonePs(this.path(source, destination), this.wireBytes(source, destination, sizeBytes))
    );
  }

  /** Link time of a move's bytes at the narrowest of its path. */
  drainPs(source: number, destination: number, sizeBytes: number): number {
    if (sizeBytes === 0 || source === destination) return 0;
    return (this.bitsOf(source, destination, sizeBytes) * 1e12) / this.path(source, destination).narrowestBps;
  }

  /** How long a move keeps its ends: its bytes their links, or its post their processors. */
  busyPs(source: number, destination: number, sizeBytes: number): number {
    const drainPs = this.drainPs(source, destination, sizeBytes);
    return drainPs === 0 || this.isIntraServer(source, destination) ? drainPs : Math.max(drainPs, this.postPs);
  }

  /** What a move waits for the bytes of others on its links, of all that is loaded. */
  linkWaitPs(source: number, destination: number, sizeBytes: number): number {
    return Math.max(0, this.linksPs(source, destination) - this.drainPs(source, destination, sizeBytes));
  }

  /** What a move waits for the posts of others, of all that is loaded. */
  postWaitPs(source: number, destination: number): number {
    return Math.max(0, this.postsPs(source, destination) - this.postPs);
  }

  /** A move beside all that is loaded, itself included. */
  sharedPs(source: number, destination: number, sizeBytes: number): number {
    const lonePs = this.lonePs(source, destination, sizeBytes);
    return lonePs === 0
      ? 0
      : lonePs + Math.max(this.linkWaitPs(source, destination, sizeBytes), this.postWaitPs(source, destination));
  }

  /** The same without its delays: how long it holds a slot, once its data is there. */
  transferPs(source: number, destination: number, sizeBytes: number): number {
    const sharedPs = this.sharedPs(source, destination, sizeBytes);
    return sharedPs === 0 ? 0 : sharedPs - this.delayPs(source, destination);
  }

  /** What all that is loaded takes at the fuller end of a move: of its link, or of its processor. */
  loadPs(source: number, destination: number): number {
    return Math.max(this.linksPs(source, destination), this.postsPs(source, destination));
  }

  /** What the posts of all that is loaded take at the busier end of a move. */
  private postsPs(source: number, destination: number): number {
    if (this.isIntraServer(source, destination)) return 0;
    return this.postPs * Math.max(this.posts[2 * source]!, this.posts[2 * destination + 1]!);
  }

  /** Link time of all that is loaded at the fuller end of a move. */
  private linksPs(source: number, destination: number): number {
    const { rankCount } = this.communicator;
    const kind = this.kind(source, destination);
    return Math.max(
      source < rankCount ? this.linkPs(source, 4 * source + 2 * kind) : 0,
      destination < rankCount ? this.linkPs(destination, 4 * destination + 2 * kind + 1) : 0,
    );
  }

  /** What all that is loaded takes at the fullest place: of its links, or of its processor. */
  busiestPs(): number {
    let mostPs = 0;
    for (const posts of this.posts) mostPs = Math.max(mostPs, posts * this.postPs);
    for (let at = 0; at < this.bits.length; at++)
      if (this.bits[at]! > 0) mostPs = Math.max(mostPs, this.linkPs(at >> 2, at));
    return mostPs;
  }

  /** 0: over the network, 1: over NVLink. */
  kind(source: number, destination: number): number {
    const { rankCount, serverOf } = this.communicator;
    if (source >= rankCount || destination >= rankCount) return nvlink;
    const prefersNetwork = this.prefersNetwork[source] === 1 && this.prefersNetwork[destination] === 1;
    return serverOf[source] === serverOf[destination] && this.hasNvlink[source] === 1 && !prefersNetwork
      ? nvlink
      : network;
  }

  private bitsOf(source: number, destination: number, sizeBytes: number): number {
    const { payloadBytes, overheadBytes } = this.book.shape;
    return 8 * linkBytes(this.wireBytes(source, destination, sizeBytes), payloadBytes, overheadBytes);
  }

  private wireBytes(source: number, destination: number, sizeBytes: number): number {
    const { rankCount } = this.communicator;
    const isAtSwitch = source >= rankCount || destination >= rankCount;
    return moveWireBytes(this.choice, sizeBytes, isAtSwitch, this.isIntraServer(source, destination));
  }

  private isIntraServer(source: number, destination: number): boolean {
    return isWithinServer(this.communicator, source, destination);
  }

  private delayPs(source: number, destination: number): number {
    const { intraServerDelayPs, networkDelayPs } = this.choice;
    return this.sendLatencyPs + (this.isIntraServer(source, destination) ? intraServerDelayPs : networkDelayPs);
  }

  private path(source: number, destination: number): PathTimes {
    const { nodes } = this.communicator;
    return this.book.between(nodes[source]!, nodes[destination]!);
  }

  private linkPs(place: number, at: number): number {
    if (this.bits[at] === 0) return 0;
    if (Number.isNaN(this.rateBps[at]))
      this.rateBps[at] = this.sumOfRates(this.communicator.nodes[place]!, (at >> 1) & 1, at & 1);
    return (this.bits[at]! * 1e12) / this.rateBps[at]!;
  }

  private sumOfRates(node: number, kind: number, direction: number): number {
    const { fabric } = this.book;
    const { portOffset, portPeer, portNode, nodeKind } = fabric;
    let sumBps = 0;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const isNetwork = nodeKind[portNode[portPeer[port]!]!] === NodeKind.switch;
      if (isNetwork === (kind === network)) sumBps += portRateBps(fabric, direction === 0 ? port : portPeer[port]!);
    }
    return sumBps;
  }
}
