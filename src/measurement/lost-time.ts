// Where flows lost time: by how much each took longer than alone, booked to the link of its path on which sharing alone
// explains most of that.
//   Demand: the rate that a flow would have alone, summed over those under way on a link. Where it exceeds the rate of
//   the link, a fair share is rate / demand, and a flow loses 1 - rate / demand of its time there.
//   Groups: links that stand in for each other (all of a switch upwards, all into one switch downwards, all of a host).
//   Where the demand on a whole group exceeds its rates, no choice of path helps; the rest could have been avoided.
// The part of a flow's loss that no link explains (losses, pauses, marks, windows) is counted apart. Means the same on
// every backend: it follows from paths, starts and ends alone.
// Invariant: losses of links and what none explains add up to the time that all finished flows lost.
// Not seen: links between switches of packets that each choose their path (the links of the hosts are); acknowledgements.

import { grown } from '../base/columns.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { portGroups } from './port-groups.js';
import { SharedPlaces } from './shared-places.js';

/** What flows lost on one link, in one direction. */
export interface LostPlace {
  /** output port */
  readonly port: number;
  /** flows that lost most there */
  readonly flows: number;
  /** most flows at once, among all that crossed the link */
  readonly mostFlows: number;
  readonly lostPs: number;
  /** the part of it that another choice of path could have avoided */
  readonly avoidablePs: number;
}

export interface LostTimeFigures {
  /** of all finished flows whose time alone is known: what they took beyond it */
  readonly lostPs: number;
  /** the part of it that sharing no link explains */
  readonly unexplainedPs: number;
  /** what they would have taken alone */
  readonly alonePs: number;
  /** links, that with the most first */
  readonly places: readonly LostPlace[];
  /** output ports that flows have crossed, ascending */
  readonly crossed: readonly number[];
}

/** Losses below this share of the time alone are rounding. */
const leastShare = 1e-6;
/** Of two links that held a flow up nearly as much that of a host counts: no path avoids it. */
const nearly = 0.98;

export class LostTime {
  private readonly groupOf: Int32Array;
  private readonly links: SharedPlaces;
  private readonly groups: SharedPlaces;
  /** by port: 1 if an end of its link is a host */
  private readonly isOfHost: Uint8Array;
  private readonly active: Int32Array;
  private readonly mostActive: Int32Array;
  /** by port */
  private readonly flows: Int32Array;
  private readonly lostPs: Float64Array;
  private readonly avoidablePs: Float64Array;
  private unexplainedPs = 0;
  private alonePs = 0;
  private stride = 0;
  /** by slot: length of the path, demand; by slot and hop: the port, and what had been lost there and in its group */
  private lengths = new Int32Array(0);
  private demandBps = new Float64Array(0);
  private ports = new Int32Array(0);
  private linkPs = new Float64Array(0);
  private groupPs = new Float64Array(0);
  /** by slot: since when it is on its path, and whether its flow has other queue pairs */
  private sincePs = new Float64Array(0);
  private isPart = new Uint8Array(0);
  /** queue pairs on a port, of flows that have several: by `first * portCount + port` */
  private readonly parts = new Map<number, number>();
  /** by slot of a flow's first queue pair: the port on which one of them lost most so far, how much of what, and its group */
  private worstPort = new Int32Array(0);
  private worstPs = new Float64Array(0);
  private worstLifePs = new Float64Array(0);
  private worstGroupPs = new Float64Array(0);

  constructor(private readonly fabric: Fabric) {
    const { portCount, portLink, linkRateBps } = fabric;
    this.groupOf = portGroups(fabric);
    this.links = new SharedPlaces(portCount);
    this.groups = new SharedPlaces(this.groupOf.reduce((most, group) => Math.max(most, group + 1), 0));
    const { portNode, portNeighbour, nodeKind } = fabric;
    this.isOfHost = Uint8Array.from({ length: portCount }, (_, port) =>
      nodeKind[portNode[port]!] === NodeKind.host || nodeKind[portNeighbour[port]!] === NodeKind.host ? 1 : 0,
    );
    this.active = new Int32Array(portCount);
    this.mostActive = new Int32Array(portCount);
    this.flows = new Int32Array(portCount);
    this.lostPs = new Float64Array(portCount);
    this.avoidablePs = new Float64Array(portCount);
    for (let port = 0; port < portCount; port++) {
      const rateBps = linkRateBps[portLink[port]!]!;
      this.links.rateBps[port] = rateBps;
      this.groups.rateBps[this.groupOf[port]!]! += rateBps;
    }
  }

