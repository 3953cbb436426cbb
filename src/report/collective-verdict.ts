// The verdict on a timed collective, in a few sentences: whether bandwidth or latency bounds it, which link does, and how
// far from that bound it is.
//   Bound: what a GPU sends or receives over its NICs, or over NVLink, beside the rate of these links: a time that no
//   schedule with those moves goes below. Headers, latencies, steps that wait for each other and flows that meet between
//   switches come on top.
// Invariant: it follows from the moves that were simulated, whichever algorithm made them.

import { formatRateBps, formatSizeBytes, formatTimePs } from '../base/units.js';
import type { Communicator } from '../collectives/communicator.js';
import { emptyMove, type Schedule } from '../collectives/schedule.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { NodeNames } from '../fabric/node-names.js';
import type { NamedPlace } from '../measurement/lost-causes.js';
import { counted, percentText } from './text-style.js';

/** A size that was timed. */
export interface JudgedCollective {
  readonly sizeBytes: number;
  readonly timePs: number;
  readonly schedule: Schedule;
  /** links on which flows lost time, that with the most first */
  readonly places: readonly NamedPlace[];
}

/** Moves up to which a schedule is looked at: some tenths of a second. */
const mostMoves = 1_000_000;
/** Where the bytes alone need this share of the time, bandwidth bounds it; below, steps and latencies do. */
const boundFrom = 0.5;
/** Where they need less than this, the bytes hardly matter. */
const leastShare = 0.1;

/** The links of a GPU that have most to do. */
interface BusiestLinks {
  readonly place: number;
  readonly isNvlink: boolean;
  readonly isOut: boolean;
  readonly rateBps: number;
  readonly timePs: number;
}

/** The verdict on the sizes of a collective, ascending; without a newline. Empty: none was timed. */
export function collectiveVerdict(communicator: Communicator, sizes: readonly JudgedCollective[]): string {
  const judged = sizes.flatMap((size) => {
    const links = size.schedule.moveCount > mostMoves ? null : busiestLinks(communicator, size.schedule);
    return links === null || size.timePs <= 0 ? [] : [{ ...size, links, share: links.timePs / size.timePs }];
  });
  const last = judged.at(-1);
  if (last === undefined) return sizes.length === 0 ? '' : 'No verdict: there are too many moves to look at, or none.';
  const { links, share, timePs, schedule } = last;
  const at = `${formatSizeBytes(last.sizeBytes)} took ${formatTimePs(timePs)}`;
  const latest = judged.reduce<(typeof judged)[number] | undefined>(
    (found, size) => (size.share < boundFrom ? size : found),
    undefined,
  );
  const place = heldUpAt(last);
  const met =
    place === null
      ? ''
      : ` Flows met on ${place.from} -> ${place.to}, up to ${counted(place.mostFlows, 'flow')} at once.`;
  if (share < boundFrom) {
    const need = `the bytes alone need ${percentText(share)} of it on the busiest links of GPUs, ${linksText(communicator, links)}`;
    if (place !== null) return `Links between switches bound it: ${at}; ${need}.${met}`;
    const what = share < leastShare ? 'Latency bounds it' : 'Latency and steps that wait for each other bound it';
    return `${what}: ${at} in ${counted(schedule.stepCount, 'step')}; ${need}.`;
  }
  const times = `${(timePs / links.timePs).toFixed(2)} times what the bytes alone need on the busiest links of GPUs, ${linksText(communicator, links)} (${formatTimePs(Math.round(links.timePs))})`;
  const small =
    latest === undefined
      ? ''
      : ` Up to ${formatSizeBytes(latest.sizeBytes)} latency and steps do: ${counted(latest.schedule.stepCount, 'step')} in ${formatTimePs(latest.timePs)}.`;
  return `Bandwidth bounds it: ${at}, ${times}.${met}${small}`;
}

/** The link between switches on which flows lost most, a tenth of the time and more each; null: there is none. */
function heldUpAt({ places, timePs }: JudgedCollective): NamedPlace | null {
  const [place] = places;
  return place !== undefined && place.cause !== 'endpoint' && place.lostPs >= 0.1 * timePs * place.flows ? place : null;
}

function linksText({ fabric, nodes }: Communicator, { place, isNvlink, isOut, rateBps }: BusiestLinks): string {
  const name = new NodeNames(fabric).nameOf(nodes[place]!);
  return `${isNvlink ? 'NVLink' : 'NICs'} ${isOut ? 'out of' : 'into'} ${name} at ${formatRateBps(rateBps)}`;
}

/** The links of a GPU that need most time for the bytes of a schedule; null: nothing is sent over links with a rate. */
function busiestLinks(communicator: Communicator, schedule: Schedule): BusiestLinks | null {
  const { fabric, nodes, rankCount } = communicator;
  const serverOf = serversOf(communicator);
  // by place: bytes out by NIC, into by NIC, out by NVLink, into by NVLink
  const bytes = new Float64Array(4 * rankCount);
  const move = emptyMove();
  for (let number = 0; number < schedule.moveCount; number++) {
    if (schedule.sent === undefined) schedule.describe(number, move);
    else schedule.sent(number, move);
    const { source, destination, sizeBytes } = move;
    if (source === destination) continue;
    const isNvlink = serverOf[source] === serverOf[destination] ? 2 : 0;
    if (source < rankCount) bytes[4 * source + isNvlink]! += sizeBytes;
    if (destination < rankCount) bytes[4 * destination + isNvlink + 1]! += sizeBytes;
  }
  let busiest: BusiestLinks | null = null;
  for (let place = 0; place < rankCount; place++) {
    const rates = ratesOf(fabric, nodes[place]!);
    for (let way = 0; way < 4; way++) {
      const isNvlink = way >= 2 && rates.nvlinkBps > 0;
      const rateBps = isNvlink ? rates.nvlinkBps : rates.nicBps;
      const timePs = rateBps > 0 ? (8e12 * bytes[4 * place + way]!) / rateBps : 0;
      if (timePs > (busiest?.timePs ?? 0)) busiest = { place, isNvlink, isOut: way % 2 === 0, rateBps, timePs };
    }
  }
  return busiest;
}

/** By place, NVSwitches too: its server. */
function serversOf({ serverOf, switches, rankCount, switchCount }: Communicator): Int32Array {
  const servers = new Int32Array(rankCount + switchCount);
  servers.set(serverOf);
  switches.forEach((places, server) => places.forEach((place) => (servers[place] = server)));
  return servers;
}

/** What the links of a GPU carry at once, to switches of the network and to others of its server. */
function ratesOf(fabric: Fabric, node: number): { readonly nicBps: number; readonly nvlinkBps: number } {
  const { portOffset, portNeighbour, portLink, linkRateBps, nodeKind } = fabric;
  let [nicBps, nvlinkBps] = [0, 0];
  for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
    const rateBps = linkRateBps[portLink[port]!]!;
    if (nodeKind[portNeighbour[port]!] === NodeKind.switch) nicBps += rateBps;
    else nvlinkBps += rateBps;
  }
  return { nicBps, nvlinkBps };
}
