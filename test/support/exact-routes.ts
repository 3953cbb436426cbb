// Small trees and random traffic for the exact models, and HiGHS in the thread of the test.

import type { RandomStream } from '../../src/base/random.js';
import type { LinearSolver } from '../../src/exact/linear-solver.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { routableTraffic, type LeafTraffic } from '../../src/optimization/leaf-traffic.js';
import { loadHighs, programArrays, runHighs } from '../../src/solvers/highs-run.js';

export function treeOf(shape: Readonly<Record<string, unknown>>): FatTree {
  return recogniseFatTree(generateFabric('fat-tree', shape)).tree!;
}

/** Pairs of hosts with whole weights from 1 to 6, so that some sources send to few destinations and flows meet. */
export function randomTraffic(random: RandomStream, tree: FatTree, pairs: number, phases = 1): Traffic {
  const hostCount = tree.fabric.hosts.length;
  return {
    name: 'random',
    hostCount,
    unit: 'relative',
    note: '',
    phases: Array.from({ length: phases }, (_, phase) => {
      const builder = new TrafficBuilder(hostCount, 'relative');
      const targets = 1 + random.nextBelow(hostCount);
      for (let i = 0; i < pairs; i++)
        builder.add(random.nextBelow(hostCount), random.nextBelow(targets), 1 + random.nextBelow(6));
      return { name: `${phase}`, matrix: builder.build() };
    }),
  };
}

/** What leaves send, phase by phase. */
export function leafTraffic(tree: FatTree, traffic: Traffic): LeafTraffic[] {
  return traffic.phases.map(({ matrix }) => routableTraffic(tree, matrix));
}

export const highs = await loadHighs();

export const highsHere: LinearSolver = {
  name: 'HiGHS',
  solve: (program, objective, limits) => Promise.resolve(runHighs(highs, programArrays(program, objective), limits)),
};
