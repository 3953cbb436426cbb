// Long because hosts, servers and switches share one search.
// Shortest-path routes with all their equal-cost next hops, from every switch to every host.
// Hosts never forward, but may be linked directly. Hosts that NVSwitches alone join (a server, an NVLink domain) use
// NVLink, however near they are over other switches, unless they are told to take the network; elsewhere an NVSwitch
// next hop excludes all others at equal distance.
// Invariant: a next hop is strictly closer to the destination, at an NVSwitch within its domain by NVLink, so no route
// loops. An NVSwitch may itself send to the hosts that are linked to it, and they to it (`sourcePorts` alone): one
// link, never forwarded. Size: hosts that hang on the same switches share a class; a switch with hosts only (an
// NVSwitch, a lone leaf) needs no entry at all.
// Source: SimAI's static routes (breadth-first search per destination, NVSwitch preference) and its measured next-hop
// order.

import { Int32List } from '../base/columns.js';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import type { ForwardingTables } from './forwarding-tables.js';
import type { LidRule } from './lid-offsets.js';

/**
 * Order of equal-cost next hops by neighbour id; descending is what SimAI 1.6 shows. Parallel links to one neighbour
 * keep their link order.
 */
export type NextHopOrder = 'descending-node-id' | 'ascending-node-id';

/**
 * Which way hosts that NVSwitches join take to each other: over these, or as if there were none, where that leads
 * there. The communication-stack document (docs/SOURCES.md), 6.9, has a table for either, and nvls_enable to choose by.
 */
export const waysWithinServers = ['nvlink', 'network'] as const;
export type WayWithinServers = (typeof waysWithinServers)[number];

/** What a run says of its routes. */
export interface RoutingRules {
  readonly nextHopOrder: NextHopOrder;
  readonly withinServers: WayWithinServers;
  /** forwarding tables that say the ways in place of them, by offset of the destination's LID; left out: none */
  readonly tables?: readonly ForwardingTables[];
  /** which LID of a destination is sent to, where it has several; left out: the queue pairs take them in turn */
  readonly lidOffset?: LidRule;
}

/** What routing knows of links: which are up, and the most links of a way. */
export interface KnownLinks {
  readonly isUp: Uint8Array;
  readonly mostLinks: number;
}

/** Equal-cost routes by these rules, all links up, whatever tables there are. */
export function equalCostRoutes(fabric: Fabric, { nextHopOrder, withinServers }: RoutingRules): EqualCostRoutes {
  return new EqualCostRoutes(fabric, nextHopOrder, undefined, withinServers);
}

const none = -1;
const direct = -2;
const unreachable = 255;
/** above the rank of any way over switches */
const worstLinks = 3 * unreachable;
/** of a neighbour through which the destination cannot be reached */
const noWay = 1024;

export class EqualCostRoutes {
  /** ports of all next-hop sets; set s is setPorts[setOffset[s] .. setOffset[s + 1] - 1], in hashing order */
  readonly setPorts: Int32Array;
  readonly setOffset: Int32Array;
  /** most links on any route from a host to a host */
  readonly longestPath: number;

  private readonly transitIndex: Int32Array;
  private readonly transitCount: number;
  private readonly between: TransitLinks;
  private readonly classOfHost: Int32Array;
  private readonly setOfClass: Int32Array;
  private readonly distanceOfClass: Uint8Array;
  /** links to the hosts of a class through NVSwitches alone; empty where no NVSwitch is linked to another */
  private readonly nvlinkDistanceOfClass: Uint8Array;
  /** for a port of a host: the set of all ports of its switch that lead to that host */
  private readonly deliverySet: Int32Array;
  /** of each link; null: all are */
  private readonly isUp: Uint8Array | null;
  private readonly mostLinks: number;

