// Which counters a pair of hosts moves where switches hash over equal-cost paths and nobody knows the hash: those of
// all links together that the pair may take at one step of its way. Whatever the hash does, one link of each step is
// taken, so the sum over them is exact, while the share of a single link is a guess.
// Invariants: the links of a step of a pair are in one group; so the row of a pair is the group of each of its steps.
// A group is named by one of its ports. Source of the closure: G. Nelson and D. Oppen, "Fast decision procedures based
// on congruence closure", 1980 (nodes that are reached together go on together).
// Not modelled: links that carry another share than their step's (weighted paths), and what one link of a group alone
// has counted.

import { EqualCostRoutes } from '../routing/equal-cost.js';
import { mostPortsOfHost, type Fabric } from '../fabric/fabric.js';
import { mostLinksOfWay, type PairCounters } from './pair-rows.js';

export class EqualCostRows implements PairCounters {
  readonly count: number;
  readonly rows = new Int32Array(mostLinksOfWay);
  readonly shares = null;
  private readonly routes: EqualCostRoutes;
  private readonly groups: DisjointSets;
  private readonly nics: Int32Array;

  /** Time: links of the fabric times sets of switches that hosts hang on. */
  constructor(private readonly fabric: Fabric) {
    this.routes = new EqualCostRoutes(fabric, 'descending-node-id');
    this.count = fabric.portCount;
    this.nics = new Int32Array(mostPortsOfHost(fabric));
    this.groups = new DisjointSets(fabric.portCount);
    new StepGroups(fabric, this.routes, this.groups).find();
  }

  /** The port that a port's group is named by. */
  rowOf(port: number): number {
    return this.groups.find(port);
  }

  /** Counters of ports as counters of groups, at each port of them. @param counters NaN: not read */
  gathered(counters: Float64Array): Float64Array {
    const sums = new Float64Array(counters.length);
    counters.forEach((own, port) => (sums[this.groups.find(port)]! += own));
    return counters.map((_, port) => sums[this.groups.find(port)]!);
  }

  /** As of {@link PairCounters}. */
  open(source: number, destination: number, counters: Float64Array | null): number {
    const { fabric, routes, groups, nics, rows } = this;
    if (source === destination || routes.sourcePorts(source, destination, nics) === 0) return 0;
    let port = nics[0]!;
    let read = 0;
    for (let links = 0; links < mostLinksOfWay; links++) {
      const row = groups.find(port);
      const counted = counters === null ? 1 : counters[row]!;
      if (counted === 0) return 0;
      if (!Number.isNaN(counted)) rows[read++] = row;
      const node = fabric.portNeighbour[port]!;
      if (node === destination) return read;
      const set = routes.nextHopSet(node, destination);
      if (set < 0) return 0;
      port = routes.setPorts[routes.setOffset[set]!]!;
    }
    return 0;
  }
}

/** Finds the links that pairs may take at one step, for one destination after the other. */
class StepGroups {
  /** nodes that packets for the destination may come to at one step */
  private readonly together: DisjointSets;
  /** of nodes that were come to: a port towards the destination, and the node behind it; -1 where that is the end */
  private readonly port: Int32Array;
  private readonly next: Int32Array;
  private readonly waiting: number[] = [];
  private readonly nics: Int32Array;

  constructor(
    private readonly fabric: Fabric,
    private readonly routes: EqualCostRoutes,
    private readonly groups: DisjointSets,
  ) {
    this.together = new DisjointSets(fabric.nodeCount);
    this.port = new Int32Array(fabric.nodeCount);
    this.next = new Int32Array(fabric.nodeCount);
    this.nics = new Int32Array(mostPortsOfHost(fabric));
  }

  find(): void {
    const alike = hostsAlike(this.fabric);
    for (const destinations of alike) {
      this.together.clear();
      this.port.fill(-1);
      for (const sources of alike) this.leave(sources, destinations[0]!);
      for (const destination of destinations) this.arrive(destination);
    }
  }

