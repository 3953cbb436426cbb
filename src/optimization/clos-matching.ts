// Flows that nobody shares a destination with, on whole trees: then nothing merges, and the tree is a Clos network of
// circuits. Spines are colours of a graph of leaves, cores are colours of a graph of spines (edge-colouring.ts); with
// equal weights that is exact.
// Source: C. Clos, "A study of non-blocking switching networks", Bell System Technical Journal 32, 1953; rearrangement:
// V. Beneš, 1965.
// Not modelled: several phases, several flows to a destination, parallel and missing links: `closTree` and `isOneToOne`
// tell.

import { irregularity } from '../fabric/fat-tree.js';
import type { RandomStream } from '../base/random.js';
import { wayLength, type FlowRouting } from './flow-routing.js';
import type { LeafEnds } from './leaf-annealing.js';
import { EdgeColouring } from './edge-colouring.js';
import type { RouteDemand } from './route-demand.js';
import type { RouteNetwork } from './route-network.js';
import type { SearchBudget } from './search-budget.js';

/** A tree in which every choice is a number: the i-th spine of a pod, the j-th core of its group. */
export interface ClosTree {
  readonly spinesPerPod: number;
  readonly coresPerGroup: number;
  /** port up from a leaf, and down to it, by leaf x spinesPerPod + i */
  readonly up: Int32Array;
  readonly drop: Int32Array;
  /** port to a core, and down from it, by spine x coresPerGroup + j */
  readonly toCore: Int32Array;
  readonly fromCore: Int32Array;
  /** i of each spine */
  readonly spinePlace: Int32Array;
}

/** Whether every host receives one flow at most, in a single phase. */
export function isOneToOne({ phaseCount, flowOffset }: RouteDemand): boolean {
  if (phaseCount !== 1) return false;
  for (let rank = 0; rank + 1 < flowOffset.length; rank++)
    if (flowOffset[rank + 1]! - flowOffset[rank]! > 1) return false;
  return true;
}

/** Numbers the choices of a tree; null if links are missing or parallel, or pods differ. */
export function closTree(network: RouteNetwork): ClosTree | null {
  const { tree, leafCount, spineCount, coreCount, leafPod, spinePod, spineGroup, portFrom, portTo } = network;
  if (tree.levels < 2 || irregularity(tree) !== null || spineCount % tree.podCount !== 0) return null;
  const spinesPerPod = spineCount / tree.podCount;
  const groups = Math.max(1, tree.coreGroupCount);
  if (spinesPerPod % groups !== 0 || coreCount % groups !== 0) return null;
  const coresPerGroup = coreCount / groups;
  const spinePlace = placesWithin(
    spineCount,
    (spine) => spinePod[spine]!,
    (spine) => Math.max(0, spineGroup[spine]!),
    spinesPerPod / groups,
  );
  const corePlace = new Int32Array(coreCount);
  const next = new Int32Array(groups);
  tree.switches[2]?.forEach((node, core) => {
    corePlace[core] = next[tree.coreGroupOf[node]!]!++;
  });
  const made = {
    up: new Int32Array(leafCount * spinesPerPod).fill(-1),
    drop: new Int32Array(leafCount * spinesPerPod).fill(-1),
    toCore: new Int32Array(spineCount * coresPerGroup).fill(-1),
    fromCore: new Int32Array(spineCount * coresPerGroup).fill(-1),
  };
  for (const port of network.leafUp.ports) made.up[portFrom[port]! * spinesPerPod + spinePlace[portTo[port]!]!] = port;
  for (const port of network.drops.ports) made.drop[portTo[port]! * spinesPerPod + spinePlace[portFrom[port]!]!] = port;
  for (const port of network.spineUp.ports)
    made.toCore[portFrom[port]! * coresPerGroup + corePlace[portTo[port]!]!] = port;
  for (const port of network.coreDown.ports)
    made.fromCore[portTo[port]! * coresPerGroup + corePlace[portFrom[port]!]!] = port;
  const whole =
    network.links.length === 2 * (made.up.length + made.toCore.length) &&
    Object.values(made).every((ports) => !ports.includes(-1));
  return whole && leafPod.length > 0 ? { spinesPerPod, coresPerGroup, spinePlace, ...made } : null;
}

