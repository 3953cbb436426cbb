// Long because moves share the loads that they change.
// The leaf layer by itself: which link every flow takes up from its leaf and which one down to the leaf of its
// destination. In tapered trees these are the links that decide; cores are chosen afterwards (greedy-routes.ts).
// Annealing by thresholds: from a link above its ceiling a flow moves to another link, changes places with another flow
// of the leaf, or, where links have few flows, four flows exchange core groups; excess (squared) may grow by a random
// amount that shrinks. Source: G. Dueck and T. Scheuer, "Threshold accepting", Journal of Computational Physics 90,
// 1990.
// Invariant: ends always fit together: within a pod both at one spine, otherwise both in one core group; and all flows
// to a host that pass a spine have one way down to its leaf, since they go on together from there. Not modelled here:
// loads of links to and from cores.

import { fail } from '../base/fail.js';
import type { RandomStream } from '../base/random.js';
import { ceilingTolerance, wayLength, type FlowRouting } from './flow-routing.js';
import { LinkMembers } from './link-members.js';
import { flowsByLeaf } from './route-demand.js';
import type { RouteNetwork } from './route-network.js';
import type { SearchBudget } from './search-budget.js';

const proposalsPerSpend = 4096;
/** links that a proposal looks at, about */
const workPerProposal = 4;
/** with more flows per link moves and changes of two are enough */
const mostFlowsPerLink = 8;

/** Where flows leave their leaf and where they come down to the other one. */
export interface LeafEnds {
  /** port up and port down of each flow */
  readonly up: Int32Array;
  readonly down: Int32Array;
  /** 1 for flows that go over one spine of their pod, 0 for those over cores */
  readonly inPod: Uint8Array;
}

export class LeafLayer implements LeafEnds {
  readonly up: Int32Array;
  readonly down: Int32Array;
  readonly inPod: Uint8Array;
  private readonly load: Float64Array;
  private readonly members: LinkMembers;
  private readonly over: number[] = [];
  private readonly overPlace: Int32Array;
  /** drop of what passes a spine to a host, and how many flows do; by spine x hostCount + rank */
  private readonly dropOf: Int32Array;
  private readonly dropUses: Uint16Array;
  private readonly fromLeaf: { offset: Int32Array; flows: Int32Array };
  private readonly toLeaf: { offset: Int32Array; flows: Int32Array };
  private readonly dropsOfSpine: Map<number, Int32Array>;
  /** leaf of the destination, by flow */
  private readonly destinationLeaf: Int32Array;
  /** whether four flows may exchange their core groups */
  private readonly exchanges: boolean;
  /** a flow found at a leaf, if the leaf's stamp is the current one */
  private readonly flowAt: Int32Array;
  private readonly leafStamp: Int32Array;
  private stamp = 0;
  /** flows of an exchange and the ends that they had */
  private readonly four = new Int32Array(4);
  private readonly fourUp = new Int32Array(4);
  private readonly fourDown = new Int32Array(4);

  /** @param begin ends of all flows, which fit together */
  constructor(
    private readonly routing: Pick<FlowRouting, 'network' | 'demand' | 'background'>,
    private readonly ceiling: Float64Array,
    begin: LeafEnds,
  ) {
    const { network, demand, background } = routing;
    const { flowCount } = demand;
    this.up = begin.up.slice();
    this.down = begin.down.slice();
    this.inPod = begin.inPod;
    this.load =
      background === null ? new Float64Array(network.portFrom.length * demand.phaseCount) : background.slice();
    this.members = new LinkMembers(network.portFrom.length, flowCount);
    this.overPlace = new Int32Array(this.load.length).fill(-1);
    this.dropOf = new Int32Array(network.spineCount * network.hostCount).fill(-1);
    this.dropUses = new Uint16Array(this.dropOf.length);
    this.fromLeaf = flowsByLeaf(flowCount, network.leafCount, (flow) => demand.leaf[flow]!);
    this.destinationLeaf = demand.rank.map((rank) => network.leafOf[rank]!);
    this.toLeaf = flowsByLeaf(flowCount, network.leafCount, (flow) => this.destinationLeaf[flow]!);
    this.dropsOfSpine = dropsBySpineAndLeaf(network);
    this.exchanges = hasGroupsOfSpines(network) && flowCount <= mostFlowsPerLink * network.leafUp.ports.length;
    this.flowAt = new Int32Array(network.leafCount);
    this.leafStamp = new Int32Array(network.leafCount);
    for (let flow = 0; flow < flowCount; flow++) {
      if (!(this.up[flow]! >= 0 && this.down[flow]! >= 0)) fail(`flow ${flow} has no way to begin with`);
      this.place(flow, this.up[flow]!, this.down[flow]!);
    }
  }

