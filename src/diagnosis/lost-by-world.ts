// What a job's time would have been in each world (flow-progress.ts).
//   A burst is a time in which a job has flows under way. A flow that takes a latency l and d for its bytes would take
//   l + d x made / progress in another world. Of the links of hosts the one counts whose flows take longest together: a burst becomes as much shorter as the
//   longest such sum does.
//   Ranks of a job that wait for each other hand on what they lose: the time of a burst is then no more than that of its
//   chains (waiting-chains.ts).
//   What the links of hosts cost is parted once more. A burst cannot be shorter than what the bytes of its busiest link
//   of a host take; if all links had the same share, than those of the mean one of a tier; and once the latency of a
//   message. Beyond the first the order of messages is to blame (pattern), between the two that some hosts get more than
//   others (endpoint); below nothing is to be gained.
// Invariant: times of a burst fall from world to world, and the parts add up to what the burst lost.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { linkTiers } from '../fabric/link-tiers.js';
import { rateOf } from '../measurement/usual-rates.js';
import { explained, lifeIn, worlds, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';
import { addToSum } from './sums.js';
import { chainTimesPs } from './waiting-chains.js';

/** What a job lost, in picoseconds, by what would have been away. */
export interface LostParts {
  /** no sharing explains it */
  unexplained: number;
  slowPart: number;
  otherTraffic: number;
  routes: number;
  interior: number;
  pattern: number;
  endpoint: number;
}

export interface JobLoss {
  readonly job: number;
  /** flows of the job, ascending */
  readonly flows: Int32Array;
  /** time in which it had flows under way */
  readonly busyPs: number;
  readonly lostPs: LostParts;
  /** what its bursts would take if nothing could be gained */
  readonly leastPs: number;
}

/** Bursts that follow each other this closely, as a share of the first, are one. */
const nearly = 0.1;

/**
 * What each job lost, in the order of their numbers.
 * @param waits whether ranks of a job send when others' messages have come, by its number; else at times of their own
 */
export function lossesOfJobs(
  fabric: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  waits: (job: number) => boolean,
): JobLoss[] {
  const byJob = new Map<number, number[]>();
  for (let flow = 0; flow < flows.count; flow++) {
    const own = byJob.get(flows.job[flow]!);
    if (own === undefined) byJob.set(flows.job[flow]!, [flow]);
    else own.push(flow);
  }
  return [...byJob]
    .sort(([a], [b]) => a - b)
    .map(([job, own]) => lossOfJob(fabric, flows, found, { job, own: Int32Array.from(own), waits: waits(job) }));
}

/** A job with its flows, ascending. */
interface FlowsOfJob {
  readonly job: number;
  readonly own: Int32Array;
  readonly waits: boolean;
}

function lossOfJob(
  fabric: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  { job, own, waits }: FlowsOfJob,
): JobLoss {
  const { startPs, finishPs } = flows;
  const lostPs: LostParts = {
    unexplained: 0,
    slowPart: 0,
    otherTraffic: 0,
    routes: 0,
    interior: 0,
    pattern: 0,
    endpoint: 0,
  };
  const sums = new BurstSums(fabric);
  const byStart = own.slice().sort((a, b) => startPs[a]! - startPs[b]!);
  let [busyPs, leastPs] = [0, 0];
  for (let from = 0; from < byStart.length;) {
    const beginPs = startPs[byStart[from]!]!;
    let endPs = beginPs;
    let to = from;
    for (; to < byStart.length; to++) {
      const flow = byStart[to]!;
      if (to > from && startPs[flow]! > endPs + nearly * (endPs - beginPs)) break;
      endPs = Math.max(endPs, finishPs[flow]!);
    }
    for (let i = from; i < to; i++) sums.add(flows, found, byStart[i]!);
    busyPs += endPs - beginPs;
    const chainsPs = waits ? chainTimesPs(flows, found, byStart.subarray(from, to)) : null;
    leastPs += sums.book(endPs - beginPs, lostPs, chainsPs);
    from = to;
  }
  sums.balance(lostPs);
  return { job, flows: own, busyPs, lostPs, leastPs };
}

/** Sums of flows: of a link of a host in one direction, or of all its links of a kind. */
class FlowSums {
  /** by world, then alone: how long flows take, one after the other */
  readonly timesPs = new Float64Array(worlds.length + 1);
  /** what their bytes take */
  wirePs = 0;
  /** time in which there were any, how often that began anew, and the end of the last */
  underWayPs = 0;
  begun = 0;
  private untilPs = -Infinity;

  /** Takes a flow; they come in the order of their starts. @param livesPs by world, then alone */
  add(startPs: number, finishPs: number, livesPs: readonly number[], wirePs: number): void {
    livesPs.forEach((own, world) => (this.timesPs[world]! += own));
    this.wirePs += wirePs;
    if (startPs >= this.untilPs) this.begun++;
    this.underWayPs += Math.max(0, finishPs - Math.max(startPs, this.untilPs));
    this.untilPs = Math.max(this.untilPs, finishPs);
  }
}

/** Sums of a burst, by link of a host and direction; and bytes of all bursts. */
class BurstSums {
  private readonly links = new Map<number, FlowSums>();
  /** by host: its links to the network, and those within its server */
  private readonly places = new Map<number, { readonly sums: FlowSums; readonly links: Set<FlowSums> }>();
  /** what a flow alone takes beside its bytes: the least of all */
  private latencyPs = Infinity;
  /** that send or receive in it: others, such as those of another stage, are in nobody's way */
  private readonly hosts = new Set<number>();
  private readonly allWirePs = new Map<number, number>();
  private readonly allHosts = new Set<number>();
  private readonly tierOf: Uint8Array;

  constructor(private readonly fabric: Fabric) {
    this.tierOf = linkTiers(fabric).tierOf;
  }

  /** Takes a flow; they come in the order of their starts. */
  add(flows: ObservedFlows, found: FlowProgress, flow: number): void {
    const [startPs, finishPs] = [flows.startPs[flow]!, flows.finishPs[flow]!];
    const [first, end] = [flows.offsets[flow]!, flows.offsets[flow + 1]!];
    if (end === first) return;
    // what is summed in an NVSwitch ends there, and that is no host whose share could be more
    for (const node of [flows.source[flow]!, flows.destination[flow]!])
      if (this.fabric.nodeKind[node] === NodeKind.host) for (const own of [this.hosts, this.allHosts]) own.add(node);
    const livesPs = [...worlds, null].map((world) => lifeIn(flows, found, flow, world));
    // a GPU and its switch have one link between them, which is first and last
    for (const port of new Set([flows.ports[first]!, flows.ports[end - 1]!])) {
      const wirePs = (8e12 * flows.wireBytes[flow]!) / rateOf(this.fabric, port);
      const link = this.links.get(port) ?? new FlowSums();
      this.links.set(port, link);
      link.add(startPs, finishPs, livesPs, wirePs);
      const key = 2 * hostOf(this.fabric, port) + (isWithinServer(this.fabric, port) ? 1 : 0);
      const place = this.places.get(key) ?? { sums: new FlowSums(), links: new Set() };
      this.places.set(key, place);
      place.sums.add(startPs, finishPs, livesPs, wirePs);
      place.links.add(link);
      addToSum(this.allWirePs, port, wirePs);
    }
    this.latencyPs = Math.min(this.latencyPs, found.latencyPs[flow]!);
  }

  /**
   * Books what a burst lost, and begins anew.
   * @param chainsPs by world, then alone: its time where ranks wait for each other; null: they do not
   * @returns its time if nothing could be gained
   */
  book(burstPs: number, lostPs: LostParts, chainsPs: Float64Array | null): number {
    const links = [...this.links.values()];
    const places = [...this.places.values()];
    const times = Array.from({ length: worlds.length + 1 }, (_, world) => {
      const ratio = mostOf(links, ({ timesPs }) => timesPs[world]!) / mostOf(links, ({ timesPs }) => timesPs[0]!);
      // a host gains nothing in times when it has no flows
      const gainPs = mostOf(places, ({ sums }) => sums.underWayPs * (1 - sums.timesPs[world]! / sums.timesPs[0]!));
      const ownPs = links.length === 0 ? burstPs : Math.max(burstPs * ratio, burstPs - gainPs);
      return Math.min(ownPs, chainsPs?.[world] ?? Infinity);
    });
    lostPs.unexplained += times[0]! - times[1]!;
    lostPs.slowPart += times[1]! - times[2]!;
    lostPs.otherTraffic += times[2]! - times[3]!;
    const routesShare = shareOfFirst(times[3]!, times[4]!, times[5]!);
    lostPs.routes += routesShare * (times[3]! - times[5]!);
    lostPs.interior += (1 - routesShare) * (times[3]! - times[5]!);
    const [hostsPs, alonePs] = [times[5]!, times[6]!];
    // messages that follow each other each have their latency, whoever they meet
    const need = (link: FlowSums): number => (link.wirePs + link.begun * this.latencyPs) / explained;
    const idlePs = mostOf(places, ({ sums, links: own }) => sums.underWayPs - mostOf([...own], need));
    const busiestPs = Math.max(mostOf(links, need), burstPs - idlePs);
    // bytes are certain: they go before what is left
    const wirePs = new Map([...this.links].map(([port, own]) => [port, own.wirePs]));
    const endpointPs = clamp(largest(wirePs) - this.meanPs(wirePs), 0, hostsPs - alonePs);
    const patternPs = clamp(hostsPs - busiestPs, 0, hostsPs - alonePs - endpointPs);
    lostPs.pattern += patternPs;
    lostPs.endpoint += endpointPs;
    this.latencyPs = Infinity;
    this.hosts.clear();
    this.links.clear();
    this.places.clear();
    return hostsPs - endpointPs - patternPs;
  }

  /** Hosts of which each has more than its share in its turn have it by the order of messages: no endpoint over all. */
  balance(lostPs: LostParts): void {
    for (const host of this.allHosts) this.hosts.add(host);
    const uneven = Math.max(0, largest(this.allWirePs) - this.meanPs(this.allWirePs));
    const endpoint = Math.min(lostPs.endpoint, uneven);
    lostPs.pattern += lostPs.endpoint - endpoint;
    lostPs.endpoint = endpoint;
  }

  /**
   * What the bytes of a tier take if all hosts have the same share of them, over as many links as the one that uses
   * most; of that tier on which it is most.
   */
  private meanPs(wirePs: ReadonlyMap<number, number>): number {
    const sums = new Float64Array(256);
    const links = new Map<number, number>();
    const most = new Float64Array(256);
    for (const [port, own] of wirePs) {
      const tier = this.tierOf[port]!;
      sums[tier]! += own;
      const key = 256 * hostOf(this.fabric, port) + tier;
      addToSum(links, key, 1);
      most[tier] = Math.max(most[tier]!, links.get(key)!);
    }
    return sums.reduce((mean, sum, tier) => Math.max(mean, sum / (this.hosts.size * Math.max(1, most[tier]!))), 0);
  }
}

/**
 * Two causes on the same links, which multiply each other: each costs the mean of what it does if it is taken away first
 * and last (Shapley's value). @returns the share of the first, 0 to 1
 */
function shareOfFirst(withBothPs: number, withSecondPs: number, withNonePs: number): number {
  if (withNonePs <= 0 || withBothPs <= withNonePs) return 0;
  const [first, second] = [withBothPs / withSecondPs, withSecondPs / withNonePs];
  return ((first - 1) * (second + 1)) / (2 * (first * second - 1));
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function isWithinServer({ portNode, portNeighbour, nodeKind }: Fabric, port: number): boolean {
  return nodeKind[portNode[port]!] !== NodeKind.switch && nodeKind[portNeighbour[port]!] !== NodeKind.switch;
}

/** The host of a link of a host. */
function hostOf({ portNode, portNeighbour, nodeKind }: Fabric, port: number): number {
  return nodeKind[portNode[port]!] === NodeKind.host ? portNode[port]! : portNeighbour[port]!;
}

function mostOf<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((most, one) => Math.max(most, of(one)), 0);
}

function largest(sums: ReadonlyMap<number, number>): number {
  let most = 0;
  for (const own of sums.values()) most = Math.max(most, own);
  return most;
}
