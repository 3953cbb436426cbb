// Tables in use after links or switches failed: every entry that still leads to its destination stays, all others
// become minimal ports (minimal-ports.ts) of ways whose fullest link has the fewest destinations for its rate.
// Invariants: ways go up and then down, so that they cannot deadlock whatever was kept; a switch that has an up-down
// way to a destination has an entry that leads there; no entry of a way that led there is changed, but where a way down
// would have to turn up again. Entries of switches without an up-down way stay as they are (detours.ts).

import type { FatTree } from '../fabric/fat-tree.js';
import { hostsByLeaf } from './fill-minimal.js';
import { highestFirst } from './follow-order.js';
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

/** Destinations whose ways are followed together: as many bytes as a line of the cache has. */
const held = 64;

class TableRepair {
  private tables: ForwardingTables;
  private readonly minimal: MinimalPorts;
  /** by row, then by place of the destination among those in hand */
  private readonly way: Uint8Array;
  /** the destinations in hand */
  private destinations = new Int32Array(0);
  /** place of the destination that is mended */
  private place = 0;
  private readonly trail: Int32Array;
  /** rows of the switches without a way, by place of the destination */
  private readonly lost = Array.from({ length: held }, (): number[] => []);
  /** entries of each switch */
  private readonly rows: readonly Uint8Array[];
  /** the switch that the minimal ports are those to; -1: none yet */
  private measured = -1;
  private readonly rowsFromTop: Int32Array;
  /** twice the row of the switch at the other end, 1 more if it is higher, by port; -1: a host, which forwards nothing */
  private readonly steps: Int32Array;
  /** destinations that leave by each port, of switches that were asked for; null before the first was */
  private uses: { readonly count: Int32Array; readonly isCounted: Uint8Array } | null = null;

  constructor(
    private readonly tree: FatTree,
    private readonly given: ForwardingTables,
  ) {
    const { nodeLevel } = tree;
    const { portNode, portNeighbour } = tree.fabric;
    this.tables = given;
    this.minimal = new MinimalPorts(tree);
    const { entries, columns, switches, rowOf } = given;
    this.way = new Uint8Array(switches.length * held);
    this.trail = new Int32Array(switches.length);
    this.rowsFromTop = highestFirst(tree, switches);
    this.steps = Int32Array.from(portNeighbour, (peer, port) =>
      rowOf[peer] === -1 ? -1 : 2 * rowOf[peer]! + (nodeLevel[peer]! > nodeLevel[portNode[port]!]! ? 1 : 0),
    );
    this.rows = Array.from(switches, (_, row) => entries.subarray(row * columns, (row + 1) * columns));
  }

  run(): ForwardingTables {
    const { tree, given } = this;
    const { portOffset, portPeer } = tree.fabric;
    const hosts = hostsByLeaf(tree);
    const destinations: number[] = [];
    const targets: number[] = [];
    for (const target of given.switches) {
      const own = hosts.get(target) ?? [];
      for (const host of own) {
        const port = portPeer[portOffset[host]!]!;
        if (given.port(target, host) !== port) this.set(target, host, port);
      }
      destinations.push(target, ...own);
      for (let i = 0; i <= own.length; i++) targets.push(target);
    }
    for (let from = 0; from < destinations.length; from += held) {
      this.destinations = Int32Array.from(destinations.slice(from, from + held));
      this.follow(targets.slice(from, from + held));
      this.destinations.forEach((destination, place) => {
        if (this.lost[place]!.length === 0) return;
        const target = targets[from + place]!;
        if (target !== this.measured) this.minimal.measure(target);
        this.measured = target;
        this.mend(destination, place);
      });
    }
    return this.tables;
  }