  /**
   * Anneals until nothing is above its ceiling.
   * @param proposals how many at most; the allowance shrinks over them @param warmth first allowance, in squares of a
   * typical weight
   * @returns true if it got there
   */
  anneal(random: RandomStream, budget: SearchBudget, proposals: number, warmth: number): boolean {
    const { flowCount, weight } = this.routing.demand;
    let squares = 0;
    let sum = 0;
    for (let flow = 0; flow < flowCount; flow++) {
      squares += weight[flow]! * weight[flow]!;
      sum += weight[flow]!;
    }
    const typical = squares / Math.max(sum, Number.MIN_VALUE);
    let allowance = warmth * typical * typical;
    const shrink = Math.sqrt(1e-3);
    for (let done = 0; done < proposals && this.over.length > 0; done++) {
      if (done % proposalsPerSpend === 0) {
        if (budget.spend(done === 0 ? 0 : proposalsPerSpend * workPerProposal)) return false;
        const share = done / proposals;
        // halfway between the powers of the shrinking factor, without a power
        allowance =
          warmth *
          typical *
          typical *
          (share < 0.5 ? 1 + (shrink - 1) * 2 * share : shrink * (1 + (shrink - 1) * (2 * share - 1)));
      }
      const draw = random.nextFraction();
      this.propose(random, allowance * draw * draw);
    }
    return this.over.length === 0;
  }

  private propose(random: RandomStream, allowed: number): void {
    const { over } = this;
    const { demand } = this.routing;
    const { phaseCount } = demand;
    const cell = over[random.nextBelow(over.length)]!;
    const port = (cell - (cell % phaseCount)) / phaseCount;
    const list = this.members.on(port);
    const hop = list[random.nextBelow(list.length)]!;
    const flow = (hop - (hop % wayLength)) / wayLength;
    const isUp = hop % wayLength === 0;
    const own = isUp ? this.fromLeaf : this.toLeaf;
    const leaf = isUp ? demand.leaf[flow]! : this.destinationLeaf[flow]!;
    if (this.exchanges && random.nextBelow(2) === 0) {
      this.exchangeGroups(flow, isUp, allowed, random);
      return;
    }
    let other = -1;
    if (random.nextBelow(2) === 0) {
      const first = own.offset[leaf]!;
      other = own.flows[first + random.nextBelow(own.offset[leaf + 1]! - first)]!;
      if (other === flow || (isUp ? this.up[other] === this.up[flow] : this.down[other] === this.down[flow])) return;
    }
    const ports = isUp ? this.routing.network.leafUp : this.routing.network.drops;
    const target =
      other !== -1
        ? isUp
          ? this.up[other]!
          : this.down[other]!
        : ports.ports[ports.offset[leaf]! + random.nextBelow(ports.offset[leaf + 1]! - ports.offset[leaf]!)]!;
    if (target === port) return;
    this.tryMoves(flow, target, other, port, isUp, allowed, random);
  }

  /**
   * Moves a flow, and another the other way if there is one; undoes it if the excess grows by more than allowed or the
   * ends do not fit.
   */
  private tryMoves(
    flow: number,
    target: number,
    other: number,
    back: number,
    isUp: boolean,
    allowed: number,
    random: RandomStream,
  ): void {
    const oldUp = this.up[flow]!;
    const oldDown = this.down[flow]!;
    const otherUp = other === -1 ? -1 : this.up[other]!;
    const otherDown = other === -1 ? -1 : this.down[other]!;
    let change = this.remove(flow);
    if (other !== -1) change += this.remove(other);
    const fits = this.settle(flow, target, oldUp, oldDown, isUp, random);
    if (fits) change += this.place(flow, this.up[flow]!, this.down[flow]!);
    const otherFits = fits && (other === -1 || this.settle(other, back, otherUp, otherDown, isUp, random));
    if (otherFits && other !== -1) change += this.place(other, this.up[other]!, this.down[other]!);
    if (otherFits && change <= allowed) return;
    if (otherFits && other !== -1) this.remove(other);
    if (fits) this.remove(flow);
    this.place(flow, oldUp, oldDown);
    if (other !== -1) this.place(other, otherUp, otherDown);
  }

