// Whether tables lead everywhere they should: every host is reached from every leaf with hosts, by going up and then
// down, without loops.
// Invariant: a walk of its own over all entries, switch by switch, whoever made or repaired them; each switch is looked
// at once per destination. Up-down paths cannot deadlock (W. Dally and C. Seitz, "Deadlock-free message routing in
// multiprocessor interconnection networks", 1987).

import type { FatTree } from '../fabric/fat-tree.js';
import { highestFirst } from '../routing/follow-order.js';
import { ownPort, type ForwardingTables } from '../routing/forwarding-tables.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { PathLengthCount, type PathLengths } from './path-lengths.js';

export type RouteFault = 'unreachable' | 'loop' | 'down-up';

/** The first fault of a kind that was found. */
export interface FaultExample {
  /** switch where the walk begins */
  readonly from: number;
  readonly destination: number;
  /** LID offset of the destination, if hosts have several LIDs */
  readonly offset?: number;
  /** the switches that the walk passes, at most 12 */
  readonly path: readonly number[];
}

export interface RouteValidity {
  /** every host is reached from every leaf that has hosts, up and then down or by detours */
  readonly valid: boolean;
  /** pairs (leaf with hosts, LID of a host) by fault */
  readonly faults: Readonly<Record<RouteFault, number>>;
  readonly examples: Readonly<Partial<Record<RouteFault, FaultExample>>>;
  /** pairs (leaf with hosts, host) whose way goes down and up again without deadlock (route-deadlock-check.ts) */
  readonly detours: number;
  /** pairs (other switch, host) without a valid way: no host needs them, management packets may */
  readonly otherSwitches: number;
  readonly lengths: PathLengths;
}

const enum Way {
  unknown,
  down,
  upDown,
  unreachable,
  loop,
  downUp,
  walking,
}

/** The way of a switch by that of the next one, down (even places) or up to it (odd ones). */
const wayBefore: Readonly<Uint8Array> = Uint8Array.from(
  [
    [Way.unknown, Way.unknown],
    [Way.down, Way.upDown],
    [Way.downUp, Way.upDown],
    [Way.unreachable, Way.unreachable],
    [Way.loop, Way.loop],
    [Way.downUp, Way.downUp],
    [Way.unknown, Way.unknown],
  ].flat(),
);

/** Walks all tables to all hosts, by all of their LIDs. Linear in switches times hosts times LIDs. */
export function checkRoutes(tree: FatTree, offsets: TablesByOffset): RouteValidity {
  const count = new PathLengthCount(tree);
  const [first, ...others] = offsets.map((tables) => checkOffset(tree, tables, count));
  const all = others.reduce<CheckedWays>((known, own, i) => withOffset(known, own, i + 1), first!);
  return { ...all, lengths: count.lengths };
}

/** What walking all ways finds. */
type CheckedWays = Omit<RouteValidity, 'lengths'>;

/** What is known of some LID offsets with that of one more. */
function withOffset(all: CheckedWays, own: CheckedWays, offset: number): CheckedWays {
  const named = Object.fromEntries(
    Object.entries(own.examples).map(([fault, example]) => [fault, { ...example, offset }]),
  );
  return {
    valid: all.valid && own.valid,
    faults: {
      unreachable: all.faults.unreachable + own.faults.unreachable,
      loop: all.faults.loop + own.faults.loop,
      'down-up': all.faults['down-up'] + own.faults['down-up'],
    },
    examples: { ...named, ...all.examples },
    detours: all.detours + own.detours,
    otherSwitches: all.otherSwitches + own.otherSwitches,
  };
}

function checkOffset(tree: FatTree, tables: ForwardingTables, count: PathLengthCount): CheckedWays {
  const { fabric } = tree;
  const { switches } = tables;
  const hasHosts = new Uint8Array(fabric.nodeCount);
  for (const leaf of tree.hostLeaf) hasHosts[leaf] = 1;
  const faults: Record<RouteFault, number> = { unreachable: 0, loop: 0, 'down-up': 0 };
  const examples: Partial<Record<RouteFault, FaultExample>> = {};
  let otherSwitches = 0;
  const ways = new WaysToHosts(tree, tables);
  const { hosts } = fabric;
  for (let from = 0; from < hosts.length; from += held) {
    const destinations = Int32Array.from(hosts.slice(from, from + held));
    ways.find(destinations);
    count.add(destinations, ways.length, held, tables.rowOf);
    destinations.forEach((destination, place) => {
      if (ways.isFaulty[place] === 0) return;
      switches.forEach((node, row) => {
        const own: Way = ways.way[row * held + place]!;
        if (own === Way.down || own === Way.upDown) return;
        if (hasHosts[node] === 0) {
          otherSwitches++;
          return;
        }
        const fault = own === Way.unreachable ? 'unreachable' : own === Way.loop ? 'loop' : 'down-up';
        faults[fault]++;
        examples[fault] ??= { from: node, destination, path: pathFrom(tables, node, destination) };
      });
    });
  }
  const valid = faults.unreachable + faults.loop + faults['down-up'] === 0;
  return { valid, faults, examples, detours: 0, otherSwitches };
}