  /**
   * @param order order of the next hops within a set: part of the hash's meaning
   * @param known what routing knows of failed links: routes avoid those that are not up, and a host more than
   * `mostLinks` away is out of reach (as a packet's time to live would have it); left out, all links are up
   * @param withinServers what hosts prefer to send by where NVSwitches join them
   */
  constructor(
    readonly fabric: Fabric,
    readonly order: NextHopOrder,
    known?: KnownLinks,
    readonly withinServers: WayWithinServers = 'nvlink',
  ) {
    const { nodeCount, nodeKind, hosts } = fabric;
    this.isUp = known === undefined ? null : known.isUp.slice();
    this.mostLinks = known?.mostLinks ?? unreachable;
    this.transitIndex = new Int32Array(nodeCount).fill(-1);
    const transit: number[] = [];
    for (let n = 0; n < nodeCount; n++) {
      if (nodeKind[n] !== NodeKind.host && this.hasSwitchNeighbour(n)) this.transitIndex[n] = transit.push(n) - 1;
    }
    this.transitCount = transit.length;
    this.between = this.linksBetween(transit);
    const sets = new SetTable(fabric.portCount);
    this.deliverySet = this.makeDeliverySets(sets);
    this.classOfHost = new Int32Array(nodeCount).fill(-1);
    const attachments = this.classify(hosts);
    this.setOfClass = new Int32Array(attachments.length * this.transitCount).fill(none);
    this.distanceOfClass = new Uint8Array(attachments.length * this.transitCount).fill(unreachable);
    this.nvlinkDistanceOfClass = new Uint8Array(hasNvswitchPair(fabric) ? this.distanceOfClass.length : 0).fill(
      unreachable,
    );
    let longest = 2;
    for (let c = 0; c < attachments.length; c++) {
      const links = 1 + this.searchFrom(c, attachments[c]!, sets);
      longest = Math.max(longest, links + this.searchNvlinkFrom(c, attachments[c]!, sets, this.mostLinks + 1 - links));
    }
    this.longestPath = longest;
    this.setPorts = sets.ports.toArray();
    this.setOffset = sets.offsets.toArray();
  }

  /** Routes by the same rules over the links that routing knows to be up. */
  knowing(known: KnownLinks): EqualCostRoutes {
    return new EqualCostRoutes(this.fabric, this.order, known, this.withinServers);
  }

  /** Whether hosts have ways of their own even if they hang on the same switches. */
  get isByHost(): boolean {
    return false;
  }

  /** LIDs of a host that have ways of their own. */
  get lids(): number {
    return 1;
  }

  /** Which LID of its destination a connection is for, from 0. */
  lidOffset(_source: number, _destination: number, _sourcePort: number): number {
    return 0;
  }

  /** The next-hop set of a switch towards a LID of a host, as `nextHopSet`. */
  nextHopSetOfLid(node: number, destination: number, _offset: number): number {
    return this.nextHopSet(node, destination);
  }

  /**
   * The next-hop set of a switch towards a host, of all its LIDs together.
   * @returns index into setOffset, or -1 if the host cannot be reached from there
   */
  nextHopSet(node: number, destination: number): number {
    const { portOffset, portNeighbour } = this.fabric;
    const transit = this.transitIndex[node]!;
    const hostClass = this.classOfHost[destination]!;
    if (hostClass < 0) return none;
    const set = transit < 0 ? direct : this.setOfClass[hostClass * this.transitCount + transit]!;
    if (set !== direct) return set;
    for (let p = portOffset[destination]!; p < portOffset[destination + 1]!; p++) {
      if (portNeighbour[p] === node && this.leads(p)) return this.deliverySet[p]!;
    }
    return none;
  }

  /**
   * The ports by which a host can send towards another host or an NVSwitch that it is linked to, in hashing order; also
   * those by which an NVSwitch can send to a host that it is linked to.
   * @param out receives the ports; needs room for all ports of the source
   * @returns how many; 0 if there is no route
   */
  sourcePorts(source: number, destination: number, out: Int32Array): number {
    const { portOffset, portNeighbour } = this.fabric;
    let best = noWay - 1;
    let count = 0;
    for (let p = portOffset[source]!; p < portOffset[source + 1]!; p++) {
      if (!this.leads(p)) continue;
      const rank = this.rank(portNeighbour[p]!, destination);
      if (rank > best) continue;
      if (rank < best) {
        best = rank;
        count = 0;
      }
      out[count++] = p;
    }
    if (count > 1) this.sort(out.subarray(0, count));
    return count;
  }