  /**
   * Tries to exchange the core groups of four flows: a and b of one leaf, c and d of another one, while a and c, b and
   * d have their other leaf in common. Each takes the places of its partners, so every link keeps its number of flows.
   */
  private exchangeGroups(a: number, isUp: boolean, allowed: number, random: RandomStream): void {
    const { inPod, leafStamp, flowAt } = this;
    const near = isUp ? this.fromLeaf : this.toLeaf;
    const far = isUp ? this.toLeaf : this.fromLeaf;
    const nearLeaf = isUp ? this.routing.demand.leaf : this.destinationLeaf;
    const farLeaf = isUp ? this.destinationLeaf : this.routing.demand.leaf;
    const own = near.offset[nearLeaf[a]!]!;
    const b = near.flows[own + random.nextBelow(near.offset[nearLeaf[a]! + 1]! - own)]!;
    const group = this.groupOf(a);
    const otherGroup = this.groupOf(b);
    const first = farLeaf[a]!;
    const second = farLeaf[b]!;
    if (inPod[a] === 1 || inPod[b] === 1 || group === otherGroup || first === second) return;
    this.stamp++;
    for (let i = far.offset[first]!; i < far.offset[first + 1]!; i++) {
      const c = far.flows[i]!;
      if (inPod[c] === 1 || this.groupOf(c) !== otherGroup) continue;
      leafStamp[nearLeaf[c]!] = this.stamp;
      flowAt[nearLeaf[c]!] = c;
    }
    const count = far.offset[second + 1]! - far.offset[second]!;
    const start = random.nextBelow(count);
    for (let i = 0; i < count; i++) {
      const d = far.flows[far.offset[second]! + ((start + i) % count)]!;
      if (inPod[d] === 1 || this.groupOf(d) !== group || leafStamp[nearLeaf[d]!] !== this.stamp) continue;
      this.tryExchange(a, b, flowAt[nearLeaf[d]!]!, d, isUp, allowed);
      return;
    }
  }

  private tryExchange(a: number, b: number, c: number, d: number, isUp: boolean, allowed: number): void {
    const { up, down, four, fourUp, fourDown } = this;
    four[0] = a;
    four[1] = b;
    four[2] = c;
    four[3] = d;
    let change = 0;
    for (let i = 0; i < 4; i++) {
      fourUp[i] = up[four[i]!]!;
      fourDown[i] = down[four[i]!]!;
      change += this.remove(four[i]!);
    }
    let placed = 0;
    for (; placed < 4; placed++) {
      // the partner of i is i ^ 1 at the near leaf, i ^ 2 at the far one
      const nextUp = fourUp[placed ^ (isUp ? 1 : 2)]!;
      const nextDown = fourDown[placed ^ (isUp ? 2 : 1)]!;
      if (!this.goesOnAlike(four[placed]!, nextUp, nextDown)) break;
      change += this.place(four[placed]!, nextUp, nextDown);
    }
    if (placed === 4 && change <= allowed) return;
    for (let i = 0; i < placed; i++) this.remove(four[i]!);
    for (let i = 0; i < 4; i++) this.place(four[i]!, fourUp[i]!, fourDown[i]!);
  }

  private groupOf(flow: number): number {
    const { spineGroup, portTo } = this.routing.network;
    return spineGroup[portTo[this.up[flow]!]!]!;
  }

  /**
   * Chooses ends for a flow that was removed: one is given, the other kept or drawn so that it fits.
   * @returns false if it does not
   */
  private settle(
    flow: number,
    target: number,
    oldUp: number,
    oldDown: number,
    isUp: boolean,
    random: RandomStream,
  ): boolean {
    const { leafUp, drops, portTo, leafOf } = this.routing.network;
    const { leaf, rank } = this.routing.demand;
    const destination = rank[flow]!;
    let up = isUp ? target : oldUp;
    let down = isUp ? oldDown : target;
    const inPod = this.inPod[flow] === 1;
    if (isUp && inPod) down = this.dropFrom(portTo[up]!, leafOf[destination]!, random);
    else if (isUp && !this.fits(up, down, inPod))
      down = drawFitting(drops.ports, drops.offset, leafOf[destination]!, random, (port) => this.fits(up, port, inPod));
    else if (!isUp && !this.fits(up, down, inPod))
      up = drawFitting(leafUp.ports, leafUp.offset, leaf[flow]!, random, (port) => this.fits(port, down, inPod));
    if (up === -1 || down === -1) return false;
    if (!this.goesOnAlike(flow, up, down)) return false;
    this.up[flow] = up;
    this.down[flow] = down;
    return true;
  }

  /** Whether all others to the same host that pass the spines of these ends come down the same way. */
  private goesOnAlike(flow: number, up: number, down: number): boolean {
    const { portTo, portFrom, hostCount } = this.routing.network;
    const { rank } = this.routing.demand;
    const first = this.dropOf[portTo[up]! * hostCount + rank[flow]!]!;
    const last = this.dropOf[portFrom[down]! * hostCount + rank[flow]!]!;
    return (first === -1 || first === down) && (last === -1 || last === down);
  }

