// What no routes can beat: the adaptive bound (traffic spread evenly over all minimal paths) and lower bounds for
// static routes. Adaptive: the largest of what a host sends or receives, what a leaf sends up or gets from above per
// link, what a pod sends or gets per link to the cores. On a whole tree even spreading meets every one of these cuts at
// once, so it is the optimum of the linear programme of Basic MCF in Taffet's dissertation (docs/SOURCES.md) (section
// 3.5.4); on other trees it is a lower bound of it. Static: flows (leaf, destination) are not split, so every cut is a
// problem of items and bins (schedule-bound.ts). Flows merge behind a single switch; that they do elsewhere is left
// out: the bounds stay true.

import { irregularity, type FatTree } from '../fabric/fat-tree.js';
import { Float64List } from '../base/columns.js';
import type { BoundInterval } from './adaptive-spread.js';
import { distanceBound, loadStep, roundedUp } from './distance-bound.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { loadPerTraffic } from './table-loads.js';
import { allFlows, MergedFlows } from './merged-flows.js';
import { mixedScheduleBound } from './mixed-schedule-bound.js';
import { largestFirst, scheduleBound } from './schedule-bound.js';
import { spineCuts } from './spine-cuts.js';

export interface RouteBounds {
  /** largest load of any link under ideal adaptive routing: the closed form */
  readonly adaptive: number;
  /** the same without the links of hosts */
  readonly adaptiveNet: number;
  /** what the optimum between switches is at most; Infinity if that is not known */
  readonly adaptiveNetMost: number;
  /** why the adaptive bound is only a lower bound of the optimum; null if it is exact */
  readonly inexact: string | null;
  /** no static routes have a smaller largest load */
  readonly static: number;
  readonly staticNet: number;
}

/** Up to this difference, relative to it, a bound counts as exact. */
export const exactTolerance = 1e-6;

/**
 * Bounds with the adaptive bound between switches known better than by cuts (adaptive-spread.ts, or linear
 * programming).
 */
export function withAdaptiveNet(bounds: RouteBounds, { lower, upper }: BoundInterval): RouteBounds {
  const net = Math.max(bounds.adaptiveNet, lower);
  const most = Math.max(net, upper);
  const adaptive = Math.max(bounds.adaptive, net);
  const exact = most <= net * (1 + exactTolerance);
  return {
    adaptive,
    adaptiveNet: net,
    adaptiveNetMost: most,
    inexact: exact ? null : bounds.inexact,
    static: Math.max(bounds.static, net),
    staticNet: Math.max(bounds.staticNet, net),
  };
}

/** Bounds with those of cuts that only ways up and then down have to cross (spine-cuts.ts). */
export function withSpineCuts(bounds: RouteBounds, traffic: LeafTraffic): RouteBounds {
  let { staticNet } = bounds;
  for (const { worths, flows } of spineCuts(traffic, loadPerTraffic(traffic.tree.fabric))) {
    const average = flows.reduce((sum, flow) => sum + flow, 0) / worths.reduce((sum, worth) => sum + 1 / worth, 0);
    const largest = flows.reduce((most, flow) => Math.max(most, flow), 0) * worths.reduce((a, b) => Math.max(a, b), 0);
    // one after the other where it does least, no flow comes above that
    if (worths.length === 0 || average + largest <= staticNet) continue;
    staticNet = Math.max(staticNet, mixedScheduleBound(Float64Array.from(flows), worths));
  }
  return { ...bounds, staticNet, static: Math.max(bounds.static, staticNet) };
}

/** The links of a cut, in one direction. */
interface Cut {
  links: number;
  /** sum of rate / base rate */
  capacity: number;
  /** load per traffic of the fastest link */
  fastest: number;
  /** load per traffic of every link */
  readonly worths: number[];
  /** switches outside, which send into it, and those inside, which send out */
  readonly from: Set<number>;
  readonly to: Set<number>;
}

/** Bounds for a matrix, summed up by leaf: of all routes, whatever their ways. */
export function routeBounds(traffic: LeafTraffic): RouteBounds {
  const { tree, hostOut, hostIn } = traffic;
  const { fabric } = tree;
  const worth = loadPerTraffic(fabric);
  let hosts = 0;
  fabric.hosts.forEach((host, rank) => {
    const perTraffic = worth[fabric.portOffset[host]!]!;
    hosts = Math.max(hosts, hostOut[rank]! * perTraffic, hostIn[rank]! * perTraffic);
  });
  const loaded = everyCut(traffic, worth).sort((a, b) => b.average - a.average);
  const adaptiveNet = Math.max(loaded[0]?.average ?? 0, tree.isTree ? 0 : distanceBound(traffic));
  let staticNet = adaptiveNet;
  for (const { flows, links, fastest, worths } of loaded) {
    if (worths.some((own) => own !== fastest)) {
      staticNet = Math.max(staticNet, mixedScheduleBound(flows, worths));
      continue;
    }
    // most cuts can be divided well enough at once
    if (largestFirst(flows, links) * fastest > staticNet)
      staticNet = Math.max(staticNet, scheduleBound(flows, links) * fastest);
  }
  if (!tree.isTree) staticNet = roundedUp(staticNet, loadStep(traffic));
  const inexact = adaptiveNet === 0 ? null : irregularity(tree);
  return {
    adaptive: Math.max(hosts, adaptiveNet),
    adaptiveNet,
    adaptiveNetMost: inexact === null ? adaptiveNet : Infinity,
    inexact,
    static: Math.max(hosts, staticNet),
    staticNet,
  };
}

