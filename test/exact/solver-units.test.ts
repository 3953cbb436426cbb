// Amounts of any size: what solvers find for traffic in other units is the same, in those units.

import { describe, expect, it } from 'vitest';
import { solveAdaptiveBounds } from '../../src/exact/adaptive-bound.js';
import { routeBasicMcf } from '../../src/exact/combined.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { highsHere, treeOf } from '../support/exact-routes.js';
import { damaged, identifiedTree } from '../support/infiniband.js';

function oneTo(hostCount: number, pairs: readonly (readonly [number, number, number])[], scale: number): Traffic {
  const builder = new TrafficBuilder(hostCount, 'relative');
  for (const [from, to, weight] of pairs) builder.add(from, to, weight * scale);
  return { name: 'pairs', hostCount, unit: 'relative', note: '', phases: [{ name: 'all', matrix: builder.build() }] };
}

describe.each([1e-300, 1e-9, 1, 1e12, 1e300])('amounts of about %d', (scale) => {
  it('the adaptive bound of a broken tree: one spine is left between two leaves, above every cut', async () => {
    const whole = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 3, aggregationPerPod: 3 });
    const names = whole.identity.nodeName;
    const [leaves, spines] = [/leaf/, /spine/].map((word) => names.filter((name) => word.test(name)));
    const broken = damaged(
      whole,
      (low, high) => (low === leaves![0] && high === spines![1]) || (low === leaves![1] && high === spines![0]),
    );
    const bounds = await solveAdaptiveBounds(
      recogniseFatTree(broken.fabric).tree!,
      oneTo(
        6,
        [
          [0, 3, 1],
          [1, 4, 1],
          [2, 5, 1],
        ],
        scale,
      ),
      highsHere,
      10,
    );
    expect(bounds!.collapsed.lower / scale).toBeCloseTo(3, 5);
    expect(bounds!.collapsed.upper / scale).toBeCloseTo(3, 5);
  });

  it('Basic MCF: 5, 4, 3, 3 and 3 over two uplinks are 9 and 9', async () => {
    // d-mod-k sends hosts 5, 7 and 9 over one, 5 + 3 + 3
    const tree = treeOf({ pods: 1, edgesPerPod: 2, hostsPerEdge: 5, aggregationPerPod: 2 });
    const traffic = oneTo(
      10,
      [
        [0, 5, 5],
        [1, 6, 4],
        [2, 7, 3],
        [3, 8, 3],
        [4, 9, 3],
      ],
      scale,
    );
    const { status, objective, bound } = await routeBasicMcf(tree, traffic, routeDmodK(tree), highsHere, 10);
    expect(status).toBe('optimal');
    expect(objective / scale).toBeCloseTo(9, 5);
    expect(bound / scale).toBeCloseTo(9, 5);
  });
});
