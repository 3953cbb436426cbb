// The rules of thumb by which a picture of traffic and congestion is read (Taffet's dissertation 2.3.4, docs/SOURCES.md),
// each by itself: what samples of one's own packets say of links.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { isOfHost } from '../fabric/link-tiers.js';
import { switchLevels } from '../fabric/switch-levels.js';

/** What samples say of the links of a fabric, by output port. */
export interface SampledTraffic {
  /** packets that took the link, and those of them that met congestion there */
  readonly traffic: ArrayLike<number>;
  readonly congested: ArrayLike<number>;
  /** share of the link's rate that they took while there were any, 0 to 1 */
  readonly utilisation: ArrayLike<number>;
}

/** A link is dark from this congested fraction on, and light below the other. */
export const darkFrom = 0.4;
const lightBelow = 0.2;
/** A link that carries less than this share of its rate is thin, one that carries more than the other is full. */
const thinBelow = 0.6;
const fullFrom = 0.85;
/** Packets without which a fraction means nothing. */
const fewestPackets = 20;

/** Share of a link's packets that met congestion there, 0 to 1; of one with hardly any packets 0. */
export function congestedFraction({ traffic, congested }: SampledTraffic, port: number): number {
  const packets = traffic[port]!;
  return packets < fewestPackets ? 0 : Math.min(1, Math.max(0, congested[port]! / packets));
}

/** Heavily congested, and hardly used by oneself: somebody else's traffic, or something slow, stands in the way. */
export function isDarkAndThin(seen: SampledTraffic, port: number): boolean {
  return congestedFraction(seen, port) >= darkFrom && seen.utilisation[port]! < thinBelow;
}

/** Fully used by oneself: beyond it a congestion tree needs no other cause. */
export function isFull(seen: SampledTraffic, port: number): boolean {
  return seen.utilisation[port]! >= fullFrom;
}

/**
 * Roots of congestion trees: nodes with a dark link into them whose traffic goes on over links that are light. @returns
 * nodes, with the port of the darkest link into each
 */
export function congestionRoots(
  fabric: Fabric,
  seen: SampledTraffic,
): { readonly node: number; readonly port: number }[] {
  const { portCount, portNeighbour, portOffset, nodeKind } = fabric;
  const darkest = new Map<number, number>();
  for (let port = 0; port < portCount; port++) {
    if (congestedFraction(seen, port) < darkFrom) continue;
    const node = portNeighbour[port]!;
    const known = darkest.get(node);
    if (known === undefined || congestedFraction(seen, port) > congestedFraction(seen, known)) darkest.set(node, port);
  }
  const roots: { readonly node: number; readonly port: number }[] = [];
  for (const [node, port] of darkest) {
    let [onward, dark] = [0, 0];
    for (let out = portOffset[node]!; out < portOffset[node + 1]!; out++) {
      if (portNeighbour[out] === fabric.portNode[port] || seen.traffic[out]! < fewestPackets) continue;
      onward += seen.traffic[out]!;
      if (congestedFraction(seen, out) >= lightBelow) dark += seen.traffic[out]!;
    }
    // behind a host there is nothing
    if (nodeKind[node] === NodeKind.host || dark <= 0.25 * onward) roots.push({ node, port });
  }
  return roots.sort((a, b) => a.node - b.node);
}

/** Mean congested fraction of links between switches that lead up, and of those that lead down. */
export function upAndDown(fabric: Fabric, seen: SampledTraffic): { readonly up: number; readonly down: number } {
  const levels = switchLevels(fabric);
  const sums = { up: [0, 0], down: [0, 0] };
  for (let port = 0; port < fabric.portCount; port++) {
    const [from, to] = [fabric.portNode[port]!, fabric.portNeighbour[port]!];
    if (isOfHost(fabric, port)) continue;
    if (levels[from] === levels[to] || seen.traffic[port]! < fewestPackets) continue;
    const own = levels[from]! < levels[to]! ? sums.up : sums.down;
    own[0]! += seen.congested[port]!;
    own[1]! += seen.traffic[port]!;
  }
  return { up: quotient(sums.up), down: quotient(sums.down) };
}

function quotient([part, whole]: readonly number[]): number {
  return whole! > 0 ? part! / whole! : 0;
}

/** Up links are darker than down links: the application wants more bandwidth between switches than there is. */
export function isInteriorCongestion(fabric: Fabric, seen: SampledTraffic): boolean {
  const { up, down } = upAndDown(fabric, seen);
  return up >= lightBelow && up > down + 0.1;
}

/** Few of the links between switches that carry anything are dark: a symptom of poor static routes. */
export function isScattered(fabric: Fabric, seen: SampledTraffic): boolean {
  let [used, dark] = [0, 0];
  for (let port = 0; port < fabric.portCount; port++) {
    if (isOfHost(fabric, port)) continue;
    if (seen.traffic[port]! < fewestPackets) continue;
    used++;
    if (congestedFraction(seen, port) >= darkFrom) dark++;
  }
  return dark > 0 && dark <= used / 3;
}
