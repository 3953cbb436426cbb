// Tables in use after links or switches failed: every entry that still leads to its destination stays, all others
// become minimal ports (minimal-ports.ts) of ways whose fullest link has the fewest destinations for its rate.
// Invariants: ways go up and then down, so that they cannot deadlock whatever was kept; a switch that has an up-down
// way to a destination has an entry that leads there; no entry of a way that led there is changed, but where a way down
// would have to turn up again. Entries of switches without an up-down way stay as they are (detours.ts).

import type { FatTree } from '../fabric/fat-tree.js';
import { hostsByLeaf } from './fill-minimal.js';
import { ownPort, type ForwardingTables } from './forwarding-tables.js';
import { MinimalPorts } from './minimal-ports.js';
import { forEachColumn } from './table-columns.js';

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

/** The way of a switch by that of the next one, down (even places) or up to it (odd ones). */
const wayBefore: Readonly<Uint8Array> = Uint8Array.from(
  [
    [unknown, unknown],
    [down, upDown],
    [none, upDown],
    [none, none],
    [unknown, unknown],
  ].flat(),
);

class TableRepair {
  private tables: ForwardingTables;
  private readonly minimal: MinimalPorts;
  /** by node, of the destination in hand */
  private readonly way: Uint8Array;
  private readonly trail: Int32Array;
  /** entries of each switch */
  private readonly rows: readonly Uint8Array[];
  /** the switch that the minimal ports are those to; -1: none yet */
  private measured = -1;
  /** rows, those of higher levels first: most ways lead up to them, so that these are known then */
  private readonly highestFirst: Int32Array;
  /** twice the switch at the other end, 1 more if it is higher, by port; -1: a host, which forwards nothing */
  private readonly steps: Int32Array;
  /** destinations that leave by each port, of switches that were asked for; null before the first was */
  private uses: { readonly count: Int32Array; readonly isCounted: Uint8Array } | null = null;

  constructor(
    private readonly tree: FatTree,
    private readonly given: ForwardingTables,
  ) {
    const { nodeLevel } = tree;
    const { nodeCount, portNode, portNeighbour } = tree.fabric;
    this.tables = given;
    this.minimal = new MinimalPorts(tree);
    this.way = new Uint8Array(nodeCount);
    this.trail = new Int32Array(nodeCount);
    const { entries, columns, switches, rowOf } = given;
    this.highestFirst = Int32Array.from(switches, (_, row) => row).sort(
      (a, b) => nodeLevel[switches[b]!]! - nodeLevel[switches[a]!]! || a - b,
    );
    this.steps = Int32Array.from(portNeighbour, (peer, port) =>
      rowOf[peer] === -1 ? -1 : 2 * peer + (nodeLevel[peer]! > nodeLevel[portNode[port]!]! ? 1 : 0),
    );
    this.rows = Array.from(switches, (_, row) => entries.subarray(row * columns, (row + 1) * columns));
  }

  run(): ForwardingTables {
    const { tree, given } = this;
    const { portOffset, portPeer } = tree.fabric;
    const hosts = hostsByLeaf(tree);
    const destinations: number[] = [];
    for (const target of given.switches) {
      const own = hosts.get(target) ?? [];
      for (const host of own) {
        const port = portPeer[portOffset[host]!]!;
        if (given.port(target, host) !== port) this.set(target, host, port);
      }
      destinations.push(target, ...own);
    }
    forEachColumn(given, Int32Array.from(destinations), (destination, entry) => {
      const rank = tree.hostRank[destination]!;
      const target = rank === -1 ? destination : tree.hostLeaf[rank]!;
      if (this.leads(target, entry)) return;
      if (target !== this.measured) this.minimal.measure(target);
      this.measured = target;
      this.mend(destination);
    });
    return this.tables;
  }

  /**
   * Whether all switches have an up-down way to a destination; `way` has how each leads.
   * @param target its switch @param entry entries for it, by row
   */
  private leads(target: number, entry: Uint8Array): boolean {
    const { way, steps, highestFirst } = this;
    const { switches } = this.given;
    const { portOffset } = this.tree.fabric;
    way.fill(unknown);
    way[target] = down;
    let isLost = false;
    for (let i = 0; i < highestFirst.length; i++) {
      const row = highestFirst[i]!;
      const node = switches[row]!;
      if (way[node] !== unknown) continue;
      const own = entry[row]!;
      const step = own >= ownPort ? -1 : steps[portOffset[node]! + own]!;
      // mostly one step to a way that is known: walk() would find the same
      const found = step === -1 ? unknown : wayBefore[2 * way[step >> 1]! + (step & 1)]!;
      if (found === unknown) this.walk(node, entry);
      else way[node] = found;
      isLost ||= way[node] === none;
    }
    return !isLost;
  }

  /** Gives every switch a way to a destination, nearest first: a minimal port then leads to a way that is there. */
  private mend(destination: number): void {
    const { way } = this;
    const { distance } = this.minimal;
    const lost: number[] = [];
    for (const node of this.given.switches) if (way[node] === none && distance[node]! > 0) lost.push(node);
    lost.sort((a, b) => distance[a]! - distance[b]!);
    // a way down may be there already, of one that was forced
    for (const node of lost) if (way[node] === none) this.reroute(node, destination);
  }

  /** @param entry entries for the destination in hand, by row */
  private walk(from: number, entry: Uint8Array): void {
    const { way, trail, steps } = this;
    const { rowOf, fabric } = this.given;
    let depth = 0;
    let node = from;
    while (way[node] === unknown) {
      way[node] = walking;
      trail[depth++] = node;
      const own = entry[rowOf[node]!]!;
      const step = own >= ownPort ? -1 : steps[fabric.portOffset[node]! + own]!;
      if (step === -1) break;
      node = step >> 1;
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
    let own = 0;
    let most = 0;
    // the link of the host itself is on every way
    for (let port = first; port !== -1 && portNeighbour[port] !== destination;) {
      const load = (this.usesOf(portNode[port]!)[port]! + 1) / linkRateBps[portLink[port]!]!;
      if (port === first) own = load;
      if (load > most) most = load;
      port = tables.port(portNeighbour[port]!, destination);
    }
    return most + own / 1024;
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