  /**
   * A queue pair starts.
   * @param first slot of the first queue pair of its flow @param path a buffer for the longest way, with `length` output
   * ports; of packets that choose their path, those of the hosts @param share of its flow's bytes, 0 to 1
   */
  started(slot: number, first: number, path: Int32Array, length: number, share: number, nowPs: number): void {
    this.reserve(Math.max(slot, first), path.length);
    if (slot === first) {
      this.worstPort[first] = -1;
      this.worstPs[first] = this.worstGroupPs[first] = this.worstLifePs[first] = 0;
    }
    this.sincePs[slot] = nowPs;
    this.isPart[slot] = share < 1 ? 1 : 0;
    const { portLink, linkRateBps } = this.fabric;
    let rateBps = Infinity;
    for (let i = 0; i < length; i++) rateBps = Math.min(rateBps, linkRateBps[portLink[path[i]!]!]!);
    this.demandBps[slot] = length === 0 ? 0 : rateBps * share;
    this.lengths[slot] = length;
    for (let i = 0, entry = slot * this.stride; i < length; i++, entry++) {
      this.ports[entry] = path[i]!;
      this.join(entry, slot, first, nowPs);
    }
  }

  /** A queue pair goes on over another path. @param first slot of the first queue pair of its flow */
  moved(slot: number, first: number, path: Int32Array, length: number, nowPs: number): void {
    this.finished(slot, first, nowPs);
    this.lengths[slot] = length;
    this.sincePs[slot] = nowPs;
    for (let i = 0, entry = slot * this.stride; i < length; i++, entry++) {
      this.ports[entry] = path[i]!;
      this.join(entry, slot, first, nowPs);
    }
  }

  /** A queue pair is on no link any more. @param first slot of the first queue pair of its flow */
  finished(slot: number, first: number, nowPs: number): void {
    const { links, groups, groupOf, ports, linkPs, groupPs } = this;
    const begin = slot * this.stride;
    const lifePs = nowPs - this.sincePs[slot]!;
    for (let entry = begin; entry < begin + this.lengths[slot]!; entry++) {
      const port = ports[entry]!;
      const group = groupOf[port]!;
      const lostPs = links.lostUntil(port, nowPs) - linkPs[entry]!;
      const groupLostPs = groups.lostUntil(group, nowPs) - groupPs[entry]!;
      links.add(port, -this.demandBps[slot]!);
      groups.add(group, -this.demandBps[slot]!);
      if (this.isPart[slot] === 0 || this.partsOn(first, port, -1) === 0) this.active[port]!--;
      if (!this.isWorse(port, lostPs, lifePs, first)) continue;
      this.worstPort[first] = port;
      this.worstPs[first] = lostPs;
      this.worstLifePs[first] = lifePs;
      this.worstGroupPs[first] = groupLostPs;
    }
    this.lengths[slot] = 0;
  }

  /**
   * A flow has finished: books what it lost.
   * @param first slot of its first queue pair @param tookPs finish minus start @param alonePs 0: not known, not counted
   */
  flowFinished(first: number, tookPs: number, alonePs: number): void {
    if (alonePs <= 0) return;
    this.alonePs += alonePs;
    const lostPs = tookPs - alonePs;
    if (lostPs <= leastShare * alonePs) return;
    const port = this.worstPort[first]!;
    const explainedPs = Math.min(lostPs, this.worstPs[first]!);
    this.unexplainedPs += lostPs - explainedPs;
    if (port === -1) return;
    this.flows[port]!++;
    this.lostPs[port]! += explainedPs;
    this.avoidablePs[port]! += explainedPs * Math.max(0, 1 - this.worstGroupPs[first]! / this.worstPs[first]!);
  }

