// The same work on several fabrics: how long it took, and why it took longer than on the fastest.
// Invariant: every reason is made of what the runs measured (link-loads.ts) and of how the fabrics are built; none is
// made up for a fabric's name.

import { formatRateBps, formatTimePs } from '../base/units.js';
import type { Bill } from '../fabric/bill-of-materials.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { linkTiers } from '../fabric/link-tiers.js';
import { isWithinServers } from '../fabric/server-switch.js';
import type { JobReport } from '../jobs/job-report.js';
import type { ErrorBand } from './band-classes.js';
import { decidedOf, equalWithin } from './fabric-verdict.js';
import type { LinkLoads, TierLoad } from '../measurement/link-loads.js';
import { percentText } from './text-style.js';

/** How a fabric is built, as far as the comparison goes. */
export interface FabricShape {
  readonly leaves: number;
  readonly spines: number;
  /**
   * of the leaf with the most for its uplinks: rates of its links down and up, in one direction; up 0: nothing above
   */
  readonly downBps: number;
  readonly upBps: number;
  /** most links that a host has to the network */
  readonly nicPorts: number;
  readonly gpusPerServer: number;
  /** whether GPUs of one server have links to each other, by NVSwitches or cables */
  readonly hasServerLinks: boolean;
}

/** What one fabric made of the work, and what it is made of. */
export interface ComparedFabric {
  readonly name: string;
  readonly shape: FabricShape;
  /** the end of the last job, or of the last flow */
  readonly timePs: number;
  readonly jobs: readonly JobReport[];
  readonly tiers: readonly TierLoad[];
  /** how many queue pairs a flow has (auto: one per port), and how these find their ports */
  readonly queuePair: { readonly perFlow: number | 'auto'; readonly portChoice: 'in-turn' | 'hash' };
  /** what the fullest network link of a GPU sent, over the mean of its links; 1 with one link each */
  readonly nicImbalance: number;
  readonly flows: number;
  readonly cpuSeconds: number;
  readonly digest: string;
  readonly problems: readonly string[];
  readonly gpus: number;
  readonly bill: Bill;
}

/** A fabric beside the others. */
export interface FabricComparison extends ComparedFabric {
  /** bandwidth into the leaf with the least uplinks for it, over that out of it; null: nothing leads out of it */
  readonly taper: number | null;
  /** whether the backend counted what links carried; without it nothing is known of what crosses */
  readonly hasLoads: boolean;
  /** whether its place is outside the error band (fabric-verdict.ts) */
  readonly decided: boolean;
  /** time over that of the fastest, less 1 */
  readonly slower: number;
  /** bytes that went up from a leaf, as a share of those that left a host for the network */
  readonly crossing: number;
  /**
   * bytes on the network that links between switches held up, as a share of all, and how many flows shared such a link
   */
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
  let nicPorts = 0;
  for (const host of fabric.hosts) {
    let ports = 0;
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      if (tiers[tierOf[port]!]!.name === 'host-leaf') ports++;
    nicPorts = Math.max(nicPorts, ports);
  }
  const hasServerLinks = tiers.some(({ name }) => isWithinServers(name) || name === 'host-host');
  return { leaves, spines, downBps, upBps, nicPorts, gpusPerServer: fabric.gpusPerServer, hasServerLinks };
}

/** Over all hosts that sent: bytes of the fullest link to the network, over the mean of the host's links there. */
export function nicImbalance({ hosts, portOffset, portPeer, portNode, nodeKind }: Fabric, loads: LinkLoads): number {
  let [fullest, mean] = [0, 0];
  for (const host of hosts) {
    let [most, total, ports] = [0, 0, 0];
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      if (nodeKind[portNode[portPeer[port]!]!] !== NodeKind.switch) continue;
      most = Math.max(most, loads.bytesOf(port));
      total += loads.bytesOf(port);
      ports++;
    }
    fullest += most;
    mean += ports === 0 ? 0 : total / ports;
  }
  return mean === 0 ? 1 : fullest / mean;
}

/**
 * Puts fabrics beside the fastest of them, in the order given. @param band of such times; why there is none, or null
 */