  /** Links from a switch to a host; 255 if there is no way. The way by NVLink may be longer: see nvlinkDistance. */
  distance(node: number, destination: number): number {
    return this.distanceIn(this.distanceOfClass, node, destination);
  }

  /** Links from an NVSwitch to a host through NVSwitches alone; 255 if there is no such way. */
  nvlinkDistance(node: number, destination: number): number {
    return this.distanceIn(this.nvlinkDistanceOfClass, node, destination);
  }

  /**
   * A number of the hosts that hang on the same switches: the same next hops lead to all of them, but the last ones.
   */
  classOf(host: number): number {
    return this.classOfHost[host]!;
  }

  private distanceIn(distanceOfClass: Uint8Array, node: number, destination: number): number {
    const { portOffset, portNeighbour } = this.fabric;
    const hostClass = this.classOfHost[destination]!;
    if (hostClass < 0) return unreachable;
    for (let p = portOffset[destination]!; p < portOffset[destination + 1]!; p++) {
      if (portNeighbour[p] === node && this.leads(p)) return 1;
    }
    const transit = this.transitIndex[node]!;
    return transit < 0 || distanceOfClass.length === 0
      ? unreachable
      : distanceOfClass[hostClass * this.transitCount + transit]!;
  }

  /**
   * How well a sender's neighbour leads to the destination, lower is better: itself, by NVLink, then any way,
   * NVSwitches first; with the network within servers, NVLink last.
   */
  private rank(neighbour: number, destination: number): number {
    const kind = this.fabric.nodeKind[neighbour];
    if (neighbour === destination) return 0;
    if (kind === NodeKind.host) return noWay;
    const byNvlink = kind === NodeKind.nvswitch ? this.nvlinkDistance(neighbour, destination) : unreachable;
    if (byNvlink !== unreachable) return this.withinServers === 'nvlink' ? byNvlink : worstLinks + byNvlink;
    const links = this.distance(neighbour, destination);
    return links === unreachable ? noWay : unreachable + 2 * links + (kind === NodeKind.nvswitch ? 0 : 1);
  }

  /** True if the link of a port is up, as far as routing knows. */
  leads(port: number): boolean {
    return this.isUp === null || this.isUp[this.fabric.portLink[port]!] === 1;
  }

