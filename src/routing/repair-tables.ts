// Tables in use after links or switches failed: every entry that still leads to its destination stays, all others become
// minimal ports (minimal-ports.ts), those that carry the fewest destinations so far.
// Invariants: ways go up and then down, so that they cannot deadlock whatever was kept; a switch that has an up-down way
// to a destination has an entry that leads there; no entry of a way that led there is changed, but where a way down
// would have to turn up again. Entries of switches without an up-down way stay as they are (detours.ts).

import type { FatTree } from '../fabric/fat-tree.js';
import { hostsByLeaf } from './fill-minimal.js';
import { ownPort, type ForwardingTables } from './forwarding-tables.js';
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
  /** destinations that leave by each port; null before the first entry is changed */
  private uses: Int32Array | null = null;

  constructor(
    private readonly tree: FatTree,
    private readonly given: ForwardingTables,
  ) {
    const { nodeCount } = tree.fabric;
    this.tables = given;
    this.minimal = new MinimalPorts(tree);
    this.way = new Uint8Array(nodeCount);
    this.trail = new Int32Array(nodeCount);
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
      if (suspects.length === 0) continue;
      minimal.collect();
      for (const destination of suspects) this.mend(target, destination);
    }
    return this.tables;
  }

  /** Destinations at the switch in hand for which some entry is on no minimal port. */
  private suspects(destinations: readonly number[]): number[] {
    const { given, minimal } = this;
    const { entries, columns, switches, fabric } = given;
    const suspect = new Uint8Array(destinations.length);
    for (let row = 0; row < switches.length; row++) {
      const node = switches[row]!;
      if (minimal.distance[node]! <= 0) continue;
      const firstPort = fabric.portOffset[node]!;
      for (let i = 0; i < destinations.length; i++) {
        const entry = entries[row * columns + destinations[i]!]!;
        if (entry >= ownPort || !minimal.leads(node, firstPort + entry)) suspect[i] = 1;
      }
    }
    return destinations.filter((_, i) => suspect[i] === 1);
  }

  /** Gives every switch a way to a destination, nearest first: a minimal port then leads to a way that is there. */
  private mend(target: number, destination: number): void {
    const {
      way,
      minimal: { distance },
      given: { switches },
    } = this;
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
    const { portNode, portPeer } = tree.fabric;
    let depth = 0;
    let node = from;
    while (way[node] === unknown) {
      way[node] = walking;
      trail[depth++] = node;
      const port = tables.port(node, destination);
      const next = port === -1 ? node : portNode[portPeer[port]!]!;
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
    const { portNode, portPeer } = tree.fabric;
    const uses = this.countedUses();
    let best = -1;
    for (let i = minimal.offset[node]!; i < minimal.offset[node + 1]!; i++) {
      const port = minimal.ports[i]!;
      const peer = portNode[portPeer[port]!]!;
      if (way[peer] === none || this.stepTo(node, peer, way[peer]!) === none) continue;
      if (best === -1 || uses[port]! < uses[best]!) best = port;
    }
    if (best === -1) {
      best = minimal.ports[minimal.offset[node]!]!;
      this.reroute(portNode[portPeer[best]!]!, destination);
    }
    const peer = portNode[portPeer[best]!]!;
    way[node] = this.stepTo(node, peer, way[peer]!);
    this.set(node, destination, best);
  }

  private set(node: number, destination: number, port: number): void {
    const uses = this.countedUses();
    if (this.tables === this.given) this.tables = this.given.copy();
    const before = this.tables.port(node, destination);
    if (before !== -1) uses[before]!--;
    uses[port]!++;
    this.tables.setPort(node, destination, port);
  }

  private countedUses(): Int32Array {
    if (this.uses !== null) return this.uses;
    const { entries, columns, switches, fabric } = this.given;
    const uses = new Int32Array(fabric.portCount);
    for (let row = 0; row < switches.length; row++) {
      const counts = new Int32Array(256);
      for (let i = row * columns; i < (row + 1) * columns; i++) counts[entries[i]!]!++;
      const first = fabric.portOffset[switches[row]!]!;
      for (let port = first; port < fabric.portOffset[switches[row]! + 1]!; port++) uses[port] = counts[port - first]!;
    }
    return (this.uses = uses);
  }
}
