// Lanes that free tables of deadlock: flows that close a circle of channel dependencies go to the next lane, until no
// lane has a circle.
// Invariants: tables stay as they are; every flow has one lane; no lane that was finished has a circle. Fewest flows
// first: of every circle that dependency is broken that the fewest pairs of hosts have.
// Source: J. Domke, T. Hoefler and W. Nagel, "Deadlock-free oblivious routing for arbitrary topologies", IPDPS 2011,
// section 4 (DFSSSP). Its spreading of flows over lanes that are left is not done: lanes here are the fewest it finds.

import { CycleSearch, type WaitGraph } from '../base/cycle-search.js';
import type { Fabric } from '../fabric/fabric.js';
import { switchesWithHosts } from './channel-dependencies.js';
import type { ForwardingTables } from './forwarding-tables.js';
import type { TablesByOffset } from './lid-offsets.js';
import { RouteLanes } from './route-lanes.js';

/**
 * Lanes for tables, of all LID offsets together.
 * @param most lanes that there are
 * @returns null if the flows need more lanes
 */
export function layeredLanes(offsets: TablesByOffset, most: number): RouteLanes | null {
  const lanes = new RouteLanes(offsets[0]!.fabric, offsets[0]!.switches, offsets.length);
  for (let lane = 0; ; lane++) {
    const layer = new Layer(offsets, lanes, lane);
    let moved = 0;
    for (let edge = layer.weakestOfCircle(); edge !== null; edge = layer.weakestOfCircle()) {
      if (lane + 1 >= most) return null;
      moved += layer.moveUp(edge);
    }
    if (moved === 0) return lanes;
  }
}

/** A dependency: whoever came by `port` leaves by `next`. */
interface Dependency {
  readonly port: number;
  readonly next: number;
}

/** The flows of one lane with what they make wait for what, in pairs of hosts. */
class Layer implements WaitGraph {
  private readonly fabric: Fabric;
  private readonly sources: Int32Array;
  private readonly hostsOf: Int32Array;
  /** place of the first port behind each port in `pairs` */
  private readonly offset: Int32Array;
  private readonly pairs: Int32Array;
  private readonly search: CycleSearch;
  /** first channel that may stand on a circle: those before it stand on none, and taking away makes none */
  private first = 0;

  constructor(
    private readonly offsets: TablesByOffset,
    private readonly lanes: RouteLanes,
    private readonly lane: number,
  ) {
    const { fabric, rowOf } = offsets[0]!;
    const { portCount, portOffset, hosts, portNeighbour } = fabric;
    this.fabric = fabric;
    this.sources = switchesWithHosts(fabric);
    this.hostsOf = new Int32Array(fabric.nodeCount);
    for (const host of hosts) this.hostsOf[portNeighbour[portOffset[host]!]!]!++;
    this.offset = new Int32Array(portCount + 1);
    for (let port = 0; port < portCount; port++) {
      const behind = portNeighbour[port]!;
      this.offset[port + 1] =
        this.offset[port]! + (rowOf[behind] === -1 ? 0 : portOffset[behind + 1]! - portOffset[behind]!);
    }
    this.pairs = new Int32Array(this.offset[portCount]!);
    this.search = new CycleSearch(portCount);
    for (let offset = 0; offset < offsets.length; offset++)
      for (const destination of hosts)
        for (const from of this.sources)
          if (lanes.level(from, destination, offset) === lane)
            this.count(offset, from, destination, this.hostsOf[from]!);
  }

  /** The dependency of a circle that the fewest pairs have, the first of equal ones; null if there is no circle. */
  weakestOfCircle(): Dependency | null {
    const circle = this.search.find(this, this.first);
    while (this.first < this.fabric.portCount && this.search.isDone(this.first)) this.first++;
    return circle === null ? null : this.weakest(circle);
  }

  /** Moves all flows with a dependency to the next lane. @returns how many */
  moveUp({ port, next }: Dependency): number {
    const { offsets, lanes, lane, sources, hostsOf, fabric } = this;
    const node = fabric.portNode[port]!;
    const behind = fabric.portNode[next]!;
    let moved = 0;
    offsets.forEach((tables, offset) => {
      for (const destination of fabric.hosts) {
        if (tables.port(node, destination) !== port || tables.port(behind, destination) !== next) continue;
        for (const from of sources) {
          if (lanes.level(from, destination, offset) !== lane || !this.passes(tables, from, destination, node))
            continue;
          this.count(offset, from, destination, -hostsOf[from]!);
          lanes.setLevel(from, destination, lane + 1, offset);
          moved++;
        }
      }
    });
    return moved;
  }

  private passes(tables: ForwardingTables, from: number, destination: number, node: number): boolean {
    const { portNeighbour } = this.fabric;
    for (let at = from, steps = 0; steps <= tables.switches.length; steps++) {
      if (at === node) return true;
      const port = tables.port(at, destination);
      if (port === -1) return false;
      at = portNeighbour[port]!;
      if (tables.rowOf[at] === -1) return false;
    }
    return false;
  }

  /** Adds the pairs of a flow to all dependencies of its way. */
  private count(lidOffset: number, from: number, destination: number, pairs: number): void {
    const { offset } = this;
    const tables = this.offsets[lidOffset]!;
    const { portOffset, portNeighbour } = this.fabric;
    let before = -1;
    for (let node = from, steps = 0; steps <= tables.switches.length; steps++) {
      const port = tables.port(node, destination);
      if (port === -1) return;
      const behind = portNeighbour[port]!;
      if (tables.rowOf[behind] === -1) return;
      if (before !== -1) this.pairs[offset[before]! + port - portOffset[node]!]! += pairs;
      before = port;
      node = behind;
    }
  }

  /** The next port that whoever came by a port leaves by; -1 after the last. */
  successor(port: number, at: Int32Array): number {
    const { offset, pairs, fabric } = this;
    const behind = fabric.portNeighbour[port]!;
    for (let i = offset[port]! + at[port]!; i < offset[port + 1]!; i++) {
      if (pairs[i] === 0) continue;
      at[port] = i + 1 - offset[port]!;
      return fabric.portOffset[behind]! + i - offset[port]!;
    }
    return -1;
  }

  private weakest(circle: Int32Array): Dependency {
    let best: Dependency | null = null;
    let fewest = Infinity;
    circle.forEach((port, i) => {
      const next = circle[(i + 1) % circle.length]!;
      const own = this.pairs[this.offset[port]! + next - this.fabric.portOffset[this.fabric.portNode[next]!]!]!;
      if (own >= fewest) return;
      fewest = own;
      best = { port, next };
    });
    return best!;
  }
}