/** Numbers members of pods by group and then in order: groups have `perGroup` members in each pod. */
function placesWithin(
  count: number,
  pod: (member: number) => number,
  group: (member: number) => number,
  perGroup: number,
): Int32Array {
  const seen = new Map<string, number>();
  return Int32Array.from({ length: count }, (_, member) => {
    const key = `${pod(member)} ${group(member)}`;
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return group(member) * perGroup + before;
  });
}

/**
 * Ends of all flows, each up and down over spines of the same place: no link has more flows than the leaf with most
 * must have.
 * @param exchanges chains that are swapped at most to come below the ceiling
 */
export function matchLeaves(
  { spinesPerPod, up, drop }: ClosTree,
  { demand, network, ceiling }: FlowRouting,
  random: RandomStream,
  budget: SearchBudget,
  exchanges: number,
): LeafEnds {
  const { flowCount, leaf, rank, weight } = demand;
  const { leafOf, leafPod, leafCount } = network;
  const to = Int32Array.from(rank, (own) => leafOf[own]!);
  const colouring = new EdgeColouring(
    leaf,
    to,
    weight.map((own) => own * network.worth[up[0]!]!),
    leafCount,
    spinesPerPod,
  );
  colouring.anneal(ceiling[0]!, random, budget, exchanges);
  const { colour } = colouring;
  return {
    up: Int32Array.from({ length: flowCount }, (_, flow) => up[leaf[flow]! * spinesPerPod + colour[flow]!]!),
    down: Int32Array.from({ length: flowCount }, (_, flow) => drop[to[flow]! * spinesPerPod + colour[flow]!]!),
    inPod: Uint8Array.from({ length: flowCount }, (_, flow) => (leafPod[leaf[flow]!] === leafPod[to[flow]!] ? 1 : 0)),
  };
}

/**
 * Puts all flows on ways with the given ends, over cores chosen by colouring.
 * @param proposals exchanges at most, per core group @returns true if no link to or from a core is above the ceiling
 */
export function matchCores(
  clos: ClosTree,
  routing: FlowRouting,
  { up, down, inPod }: LeafEnds,
  random: RandomStream,
  budget: SearchBudget,
  proposals: number,
): boolean {
  const { ceiling } = routing;
  const { tree, portFrom, portTo, spineGroup, spineCount, worth } = routing.network;
  const { flowCount, weight } = routing.demand;
  const { coresPerGroup, toCore, fromCore } = clos;
  routing.clear();
  const flowsOf: number[][] = Array.from({ length: Math.max(1, tree.coreGroupCount) }, () => []);
  for (let flow = 0; flow < flowCount; flow++) {
    if (inPod[flow] === 1) routing.put(flow, up[flow]!, -1, -1, down[flow]!);
    else flowsOf[spineGroup[portTo[up[flow]!]!]!]!.push(flow);
  }
  let met = true;
  for (const flows of flowsOf) {
    if (flows.length === 0) continue;
    const first = Int32Array.from(flows, (flow) => portTo[up[flow]!]!);
    const last = Int32Array.from(flows, (flow) => portFrom[down[flow]!]!);
    const loads = Float64Array.from(
      flows,
      (flow) => weight[flow]! * worth[toCore[portTo[up[flow]!]! * coresPerGroup]!]!,
    );
    const colouring = new EdgeColouring(first, last, loads, spineCount, coresPerGroup);
    if (!colouring.anneal(ceiling[0]!, random, budget, proposals)) met = false;
    flows.forEach((flow, edge) => {
      const core = colouring.colour[edge]!;
      routing.put(
        flow,
        up[flow]!,
        toCore[first[edge]! * coresPerGroup + core]!,
        fromCore[last[edge]! * coresPerGroup + core]!,
        down[flow]!,
      );
    });
  }
  return met;
}

/** Ends of the ways that flows have. */
export function endsOfWays({ demand: { flowCount }, way }: FlowRouting): LeafEnds {
  return {
    up: Int32Array.from({ length: flowCount }, (_, flow) => way[wayLength * flow]!),
    down: Int32Array.from({ length: flowCount }, (_, flow) => way[wayLength * flow + 3]!),
    inPod: Uint8Array.from({ length: flowCount }, (_, flow) => (way[wayLength * flow + 1] === -1 ? 1 : 0)),
  };
}
