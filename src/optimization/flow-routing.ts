// Flows on their ways through a fat tree: every flow (leaf, destination) can be taken off, put on another way, and
// asked for the cheapest.
// Invariants: the ways agree with forwarding tables: all flows to a host that meet at a spine or core go on together
// from there, so what one flow uses forces the others. `load` is the sum of what is on each link, times load per
// traffic, up to rounding (recount() takes it out). What a link costs: x^2 + penalty x (what is above its phase's
// ceiling)^2: little above the ceiling outweighs any balance below it, and the square spreads what is left. Source:
// Taffet's dissertation (docs/SOURCES.md), section 3.3, for the merging rule; section 5.4 for the l2 norm.

import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { ForcedPorts } from './forced-ports.js';
import type { RouteDemand } from './route-demand.js';
import type { RouteNetwork } from './route-network.js';

/**
 * Ports per way: leaf to spine, spine to core, core to spine, spine to leaf; -1 in the middle where spine and spine are
 * one.
 */
export const wayLength = 4;

/** Tolerance above the ceiling within which a load counts as not above it. */
export const ceilingTolerance = 1e-9;

export class FlowRouting {
  /** by port x phases + phase */
  readonly load: Float64Array;
  /** what no load of a phase should exceed */
  readonly ceiling: Float64Array;
  /** weight of what is above the ceiling against the squares of loads */
  penalty = 1e4;
  /** what each link costs that comes above a load, however far; none unless fewest-above.ts asks */
  hotPrice = 0;
  hotLoad = Infinity;
  /** four ports per flow; -1 first: the flow has no way yet */
  readonly way: Int32Array;
  /** the way that was found last, and the port that is not to be used */
  readonly found = new Int32Array(wayLength);
  banned = -1;
  /** ports by which spines and cores send to hosts */
  readonly spinePorts: ForcedPorts;
  readonly corePorts: ForcedPorts;
  /** called work: links whose cost was asked for */
  work = 0;
  private readonly dropCost: Float64Array;
  private readonly dropPort: Int32Array;
  private readonly coreCost: Float64Array;
  private readonly coreChoice: Int32Array;
  private readonly coreStamp: Int32Array;
  private stamp = 0;
  private firstPart = 0;
  private endPart = 0;

  /** @param background load that is on the links anyhow, by port x phases + phase; null without */
  constructor(
    readonly network: RouteNetwork,
    readonly demand: RouteDemand,
    readonly background: Float64Array | null = null,
  ) {
    const { spineCount, coreCount } = network;
    const cells = network.portFrom.length * demand.phaseCount;
    this.load = background === null ? new Float64Array(cells) : background.slice();
    this.ceiling = new Float64Array(demand.phaseCount);
    this.way = new Int32Array(wayLength * demand.flowCount).fill(-1);
    this.spinePorts = new ForcedPorts(network.tree, 1);
    this.corePorts = new ForcedPorts(network.tree, 2);
    this.dropCost = new Float64Array(spineCount).fill(Infinity);
    this.dropPort = new Int32Array(spineCount);
    this.coreCost = new Float64Array(coreCount);
    this.coreChoice = new Int32Array(coreCount);
    this.coreStamp = new Int32Array(coreCount);
  }

  /** Takes every flow off. */
  clear(): void {
    this.way.fill(-1);
    this.spinePorts.clear();
    this.corePorts.clear();
    this.resetLoad();
  }

  /** Counts the loads anew from the ways. */
  recount(): void {
    this.resetLoad();
    for (let flow = 0; flow < this.demand.flowCount; flow++)
      if (this.way[wayLength * flow] !== -1) this.addLoad(flow, 1);
  }

  private resetLoad(): void {
    if (this.background === null) this.load.fill(0);
    else this.load.set(this.background);
  }

  /** Puts a flow that has no way on the one in `found`. */
  putFound(flow: number): void {
    const { found } = this;
    this.put(flow, found[0]!, found[1]!, found[2]!, found[3]!);
  }

