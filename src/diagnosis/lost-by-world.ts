// What a job's time would have been in each world (flow-progress.ts).
//   A burst is a time in which a job has flows under way. A flow that takes d would take d x made / progress in another
//   world. Of the hosts the one counts whose flows take longest together: a burst becomes as much shorter as the longest
//   such sum does.
//   What the links of hosts cost is parted once more. A burst cannot be shorter than the bytes of its busiest host take;
//   if all hosts had the same share, than those of the mean host; and once the latency of a message. Beyond the first the order of messages is to blame
//   (pattern), between the two that some hosts get more than others (endpoint); below nothing is to be gained.
// Invariant: times of a burst fall from world to world, and the parts add up to what the burst lost.

import type { Fabric } from '../fabric/fabric.js';
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
  const hosts = new Set<number>();
  for (const flow of own) hosts.add(flows.source[flow]!).add(flows.destination[flow]!);
  const sums = new BurstSums(fabric, hosts.size);
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

/** Sums of a burst, by node and direction: how long its flows take in each world, and the bytes on its link. */
class BurstSums {
  /** by world, then by node: as sender, as receiver */
  private readonly timesPs = [...worlds, 'alone'].map(
    () => [new Map<number, number>(), new Map<number, number>()] as const,
  );
  private readonly wirePs = [new Map<number, number>(), new Map<number, number>()] as const;
  /** what a flow alone takes beside its bytes: the least of all */
  private latencyPs = Infinity;

  constructor(
    private readonly fabric: Fabric,
    private readonly hosts: number,
  ) {}

  add(flows: ObservedFlows, { progress, alonePs }: FlowProgress, flow: number): void {
    const lifePs = flows.finishPs[flow]! - flows.startPs[flow]!;
    const made = progress.made[flow]!;
    const ends = [flows.source[flow]!, flows.destination[flow]!];
    const [first, end] = [flows.offsets[flow]!, flows.offsets[flow + 1]!];
    if (end === first) return;
    const ports = [flows.ports[first]!, flows.ports[end - 1]!];
    const bytesPs = Math.max(...ports.map((port) => (8e12 * flows.wireBytes[flow]!) / rateOf(this.fabric, port)));
    this.latencyPs = Math.min(this.latencyPs, Math.max(0, alonePs[flow]! - bytesPs));
    ends.forEach((node, side) => {
      worlds.forEach((world, i) => {
        const one = world === 'made' ? lifePs : (lifePs * made) / progress[world][flow]!;
        addTo(this.timesPs[i]![side]!, node, one);
      });
      addTo(this.timesPs[worlds.length]![side]!, node, lifePs * made);
      addTo(this.wirePs[side]!, node, (8e12 * flows.wireBytes[flow]!) / rateOf(this.fabric, ports[side]!));
    });
  }

  /** Books what a burst lost, and begins anew. @returns its time if nothing could be gained */
  book(burstPs: number, lostPs: LostParts): number {
    const longest = this.timesPs.map((sides) => Math.max(...sides.map((own) => largest(own))));
    const times = longest.map((one) => (longest[0]! > 0 ? (burstPs * one) / longest[0]! : burstPs));
    lostPs.unexplained += times[0]! - times[1]!;
    lostPs.slowPart += times[1]! - times[2]!;
    lostPs.otherTraffic += times[2]! - times[3]!;
    lostPs.routes += times[3]! - times[4]!;
    lostPs.interior += times[4]! - times[5]!;
    const [hostsPs, alonePs] = [times[5]!, times[6]!];
    const busiest = Math.max(...this.wirePs.map((own) => largest(own)));
    const busiestPs = clamp(busiest + this.latencyPs, alonePs, hostsPs);
    const mean = Math.max(...this.wirePs.map((own) => total(own) / this.hosts));
    const meanPs = clamp(mean + this.latencyPs, alonePs, busiestPs);
    lostPs.pattern += hostsPs - busiestPs;
    lostPs.endpoint += busiestPs - meanPs;
    this.latencyPs = Infinity;
    for (const own of [...this.timesPs.flat(), ...this.wirePs]) own.clear();
    return meanPs;
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

function total(sums: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const own of sums.values()) sum += own;
  return sum;
}