  figures(): LostTimeFigures {
    const { flows, mostActive, lostPs, avoidablePs, unexplainedPs, alonePs } = this;
    const ports: number[] = [];
    const crossed: number[] = [];
    mostActive.forEach((most, port) => {
      if (most > 0) crossed.push(port);
    });
    let allPs = unexplainedPs;
    lostPs.forEach((own, port) => {
      if (own > 0) ports.push(port);
      allPs += own;
    });
    ports.sort((a, b) => lostPs[b]! - lostPs[a]! || a - b);
    return {
      lostPs: allPs,
      unexplainedPs,
      alonePs,
      crossed,
      places: ports.map((port) => ({
        port,
        flows: flows[port]!,
        mostFlows: mostActive[port]!,
        lostPs: lostPs[port]!,
        avoidablePs: avoidablePs[port]!,
      })),
    };
  }

  /**
   * Whether a port has held a flow up more than what is known, or nearly as much on the link of a host: in what was lost
   * and in what was left.
   */
  private isWorse(port: number, lostPs: number, lifePs: number, first: number): boolean {
    const [known, knownPs, knownLifePs] = [this.worstPort[first]!, this.worstPs[first]!, this.worstLifePs[first]!];
    if (known === -1 || this.isOfHost[port] === this.isOfHost[known]) return lostPs > knownPs * (1 + 1e-9);
    return this.isOfHost[port] === 1
      ? lostPs > 0 && isNearlyAs(lostPs, lifePs, knownPs, knownLifePs)
      : !isNearlyAs(knownPs, knownLifePs, lostPs, lifePs);
  }

  private join(entry: number, slot: number, first: number, nowPs: number): void {
    const port = this.ports[entry]!;
    const group = this.groupOf[port]!;
    this.linkPs[entry] = this.links.lostUntil(port, nowPs);
    this.groupPs[entry] = this.groups.lostUntil(group, nowPs);
    this.links.add(port, this.demandBps[slot]!);
    this.groups.add(group, this.demandBps[slot]!);
    if (this.isPart[slot] === 1 && this.partsOn(first, port, 1) > 1) return;
    const active = ++this.active[port]!;
    if (active > this.mostActive[port]!) this.mostActive[port] = active;
  }

  /** How many queue pairs of a flow that has several are on a port, once one more or less is. */
  private partsOn(first: number, port: number, change: 1 | -1): number {
    const key = first * this.fabric.portCount + port;
    const count = (this.parts.get(key) ?? 0) + change;
    if (count === 0) this.parts.delete(key);
    else this.parts.set(key, count);
    return count;
  }

  private reserve(slot: number, stride: number): void {
    if (slot < this.lengths.length) return;
    const capacity = Math.max(256, 2 * this.lengths.length, slot + 1);
    this.stride = stride;
    this.lengths = grown(this.lengths, capacity);
    this.demandBps = grown(this.demandBps, capacity);
    this.ports = grown(this.ports, capacity * stride);
    this.linkPs = grown(this.linkPs, capacity * stride);
    this.groupPs = grown(this.groupPs, capacity * stride);
    this.sincePs = grown(this.sincePs, capacity);
    this.isPart = grown(this.isPart, capacity);
    this.worstPort = grown(this.worstPort, capacity, -1);
    this.worstPs = grown(this.worstPs, capacity);
    this.worstGroupPs = grown(this.worstGroupPs, capacity);
    this.worstLifePs = grown(this.worstLifePs, capacity);
  }
}

/** Whether a link held somebody up nearly as much as another one: it lost as much of its life, and was left no more. */
function isNearlyAs(lostPs: number, lifePs: number, otherPs: number, otherLifePs: number): boolean {
  return lostPs >= nearly * otherPs && nearly * (lifePs - lostPs) <= otherLifePs - otherPs;
}