export function compareFabrics(
  fabrics: readonly ComparedFabric[],
  band: ErrorBand | string | null,
): FabricComparison[] {
  const fastest = fabrics.reduce((best, fabric) => (fabric.timePs < best.timePs ? fabric : best));
  const decided = decidedOf(
    fabrics.map(({ timePs }) => timePs / fastest.timePs - 1),
    band,
  );
  return fabrics.map((fabric, i) => {
    const { tiers, shape } = fabric;
    const network = tiers.filter(({ name }) => !isWithinServers(name));
    const between = network.filter(({ name }) => !name.includes('host'));
    const heldUpBytes = sum(between, ({ heldUpBytes: bytes }) => bytes);
    const leaving = sum(
      network.filter(({ name }) => name === 'host-leaf'),
      ({ bytes }) => bytes,
    );
    const crossing =
      leaving === 0
        ? 0
        : sum(
            network.filter(({ name }) => name === 'leaf-spine' || name === 'leaf-leaf'),
            ({ bytes }) => bytes,
          ) / leaving;
    const figures = {
      slower: fabric.timePs / fastest.timePs - 1,
      crossing,
      heldUp: leaving === 0 ? 0 : heldUpBytes / sum(network, ({ heldUpBytes: bytes }) => bytes),
      sharing: heldUpBytes === 0 ? 0 : sum(between, ({ heldUpBytes: bytes, sharing }) => bytes * sharing) / heldUpBytes,
      exposedPs: exposedOf(fabric.jobs),
    };
    const taper = shape.upBps === 0 ? null : shape.downBps / shape.upBps;
    const hasLoads = tiers.some(({ flows }) => flows > 0);
    return { ...fabric, ...figures, taper, hasLoads, decided: decided[i]!, reason: reasonOf(fabric, figures, fastest) };
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

function reasonOf(
  fabric: ComparedFabric,
  figures: Pick<FabricComparison, 'slower' | 'crossing' | 'heldUp' | 'sharing'>,
  fastest: ComparedFabric,
): string {
  const { tiers, timePs } = fabric;
  const parts = [...serversReason(fabric.shape), switchesReason(fabric, figures), ...portsReason(fabric)];
  const busiest = busiestOf(tiers);
  if (busiest !== null)
    parts.push(
      `the busiest link is ${busiest.name}, which needs ${percentText(busiest.busiestPs / timePs, 'few')} of the time for ` +
        `its bytes, the mean of its kind ${percentText(busiest.meanPs / timePs, 'few')}`,
    );
  const beside =
    figures.slower <= equalWithin
      ? fabric === fastest
        ? 'fastest'
        : 'as fast as the fastest'
      : `${formatTimePs(timePs - fastest.timePs)} more than ${fastest.name}`;
  return `${beside}: ${parts.join('; ')}`;
}

/** Servers without links of their own: that outweighs whatever is between them. */
function serversReason({ gpusPerServer, hasServerLinks }: FabricShape): string[] {
  if (gpusPerServer < 2 || hasServerLinks) return [];
  return [`its servers of ${gpusPerServer} GPUs have no NVLink, so what these send each other leaves by their NICs`];
}

/** What the links between switches have to do with it. */
function switchesReason(
  { tiers, shape: { downBps, upBps } }: ComparedFabric,
  { crossing, heldUp, sharing }: Pick<FabricComparison, 'crossing' | 'heldUp' | 'sharing'>,
): string {
  if (tiers.every(({ flows }) => flows === 0)) return 'the backend does not count what links carry';
  if (crossing === 0) return 'no byte leaves its leaf';
  const up = `${percentText(crossing, 'few')} of the network's bytes go up from their leaf`;
  if (heldUp < 0.01) return `${up}, where next to nothing is held up`;
  const ratio = downBps / upBps;
  const why =
    ratio > evenlySubscribed
      ? `leaves have ${formatRateBps(downBps)} down for ${formatRateBps(upBps)} up (${ratio.toFixed(1)}:1)`
      : 'there is as much up as down, but the hash puts several flows on one link';
  return `${up}, and links between switches hold up ${percentText(heldUp, 'few')} of all bytes, shared by ${sharing.toFixed(1)} flows: ${why}`;
}

/** A host with several links to the network: how flows find them, and how evenly that loads them. */
function portsReason({ shape: { nicPorts }, tiers, nicImbalance: imbalance, queuePair }: ComparedFabric): string[] {
  const out = tiers.find(({ name }) => name === 'host-leaf');
  if (nicPorts < 2 || out === undefined || out.flows === 0) return [];
  const { perFlow, portChoice } = queuePair;
  const pairs = perFlow === 'auto' ? nicPorts : perFlow;
  const use =
    pairs === 1
      ? 'a flow uses the one that the hash picks'
      : portChoice === 'hash'
        ? `the hash picks one for each of a flow's ${pairs} queue pairs`
        : `a flow's ${pairs} queue pairs take them in turn`;
  return [
    `a GPU has ${nicPorts} links of ${formatRateBps(out.rateBps)}, and ${use}: the fullest carries ${imbalance.toFixed(1)} times the mean`,
  ];
}

function busiestOf(tiers: readonly TierLoad[]): TierLoad | null {
  return tiers.reduce<TierLoad | null>(
    (most, tier) => (tier.flows > 0 && (most === null || tier.busiestPs > most.busiestPs) ? tier : most),
    null,
  );
}
