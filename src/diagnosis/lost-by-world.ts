// What a job's time would have been in each world (flow-progress.ts).
//   A burst is a time in which a job has flows under way. A flow that takes d would take d x made / progress in another
//   world. Of the links of hosts the one counts whose flows take longest together: a burst becomes as much shorter as the
//   longest such sum does.
//   What the links of hosts cost is parted once more. A burst cannot be shorter than what the bytes of its busiest link
//   of a host take; if all links had the same share, than those of the mean one of a tier; and once the latency of a
//   message. Beyond the first the order of messages is to blame (pattern), between the two that some hosts get more than
//   others (endpoint); below nothing is to be gained.
// Invariant: times of a burst fall from world to world, and the parts add up to what the burst lost.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { linkTiers } from '../fabric/link-tiers.js';
import { rateOf } from '../measurement/usual-rates.js';
import { worlds, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';

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

/** What each job lost, in the order of their numbers. */
export function lossesOfJobs(fabric: Fabric, flows: ObservedFlows, found: FlowProgress): JobLoss[] {
  const byJob = new Map<number, number[]>();
  for (let flow = 0; flow < flows.count; flow++) {
    const own = byJob.get(flows.job[flow]!);
    if (own === undefined) byJob.set(flows.job[flow]!, [flow]);
    else own.push(flow);
  }
  return [...byJob]
    .sort(([a], [b]) => a - b)
    .map(([job, own]) => lossOfJob(fabric, flows, found, job, Int32Array.from(own)));
}

function lossOfJob(fabric: Fabric, flows: ObservedFlows, found: FlowProgress, job: number, own: Int32Array): JobLoss {
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
    leastPs += sums.book(endPs - beginPs, lostPs);
    from = to;
  }
  return { job, flows: own, busyPs, lostPs, leastPs };
}

/** Sums of a burst, by link of a host and direction: how long its flows take in each world, and its bytes. */
class BurstSums {
  /** by world, then by output port */
  private readonly timesPs = [...worlds, 'alone'].map(() => new Map<number, number>());
  private readonly wirePs = new Map<number, number>();
  /** what a flow alone takes beside its bytes: the least of all */
  private latencyPs = Infinity;
  /** that send or receive in it: others, such as those of another stage, are in nobody's way */
  private readonly hosts = new Set<number>();
  private readonly tierOf: Uint8Array;

  constructor(private readonly fabric: Fabric) {
    this.tierOf = linkTiers(fabric).tierOf;
  }

  add(flows: ObservedFlows, { progress, alonePs }: FlowProgress, flow: number): void {
    const lifePs = flows.finishPs[flow]! - flows.startPs[flow]!;
    const made = progress.made[flow]!;
    const [first, end] = [flows.offsets[flow]!, flows.offsets[flow + 1]!];
    if (end === first) return;
    this.hosts.add(flows.source[flow]!).add(flows.destination[flow]!);
    let bytesPs = 0;
    for (const port of [flows.ports[first]!, flows.ports[end - 1]!]) {
      const wirePs = (8e12 * flows.wireBytes[flow]!) / rateOf(this.fabric, port);
      bytesPs = Math.max(bytesPs, wirePs);
      worlds.forEach((world, i) => {
        const one = world === 'made' ? lifePs : (lifePs * made) / progress[world][flow]!;
        addTo(this.timesPs[i]!, port, one);
      });
      addTo(this.timesPs[worlds.length]!, port, lifePs * made);
      addTo(this.wirePs, port, wirePs);
    }
    this.latencyPs = Math.min(this.latencyPs, Math.max(0, alonePs[flow]! - bytesPs));
  }

  /** Books what a burst lost, and begins anew. @returns its time if nothing could be gained */
  book(burstPs: number, lostPs: LostParts): number {
    const longest = this.timesPs.map(largest);
    const times = longest.map((one) => (longest[0]! > 0 ? (burstPs * one) / longest[0]! : burstPs));
    lostPs.unexplained += times[0]! - times[1]!;
    lostPs.slowPart += times[1]! - times[2]!;
    lostPs.otherTraffic += times[2]! - times[3]!;
    lostPs.routes += times[3]! - times[4]!;
    lostPs.interior += times[4]! - times[5]!;
    const [hostsPs, alonePs] = [times[5]!, times[6]!];
    const busiestPs = clamp(largest(this.wirePs) + this.latencyPs, alonePs, hostsPs);
    const meanPs = clamp(this.meanPs() + this.latencyPs, alonePs, busiestPs);
    lostPs.pattern += hostsPs - busiestPs;
    lostPs.endpoint += busiestPs - meanPs;
    this.latencyPs = Infinity;
    this.hosts.clear();
    for (const own of [...this.timesPs, this.wirePs]) own.clear();
    return meanPs;
  }

  /**
   * What the bytes of a tier take if all hosts of the burst have the same share of them, over as many links as the one
   * that uses most; of that tier on which it is most.
   */
  private meanPs(): number {
    const { portNode, portNeighbour, nodeKind } = this.fabric;
    const sums = new Float64Array(256);
    const links = new Map<number, number>();
    const most = new Float64Array(256);
    for (const [port, own] of this.wirePs) {
      const tier = this.tierOf[port]!;
      sums[tier]! += own;
      const host = nodeKind[portNode[port]!] === NodeKind.host ? portNode[port]! : portNeighbour[port]!;
      addTo(links, 256 * host + tier, 1);
      most[tier] = Math.max(most[tier]!, links.get(256 * host + tier)!);
    }
    return sums.reduce((mean, sum, tier) => Math.max(mean, sum / (this.hosts.size * Math.max(1, most[tier]!))), 0);
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function addTo(sums: Map<number, number>, key: number, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function largest(sums: ReadonlyMap<number, number>): number {
  let most = 0;
  for (const own of sums.values()) most = Math.max(most, own);
  return most;
}
