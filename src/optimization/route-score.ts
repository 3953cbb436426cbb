// What routes are worth in three numbers, compared one after the other: the largest load (summed over phases), how many
// links are above a threshold, and the l2 norm. Source of the order: Taffet's dissertation (docs/SOURCES.md), sections
// 3.5.4 and 5.4.
// Invariant: sums run in the order of links, so that equal routes have equal scores; differences below rounding count
// as none.

import type { FlowRouting } from './flow-routing.js';

/**
 * Loads of hosts' links are given; what counts is what lies above them and, next, the largest loads between switches.
 */
export interface RouteScore {
  /** sum over phases of the largest load of any link, hosts' links included */
  readonly maxLoad: number;
  /** the same between switches */
  readonly netMaxLoad: number;
  readonly linksAboveThreshold: number;
  readonly l2: number;
  /** largest load between switches of each phase */
  readonly phaseMax: readonly number[];
}

/** Above what a link between switches is hot: a share of the adaptive bound between switches, or a load. */
export type HotThreshold = number | { readonly load: number };

/** The load above which links are hot. @param adaptiveNet the adaptive bound between switches */
export function hotLoad(threshold: HotThreshold, adaptiveNet: number): number {
  return typeof threshold === 'number' ? threshold * adaptiveNet : threshold.load;
}

const rounding = 1e-9;

/**
 * Scores the routes of all flows.
 * @param hot above what a link is hot in a phase
 */
export function scoreRoutes(routing: FlowRouting, hot: HotThreshold): RouteScore {
  const { load } = routing;
  const { links } = routing.network;
  const { phaseCount, bounds } = routing.demand;
  const phaseMax = bounds.map(() => 0);
  const threshold = bounds.map(({ adaptiveNet }) => hotLoad(hot, adaptiveNet) * (1 + 1e-12));
  let above = 0;
  let squares = 0;
  for (const port of links) {
    for (let phase = 0; phase < phaseCount; phase++) {
      const own = load[port * phaseCount + phase]!;
      if (own > phaseMax[phase]!) phaseMax[phase] = own;
      if (own > threshold[phase]! && own > rounding) above++;
      squares += own * own;
    }
  }
  let maxLoad = 0;
  let netMaxLoad = 0;
  phaseMax.forEach((own, phase) => {
    const { adaptive, adaptiveNet } = bounds[phase]!;
    netMaxLoad += own;
    // the adaptive bound is above that between switches only where hosts' links are the reason
    maxLoad += Math.max(own, adaptive > adaptiveNet ? adaptive : 0);
  });
  return { maxLoad, netMaxLoad, linksAboveThreshold: above, l2: Math.sqrt(squares), phaseMax };
}

/** Whether a score is better than another. */
export function isBetter(a: RouteScore, b: RouteScore): boolean {
  if (differ(a.maxLoad, b.maxLoad)) return a.maxLoad < b.maxLoad;
  if (differ(a.netMaxLoad, b.netMaxLoad)) return a.netMaxLoad < b.netMaxLoad;
  if (a.linksAboveThreshold !== b.linksAboveThreshold) return a.linksAboveThreshold < b.linksAboveThreshold;
  return differ(a.l2, b.l2) && a.l2 < b.l2;
}

function differ(a: number, b: number): boolean {
  return Math.abs(a - b) > rounding * Math.max(a, b);
}