  /** Goes on from where hosts hang that are alike. */
  private leave(sources: readonly number[], destination: number): void {
    const { fabric, routes, groups, nics } = this;
    for (const source of sources) {
      if (source === destination) continue;
      const count = routes.sourcePorts(source, destination, nics);
      for (let i = 0; i < count; i++) {
        groups.join(nics[0]!, nics[i]!);
        this.meet(fabric.portNeighbour[nics[0]!]!, fabric.portNeighbour[nics[i]!]!, destination);
      }
      // others that are alike have one port each to the same switch
      const ports = fabric.portOffset[source + 1]! - fabric.portOffset[source]!;
      if (ports === 1) return;
    }
  }

  /** Two nodes are come to at one step; so are those behind them. */
  private meet(one: number, other: number, destination: number): void {
    const { waiting, together, port, next, groups } = this;
    waiting.push(one, other);
    while (waiting.length > 0) {
      const [b, a] = [waiting.pop()!, waiting.pop()!];
      if (a === destination || b === destination) continue;
      this.comeTo(a, destination);
      this.comeTo(b, destination);
      const [first, second] = [together.find(a), together.find(b)];
      if (first === second || port[first] === -1 || port[second] === -1) continue;
      together.join(first, second);
      groups.join(port[first]!, port[second]!);
      if (next[first] !== -1 && next[second] !== -1) waiting.push(next[first]!, next[second]!);
    }
  }

  private comeTo(node: number, destination: number): void {
    const { fabric, routes, port, next, groups, waiting } = this;
    if (port[node] !== -1) return;
    const set = routes.nextHopSet(node, destination);
    if (set < 0) return;
    const [from, end] = [routes.setOffset[set]!, routes.setOffset[set + 1]!];
    const first = routes.setPorts[from]!;
    port[node] = first;
    next[node] = fabric.portNeighbour[first] === destination ? -1 : fabric.portNeighbour[first]!;
    for (let at = from; at < end; at++) {
      const own = routes.setPorts[at]!;
      groups.join(first, own);
      if (next[node] !== -1) waiting.push(next[node]!, fabric.portNeighbour[own]!);
    }
  }

  /** The last step: all switches that deliver to a host and are come to together. */
  private arrive(destination: number): void {
    const { fabric, routes, together, groups, port } = this;
    const delivering: number[] = [];
    for (let own = fabric.portOffset[destination]!; own < fabric.portOffset[destination + 1]!; own++) {
      const node = fabric.portNeighbour[own]!;
      if (port[node] === -1) continue;
      const set = routes.nextHopSet(node, destination);
      if (set < 0) continue;
      for (let at = routes.setOffset[set]!; at < routes.setOffset[set + 1]!; at++)
        groups.join(routes.setPorts[routes.setOffset[set]!]!, routes.setPorts[at]!);
      const before = delivering.find((other) => together.find(other) === together.find(node));
      if (before === undefined) delivering.push(node);
      else
        groups.join(
          routes.setPorts[routes.setOffset[routes.nextHopSet(before, destination)]!]!,
          routes.setPorts[routes.setOffset[set]!]!,
        );
    }
  }
}

/** Hosts by the nodes that they hang on. */
function hostsAlike({ hosts, portOffset, portNeighbour }: Fabric): readonly number[][] {
  const alike = new Map<string, number[]>();
  for (const host of hosts) {
    const key = portNeighbour
      .slice(portOffset[host]!, portOffset[host + 1]!)
      .sort()
      .join(' ');
    const own = alike.get(key);
    if (own === undefined) alike.set(key, [host]);
    else own.push(host);
  }
  return [...alike.values()];
}

/** Sets that are joined: the least member names each. */
class DisjointSets {
  private readonly parent: Int32Array;

  constructor(size: number) {
    this.parent = new Int32Array(size);
    this.clear();
  }

  clear(): void {
    this.parent.forEach((_, i) => (this.parent[i] = i));
  }

  find(member: number): number {
    const { parent } = this;
    let own = member;
    while (parent[own] !== own) own = parent[own] = parent[parent[own]!]!;
    return own;
  }

  join(one: number, other: number): void {
    const [a, b] = [this.find(one), this.find(other)];
    this.parent[Math.max(a, b)] = Math.min(a, b);
  }
}
