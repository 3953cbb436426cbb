// The best static routes of small trees by trying all: an oracle that shares nothing with the optimizer. Flow after
// flow takes every minimal port at every switch, unless another flow to the same host came by and fixed it.

import type { FatTree } from '../../src/fabric/fat-tree.js';
import type { Traffic } from '../../src/flows/traffic/matrix.js';
import { routableTraffic } from '../../src/optimization/leaf-traffic.js';
import { loadPerTraffic } from '../../src/optimization/table-loads.js';
import { MinimalPorts } from '../../src/routing/minimal-ports.js';

interface Flow {
  readonly from: number;
  readonly to: number;
  /** weight in each phase */
  readonly weights: readonly number[];
}

/**
 * The smallest possible sum over phases of the largest load between switches. Exponential in the flows.
 * @param atLeast what each phase counts at least, as the largest load of its hosts' links
 */
export function leastLargestLoad(
  tree: FatTree,
  traffic: Traffic,
  atLeast: readonly number[] = traffic.phases.map(() => 0),
): number {
  const { fabric } = tree;
  const flows = flowsOf(tree, traffic);
  const candidates = candidatesByLeaf(tree);
  const worth = loadPerTraffic(fabric);
  const fixed = new Map<string, number>();
  const load = traffic.phases.map(() => new Float64Array(fabric.portCount));
  let best = Infinity;
  const largest = (): number =>
    load.reduce((sum, own, phase) => sum + own.reduce((most, x) => Math.max(most, x), atLeast[phase]!), 0);
  const extend = (index: number, node: number): void => {
    if (largest() >= best - 1e-9) return;
    const flow = flows[index];
    if (flow === undefined) {
      best = largest();
      return;
    }
    const leaf = tree.hostLeaf[tree.hostRank[flow.to]!]!;
    if (node === leaf) {
      extend(index + 1, flows[index + 1]?.from ?? -1);
      return;
    }
    const key = `${node} ${flow.to}`;
    const known = fixed.get(key);
    for (const port of known === undefined ? candidates.get(leaf)![node]! : [known]) {
      fixed.set(key, port);
      flow.weights.forEach((weight, phase) => {
        load[phase]![port]! += weight * worth[port]!;
      });
      extend(index, fabric.portNode[fabric.portPeer[port]!]!);
      flow.weights.forEach((weight, phase) => {
        load[phase]![port]! -= weight * worth[port]!;
      });
      if (known === undefined) fixed.delete(key);
    }
  };
  extend(0, flows[0]?.from ?? -1);
  return best;
}

function flowsOf(tree: FatTree, traffic: Traffic): Flow[] {
  const flows = new Map<string, { from: number; to: number; weights: number[] }>();
  traffic.phases.forEach(({ matrix }, phase) => {
    const { offset, leaf, weight } = routableTraffic(tree, matrix);
    tree.fabric.hosts.forEach((to, rank) => {
      for (let i = offset[rank]!; i < offset[rank + 1]!; i++) {
        const from = tree.switches[0]![leaf[i]!]!;
        const key = `${from} ${to}`;
        const flow = flows.get(key) ?? { from, to, weights: traffic.phases.map(() => 0) };
        flow.weights[phase]! += weight[i]!;
        flows.set(key, flow);
      }
    });
  });
  const total = (flow: Flow): number => flow.weights.reduce((sum, weight) => sum + weight, 0);
  return [...flows.values()].sort((a, b) => total(b) - total(a));
}

function candidatesByLeaf(tree: FatTree): Map<number, number[][]> {
  const minimal = new MinimalPorts(tree);
  return new Map(
    Array.from(tree.switches[0]!, (leaf) => {
      minimal.towards(leaf);
      return [
        leaf,
        Array.from({ length: tree.fabric.nodeCount }, (_, node) => [
          ...minimal.ports.subarray(minimal.offset[node], minimal.offset[node + 1]),
        ]),
      ];
    }),
  );
}
