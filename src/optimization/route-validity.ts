// Whether tables lead everywhere they should: every host is reached from every leaf with hosts, by going up and then
// down, without loops.
// Invariant: a walk of its own over all entries, switch by switch, whoever made or repaired them; each switch is looked
// at once per destination. Up-down paths cannot deadlock (W. Dally and C. Seitz, "Deadlock-free message routing in
// multiprocessor interconnection networks", 1987).

import type { FatTree } from '../fabric/fat-tree.js';
import { ownPort, type ForwardingTables } from '../routing/forwarding-tables.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { forEachColumn } from '../routing/table-columns.js';
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
  const way = new Uint8Array(fabric.nodeCount);
  const length = new Uint16Array(fabric.nodeCount);
  const stack = new Int32Array(switches.length + 1);
  let otherSwitches = 0;
  const peer = Int32Array.from(fabric.portPeer, (port) => fabric.portNode[port]!);
  const steps = Int32Array.from(peer, (node, port) =>
    tree.nodeLevel[node]! > tree.nodeLevel[fabric.portNode[port]!]! ? 2 * node + 1 : 2 * node,
  );
  const rows = highestFirst(tree, switches);
  const firstPort = rows.map((row) => fabric.portOffset[switches[row]!]!);
  forEachColumn(tables, Int32Array.from(fabric.hosts), (destination, entry) => {
    way.fill(Way.unknown);
    length.fill(0);
    let faulty = false;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const from = switches[row]!;
      if (way[from] !== Way.unknown) continue;
      const own = entry[row]!;
      const step = own >= ownPort ? -1 : steps[firstPort[i]! + own]!;
      // mostly one step to a way that is known: walk() would find the same
      let found: Way = step === -1 ? Way.unknown : wayBefore[2 * way[step >> 1]! + (step & 1)]!;
      if (found === Way.unknown) found = walk(tree, tables, entry, peer, from, destination, way, length, stack);
      else {
        way[from] = found;
        const own = length[step >> 1]!;
        if (own > 0) length[from] = own + 1;
      }
      faulty ||= found !== Way.down && found !== Way.upDown;
    }
    count.add(destination, length);
    if (!faulty) return;
    for (const from of switches) {
      const own: Way = way[from]!;
      if (own === Way.down || own === Way.upDown) continue;
      if (hasHosts[from] === 0) {
        otherSwitches++;
        continue;
      }
      const fault = own === Way.unreachable ? 'unreachable' : own === Way.loop ? 'loop' : 'down-up';
      faults[fault]++;
      examples[fault] ??= { from, destination, path: pathFrom(tables, from, destination) };
    }
  });
  const valid = faults.unreachable + faults.loop + faults['down-up'] === 0;
  return { valid, faults, examples, detours: 0, otherSwitches };
}

/** Rows of switches, those of higher levels first: most ways lead up to them, so that these are known then. */
function highestFirst({ nodeLevel }: FatTree, switches: Int32Array): Int32Array {
  return Int32Array.from(switches, (_, row) => row).sort(
    (a, b) => nodeLevel[switches[b]!]! - nodeLevel[switches[a]!]! || b - a,
  );
}

/**
 * Finds the way of a switch to a destination, and of every switch that it passes; `way` and `length` keep them.
 * @param entry entries of all switches for the destination, by row @param peerOf node at the other end, by port
 */
function walk(
  tree: FatTree,
  { rowOf }: ForwardingTables,
  entry: Uint8Array,
  peerOf: Int32Array,
  from: number,
  destination: number,
  way: Uint8Array,
  length: Uint16Array,
  trail: Int32Array,
): Way {
  const { nodeLevel } = tree;
  const { portOffset } = tree.fabric;
  let depth = 0;
  let node = from;
  let result: Way = Way.unreachable;
  for (;;) {
    if (way[node] !== Way.unknown) {
      result = way[node] === Way.walking ? Way.loop : way[node]!;
      break;
    }
    const own = entry[rowOf[node]!]!;
    way[node] = Way.walking;
    trail[depth++] = node;
    if (own >= ownPort) break;
    const peer = peerOf[portOffset[node]! + own]!;
    if (peer === destination) {
      way[node] = result = Way.down;
      length[node] = 1;
      depth--;
      break;
    }
    if (nodeLevel[peer] === -1) break;
    node = peer;
  }
  let next = node;
  while (depth > 0) {
    const at = trail[--depth]!;
    if (at !== next && (result === Way.down || result === Way.upDown)) {
      if (nodeLevel[next]! > nodeLevel[at]!) result = Way.upDown;
      else if (result === Way.upDown) result = Way.downUp;
    }
    way[at] = result;
    if (at !== next && length[next]! > 0) length[at] = length[next]! + 1;
    next = at;
  }
  return result;
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