/** Hosts whose ways are found together: as many bytes as a line of the cache has. */
const held = 64;

/** The ways of all switches to some hosts at once. */
class WaysToHosts {
  /** how each switch leads to the hosts in hand, by row x {@link held} + place of the host */
  readonly way: Uint8Array;
  /** switches to each, 0 where tables do not lead there */
  readonly length: Uint16Array;
  /** 1 for hosts to which some way is faulty */
  readonly isFaulty = new Uint8Array(held);
  private destinations: Int32Array = new Int32Array(0);
  private readonly trail: Int32Array;
  /** entries and first port of the fabric, by row */
  private readonly entries: readonly Uint8Array[];
  private readonly firstPort: Int32Array;
  /** twice the row of the switch at the other end, 1 more if it is higher, by port; -1: a host */
  private readonly steps: Int32Array;
  private readonly rows: Int32Array;

  constructor(
    private readonly tree: FatTree,
    { switches, rowOf, entries, columns }: ForwardingTables,
  ) {
    const { fabric, nodeLevel } = tree;
    this.way = new Uint8Array(switches.length * held);
    this.length = new Uint16Array(switches.length * held);
    this.trail = new Int32Array(switches.length + 1);
    this.entries = Array.from(switches, (_, row) => entries.subarray(row * columns, (row + 1) * columns));
    this.firstPort = switches.map((node) => fabric.portOffset[node]!);
    this.steps = Int32Array.from(fabric.portPeer, (other, port) => {
      const peer = fabric.portNode[other]!;
      if (rowOf[peer] === -1) return -1;
      return 2 * rowOf[peer]! + (nodeLevel[peer]! > nodeLevel[fabric.portNode[port]!]! ? 1 : 0);
    });
    this.rows = highestFirst(tree, switches);
  }

  /** Finds all ways to hosts, {@link held} of them at most. */
  find(destinations: Int32Array): void {
    const { way, length, isFaulty, entries, steps, firstPort } = this;
    this.destinations = destinations;
    way.fill(Way.unknown);
    length.fill(0);
    isFaulty.fill(0);
    const count = destinations.length;
    for (const row of this.rows) {
      const entry = entries[row]!;
      const first = firstPort[row]!;
      const own = row * held;
      for (let place = 0; place < count; place++) {
        if (way[own + place] !== Way.unknown) continue;
        const port = entry[destinations[place]!]!;
        const step = port >= ownPort ? -1 : steps[first + port]!;
        const next = (step >> 1) * held + place;
        // mostly one step to a way that is known: walk() would find the same
        let found: Way = step === -1 ? Way.unknown : wayBefore[2 * way[next]! + (step & 1)]!;
        if (found === Way.unknown) found = this.walk(row, place);
        else {
          way[own + place] = found;
          if (length[next]! > 0) length[own + place] = length[next]! + 1;
        }
        if (found !== Way.down && found !== Way.upDown) isFaulty[place] = 1;
      }
    }
  }

  /** Finds the way of a switch to a host, and of every switch that it passes. @param from its row */
  private walk(from: number, place: number): Way {
    const { way, length, trail, steps, firstPort, entries } = this;
    const { portNeighbour } = this.tree.fabric;
    const destination = this.destinations[place]!;
    let depth = 0;
    let row = from;
    let result: Way = Way.unreachable;
    for (;;) {
      const known: Way = way[row * held + place]!;
      if (known !== Way.unknown) {
        result = known === Way.walking ? Way.loop : known;
        break;
      }
      const own = entries[row]![destination]!;
      way[row * held + place] = Way.walking;
      trail[depth++] = row;
      if (own >= ownPort) break;
      const port = firstPort[row]! + own;
      if (portNeighbour[port] === destination) {
        way[row * held + place] = result = Way.down;
        length[row * held + place] = 1;
        depth--;
        break;
      }
      if (steps[port] === -1) break;
      row = steps[port]! >> 1;
    }
    let next = row;
    while (depth > 0) {
      const at = trail[--depth]!;
      if (at !== next && (result === Way.down || result === Way.upDown)) {
        if ((steps[firstPort[at]! + entries[at]![destination]!]! & 1) === 1) result = Way.upDown;
        else if (result === Way.upDown) result = Way.downUp;
      }
      way[at * held + place] = result;
      const behind = length[next * held + place]!;
      if (at !== next && behind > 0) length[at * held + place] = behind + 1;
      next = at;
    }
    return result;
  }
}

/** The switches that a packet passes, at most 12. */
function pathFrom(tables: ForwardingTables, from: number, destination: number): number[] {
  const { portNeighbour } = tables.fabric;
  const path = [from];
  let node = from;
  while (path.length < 12) {
    const port = tables.port(node, destination);
    if (port === -1) break;
    node = portNeighbour[port]!;
    if (tables.rowOf[node] === -1) break;
    path.push(node);
  }
  return path;
}
