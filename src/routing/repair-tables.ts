// Tables in use after links or switches failed: every entry that still leads to its destination stays, all others
// become minimal ports (minimal-ports.ts) of ways whose fullest link has the fewest destinations for its rate.
// Invariants: ways go up and then down, so that they cannot deadlock whatever was kept; a switch that has an up-down
// way to a destination has an entry that leads there; no entry of a way that led there is changed, but where a way down
// would have to turn up again. Entries of switches without an up-down way stay as they are (detours.ts).

import type { FatTree } from '../fabric/fat-tree.js';
import { hostsByLeaf } from './fill-minimal.js';
import type { ForwardingTables } from './forwarding-tables.js';
import { MinimalPorts } from './minimal-ports.js';

/** Repairs tables. @returns a copy, or the given ones if nothing is wrong with them. Linear in switches times nodes */
export function repairTables(tree: FatTree, given: ForwardingTables): ForwardingTables {
  return new TableRepair(tree, given).run();
}

/** What is known of the way of a switch to a destination. */
const unknown = 0;
const down = 1;
const upDown = 2;
const none = 3;
const walking = 4;

class TableRepair {
  private tables: ForwardingTables;
  private readonly minimal: MinimalPorts;
  /** by node, of the destination in hand */
  private readonly way: Uint8Array;
  private readonly trail: Int32Array;
  /** entries of each switch */
  private readonly rows: readonly Uint8Array[];
  /** destinations that leave by each port, of switches that were asked for; null before the first was */
  private uses: { readonly count: Int32Array; readonly isCounted: Uint8Array } | null = null;

  constructor(
    private readonly tree: FatTree,
    private readonly given: ForwardingTables,
  ) {
    const { nodeCount } = tree.fabric;
    this.tables = given;
    this.minimal = new MinimalPorts(tree);
    this.way = new Uint8Array(nodeCount);
    this.trail = new Int32Array(nodeCount);
    const { entries, columns, switches } = given;
    this.rows = Array.from(switches, (_, row) => entries.subarray(row * columns, (row + 1) * columns));
  }

  run(): ForwardingTables {
    const { tree, given, minimal } = this;
    const { portOffset, portPeer } = tree.fabric;
    const hosts = hostsByLeaf(tree);
    for (const target of given.switches) {
      minimal.measure(target);
      const own = hosts.get(target) ?? [];
      for (const host of own) {
        const port = portPeer[portOffset[host]!]!;
        if (given.port(target, host) !== port) this.set(target, host, port);
      }
      const suspects = this.suspects([target, ...own]);
      for (const destination of suspects) this.mend(target, destination);
    }
    return this.tables;
  }

  /** Destinations at the switch in hand for which some entry is on no minimal port. */
  private suspects(destinations: readonly number[]): number[] {
    const { given, rows, minimal } = this;
    const suspect = new Uint8Array(destinations.length);
    for (let row = 0; row < rows.length; row++)
      minimal.markOthers(given.switches[row]!, rows[row]!, destinations, suspect);
    return destinations.filter((_, i) => suspect[i] === 1);
  }

  /** Gives every switch a way to a destination, nearest first: a minimal port then leads to a way that is there. */
  private mend(target: number, destination: number): void {
    const { way } = this;
    const { distance } = this.minimal;
    const { switches } = this.given;
    way.fill(unknown);
    way[target] = down;
    const lost: number[] = [];
    for (const node of switches) {
      if (way[node] === unknown) this.walk(node, destination);
      if (way[node] === none && distance[node]! > 0) lost.push(node);
    }
    lost.sort((a, b) => distance[a]! - distance[b]!);
    // a way down may be there already, of one that was forced
    for (const node of lost) if (way[node] === none) this.reroute(node, destination);
  }

  private walk(from: number, destination: number): void {
    const { tables, tree, way, trail } = this;
    const { portNeighbour } = tree.fabric;
    let depth = 0;
    let node = from;
    while (way[node] === unknown) {
      way[node] = walking;
      trail[depth++] = node;
      const port = tables.port(node, destination);
      const next = port === -1 ? node : portNeighbour[port]!;
      // a host that is not the destination forwards nothing
      if (next === node || tables.rowOf[next] === -1) break;
      node = next;
    }
    // what is still walked is a loop or an end: no way, and so for all that come to it
    let last = way[node] === walking ? none : way[node]!;
    let next = node;
    while (depth > 0) {
      const own = trail[--depth]!;
      if (last !== none && own !== next) last = this.stepTo(own, next, last);
      way[own] = last;
      next = own;
    }
  }

  /** The way of a switch that sends to another one with a way. */
  private stepTo(from: number, to: number, way: number): number {
    const { nodeLevel } = this.tree;
    if (nodeLevel[to]! > nodeLevel[from]!) return upDown;
    return way === down ? down : none;
  }

  /** Lets a switch send to a destination by one of its minimal ports, and makes way behind it if there is none. */
  private reroute(node: number, destination: number): void {
    const { minimal, way, tree } = this;
    const { portNeighbour } = tree.fabric;
    let best = -1;
    let least = Infinity;
    const candidates = minimal.candidates(node);
    for (const port of candidates) {
      const peer = portNeighbour[port]!;
      if (way[peer] === none || this.stepTo(node, peer, way[peer]!) === none) continue;
      const cost = this.costOf(port, destination);
      if (best !== -1 && cost >= least) continue;
      best = port;
      least = cost;
    }
    if (best === -1) {
      best = candidates[0]!;
      this.reroute(portNeighbour[best]!, destination);
    }
    const peer = portNeighbour[best]!;
    way[node] = this.stepTo(node, peer, way[peer]!);
    this.set(node, destination, best);
  }

  /** Destinations on the fullest link of a way that begins with a port, for its rate; little besides on the first. */
  private costOf(first: number, destination: number): number {
    const { tables } = this;
    const { portNode, portNeighbour, portLink, linkRateBps } = this.tree.fabric;
    const loadOf = (port: number): number => (this.usesOf(portNode[port]!)[port]! + 1) / linkRateBps[portLink[port]!]!;
    let most = 0;
    // the link of the host itself is on every way
    for (let port = first; port !== -1 && portNeighbour[port] !== destination;) {
      most = Math.max(most, loadOf(port));
      port = tables.port(portNeighbour[port]!, destination);
    }
    return most + loadOf(first) / 1024;
  }

  private set(node: number, destination: number, port: number): void {
    const uses = this.usesOf(node);
    if (this.tables === this.given) this.tables = this.given.copy();
    const before = this.tables.port(node, destination);
    if (before !== -1) uses[before]!--;
    uses[port]!++;
    this.tables.setPort(node, destination, port);
  }

  /** Destinations that leave by each port, those of a switch among them: counted before its first entry changes. */
  private usesOf(node: number): Int32Array {
    const { fabric, rowOf } = this.given;
    this.uses ??= { count: new Int32Array(fabric.portCount), isCounted: new Uint8Array(fabric.nodeCount) };
    const { count, isCounted } = this.uses;
    if (isCounted[node] === 1) return count;
    isCounted[node] = 1;
    const first = fabric.portOffset[node]!;
    const ports = fabric.portOffset[node + 1]! - first;
    for (const entry of this.rows[rowOf[node]!]!) if (entry < ports) count[first + entry]!++;
    return count;
  }
}
