// What may happen while switches get new tables one after the other, in any order: every mixture of switches with old
// and with new tables, looked at at once. To one destination a switch has its old entry or its new one; whatever way
// through these choices comes to no switch twice is taken in some mixture, so circles, ends and dependencies of this
// graph of choices are exactly those of all mixtures.
// Invariants: destinations are hosts (ways to switches are management's, which has buffers of its own and tries again).
// Dependencies are those of all mixtures together, lane by lane, for packets sent by one may still wait when the next
// one is there.

import { fail } from '../base/fail.js';
import type { Fabric } from '../fabric/fabric.js';
import { DependencyGraph, switchesWithHosts, type ChannelCycle } from '../routing/channel-dependencies.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import type { FlowLevels } from '../routing/route-lanes.js';

/** A way of some mixture that goes round in circles or ends at a switch. */
export interface MixedFault {
  readonly kind: 'loop' | 'drop';
  readonly destination: number;
  /** which LID of a host with several; left out: the first */
  readonly lidOffset?: number;
  /** the switches of the circle, or from a switch with hosts to the one that has no way */
  readonly path: readonly number[];
  /** those of them that have new tables already; the others have old ones */
  readonly updated: readonly number[];
}

/** What mixtures come to. */
export interface MixedFaults {
  /** at most one of a kind per destination */
  readonly faults: readonly MixedFault[];
  /** links that may wait for each other in a circle; null = none */
  readonly cycle: ChannelCycle | null;
}

/** Which entries may be new, beside old ones. */
export interface OpenEntries {
  /** 1 for switches that may have new tables, by node */
  readonly nodes: Uint8Array;
  /** 1 for destinations that may have new entries, by node; null = all */
  readonly destinations: Uint8Array | null;
}

/**
 * Looks at all mixtures of two tables. Linear in hosts times switches times levels, and in the ports.
 * @param now tables that all switches have at least
 * @param next tables that open entries may have come from
 * @param levels service levels of flows, all that they may have meanwhile, each with a lane of its own; null = one lane
 */
export function mixedFaults(
  now: ForwardingTables,
  next: ForwardingTables,
  open: OpenEntries,
  levels: FlowLevels | null = null,
): MixedFaults {
  if (levels?.lanes !== undefined) fail('mixtures of tables with lanes that change on the way');
  return new MixtureWalk(now, next, open, levels).run();
}

const unseen = 0;
const walked = 1;
const done = 2;

class MixtureWalk {
  private readonly fabric: Fabric;
  private readonly graph: DependencyGraph;
  private readonly sources: Int32Array;
  private readonly state: Uint8Array;
  private readonly trail: Int32Array;
  /** how many choices of the switches on the trail were looked at */
  private readonly tried: Uint8Array;
  private readonly faults: MixedFault[] = [];
  private depth = 0;
  /** lane, and so level, that is looked at */
  private lane = 0;

  constructor(
    private readonly now: ForwardingTables,
    private readonly next: ForwardingTables,
    private readonly open: OpenEntries,
    private readonly levels: FlowLevels | null,
  ) {
    const { fabric } = now;
    this.fabric = fabric;
    this.graph = new DependencyGraph(fabric, levels?.count ?? 1);
    this.sources = switchesWithHosts(fabric);
    this.state = new Uint8Array(fabric.nodeCount);
    this.trail = new Int32Array(fabric.nodeCount);
    this.tried = new Uint8Array(fabric.nodeCount);
  }

  run(): MixedFaults {
    for (const destination of this.fabric.hosts) {
      const found = { loop: false, drop: false };
      for (this.lane = 0; this.lane < this.graph.lanes; this.lane++) this.towards(destination, found);
    }
    return { faults: this.faults, cycle: this.graph.cycle() };
  }

  /** What is sent to a destination on the lane that is looked at. */
  private towards(destination: number, found: { loop: boolean; drop: boolean }): void {
    const { levels, lane } = this;
    const sources =
      levels === null
        ? this.sources
        : this.sources.filter((from) => ((levels.levels(from, destination) >>> lane) & 1) === 1);
    this.state.fill(unseen);
    // first those that arrive by both tables: what they come to has to lead on
    const arrive = sources.filter(
      (from) => arrives(this.now, from, destination) && arrives(this.next, from, destination),
    );
    for (const from of arrive) this.walk(from, destination, true, found);
    for (const from of sources) this.walk(from, destination, false, found);
  }

  /** The port of a choice: 0 the old entry, 1 the new one; -1 without a way, -2 if there is no such choice. */
  private choice(node: number, destination: number, which: number): number {
    const { now, next, open } = this;
    if (which === 0) return now.port(node, destination);
    const isOpen = open.nodes[node] === 1 && (open.destinations === null || open.destinations[destination] === 1);
    return isOpen && next.entry(node, destination) !== now.entry(node, destination) ? next.port(node, destination) : -2;
  }

  private walk(from: number, destination: number, mustArrive: boolean, found: { loop: boolean; drop: boolean }): void {
    const { state, trail, tried, now } = this;
    const { portNeighbour } = this.fabric;
    if (state[from] !== unseen) return;
    this.depth = 0;
    this.enter(from);
    while (this.depth > 0) {
      const node = trail[this.depth - 1]!;
      const which = tried[node]!++;
      if (which === 2) {
        state[node] = done;
        this.depth--;
        continue;
      }
      const port = this.choice(node, destination, which);
      if (port === -2) continue;
      const peer = port === -1 ? -1 : portNeighbour[port]!;
      if (peer === destination) continue;
      if (peer === -1 || now.rowOf[peer] === -1) {
        if (mustArrive && !found.drop) this.tell('drop', destination, 0);
        found.drop ||= mustArrive;
        continue;
      }
      for (let other = 0; other < 2; other++) {
        const onward = this.choice(peer, destination, other);
        if (onward >= 0 && now.rowOf[portNeighbour[onward]!] !== -1) this.graph.add(port, onward, this.lane);
      }
      if (state[peer] === walked) {
        if (!found.loop) this.tell('loop', destination, trail.indexOf(peer));
        found.loop = true;
      } else if (state[peer] === unseen) this.enter(peer);
    }
  }

  private enter(node: number): void {
    this.state[node] = walked;
    this.tried[node] = 0;
    this.trail[this.depth++] = node;
  }

  private tell(kind: MixedFault['kind'], destination: number, first: number): void {
    const path = Array.from(this.trail.subarray(first, this.depth));
    this.faults.push({ kind, destination, path, updated: path.filter((node) => this.tried[node] === 2) });
  }
}

/** Whether a way arrives by tables as they are. */
function arrives(tables: ForwardingTables, from: number, destination: number): boolean {
  return distanceBy(tables, from, destination) !== Infinity;
}

/** Switches from one to the destination by tables as they are; Infinity if it is not reached. */
export function distanceBy(tables: ForwardingTables, from: number, destination: number): number {
  const { portNeighbour } = tables.fabric;
  let node = from;
  for (let steps = 1; steps <= tables.switches.length; steps++) {
    const port = tables.port(node, destination);
    if (port === -1) return Infinity;
    node = portNeighbour[port]!;
    if (node === destination) return steps;
    if (tables.rowOf[node] === -1) return Infinity;
  }
  return Infinity;
}
