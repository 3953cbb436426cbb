// What an owner makes of time that its own traffic, spread over the ways on which it was seen, does not explain: a slow
// part, its own static routes, or somebody else's traffic?
//   Where flows lost it is the last dark link on their way, behind which the picture is light: the root of a congestion
//   tree. One link, or two that follow each other, with most of the loss, which holds up nearly all that crosses it: a
//   slow part. Many links, uneven loads on links that stand in for each other, and as much loss as flows would have that
//   each take one way: routes. Else others fill the links.
// Not told apart: traffic of others on one link alone that takes the same share of it all through the run.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { isOfHost } from '../fabric/link-tiers.js';
import { lostBetween, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';
import { congestedFraction, darkFrom, isDarkAndThin, type SampledTraffic } from './rules.js';
import { slowPlace } from './slow-place.js';
import { addToSum, sorted, sumOf } from './sums.js';

/** Where the time was lost, and to what. */
export interface Obstacle {
  readonly port: number;
  readonly part: 'slowPart' | 'otherTraffic' | 'routes';
}

/** What is known of flows each of which takes one of the ways on which its traffic was seen. */
export interface SingleWays {
  /** what they would lose by routes, as a share of what is not explained */
  readonly share: number;
  /** the heaviest of links that stand in for each other over their mean, by traffic; 1: all alike */
  readonly unevenness: number;
}

/** Flows that make more than this of what their own traffic leaves them were not held up. */
const free = 0.8;
/** Of the time of flows over a slow part at most this share may have been free. */
const mostFree = 0.15;
/** Share of the loss that the two worst links of a slow part have at least. */
const leastOfTwo = 0.5;
/** Progress of flows over a slow link between switches: standard deviation over mean. */
const mostSpread = 0.25;
/** Flows that met lose at most so many times what their meeting took until they have their rate again. */
const aftermath = 5;
/** Routes: least share of the loss that flows on single ways would have, and least unevenness of links. */
const leastOfSingle = 0.2;
const leastUneven = 1.2;

/** The obstacle that cost most, null: there is none. @param flows of one job @param found their progress */
export function obstacleOf(
  fabric: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  seen: SampledTraffic,
  single: SingleWays,
): Obstacle | null {
  const lost = lostAtRoots(fabric, flows, found, seen);
  const worst = sorted(lost);
  if (worst.length === 0) return null;
  const [port] = worst[0]!;
  const all = Int32Array.from({ length: flows.count }, (_, flow) => flow);
  if (slowPlace(fabric, flows, found, all) !== -1) return { port, part: 'slowPart' };
  const { freeShare, spread } = heldUp(flows, found, port);
  const isOne = sumOf(worst.slice(0, 2)) >= leastOfTwo * sumOf(worst);
  if (isOne && freeShare <= mostFree && (isOfHost(fabric, port) || spread <= mostSpread))
    return { port, part: 'slowPart' };
  // routes end at the leaves: what was lost at the links down to hosts they do not change
  const atReceivers = sumOf(worst.filter(([own]) => fabric.nodeKind[fabric.portNeighbour[own]!] === NodeKind.host));
  const isRouted = atReceivers <= sumOf(worst) / 2 && single.share >= leastOfSingle && single.unevenness >= leastUneven;
  return { port, part: isRouted ? 'routes' : 'otherTraffic' };
}

/** By output port: what flows lost at it as the last dark link of their way. */
function lostAtRoots(
  { nodeKind, portNode }: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  seen: SampledTraffic,
): Map<number, number> {
  const lost = new Map<number, number>();
  // of flows that stand at their own host: another message of it is held up further on, and holds the link
  const atHost = new Map<number, number>();
  const beyond = new Map<number, Map<number, number>>();
  for (let flow = 0; flow < flows.count; flow++) {
    const ratio = found.progress.made[flow]! / found.progress.shared[flow]!;
    if (ratio >= free) continue;
    const lostPs = (flows.finishPs[flow]! - flows.startPs[flow]!) * (1 - ratio);
    const port = lastDark(flows, flow, seen);
    if (port === -1) continue;
    if (nodeKind[portNode[port]!] === NodeKind.host) addToSum(atHost, port, lostPs);
    else {
      addToSum(lost, port, lostPs);
      const first = flows.ports[flows.offsets[flow]!]!;
      let own = beyond.get(first);
      if (own === undefined) beyond.set(first, (own = new Map()));
      addToSum(own, port, lostPs);
    }
  }
  for (const [host, lostPs] of atHost) {
    const roots = beyond.get(host);
    const [root] = sorted(roots ?? []);
    addToSum(lost, root?.[0] ?? host, lostPs);
  }
  return lost;
}

/**
 * Share of what the job's own traffic does not explain that was lost where its own flows meet, too: it made the
 * congestion itself, and came back from it slowly. 0 to 1
 */
export function shareAtOwnMeetings(
  fabric: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  seen: SampledTraffic,
): number {
  const met = new Map<number, number>();
  for (let flow = 0; flow < flows.count; flow++) {
    const port = found.narrowest.shared[flow]!;
    if (port !== -1) addToSum(met, port, lostBetween(flows, found, flow, 'shared', null));
  }
  const lost = lostAtRoots(fabric, flows, found, seen);
  const [allLost, allMet] = [sumOf(lost), sumOf(met)];
  if (allLost === 0 || allMet === 0) return 0;
  let alike = 0;
  for (const [port, lostPs] of lost) alike += Math.min(lostPs / allLost, (met.get(port) ?? 0) / allMet);
  return alike * Math.min(1, (aftermath * allMet) / allLost);
}

/**
 * Share of what the job's own traffic does not explain that was lost before links between switches that are dark and
 * thin: somebody else stands there. 0 to 1
 */
export function shareBehindThin(
  { nodeKind, portNode, portNeighbour }: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  seen: SampledTraffic,
): number {
  let [all, behind] = [0, 0];
  for (let flow = 0; flow < flows.count; flow++) {
    const lostPs = lostBetween(flows, found, flow, 'made', 'shared');
    all += lostPs;
    const port = lastDark(flows, flow, seen);
    if (port === -1 || !isDarkAndThin(seen, port)) continue;
    const isInner = nodeKind[portNode[port]!] !== NodeKind.host && nodeKind[portNeighbour[port]!] !== NodeKind.host;
    if (isInner) behind += lostPs;
  }
  return all > 0 ? behind / all : 0;
}

/** The last link of a flow's way that is dark; of several at one place that with most of the flow. */
function lastDark({ offsets, ports, shares }: ObservedFlows, flow: number, seen: SampledTraffic): number {
  let [found, foundShare] = [-1, 0];
  let darkest = -1;
  for (let entry = offsets[flow]!; entry < offsets[flow + 1]!; entry++) {
    const port = ports[entry]!;
    const fraction = congestedFraction(seen, port);
    if (darkest === -1 || fraction > congestedFraction(seen, darkest)) darkest = port;
    if (fraction >= darkFrom && shares[entry]! >= foundShare / 2) [found, foundShare] = [port, shares[entry]!];
  }
  return found === -1 ? darkest : found;
}

/** Of the flows over a link: which share of their time they were free, and how much their progress differs. */
function heldUp(
  { offsets, ports, startPs, finishPs, count }: ObservedFlows,
  { progress }: FlowProgress,
  port: number,
): { readonly freeShare: number; readonly spread: number } {
  let [wholePs, freePs, sum, squares] = [0, 0, 0, 0];
  for (let flow = 0; flow < count; flow++) {
    let crosses = false;
    for (let entry = offsets[flow]!; entry < offsets[flow + 1]! && !crosses; entry++) crosses = ports[entry] === port;
    if (!crosses) continue;
    const lifePs = finishPs[flow]! - startPs[flow]!;
    const ratio = Math.min(1, progress.made[flow]! / progress.shared[flow]!);
    wholePs += lifePs;
    if (ratio >= free) freePs += lifePs;
    sum += ratio * lifePs;
    squares += ratio * ratio * lifePs;
  }
  const mean = sum / wholePs;
  return { freeShare: freePs / wholePs, spread: Math.sqrt(Math.max(0, squares / wholePs - mean * mean)) / mean };
}