  /** Puts a flow that has no way on one that agrees with all others. */
  put(flow: number, up: number, toCore: number, fromCore: number, drop: number): void {
    const { way, spinePorts } = this;
    const { portFrom } = this.network;
    const { rank } = this.demand;
    const destination = rank[flow]!;
    const at = wayLength * flow;
    way[at] = up;
    way[at + 1] = toCore;
    way[at + 2] = fromCore;
    way[at + 3] = drop;
    if (toCore !== -1) {
      spinePorts.enter(portFrom[toCore]!, destination, toCore);
      this.corePorts.enter(portFrom[fromCore]!, destination, fromCore);
    }
    spinePorts.enter(portFrom[drop]!, destination, drop);
    this.addLoad(flow, 1);
  }

  /** Takes a flow off its way, which is left in `way` but for its first port. */
  take(flow: number): void {
    const { way, spinePorts } = this;
    const { portFrom } = this.network;
    const { rank } = this.demand;
    const destination = rank[flow]!;
    const at = wayLength * flow;
    this.addLoad(flow, -1);
    const toCore = way[at + 1]!;
    if (toCore !== -1) {
      spinePorts.leave(portFrom[toCore]!, destination);
      this.corePorts.leave(portFrom[way[at + 2]!]!, destination);
    }
    spinePorts.leave(portFrom[way[at + 3]!]!, destination);
    way[at] = -1;
  }

  private addLoad(flow: number, sign: 1 | -1): void {
    const { way, load } = this;
    const { worth } = this.network;
    const { partOffset, partPhase, partWeight, phaseCount } = this.demand;
    const end = partOffset[flow + 1]!;
    for (let part = partOffset[flow]!; part < end; part++) {
      const amount = sign * partWeight[part]!;
      const phase = partPhase[part]!;
      for (let hop = wayLength * flow; hop < wayLength * flow + wayLength; hop++) {
        const port = way[hop]!;
        if (port !== -1) load[port * phaseCount + phase]! += amount * worth[port]!;
      }
    }
  }

  /** Cost of putting the flow of firstPart .. endPart on a link. */
  private costOf(port: number): number {
    if (port === this.banned) return Infinity;
    const { load, ceiling, penalty, hotLoad } = this;
    const { worth } = this.network;
    const { partPhase, partWeight, phaseCount } = this.demand;
    let cost = 0;
    for (let part = this.firstPart; part < this.endPart; part++) {
      const phase = partPhase[part]!;
      const before = load[port * phaseCount + phase]!;
      const after = before + partWeight[part]! * worth[port]!;
      cost += (after - before) * (after + before);
      if (after > hotLoad && before <= hotLoad) cost += this.hotPrice;
      const above = after - ceiling[phase]! * (1 + ceilingTolerance);
      if (above <= 0) continue;
      const was = before - ceiling[phase]! * (1 + ceilingTolerance);
      cost += penalty * (was > 0 ? (above - was) * (above + was) : above * above);
    }
    this.work++;
    return cost;
  }

  private weigh(flow: number): void {
    this.firstPart = this.demand.partOffset[flow]!;
    this.endPart = this.demand.partOffset[flow + 1]!;
  }

  /** What it would cost to put a flow on the way that it had before it was taken off; `up` is its first port. */
  costOfWay(flow: number, up: number): number {
    this.weigh(flow);
    const at = wayLength * flow;
    let cost = this.costOf(up) + this.costOf(this.way[at + 3]!);
    if (this.way[at + 1] !== -1) cost += this.costOf(this.way[at + 1]!) + this.costOf(this.way[at + 2]!);
    return cost;
  }