  private linksBetween(transit: readonly number[]): TransitLinks {
    const { portOffset, nodeKind, portNeighbour } = this.fabric;
    const [firstOf, portOf, neighbourOf] = [new Int32List(), new Int32List(), new Int32List()];
    for (const node of transit) {
      firstOf.push(portOf.length);
      for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
        const t = this.transitIndex[portNeighbour[p]!]!;
        if (t < 0 || !this.leads(p)) continue;
        portOf.push(p);
        neighbourOf.push(t);
      }
    }
    firstOf.push(portOf.length);
    const neighbours = neighbourOf.toArray();
    return {
      firstOf: firstOf.toArray(),
      portOf: portOf.toArray(),
      neighbourOf: neighbours,
      nvswitchOf: Uint8Array.from(neighbours, (t) => (nodeKind[transit[t]!] === NodeKind.nvswitch ? 1 : 0)),
    };
  }

  private hasSwitchNeighbour(node: number): boolean {
    const { portOffset, nodeKind, portNeighbour } = this.fabric;
    for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
      if (nodeKind[portNeighbour[p]!] !== NodeKind.host) return true;
    }
    return false;
  }

  private sort(ports: Int32Array): void {
    const { portNeighbour } = this.fabric;
    const sign = this.order === 'descending-node-id' ? -1 : 1;
    ports.sort((a, b) => sign * (portNeighbour[a]! - portNeighbour[b]!) || a - b);
  }

  private sorted(ports: Int32List): Int32Array {
    const sorted = ports.toArray();
    this.sort(sorted);
    return sorted;
  }

  private makeDeliverySets(sets: SetTable): Int32Array {
    const { portOffset, portPeer, hosts, portCount, portNeighbour } = this.fabric;
    const result = new Int32Array(portCount).fill(none);
    const parallel: number[] = [];
    for (const host of hosts) {
      for (let p = portOffset[host]!; p < portOffset[host + 1]!; p++) {
        if (!this.leads(p)) continue;
        const node = portNeighbour[p]!;
        parallel.length = 0;
        for (let q = portOffset[host]!; q < portOffset[host + 1]!; q++)
          if (portNeighbour[q] === node && this.leads(q)) parallel.push(portPeer[q]!);
        result[p] = sets.intern(parallel.length > 1 ? parallel.sort((a, b) => a - b) : parallel);
      }
    }
    return result;
  }

  /** Groups the hosts by the transit switches they hang on. @returns for each class, those switches */
  private classify(hosts: Int32Array): number[][] {
    const { portOffset, portNeighbour } = this.fabric;
    const byKey = new Map<string, number>();
    const attachments: number[][] = [];
    for (const host of hosts) {
      const switches = new Set<number>();
      for (let p = portOffset[host]!; p < portOffset[host + 1]!; p++) {
        const node = portNeighbour[p]!;
        if (this.transitIndex[node]! >= 0 && this.leads(p)) switches.add(node);
      }
      const list = [...switches].sort((a, b) => a - b);
      const key = list.join(' ');
      let index = byKey.get(key);
      if (index === undefined) {
        index = attachments.push(list) - 1;
        byKey.set(key, index);
      }
      this.classOfHost[host] = index;
    }
    return attachments;
  }

  /** Breadth-first search from the switches of a class. @returns the largest distance found */
  private searchFrom(hostClass: number, attached: number[], sets: SetTable): number {
    const { firstOf, portOf, neighbourOf, nvswitchOf } = this.between;
    const base = hostClass * this.transitCount;
    const distance = this.distanceOfClass;
    const queue: number[] = [];
    for (const node of attached) {
      const t = this.transitIndex[node]!;
      distance[base + t] = 1;
      this.setOfClass[base + t] = direct;
      queue.push(t);
    }
    // once all are found, no link leads to anything new
    for (let i = 0; i < queue.length && queue.length < this.transitCount; i++) {
      const from = queue[i]!;
      const next = distance[base + from]! + 1;
      if (next >= this.mostLinks && this.isUp !== null) break;
      if (next >= unreachable) throw pathTooLong();
      const end = firstOf[from + 1]!;
      for (let link = firstOf[from]!; link < end; link++) {
        const t = neighbourOf[link]!;
        if (distance[base + t] !== unreachable) continue;
        distance[base + t] = next;
        queue.push(t);
      }
    }
    let longest = 0;
    const ports = new Int32List();
    for (const t of queue) {
      const own = distance[base + t]!;
      longest = Math.max(longest, own);
      if (own === 1) continue;
      // a switch mostly has the same next hops for one class as for the class before
      ports.length = 0;
      let nvswitch = 0;
      const end = firstOf[t + 1]!;
      for (let link = firstOf[t]!; link < end; link++) {
        if (distance[base + neighbourOf[link]!] !== own - 1) continue;
        const isNvswitch = nvswitchOf[link]!;
        if (isNvswitch > nvswitch) {
          nvswitch = 1;
          ports.length = 0;
        } else if (isNvswitch < nvswitch) continue;
        ports.push(portOf[link]!);
      }
      this.setOfClass[base + t] = sets.remembered(t, ports) ?? sets.remember(t, ports, this.sorted(ports));
    }
    return longest;
  }

  /**
   * The same among NVSwitches alone; what it finds goes before what searchFrom found.
   * @param mostLinks ways by NVLink that are longer are not taken
   * @returns by how many links a path may thereby get longer
   */
  private searchNvlinkFrom(hostClass: number, attached: number[], sets: SetTable, mostLinks: number): number {
    const distance = this.nvlinkDistanceOfClass;
    if (distance.length === 0) return 0;
    const { portOffset, nodeKind, portNeighbour } = this.fabric;
    const base = hostClass * this.transitCount;
    const queue = attached.filter((node) => nodeKind[node] === NodeKind.nvswitch);
    for (const node of queue) distance[base + this.transitIndex[node]!] = 1;
    let own = 1;
    for (const node of queue) {
      own = distance[base + this.transitIndex[node]!]!;
      const closer: number[] = [];
      for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
        const neighbour = portNeighbour[p]!;
        if (nodeKind[neighbour] !== NodeKind.nvswitch || !this.leads(p)) continue;
        const n = base + this.transitIndex[neighbour]!;
        if (distance[n] === own - 1) closer.push(p);
        if (distance[n] !== unreachable) continue;
        if (own === mostLinks) {
          if (this.isUp === null) throw pathTooLong();
          continue;
        }
        distance[n] = own + 1;
        queue.push(neighbour);
      }
      if (own === 1) continue;
      const sorted = Int32Array.from(closer);
      this.sort(sorted);
      this.setOfClass[base + this.transitIndex[node]!] = sets.intern(sorted);
    }
    return own - 1;
  }
}