/**
 * How many links between switches at least come above a load, whatever the routes: one of each cut whose flows do not
 * fit below it. The links of cuts above leaves and above pods, up and down, are different ones; one link can take all
 * that does not fit, so that a cut alone says no more.
 */
export function fewestLinksAbove(traffic: LeafTraffic, load: number): number {
  const worth = loadPerTraffic(traffic.tree.fabric);
  if (!traffic.tree.isTree) return 0;
  return everyCut(traffic, worth).filter(({ flows, links, fastest, worths, average }) => {
    const least = worths.some((own) => own !== fastest)
      ? mixedScheduleBound(flows, worths)
      : scheduleBound(flows, links) * fastest;
    return Math.max(average, least) > load * (1 + 1e-9);
  }).length;
}

/** All cuts above leaves and above pods that flows cross, up and down. */
function everyCut(traffic: LeafTraffic, worth: Float64Array): LoadedCut[] {
  const [leafCuts, podCuts] = cuts(traffic.tree, worth);
  const { leafUp, leafDown, podUp, podDown } = partsOfCuts(traffic, [leafCuts, podCuts]);
  return [
    ...loadedCuts(leafUp, leafCuts),
    ...loadedCuts(leafDown, leafCuts),
    ...loadedCuts(podUp, podCuts),
    ...loadedCuts(podDown, podCuts),
  ];
}

/** A cut with the flows that cross it, and the average load of its links. */
interface LoadedCut extends Pick<Cut, 'links' | 'fastest'> {
  readonly flows: Float64Array;
  readonly worths: readonly number[];
  readonly average: number;
}

function loadedCuts(items: readonly Float64List[], own: readonly Cut[]): LoadedCut[] {
  return items.flatMap((list, index) => {
    const { links, capacity, fastest, worths } = own[index]!;
    const flows = list.toArray();
    return flows.length === 0 || links === 0
      ? []
      : [{ flows, links, fastest, worths, average: flows.reduce((sum, flow) => sum + flow, 0) / capacity }];
  });
}

function emptyCut(): Cut {
  return { links: 0, capacity: 0, fastest: Infinity, worths: [], from: new Set(), to: new Set() };
}

function listsOf(count: number): Float64List[] {
  return Array.from({ length: count }, () => new Float64List());
}

/** The links above every leaf and above every pod. */
function cuts(tree: FatTree, worth: Float64Array): [leaf: Cut[], pod: Cut[]] {
  const { fabric, nodeLevel, podOf } = tree;
  const leafCut = Array.from(tree.switches[0]!, emptyCut);
  const podCut = Array.from({ length: tree.podCount }, emptyCut);
  const leafIndex = new Map(Array.from(tree.switches[0]!, (node, index) => [node, index]));
  for (let port = 0; port < fabric.portCount; port++) {
    const node = fabric.portNode[port]!;
    const level = nodeLevel[node]!;
    const peerLevel = nodeLevel[fabric.portNeighbour[port]!]!;
    // where there are no levels, all that leaves a switch for another
    if (level < 0 || peerLevel < 0 || (tree.isTree && peerLevel <= level)) continue;
    const cut = level === 0 ? leafCut[leafIndex.get(node)!]! : podCut[podOf[node]!]!;
    cut.links++;
    cut.capacity += 1 / worth[port]!;
    cut.worths.push(worth[port]!);
    cut.from.add(fabric.portNeighbour[port]!);
    cut.to.add(node);
    cut.fastest = Math.min(cut.fastest, worth[port]!);
  }
  return [leafCut, podCut];
}

/**
 * What crosses each cut, in parts that no routes split: flows; or, where one switch alone sends into a cut (the spine
 * of a leaf, the core of a pod, the spine by which a pod leads up), all flows to a destination, for that switch has one
 * port for it.
 */
function partsOfCuts(
  { tree, offset, leaf, weight, lidOffset }: LeafTraffic,
  [leafCut, podCut]: readonly [leaf: readonly Cut[], pod: readonly Cut[]],
): Record<'leafUp' | 'leafDown' | 'podUp' | 'podDown', Float64List[]> {
  const leaves = tree.switches[0]!;
  const made = {
    leafUp: listsOf(leaves.length),
    leafDown: listsOf(leaves.length),
    podUp: listsOf(tree.podCount),
    podDown: listsOf(tree.podCount),
  };
  const leafIndex = new Int32Array(tree.fabric.nodeCount);
  leaves.forEach((node, index) => {
    leafIndex[node] = index;
  });
  const merged = new MergedFlows(lidOffset);
  for (let rank = 0; rank + 1 < offset.length; rank++) {
    const to = tree.hostLeaf[rank]!;
    const toPod = tree.podOf[to]!;
    const leafDown = made.leafDown[leafIndex[to]!]!;
    const hasOneSpine = leafCut[leafIndex[to]!]!.from.size === 1;
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
      const from = leaf[flow]!;
      const own = weight[flow]!;
      const fromPod = tree.podOf[leaves[from]!]!;
      made.leafUp[from]!.push(own);
      const isWithin = fromPod === toPod;
      // what one core sends into a pod comes to the leaf as one, and so does what one spine sends out of another pod
      const group = isWithin
        ? null
        : podCut[toPod]!.from.size === 1
          ? allFlows
          : podCut[fromPod]!.to.size === 1
            ? fromPod
            : null;
      merged.add(leafDown, flow, own, hasOneSpine ? allFlows : group);
      if (isWithin) continue;
      merged.add(made.podUp[fromPod]!, flow, own, podCut[fromPod]!.to.size === 1 ? allFlows : null);
      merged.add(made.podDown[toPod]!, flow, own, group);
    }
    merged.push();
  }
  return made;
}