  /**
   * Finds the cheapest way of a flow that has none; puts it into `found`. The first of equal ones.
   * @returns its cost, Infinity if there is none
   */
  find(flow: number): number {
    const { network, demand, dropCost, dropPort, spinePorts } = this;
    const { drops, portFrom, leafOf, leafPod } = network;
    this.weigh(flow);
    const rank = demand.rank[flow]!;
    const leaf = demand.leaf[flow]!;
    const to = leafOf[rank]!;
    for (let i = drops.offset[to]!; i < drops.offset[to + 1]!; i++) {
      const port = drops.ports[i]!;
      const spine = portFrom[port]!;
      const used = spinePorts.port(spine, rank);
      if (used !== -1 && used !== port) continue;
      const cost = this.costOf(port);
      if (cost >= dropCost[spine]!) continue;
      dropCost[spine] = cost;
      dropPort[spine] = port;
    }
    const direct = leafPod[leaf] === leafPod[to] ? this.findInPod(leaf) : Infinity;
    const cost =
      direct < Infinity || network.coreCount === 0 || this.sharesSpine(leaf, to)
        ? direct
        : this.findOverCores(leaf, rank, leafPod[to]!);
    for (let i = drops.offset[to]!; i < drops.offset[to + 1]!; i++) dropCost[portFrom[drops.ports[i]!]!] = Infinity;
    return cost;
  }

  private findInPod(leaf: number): number {
    const { dropCost, dropPort, found } = this;
    const { leafUp, portTo } = this.network;
    let best = Infinity;
    for (let i = leafUp.offset[leaf]!; i < leafUp.offset[leaf + 1]!; i++) {
      const up = leafUp.ports[i]!;
      const spine = portTo[up]!;
      if (dropCost[spine]! >= best) continue;
      const cost = dropCost[spine]! + this.costOf(up);
      if (cost >= best) continue;
      best = cost;
      found[0] = up;
      found[3] = dropPort[spine]!;
    }
    found[1] = found[2] = -1;
    return best;
  }

  /** Whether two leaves hang on one spine: then ways over cores are not minimal. */
  private sharesSpine(leaf: number, to: number): boolean {
    const { leafUp, drops, leafPod, portTo, portFrom } = this.network;
    if (leafPod[leaf] !== leafPod[to]) return false;
    for (let i = leafUp.offset[leaf]!; i < leafUp.offset[leaf + 1]!; i++) {
      for (let j = drops.offset[to]!; j < drops.offset[to + 1]!; j++)
        if (portTo[leafUp.ports[i]!] === portFrom[drops.ports[j]!]) return true;
    }
    return false;
  }

  private findOverCores(leaf: number, rank: number, pod: number): number {
    const { spinePorts, dropPort, coreChoice, found } = this;
    const { leafUp, spineUp, portTo } = this.network;
    this.stamp++;
    let best = Infinity;
    for (let i = leafUp.offset[leaf]!; i < leafUp.offset[leaf + 1]!; i++) {
      const up = leafUp.ports[i]!;
      const first = this.costOf(up);
      if (first >= best) continue;
      const spine = portTo[up]!;
      const used = spinePorts.port(spine, rank);
      const end = used === -1 ? spineUp.offset[spine + 1]! : spineUp.offset[spine]! + 1;
      for (let j = spineUp.offset[spine]!; j < end; j++) {
        const toCore = used === -1 ? spineUp.ports[j]! : used;
        const core = portTo[toCore]!;
        const rest = this.coreStamp[core] === this.stamp ? this.coreCost[core]! : this.costFromCore(core, rank, pod);
        if (first + rest >= best) continue;
        const cost = first + rest + this.costOf(toCore);
        if (cost >= best) continue;
        best = cost;
        found[0] = up;
        found[1] = toCore;
        found[2] = coreChoice[core]!;
        found[3] = dropPort[portTo[coreChoice[core]!]!]!;
      }
    }
    return best;
  }

