// Loads of links in a few numbers: the largest, how far they are above the adaptive bound, how many are hot, how they
// are spread.
// Source of the AR gap: Taffet's dissertation (docs/SOURCES.md), section 3.5.4; of links above a threshold and the l2
// norm: section 5.4.
// Invariant: sums run in the order of ports, so that they are the same everywhere.

import type { RouteBounds } from './route-bounds.js';
import { hotLoad, type HotThreshold } from './route-score.js';

export interface LoadSummary {
  /** largest load of any link, hosts' links included */
  readonly maxLoad: number;
  /** sending port of that link, the first of several; -1 without load */
  readonly maxPort: number;
  /** largest load of a link between switches */
  readonly netMaxLoad: number;
  readonly netMaxPort: number;
  /** (maxLoad - bound) / bound, a fraction; 0 if nothing is sent */
  readonly arGap: number;
  /** the same over links between switches alone */
  readonly netGap: number;
  /** links between switches with more than `threshold` */
  readonly linksAboveThreshold: number;
  /** a load */
  readonly threshold: number;
  /** square root of the sum of squares over links between switches */
  readonly l2: number;
  /** links between switches with any load, and all */
  readonly usedLinks: number;
  readonly links: number;
  /** loads of links between switches below which 0, 10, ... 100 % of them are */
  readonly deciles: readonly number[];
}

/**
 * Summarises loads.
 * @param load by sending port @param between 1 for ports between switches
 * @param hot above what a link is hot
 */
export function summariseLoads(
  load: Float64Array,
  between: Uint8Array,
  bounds: RouteBounds,
  hot: HotThreshold,
): LoadSummary {
  const threshold = hotLoad(hot, bounds.adaptiveNet);
  let maxPort = -1;
  let netMaxPort = -1;
  let squares = 0;
  let above = 0;
  let used = 0;
  const net: number[] = [];
  for (let port = 0; port < load.length; port++) {
    const own = load[port]!;
    if (own > (maxPort === -1 ? 0 : load[maxPort]!)) maxPort = port;
    if (between[port] === 0) continue;
    net.push(own);
    if (own > (netMaxPort === -1 ? 0 : load[netMaxPort]!)) netMaxPort = port;
    squares += own * own;
    if (own > threshold * (1 + 1e-12)) above++;
    if (own > 0) used++;
  }
  const sorted = Float64Array.from(net).sort();
  const maxLoad = maxPort === -1 ? 0 : load[maxPort]!;
  const netMaxLoad = netMaxPort === -1 ? 0 : load[netMaxPort]!;
  return {
    maxLoad,
    maxPort,
    netMaxLoad,
    netMaxPort,
    arGap: gap(maxLoad, bounds.adaptive),
    netGap: gap(netMaxLoad, bounds.adaptiveNet),
    linksAboveThreshold: above,
    threshold,
    l2: Math.sqrt(squares),
    usedLinks: used,
    links: net.length,
    deciles:
      sorted.length === 0
        ? []
        : Array.from({ length: 11 }, (_, i) => sorted[Math.floor(((sorted.length - 1) * i) / 10)]!),
  };
}

/** How far a load is above a bound, as a fraction of the bound; rounding alone is no gap. */
export function gap(load: number, bound: number): number {
  if (bound === 0) return 0;
  const above = (load - bound) / bound;
  return Math.abs(above) < 1e-12 ? 0 : above;
}
