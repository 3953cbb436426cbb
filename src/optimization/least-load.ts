// The least largest load between switches of all static routes of a small problem, by branch and bound: flow after flow
// takes every minimal way that leaves no link above a limit, and the limit is bisected between a lower bound and the
// best found. Beside schedule-bound.ts it knows that a flow takes a link up and one down, which matters where these
// have several rates or are missing, and that flows to a host go on together where they meet.
// Invariants: what is returned is above the least load by rounding at most; it depends on traffic and tree alone, and
// comes after so much work at most, whatever they are.

import { FlowPlacement } from './flow-placement.js';
import type { LeafTraffic } from './leaf-traffic.js';
import type { RouteBounds } from './route-bounds.js';

/** Larger problems are left to bounds. */
const mostFlows = 64;
/** of the fabric, hosts' links as well */
const mostLinks = 1024;
/** ports looked at: some tenths of a second */
const mostWork = 150_000;
/** ends bisection: below the best found by no more than this share, the next limit is just below it */
const closeShare = 0.02;
const justBelow = 1 - 1e-8;

/** Whether a problem is small enough. */
export function suitsLeastLoad({ tree, weight }: LeafTraffic): boolean {
  return tree.isTree && tree.fabric.linkCount <= mostLinks && weight.length > 0 && weight.length <= mostFlows;
}

/** What a search for the least load came to. */
export interface LeastLoad {
  /** no routes have a smaller largest load between switches; the least of all if the search came to its end */
  readonly bound: number;
  /** the best ways found: of every flow, in the order of the traffic, its ports between switches; null = none */
  readonly ways: readonly (readonly number[])[] | null;
}

/** Bounds with the one of static routes raised to the least load that any have, if that is soon known. */
export function withLeastLoad(bounds: RouteBounds, { bound }: LeastLoad): RouteBounds {
  return bound > bounds.staticNet ? { ...bounds, static: Math.max(bounds.static, bound), staticNet: bound } : bounds;
}

/**
 * Looks for the least largest load between switches of all routes on minimal up-down ways. Problems that are not small
 * are left as they are.
 * @param bound what no such routes are below
 */
export function leastLoad(traffic: LeafTraffic, bound: number): LeastLoad {
  if (!suitsLeastLoad(traffic)) return { bound, ways: null };
  const placement = new FlowPlacement(traffic);
  if (!placement.isComplete) return { bound, ways: null };
  const search = new PlacementSearch(placement);
  let low = bound;
  for (let flow = 0; flow < placement.flowCount; flow++) low = Math.max(low, placement.loadAlone(flow));
  const ended = (own: number): LeastLoad => ({ bound: own, ways: search.foundWays });
  if (search.below(low) !== 'none') return ended(low);
  if (search.below(Infinity) !== 'found') return ended(low);
  for (let high = search.foundLoad; ;) {
    const limit = high <= low * (1 + closeShare) ? high * justBelow : (low + high) / 2;
    if (limit <= low) return ended(high);
    const came = search.below(limit);
    if (came === 'ended') return ended(low);
    if (came === 'found') high = search.foundLoad;
    else if (limit === high * justBelow) return ended(high);
    else low = limit;
  }
}

class PlacementSearch {
  /** the largest load of the routes found last */
  foundLoad = Infinity;
  foundWays: readonly (readonly number[])[] | null = null;
  private work = 0;
  /** ports of the flows that are placed, in the order of the search */
  private readonly taken: number[][];
  /** states that cannot be completed below the present limit */
  private readonly vain = new Set<string>();

  constructor(private readonly placement: FlowPlacement) {
    this.taken = Array.from({ length: placement.flowCount }, () => []);
  }

  /** Looks for routes with no load above a limit. @returns `ended` if the work was over before it was known */
  below(limit: number): 'found' | 'none' | 'ended' {
    this.placement.limit(limit);
    this.vain.clear();
    const found = this.place(0);
    return found ? 'found' : this.work > mostWork ? 'ended' : 'none';
  }

  private place(flow: number): boolean {
    const { placement, vain } = this;
    if (flow === placement.flowCount) {
      this.foundLoad = placement.largestLoad;
      this.foundWays = placement.inTrafficOrder(this.taken.map((ports) => [...ports]));
      return true;
    }
    const key = placement.key(flow);
    if (key !== null && vain.has(key)) return false;
    if (this.walk(flow, placement.from[flow]!)) return true;
    if (key !== null) vain.add(key);
    return false;
  }

  private walk(flow: number, node: number): boolean {
    const { placement } = this;
    if (node === placement.target[flow]) return placement.leavesRoom(flow) && this.place(flow + 1);
    for (const port of placement.choices(flow, node)) {
      if (++this.work > mostWork) return false;
      const before = placement.loadOf(port);
      this.taken[flow]!.push(port);
      const found = this.walk(flow, placement.take(flow, port));
      placement.giveBack(flow, port, before);
      this.taken[flow]!.pop();
      if (found) return true;
    }
    return false;
  }
}
