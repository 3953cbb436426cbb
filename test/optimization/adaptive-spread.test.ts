// Spreading against linear programming: on small trees of every kind, whole and not, the interval holds the optimum and
// is narrow; on quartz1 with failed links it is narrow, its loads are those of a division that carries everything, and
// cuts are never above it.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { TrafficBuilder } from '../../src/flows/traffic/matrix.js';
import { spreadAdaptively } from '../../src/optimization/adaptive-spread.js';
import { destinationGraphs } from '../../src/optimization/destination-graphs.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { aggregateByLeaf } from '../../src/optimization/leaf-traffic.js';
import { routeBounds } from '../../src/optimization/route-bounds.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { expectAround } from '../support/adaptive-interval.js';
import { highsHere, leafTraffic } from '../support/exact-routes.js';
import { damaged, identifiedTree } from '../support/infiniband.js';
import { named } from '../support/quartz1.js';
import { smallCase } from '../support/small-fabrics.js';
import { seed } from '../support/seed.js';

describe(`small trees (WEFT_SEED=${seed})`, () => {
  // fifty more, and those above the cuts among them: test/exact/methods-agree.slow.test.ts
  it('the interval holds the optimum of the linear programme', async () => {
    for (const index of [2, 5, 8, 11]) {
      const { tree, traffic, description } = smallCase(seed, index, 40);
      for (const flows of leafTraffic(tree, traffic)) {
        if (routeBounds(flows).adaptiveNet === 0) continue;
        const { objective } = await highsHere.solve(BasicMcf.relaxation(tree, [flows]).program, 0, { seconds: 10 });
        expectAround(objective, flows, description);
      }
    }
  });

  it('far above the cuts: two leaves that one spine joins alone', () => {
    // leaf 0 lost its link to spine 1, leaf 1 its to spine 0: three units cross spine 2, cuts say 3 / 2
    const broken = damaged(
      identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 3, aggregationPerPod: 3 }),
      (low, high) => (low === 'leaf00' && high === 'spine01') || (low === 'leaf01' && high === 'spine00'),
    );
    const builder = new TrafficBuilder(6, 'relative');
    for (let host = 0; host < 3; host++) builder.add(host, 3 + host, 1);
    const flows = aggregateByLeaf(recogniseFatTree(broken.fabric).tree!, builder.build());
    expect(routeBounds(flows).adaptiveNet).toBe(1.5);
    expectAround(3, flows, 'two leaves');
  });
});

describe('quartz1 with failed links', () => {
  const whole = identifiedTree('quartz1');
  const { tree } = recogniseFatTree(damaged(whole, dropInner(0.05)).fabric);

  function dropInner(share: number): (low: string, high: string, link: number) => boolean {
    const random = new RandomStream(3, 'failed links');
    const { fabric } = whole;
    return (_low, _high, link) =>
      fabric.hosts.indexOf(fabric.portNode[fabric.linkPorts[2 * link]!]!) === -1 && random.nextFraction() < share;
  }

  it('5 %: within a millionth for the shuffle, and it carries all traffic between leaves', () => {
    const flows = aggregateByLeaf(tree!, named('bs-random-shuffle').phases[0]!.matrix);
    const { lower, upper, load } = spreadAdaptively(destinationGraphs(flows)!, routeBounds(flows).adaptiveNet, {
      tolerance: 1e-6,
      mostWork: 1e8,
      mostPasses: 2000,
    });
    expect(upper / lower - 1).toBeLessThan(1.1e-6);
    expect(load.reduce((most, own) => Math.max(most, own), 0)).toBeCloseTo(upper, 9);
    // 1536 pairs of hosts each way, from pod to pod: up, to a core, from it, and down
    expect(load.reduce((sum, own) => sum + own, 0)).toBeCloseTo(4 * 3072, 6);
  });

  it('evaluation uses it unless told not to', () => {
    const tables = routeDmodK(tree!);
    const traffic = named('bisection');
    const [spread, cuts] = [
      evaluateRoutes(tree!, [tables], traffic),
      evaluateRoutes(tree!, [tables], traffic, 0.9, 'cuts'),
    ];
    expect(cuts.collapsed.bounds).toMatchObject({ adaptiveNetMost: Infinity });
    expect(cuts.collapsed.bounds.inexact).not.toBeNull();
    expect(spread.collapsed.bounds.inexact).toBeNull();
    expect(spread.collapsed.bounds.adaptiveNet).toBeGreaterThanOrEqual(cuts.collapsed.bounds.adaptiveNet);
    expect(spread.collapsed.bounds.adaptiveNetMost).toBeLessThan(spread.collapsed.bounds.adaptiveNet * (1 + 1.1e-6));
  });
});