  private fits(up: number, down: number, inPod: boolean): boolean {
    const { portTo, portFrom, spineGroup } = this.routing.network;
    const first = portTo[up]!;
    const last = portFrom[down]!;
    return inPod ? first === last : spineGroup[first] === spineGroup[last];
  }

  private dropFrom(spine: number, leaf: number, random: RandomStream): number {
    const ports = this.dropsOfSpine.get(spine * this.routing.network.leafCount + leaf);
    return ports === undefined ? -1 : ports[ports.length === 1 ? 0 : random.nextBelow(ports.length)]!;
  }

  /** Takes a flow off. @returns how much the excess changes */
  private remove(flow: number): number {
    return this.change(flow, this.up[flow]!, this.down[flow]!, -1);
  }

  private place(flow: number, up: number, down: number): number {
    this.up[flow] = up;
    this.down[flow] = down;
    return this.change(flow, up, down, 1);
  }

  private change(flow: number, up: number, down: number, sign: 1 | -1): number {
    const { members, dropOf, dropUses } = this;
    const { portTo, portFrom, hostCount } = this.routing.network;
    const { rank } = this.routing.demand;
    const first = portTo[up]! * hostCount + rank[flow]!;
    const last = portFrom[down]! * hostCount + rank[flow]!;
    for (let spine = first; ; spine = last) {
      if (sign === 1) {
        dropOf[spine] = down;
        dropUses[spine]!++;
      } else if (--dropUses[spine]! === 0) dropOf[spine] = -1;
      if (spine === last) break;
    }
    if (sign === 1) {
      members.enter(wayLength * flow, up);
      members.enter(wayLength * flow + 3, down);
    } else {
      members.leave(wayLength * flow, up);
      members.leave(wayLength * flow + 3, down);
    }
    return this.addLoad(flow, up, sign) + this.addLoad(flow, down, sign);
  }

  private addLoad(flow: number, port: number, sign: 1 | -1): number {
    const { load, ceiling } = this;
    const { worth } = this.routing.network;
    const { partOffset, partPhase, partWeight, phaseCount } = this.routing.demand;
    let change = 0;
    for (let part = partOffset[flow]!; part < partOffset[flow + 1]!; part++) {
      const phase = partPhase[part]!;
      const cell = port * phaseCount + phase;
      const limit = ceiling[phase]! * (1 + ceilingTolerance);
      const before = load[cell]! - limit;
      const after = before + sign * partWeight[part]! * worth[port]!;
      load[cell] = after + limit;
      change += (after > 0 ? after * after : 0) - (before > 0 ? before * before : 0);
      const above = after > limit * ceilingTolerance + 1e-12;
      if (above !== (this.overPlace[cell] !== -1)) this.markOver(cell, above);
    }
    return change;
  }

  private markOver(cell: number, above: boolean): void {
    const { over, overPlace } = this;
    if (above) {
      overPlace[cell] = over.push(cell) - 1;
      return;
    }
    const place = overPlace[cell]!;
    const last = over.pop()!;
    overPlace[cell] = -1;
    if (last === cell) return;
    over[place] = last;
    overPlace[last] = place;
  }
}

function drawFitting(
  ports: Int32Array,
  offset: Int32Array,
  list: number,
  random: RandomStream,
  fits: (port: number) => boolean,
): number {
  const first = offset[list]!;
  const count = offset[list + 1]! - first;
  const start = random.nextBelow(count);
  for (let i = 0; i < count; i++) {
    const port = ports[first + ((start + i) % count)]!;
    if (fits(port)) return port;
  }
  return -1;
}

/** Whether there are core groups to choose from, with several spines of a pod in each. */
function hasGroupsOfSpines({ tree: { coreGroupCount, podCount }, spineCount }: RouteNetwork): boolean {
  return coreGroupCount > 1 && spineCount > coreGroupCount * podCount;
}

function dropsBySpineAndLeaf({ drops, portFrom, leafCount }: RouteNetwork): Map<number, Int32Array> {
  const lists = new Map<number, number[]>();
  for (let leaf = 0; leaf < leafCount; leaf++) {
    for (let i = drops.offset[leaf]!; i < drops.offset[leaf + 1]!; i++) {
      const port = drops.ports[i]!;
      const key = portFrom[port]! * leafCount + leaf;
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [port]);
      else list.push(port);
    }
  }
  return new Map([...lists].map(([key, ports]) => [key, Int32Array.from(ports)]));
}
