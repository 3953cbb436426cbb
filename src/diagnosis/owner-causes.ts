// What an owner makes of time that its own traffic, spread over the ways on which it was seen, does not explain: a slow
// part, its own static routes, or somebody else's traffic?
//   Where flows lost it is the last dark link on their way, behind which the picture is light: the root of a congestion
//   tree. One link, or two that follow each other, with most of the loss, which holds up nearly all that crosses it: a
//   slow part. Many links, uneven loads on links that stand in for each other, and as much loss as flows would have that
//   each take one way: routes. Else others fill the links.
// Not told apart: traffic of others on one link alone that takes the same share of it all through the run.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { lostBetween, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';
import { congestedFraction, darkFrom, isDarkAndThin, type SampledTraffic } from './rules.js';

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
/** Routes: least share of the loss that flows on single ways would have, and least unevenness of links. */
const leastOfSingle = 0.2;
const leastUneven = 1.2;

/** The obstacle that cost most, null: there is none. @param flows of one job @param found their progress */
export function obstacleOf(
  { nodeKind, portNode, portNeighbour }: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  seen: SampledTraffic,
  single: SingleWays,
): Obstacle | null {
  const lost = new Map<number, number>();
  const { progress } = found;
  let allPs = 0;
  for (let flow = 0; flow < flows.count; flow++) {
    const ratio = progress.made[flow]! / progress.shared[flow]!;
    if (ratio >= free) continue;
    const lostPs = (flows.finishPs[flow]! - flows.startPs[flow]!) * (1 - ratio);
    const port = lastDark(flows, flow, seen);
    if (port === -1) continue;
    lost.set(port, (lost.get(port) ?? 0) + lostPs);
    allPs += lostPs;
  }
  const worst = [...lost].sort(([a, x], [b, y]) => y - x || a - b);
  if (worst.length === 0) return null;
  const [port] = worst[0]!;
  const ofTwo = worst.slice(0, 2).reduce((sum, [, own]) => sum + own, 0);
  const isOfHost = nodeKind[portNode[port]!] === NodeKind.host || nodeKind[portNeighbour[port]!] === NodeKind.host;
  const { freeShare, spread } = heldUp(flows, found, port);
  if (ofTwo >= leastOfTwo * allPs && freeShare <= mostFree && (isOfHost || spread <= mostSpread))
    return { port, part: 'slowPart' };
  const isRouted = single.share >= leastOfSingle && single.unevenness >= leastUneven;
  return { port, part: isRouted ? 'routes' : 'otherTraffic' };
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
