// Shorter ways at the same largest load: destination by destination all ways to a host are laid anew over the fewest
// links that stay below what the worst link of a phase carries.
// Invariants: no phase carries more on its worst link than before; what is returned has no more lanes (lane-layers.ts)
// and no destination with longer ways in all; ways to a destination are one tree.

import type { FatTree } from '../fabric/fat-tree.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { layeredLanes } from '../routing/lane-layers.js';
import { ShortestHops } from '../routing/port-hops.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { interSwitchPorts, loadPerTraffic, loadsOfFlows } from './table-loads.js';

/** What ways have to keep to. */
interface WayLimits {
  /** flows of each phase, and what its worst link may carry */
  readonly phases: readonly LeafTraffic[];
  readonly phaseMax: readonly number[];
  /** load of other traffic, by sending port; null = none */
  readonly background: Float64Array | null;
  readonly mostLanes: number;
}

/** Cost of a link that would carry too much, in links. */
const tooFull = 1000;
const rounding = 1e-9;

/**
 * Shortens ways.
 * @param stopped asked at every destination; true ends it with the tables given
 * @returns the tables given if there is nothing to shorten, or shorter ways would need more lanes
 */
export function shortenWays(
  tree: FatTree,
  given: ForwardingTables,
  limits: WayLimits,
  stopped: () => boolean = () => false,
): ForwardingTables {
  const search = new Shortening(tree, given.copy(), limits);
  let isShorter = false;
  for (let rank = 0; rank < tree.hostLeaf.length; rank++) {
    if (stopped()) return given;
    if (search.shorten(rank)) isShorter = true;
  }
  if (!isShorter) return given;
  const lanes = layeredLanes([given], limits.mostLanes);
  return lanes !== null && layeredLanes([search.tables], lanes.count) !== null ? search.tables : given;
}

class Shortening {
  private readonly load: readonly Float64Array[];
  private readonly worth: Float64Array;
  private readonly links: readonly number[];
  private readonly fewest: ShortestHops;
  private readonly sources: Set<number>;
  private readonly distance: Float64Array;
  private readonly cost: Float64Array;
  private readonly before: Uint8Array;
  private towards = -1;

  constructor(
    private readonly tree: FatTree,
    readonly tables: ForwardingTables,
    private readonly limits: WayLimits,
  ) {
    const { fabric } = tree;
    const { background } = limits;
    this.load = limits.phases.map((flows) => {
      const own = loadsOfFlows(tables, flows);
      return background === null ? own : own.map((load, port) => load + background[port]!);
    });
    this.worth = loadPerTraffic(fabric);
    const between = interSwitchPorts(tree);
    this.links = Array.from(between, (_, port) => port).filter((port) => between[port] === 1);
    this.fewest = new ShortestHops(fabric);
    this.sources = new Set(tree.hostLeaf);
    this.distance = new Float64Array(fabric.nodeCount);
    this.cost = new Float64Array(fabric.portCount);
    this.before = new Uint8Array(tables.switches.length);
  }

  /** @returns whether ways to a host became shorter */
  shorten(rank: number): boolean {
    const { tree, tables, before } = this;
    const destination = tree.fabric.hosts[rank]!;
    const target = tree.hostLeaf[rank]!;
    if (target !== this.towards) this.fewest.towards((this.towards = target));
    const length = this.length(destination, target);
    if (length <= this.leastLength(target)) return false;
    tables.switches.forEach((node, row) => {
      before[row] = tables.entry(node, destination);
    });
    for (const share of ['all', 'mean'] as const) {
      this.carry(rank, -1);
      this.price(rank, share);
      this.lay(target, destination);
      this.carry(rank, 1);
      if (this.length(destination, target) < length && this.fits()) return true;
      this.carry(rank, -1);
      before.forEach((entry, row) => {
        tables.entries[row * tables.columns + destination] = entry;
      });
      this.carry(rank, 1);
    }
    return false;
  }

  private fits(): boolean {
    const { load, links, limits } = this;
    return load.every((own, phase) => {
      const most = limits.phaseMax[phase]! * (1 + rounding);
      return links.every((port) => own[port]! <= most);
    });
  }

  private leastLength(target: number): number {
    let sum = 0;
    for (const node of this.sources) if (node !== target) sum += this.fewest.least[node]!;
    return sum;
  }

  /** Links from all switches with hosts to a destination, together; Infinity if one does not lead there. */
  private length(destination: number, target: number): number {
    const { tables, sources } = this;
    let sum = 0;
    for (const from of sources) {
      let node = from;
      for (let steps = 0; node !== target; steps++, sum++) {
        const port = tables.port(node, destination);
        if (port === -1 || steps === tables.switches.length) return Infinity;
        node = tables.fabric.portNeighbour[port]!;
      }
    }
    return sum;
  }

  /** One for each link, and a little for what it carries; much where it would carry too much. */
  private price(rank: number, share: 'all' | 'mean'): void {
    const { limits, links, load, worth, cost } = this;
    cost.fill(1);
    limits.phases.forEach(({ offset, weight }, phase) => {
      const first = offset[rank]!;
      const count = offset[rank + 1]! - first;
      const most = limits.phaseMax[phase]!;
      if (count === 0 || most === 0) return;
      const sum = weight.subarray(first, first + count).reduce((total, own) => total + own, 0);
      const added = share === 'all' ? sum : sum / count;
      for (const port of links) {
        const after = load[phase]![port]! + added * worth[port]!;
        cost[port]! += after > most * (1 + rounding) ? tooFull : (1e-4 * after) / most;
      }
    });
  }

  /** The cheapest ways of all switches to a host (Dijkstra from its switch). */
  private lay(target: number, destination: number): void {
    const { tables, distance, cost } = this;
    const { portOffset, portNeighbour, portPeer } = tables.fabric;
    distance.fill(Infinity);
    distance[target] = 0;
    const open = new Set(tables.switches);
    while (open.size > 0) {
      let node = -1;
      for (const own of open) if (distance[own]! < (node === -1 ? Infinity : distance[node]!)) node = own;
      if (node === -1) return;
      open.delete(node);
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (!open.has(peer)) continue;
        const own = distance[node]! + cost[portPeer[port]!]!;
        if (own >= distance[peer]!) continue;
        distance[peer] = own;
        tables.setPort(peer, destination, portPeer[port]!);
      }
    }
  }

  /** Adds what is sent to a host to the loads of its ways, or takes it off. */
  private carry(rank: number, sign: 1 | -1): void {
    const { limits, tables, load, worth } = this;
    const { fabric, hostLeaf, switches } = this.tree;
    const target = hostLeaf[rank]!;
    limits.phases.forEach(({ offset, leaf, weight }, phase) => {
      for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++)
        for (let node = switches[0]![leaf[flow]!]!; node !== target;) {
          const port = tables.port(node, fabric.hosts[rank]!);
          load[phase]![port]! += sign * weight[flow]! * worth[port]!;
          node = fabric.portNeighbour[port]!;
        }
    });
  }
}
