// Shortest-path routes with all their equal-cost next hops, from every switch to every host.
// Hosts never forward, but may be linked directly. At equal distance an NVSwitch next hop excludes all others, so traffic inside a server stays on NVLink.
// Invariant: every next hop is strictly closer to the destination, so no route loops.
// Size: hosts that hang on the same switches share a class; a switch with hosts only (an NVSwitch, a lone leaf) needs no entry at all.
// Source: SimAI's static routes (breadth-first search per destination, NVSwitch preference) and its measured next-hop order.

import { Int32List } from '../base/columns.js';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';

/** Order of equal-cost next hops by neighbour id; descending is what SimAI 1.6 shows. Parallel links to one neighbour keep their link order. */
export type NextHopOrder = 'descending-node-id' | 'ascending-node-id';

const none = -1;
const direct = -2;
const unreachable = 255;

export class EqualCostRoutes {
  /** ports of all next-hop sets; set s is setPorts[setOffset[s] .. setOffset[s + 1] - 1], in hashing order */
  readonly setPorts: Int32Array;
  readonly setOffset: Int32Array;
  /** most links on any route from a host to a host */
  readonly longestPath: number;

  private readonly transitIndex: Int32Array;
  private readonly transitCount: number;
  private readonly classOfHost: Int32Array;
  private readonly setOfClass: Int32Array;
  private readonly distanceOfClass: Uint8Array;
  /** for a port of a host: the set of all ports of its switch that lead to that host */
  private readonly deliverySet: Int32Array;
  /** of each link; null: all are */
  private readonly isUp: Uint8Array | null;
  private readonly mostLinks: number;

  /**
   * @param order order of the next hops within a set: part of the hash's meaning
   * @param known what routing knows of failed links: routes avoid those that are not up, and a host more than `mostLinks` away is out
   * of reach (as a packet's time to live would have it); left out, all links are up
   */
  constructor(
    readonly fabric: Fabric,
    readonly order: NextHopOrder,
    known?: { readonly isUp: Uint8Array; readonly mostLinks: number },
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
    const sets = new SetTable();
    this.deliverySet = this.makeDeliverySets(sets);
    this.classOfHost = new Int32Array(nodeCount).fill(-1);
    const attachments = this.classify(hosts);
    this.setOfClass = new Int32Array(attachments.length * this.transitCount).fill(none);
    this.distanceOfClass = new Uint8Array(attachments.length * this.transitCount).fill(unreachable);
    let longest = 2;
    for (let c = 0; c < attachments.length; c++) longest = Math.max(longest, 1 + this.searchFrom(c, attachments[c]!, transit, sets));
    this.longestPath = longest;
    this.setPorts = sets.ports.toArray();
    this.setOffset = sets.offsets.toArray();
  }

  /**
   * The next-hop set of a switch towards a host.
   * @returns index into setOffset, or -1 if the host cannot be reached from there
   */
  nextHopSet(node: number, destination: number): number {
    const { portOffset, portNode, portPeer } = this.fabric;
    const transit = this.transitIndex[node]!;
    const set = transit < 0 ? direct : this.setOfClass[this.classOfHost[destination]! * this.transitCount + transit]!;
    if (set !== direct) return set;
    for (let p = portOffset[destination]!; p < portOffset[destination + 1]!; p++) {
      if (portNode[portPeer[p]!] === node && this.leads(p)) return this.deliverySet[p]!;
    }
    return none;
  }

  /**
   * The ports by which a host can send towards another host, in hashing order.
   * @param out receives the ports; needs room for all ports of the host
   * @returns how many; 0 if there is no route
   */
  sourcePorts(source: number, destination: number, out: Int32Array): number {
    const { portOffset, portNode, portPeer, nodeKind } = this.fabric;
    let best = unreachable;
    let nvswitch = 0;
    let count = 0;
    for (let p = portOffset[source]!; p < portOffset[source + 1]!; p++) {
      if (!this.leads(p)) continue;
      const neighbour = portNode[portPeer[p]!]!;
      const distance = nodeKind[neighbour] === NodeKind.host ? (neighbour === destination ? 0 : unreachable) : this.distance(neighbour, destination);
      if (distance === unreachable || distance > best) continue;
      const isNvswitch = nodeKind[neighbour] === NodeKind.nvswitch ? 1 : 0;
      if (distance < best || isNvswitch > nvswitch) {
        best = distance;
        nvswitch = isNvswitch;
        count = 0;
      } else if (isNvswitch < nvswitch) continue;
      out[count++] = p;
    }
    if (count > 1) this.sort(out.subarray(0, count));
    return count;
  }

  /** Links from a switch to a host; 255 if there is no way. */
  distance(node: number, destination: number): number {
    const { portOffset, portNode, portPeer } = this.fabric;
    for (let p = portOffset[destination]!; p < portOffset[destination + 1]!; p++) {
      if (portNode[portPeer[p]!] === node && this.leads(p)) return 1;
    }
    const transit = this.transitIndex[node]!;
    return transit < 0 ? unreachable : this.distanceOfClass[this.classOfHost[destination]! * this.transitCount + transit]!;
  }