  /** Cheapest way from a core into the pod and down to the leaf; keeps it in coreCost and coreChoice. */
  private costFromCore(core: number, rank: number, pod: number): number {
    const { dropCost } = this;
    const { coreDown, portTo, tree } = this.network;
    const used = this.corePorts.port(core, rank);
    const list = core * tree.podCount + pod;
    let best = Infinity;
    const end = used === -1 ? coreDown.offset[list + 1]! : coreDown.offset[list]! + 1;
    for (let i = coreDown.offset[list]!; i < end; i++) {
      const port = used === -1 ? coreDown.ports[i]! : used;
      const rest = dropCost[portTo[port]!]!;
      if (rest >= best) continue;
      const cost = rest + this.costOf(port);
      if (cost >= best) continue;
      best = cost;
      this.coreChoice[core] = port;
    }
    this.coreStamp[core] = this.stamp;
    this.coreCost[core] = best;
    return best;
  }

  /**
   * Finds the cheapest core between two given ends of a flow that has no way.
   * @returns the cost of the whole way in `found`; Infinity if no core joins them without parting what meets
   */
  findCore(flow: number, up: number, drop: number): number {
    const { spinePorts, corePorts, found } = this;
    const { spineUp, coreDown, portTo, portFrom, tree, spinePod } = this.network;
    this.weigh(flow);
    const rank = this.demand.rank[flow]!;
    const spine = portTo[up]!;
    const last = portFrom[drop]!;
    const usedLast = spinePorts.port(last, rank);
    if (usedLast !== -1 && usedLast !== drop) return Infinity;
    const used = spinePorts.port(spine, rank);
    let best = Infinity;
    for (let i = spineUp.offset[spine]!; i < spineUp.offset[spine + 1]!; i++) {
      const toCore = spineUp.ports[i]!;
      if (used !== -1 && used !== toCore) continue;
      const core = portTo[toCore]!;
      const usedDown = corePorts.port(core, rank);
      const list = core * tree.podCount + spinePod[last]!;
      for (let j = coreDown.offset[list]!; j < coreDown.offset[list + 1]!; j++) {
        const fromCore = coreDown.ports[j]!;
        if (portTo[fromCore] !== last || (usedDown !== -1 && usedDown !== fromCore)) continue;
        const cost = this.costOf(toCore) + this.costOf(fromCore);
        if (cost >= best) continue;
        best = cost;
        found[1] = toCore;
        found[2] = fromCore;
      }
    }
    found[0] = up;
    found[3] = drop;
    return best === Infinity ? best : best + this.costOf(up) + this.costOf(drop);
  }

  /**
   * Puts flows on the ways that tables give them. Flows that do not arrive, or not by a minimal way, are left without.
   * Empty before.
   */
  follow(tables: ForwardingTables): void {
    const { tree, portTo } = this.network;
    const { flowCount, leaf, rank } = this.demand;
    const { fabric, nodeLevel, switches } = tree;
    const hops: number[] = [];
    for (let flow = 0; flow < flowCount; flow++) {
      const destination = fabric.hosts[rank[flow]!]!;
      hops.length = 0;
      for (let node = switches[0]![leaf[flow]!]!; nodeLevel[node] !== -1 && hops.length <= wayLength + 1;) {
        const port = tables.port(node, destination);
        if (port === -1) break;
        hops.push(port);
        node = fabric.portNeighbour[port]!;
      }
      const arrived = hops.length > 0 && fabric.portNeighbour[hops[hops.length - 1]!] === destination;
      if (!arrived) continue;
      const turns = nodeLevel[fabric.portNeighbour[hops[0]!]!] === 1;
      if (hops.length === 3 && turns) this.put(flow, hops[0]!, -1, -1, hops[1]!);
      else if (hops.length === 5 && turns && !this.sharesSpine(leaf[flow]!, portTo[hops[3]!]!) && this.isUpDown(hops))
        this.put(flow, hops[0]!, hops[1]!, hops[2]!, hops[3]!);
    }
  }

  private isUpDown(hops: readonly number[]): boolean {
    const { fabric, nodeLevel } = this.network.tree;
    return [0, 1, 2, 1].every((level, hop) => nodeLevel[fabric.portNode[hops[hop]!]!] === level);
  }
}
