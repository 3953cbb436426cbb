// The same work on several fabrics: how long it took, and why it took longer than on the fastest.
// Invariant: every reason is made of what the runs measured (link-loads.ts) and of how the fabrics are built; none is made up for a fabric's name.

import { formatRateBps, formatTimePs } from '../base/units.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { linkTiers } from '../fabric/link-tiers.js';
import type { JobReport } from '../jobs/job-report.js';
import type { TierLoad } from '../measurement/link-loads.js';

/** How a fabric is built, as far as the comparison goes. */
export interface FabricShape {
  readonly leaves: number;
  readonly spines: number;
  /** of the leaf with the most for its uplinks: rates of its links down and up, in one direction; up 0: nothing above */
  readonly downBps: number;
  readonly upBps: number;
}

/** What one fabric made of the work. */
export interface ComparedFabric {
  readonly name: string;
  readonly shape: FabricShape;
  /** the end of the last job, or of the last flow */
  readonly timePs: number;
  readonly jobs: readonly JobReport[];
  readonly tiers: readonly TierLoad[];
  readonly flows: number;
  readonly cpuSeconds: number;
  readonly digest: string;
  readonly problems: readonly string[];
}

/** A fabric beside the others. */
export interface Comparison extends ComparedFabric {
  /** time over that of the fastest, less 1 */
  readonly slower: number;
  /** bytes that went up from a leaf, as a share of those that left a host for the network */
  readonly crossing: number;
  /** bytes on the network that links between switches held up, as a share of all, and how many flows shared such a link */
  readonly heldUp: number;
  readonly sharing: number;
  /** exposed communication of the first rank of the first job; null without jobs */
  readonly exposedPs: number | null;
  readonly reason: string;
}

/** Reads the shape of a fabric off its links. */
export function fabricShape(fabric: Fabric): FabricShape {
  const { nodeCount, nodeKind, portOffset, portLink, linkRateBps } = fabric;
  const { tiers, tierOf } = linkTiers(fabric);
  let [leaves, spines, downBps, upBps] = [0, 0, 0, 0];
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] !== NodeKind.switch) continue;
    let [down, up, isLeaf] = [0, 0, false];
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const toHost = tiers[tierOf[port]!]!.name === 'leaf-host';
      isLeaf ||= toHost;
      if (toHost) down += linkRateBps[portLink[port]!]!;
      else up += linkRateBps[portLink[port]!]!;
    }
    if (isLeaf) leaves++;
    else spines++;
    if (isLeaf && (downBps === 0 || down * upBps > downBps * up)) [downBps, upBps] = [down, up];
  }
  return { leaves, spines, downBps, upBps };
}

/** Puts fabrics beside the fastest of them, in the order given. */
export function compareFabrics(fabrics: readonly ComparedFabric[]): Comparison[] {
  const fastest = fabrics.reduce((best, fabric) => (fabric.timePs < best.timePs ? fabric : best));
  return fabrics.map((fabric) => {
    const { tiers } = fabric;
    const network = tiers.filter(({ name }) => !name.includes('NVSwitch'));
    const between = network.filter(({ name }) => !name.includes('host'));
    const heldUpBytes = sum(between, ({ heldUpBytes: bytes }) => bytes);
    const leaving = sum(network.filter(({ name }) => name === 'host-leaf'), ({ bytes }) => bytes);
    const crossing = leaving === 0 ? 0 : sum(network.filter(({ name }) => name === 'leaf-spine' || name === 'leaf-leaf'), ({ bytes }) => bytes) / leaving;
    const figures = {
      slower: fabric.timePs / fastest.timePs - 1,
      crossing,
      heldUp: leaving === 0 ? 0 : heldUpBytes / sum(network, ({ heldUpBytes: bytes }) => bytes),
      sharing: heldUpBytes === 0 ? 0 : sum(between, ({ heldUpBytes: bytes, sharing }) => bytes * sharing) / heldUpBytes,
      exposedPs: exposedOf(fabric.jobs),
    };
    return { ...fabric, ...figures, reason: reasonOf(fabric, figures, fastest) };
  });
}

function sum(loads: readonly TierLoad[], of: (load: TierLoad) => number): number {
  return loads.reduce((total, load) => total + of(load), 0);
}

function exposedOf([job]: readonly JobReport[]): number | null {
  const rank = job?.stages[0];
  return rank === undefined ? null : Object.values(rank.exposedPs).reduce((sum, ps) => sum + ps, 0);
}

/** Leaves whose links down carry no more than this share above those up count as not oversubscribed. */
const evenlySubscribed = 1.1;
/** Times that differ by less are called equal. */
const equalWithin = 0.005;

function reasonOf(fabric: ComparedFabric, { slower, crossing, heldUp, sharing }: Pick<Comparison, 'slower' | 'crossing' | 'heldUp' | 'sharing'>, fastest: ComparedFabric): string {
  const { shape: { downBps, upBps }, tiers, timePs } = fabric;
  const parts: string[] = [];
  if (crossing === 0) parts.push('no byte leaves its leaf: only NICs and NVLink are shared');
  else {
    parts.push(`${percent(crossing)} of the network's bytes go up from their leaf`);
    const ratio = downBps / upBps;
    const links = ratio > evenlySubscribed ? `leaves have ${formatRateBps(downBps)} down for ${formatRateBps(upBps)} up (${ratio.toFixed(1)}:1)` : 'leaves have as much up as down, so flows meet because the hash puts them on one link';
    if (heldUp >= 0.01) parts.push(`links between switches hold up ${percent(heldUp)} of all bytes, shared by ${sharing.toFixed(1)} flows: ${links}`);
    else parts.push('links between switches hold up next to nothing');
  }
  const busiest = busiestOf(tiers);
  if (busiest !== null) parts.push(`the busiest link is ${busiest.name}, in use for at least ${percent(busiest.busiestPs / timePs)} of the time with ${times(busiest.busiestPs, busiest.meanPs)} the mean of its kind`);
  const beside = slower <= equalWithin ? (fabric === fastest ? 'fastest' : 'as fast as the fastest') : `${formatTimePs(timePs - fastest.timePs)} more than ${fastest.name}`;
  return `${beside}: ${parts.join('; ')}`;
}

function busiestOf(tiers: readonly TierLoad[]): TierLoad | null {
  return tiers.reduce<TierLoad | null>((most, tier) => (tier.flows > 0 && (most === null || tier.busiestPs > most.busiestPs) ? tier : most), null);
}

function times(value: number, mean: number): string {
  return `${(value / mean).toFixed(1)} times`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
