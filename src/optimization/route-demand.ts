// What is to be routed: flows (leaf, destination) with what they weigh in every phase. Flows that no up-down routes can
// carry are left out before anything is searched for.
// Invariants: a pair (leaf, destination) is one flow, whatever the number of phases, because it has one way; flows of a
// destination stand together, leaves ascending; parts of a flow are its phases with traffic, ascending. Weights are
// traffic, not yet divided by rates.

import type { FatTree } from '../fabric/fat-tree.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import { routableTraffic, type LeafTraffic } from './leaf-traffic.js';
import { leastLoad, withLeastLoad } from './least-load.js';
import { routeBounds, withSpineCuts, type RouteBounds } from './route-bounds.js';

export interface RouteDemand {
  readonly phaseCount: number;
  readonly flowCount: number;
  /** by flow: place of the leaf, rank of the destination, weight over all phases */
  readonly leaf: Int32Array;
  readonly rank: Int32Array;
  readonly weight: Float64Array;
  /** hostCount + 1 offsets into the flows, by rank of the destination */
  readonly flowOffset: Int32Array;
  /** flowCount + 1 offsets into partPhase and partWeight */
  readonly partOffset: Int32Array;
  readonly partPhase: Uint16Array;
  readonly partWeight: Float64Array;
  /** bounds of each phase */
  readonly bounds: readonly RouteBounds[];
  /** good ways of all flows of a small problem (least-load.ts), their ports between switches; null = none are known */
  readonly ways: readonly (readonly number[])[] | null;
}

/** Flows of all phases of a communication. Linear in its pairs. */
export function routeDemand(tree: FatTree, traffic: Traffic): RouteDemand {
  const phases = traffic.phases.map(({ matrix }) => routableTraffic(tree, matrix));
  const cuts = phases.map((own) => withSpineCuts(routeBounds(own), own));
  const least = phases.map((own, phase) => leastLoad(own, cuts[phase]!.staticNet));
  const parts = phases.reduce((sum, { leaf }) => sum + leaf.length, 0);
  const partPhase = new Uint16Array(parts);
  const partWeight = new Float64Array(parts);
  const partOffset = new Int32Array(parts + 1);
  const leaf = new Int32Array(parts);
  const rank = new Int32Array(parts);
  const weight = new Float64Array(parts);
  const flowOffset = new Int32Array(traffic.hostCount + 1);
  const next = phases.map(() => 0);
  let flows = 0;
  let part = 0;
  for (let destination = 0; destination < traffic.hostCount; destination++) {
    for (;;) {
      const from = firstLeaf(phases, next, destination);
      if (from === -1) break;
      leaf[flows] = from;
      rank[flows] = destination;
      phases.forEach(({ offset, leaf: leaves, weight: weights }, phase) => {
        const at = next[phase]!;
        if (at === offset[destination + 1] || leaves[at] !== from) return;
        partPhase[part] = phase;
        partWeight[part++] = weights[at]!;
        weight[flows]! += weights[at]!;
        next[phase] = at + 1;
      });
      partOffset[++flows] = part;
    }
    flowOffset[destination + 1] = flows;
  }
  return {
    phaseCount: phases.length,
    flowCount: flows,
    leaf: leaf.slice(0, flows),
    rank: rank.slice(0, flows),
    weight: weight.slice(0, flows),
    flowOffset,
    partOffset: partOffset.slice(0, flows + 1),
    partPhase,
    partWeight,
    bounds: cuts.map((own, phase) => withLeastLoad(own, least[phase]!)),
    // a phase alone has the flows of all
    ways: phases.length === 1 ? least[0]!.ways : null,
  };
}

/** The first leaf with traffic to a destination that was not taken yet; -1 if there is none. */
function firstLeaf(phases: readonly LeafTraffic[], next: readonly number[], destination: number): number {
  let first = -1;
  for (let phase = 0; phase < phases.length; phase++) {
    const { offset, leaf } = phases[phase]!;
    const at = next[phase]!;
    if (at < offset[destination + 1]! && (first === -1 || leaf[at]! < first)) first = leaf[at]!;
  }
  return first;
}

/** Flows by weight, heaviest first; equal ones in their order. */
export function heaviestFirst({ weight, flowCount }: RouteDemand): Int32Array {
  return Int32Array.from({ length: flowCount }, (_, flow) => flow).sort((a, b) => weight[b]! - weight[a]! || a - b);
}

/** Flows by leaf: flows[offset[i] .. offset[i + 1]), for the leaf that `leafOfFlow` names. */
export function flowsByLeaf(
  flowCount: number,
  leafCount: number,
  leafOfFlow: (flow: number) => number,
): { offset: Int32Array; flows: Int32Array } {
  const offset = new Int32Array(leafCount + 1);
  for (let flow = 0; flow < flowCount; flow++) offset[leafOfFlow(flow) + 1]!++;
  for (let leaf = 0; leaf < leafCount; leaf++) offset[leaf + 1]! += offset[leaf]!;
  const next = offset.slice();
  const flows = new Int32Array(flowCount);
  for (let flow = 0; flow < flowCount; flow++) flows[next[leafOfFlow(flow)]!++] = flow;
  return { offset, flows };
}