function pathTooLong(): InputError {
  return InputError.at('path-too-long', 'fabric', wholeFile, 'two nodes are more than 254 links apart', {
    wanted: 'paths of at most 254 links',
  });
}

function hasNvswitchPair({ portCount, portNode, portNeighbour, nodeKind }: Fabric): boolean {
  for (let p = 0; p < portCount; p++)
    if (nodeKind[portNode[p]!] === NodeKind.nvswitch && nodeKind[portNeighbour[p]!] === NodeKind.nvswitch) return true;
  return false;
}

/**
 * Links from transit switches to others, those that are up: of transit t firstOf[t] .. firstOf[t + 1] - 1, with port,
 * neighbour and its kind.
 */
interface TransitLinks {
  readonly firstOf: Int32Array;
  readonly portOf: Int32Array;
  readonly neighbourOf: Int32Array;
  readonly nvswitchOf: Uint8Array;
}

/** Next-hop sets, each stored once. */
class SetTable {
  readonly ports = new Int32List();
  readonly offsets = new Int32List();
  private readonly byKey = new Map<string, number>();
  /** by port: the set of it alone, which most sets are; -1: not yet */
  private readonly ofPort: Int32Array;
  /** by switch: the ports that it last had a set of, in any order, and the set */
  private readonly latest: { readonly ports: Int32Array; readonly set: number }[] = [];

  constructor(portCount: number) {
    this.ofPort = new Int32Array(portCount).fill(-1);
    this.offsets.push(0);
  }

  /** The set that a switch had last, if it was of these ports; else null. */
  remembered(transit: number, ports: Int32List): number | null {
    const known = this.latest[transit];
    if (known === undefined || known.ports.length !== ports.length) return null;
    for (let i = 0; i < ports.length; i++) if (known.ports[i] !== ports.values[i]) return null;
    return known.set;
  }

  /** The set of ports of a switch. @param ports as they were found @param sorted in hashing order */
  remember(transit: number, ports: Int32List, sorted: Int32Array): number {
    const set = this.intern(sorted);
    this.latest[transit] = { ports: ports.toArray(), set };
    return set;
  }

  intern(ports: ArrayLike<number>): number {
    if (ports.length === 1) {
      const port = ports[0]!;
      if (this.ofPort[port]! < 0) this.ofPort[port] = this.append(ports);
      return this.ofPort[port]!;
    }
    const key = Array.prototype.join.call(ports, ' ');
    let set = this.byKey.get(key);
    if (set === undefined) {
      set = this.append(ports);
      this.byKey.set(key, set);
    }
    return set;
  }

  private append(ports: ArrayLike<number>): number {
    for (let i = 0; i < ports.length; i++) this.ports.push(ports[i]!);
    this.offsets.push(this.ports.length);
    return this.offsets.length - 2;
  }
}