  /** True if the link of a port is up. */
  private leads(port: number): boolean {
    return this.isUp === null || this.isUp[this.fabric.portLink[port]!] === 1;
  }

  private hasSwitchNeighbour(node: number): boolean {
    const { portOffset, portNode, portPeer, nodeKind } = this.fabric;
    for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
      if (nodeKind[portNode[portPeer[p]!]!] !== NodeKind.host) return true;
    }
    return false;
  }

  private sort(ports: Int32Array): void {
    const { portNode, portPeer } = this.fabric;
    const sign = this.order === 'descending-node-id' ? -1 : 1;
    ports.sort((a, b) => sign * (portNode[portPeer[a]!]! - portNode[portPeer[b]!]!) || a - b);
  }

  private makeDeliverySets(sets: SetTable): Int32Array {
    const { portOffset, portNode, portPeer, hosts, portCount } = this.fabric;
    const result = new Int32Array(portCount).fill(none);
    for (const host of hosts) {
      for (let p = portOffset[host]!; p < portOffset[host + 1]!; p++) {
        if (!this.leads(p)) continue;
        const node = portNode[portPeer[p]!]!;
        const parallel: number[] = [];
        for (let q = portOffset[host]!; q < portOffset[host + 1]!; q++) if (portNode[portPeer[q]!] === node && this.leads(q)) parallel.push(portPeer[q]!);
        result[p] = sets.intern(parallel.sort((a, b) => a - b));
      }
    }
    return result;
  }

  /** Groups the hosts by the transit switches they hang on. @returns for each class, those switches */
  private classify(hosts: Int32Array): number[][] {
    const { portOffset, portNode, portPeer } = this.fabric;
    const byKey = new Map<string, number>();
    const attachments: number[][] = [];
    for (const host of hosts) {
      const switches = new Set<number>();
      for (let p = portOffset[host]!; p < portOffset[host + 1]!; p++) {
        const node = portNode[portPeer[p]!]!;
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
  private searchFrom(hostClass: number, attached: number[], transit: number[], sets: SetTable): number {
    const { portOffset, portNode, portPeer, nodeKind } = this.fabric;
    const base = hostClass * this.transitCount;
    const distance = this.distanceOfClass;
    const queue: number[] = [];
    for (const node of attached) {
      distance[base + this.transitIndex[node]!] = 1;
      this.setOfClass[base + this.transitIndex[node]!] = direct;
      queue.push(node);
    }
    for (let i = 0; i < queue.length; i++) {
      const node = queue[i]!;
      const next = distance[base + this.transitIndex[node]!]! + 1;
      if (next >= this.mostLinks && this.isUp !== null) break;
      if (next >= unreachable) throw InputError.at('path-too-long', 'fabric', wholeFile, 'two nodes are more than 254 links apart', { wanted: 'paths of at most 254 links' });
      for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
        const t = this.transitIndex[portNode[portPeer[p]!]!]!;
        if (t < 0 || distance[base + t] !== unreachable || !this.leads(p)) continue;
        distance[base + t] = next;
        queue.push(transit[t]!);
      }
    }
    let longest = 0;
    for (const node of queue) {
      const t = this.transitIndex[node]!;
      const own = distance[base + t]!;
      longest = Math.max(longest, own);
      if (own === 1) continue;
      let ports: number[] = [];
      let nvswitch = 0;
      for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
        const neighbour = portNode[portPeer[p]!]!;
        const n = this.transitIndex[neighbour]!;
        if (n < 0 || distance[base + n] !== own - 1 || !this.leads(p)) continue;
        const isNvswitch = nodeKind[neighbour] === NodeKind.nvswitch ? 1 : 0;
        if (isNvswitch > nvswitch) {
          nvswitch = 1;
          ports = [];
        } else if (isNvswitch < nvswitch) continue;
        ports.push(p);
      }
      const sorted = Int32Array.from(ports);
      this.sort(sorted);
      this.setOfClass[base + t] = sets.intern(sorted);
    }
    return longest;
  }
}

/** Next-hop sets, each stored once. */
class SetTable {
  readonly ports = new Int32List();
  readonly offsets = new Int32List();
  private readonly byKey = new Map<string, number>();

  constructor() {
    this.offsets.push(0);
  }

  intern(ports: ArrayLike<number>): number {
    const key = Array.prototype.join.call(ports, ' ');
    let set = this.byKey.get(key);
    if (set === undefined) {
      set = this.offsets.length - 1;
      for (let i = 0; i < ports.length; i++) this.ports.push(ports[i]!);
      this.offsets.push(this.ports.length);
      this.byKey.set(key, set);
    }
    return set;
  }
}