  /**
   * Follows the ways to the destinations in hand: `way` has how each leads, `lost` the switches that have none.
   * @param targets the switch of each
   */
  private follow(targets: readonly number[]): void {
    const { way, steps, rowsFromTop, lost, destinations, rows } = this;
    const { switches, rowOf } = this.given;
    const { portOffset } = this.tree.fabric;
    way.fill(unknown);
    targets.forEach((target, place) => {
      way[rowOf[target]! * held + place] = down;
      lost[place]!.length = 0;
    });
    const count = destinations.length;
    for (const row of rowsFromTop) {
      const entries = rows[row]!;
      const first = portOffset[switches[row]!]!;
      const own = row * held;
      for (let place = 0; place < count; place++) {
        let state = way[own + place]!;
        if (state === unknown) {
          const entry = entries[destinations[place]!]!;
          const step = entry >= ownPort ? -1 : steps[first + entry]!;
          // mostly one step to a way that is known: walk() would find the same
          state = step === -1 ? none : wayBefore[2 * way[(step >> 1) * held + place]! + (step & 1)]!;
          if (state === unknown) state = this.walk(row, place);
          else way[own + place] = state;
        }
        if (state === none) lost[place]!.push(row);
      }
    }
  }

  /** Gives every switch a way to a destination, nearest first: a minimal port then leads to a way that is there. */
  private mend(destination: number, place: number): void {
    const { way } = this;
    const { switches, rowOf } = this.given;
    const { distance } = this.minimal;
    const lost = this.lost[place]!.map((row) => switches[row]!).filter((node) => distance[node]! > 0);
    this.place = place;
    // a way down may be there already, of one that was forced
    for (const node of lost.sort((a, b) => distance[a]! - distance[b]! || a - b))
      if (way[rowOf[node]! * held + place] === none) this.reroute(node, destination);
  }

  /** Follows a way to its end. @param from row of the first switch @returns how it leads */
  private walk(from: number, place: number): number {
    const { way, trail, steps, rows } = this;
    const { fabric, switches } = this.given;
    const destination = this.destinations[place]!;
    let depth = 0;
    let row = from;
    while (way[row * held + place] === unknown) {
      way[row * held + place] = walking;
      trail[depth++] = row;
      const entry = rows[row]![destination]!;
      const step = entry >= ownPort ? -1 : steps[fabric.portOffset[switches[row]!]! + entry]!;
      if (step === -1) break;
      row = step >> 1;
    }
    // what is still walked is a loop or an end: no way, and so for all that come to it
    let last = way[row * held + place]!;
    if (last === walking) last = none;
    let next = row;
    while (depth > 0) {
      const own = trail[--depth]!;
      if (last !== none && own !== next) last = this.stepTo(switches[own]!, switches[next]!, last);
      way[own * held + place] = last;
      next = own;
    }
    return last;
  }

  /** The way of a switch that sends to another one with a way. */
  private stepTo(from: number, to: number, way: number): number {
    const { nodeLevel } = this.tree;
    if (nodeLevel[to]! > nodeLevel[from]!) return upDown;
    return way === down ? down : none;
  }

  /** Lets a switch send to a destination by one of its minimal ports, and makes way behind it if there is none. */
  private reroute(node: number, destination: number): void {
    const { minimal, way, tree, place } = this;
    const { portNeighbour } = tree.fabric;
    const { rowOf } = this.given;
    let best = -1;
    let least = Infinity;
    const candidates = minimal.candidates(node);
    for (const port of candidates) {
      const peer = portNeighbour[port]!;
      const onward = way[rowOf[peer]! * held + place]!;
      if (onward === none || this.stepTo(node, peer, onward) === none) continue;
      const cost = this.costOf(port, destination, least);
      if (best !== -1 && cost >= least) continue;
      best = port;
      least = cost;
    }
    if (best === -1) {
      best = candidates[0]!;
      this.reroute(portNeighbour[best]!, destination);
    }
    const peer = portNeighbour[best]!;
    way[rowOf[node]! * held + place] = this.stepTo(node, peer, way[rowOf[peer]! * held + place]!);
    this.set(node, destination, best);
  }

  /**
   * Destinations on the fullest link of a way that begins with a port, for its rate; little besides on the first.
   * @param enough what costs that much or more need not be known: Infinity is returned, or what it costs
   */
  private costOf(first: number, destination: number, enough: number): number {
    const { tables } = this;
    const { portNode, portNeighbour, portLink, linkRateBps } = this.tree.fabric;
    let own = 0;
    let most = 0;
    // the link of the host itself is on every way
    for (let port = first; port !== -1 && portNeighbour[port] !== destination;) {
      const load = (this.usesOf(portNode[port]!)[port]! + 1) / linkRateBps[portLink[port]!]!;
      if (port === first) own = load;
      if (load > most) most = load;
      if (most + own / 1024 >= enough) return Infinity;
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
