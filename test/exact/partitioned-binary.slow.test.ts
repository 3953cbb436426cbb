// Partitioned Binary on small trees, against all routes. Figure 3.3: test/optimization/figure-3-3.slow.test.ts.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { routePartitioned } from '../../src/exact/partitioned-binary.js';
import { recogniseFatTree, type FatTree } from '../../src/fabric/fat-tree.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { evaluateRoutes, type RouteEvaluation } from '../../src/optimization/evaluate-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { leastLargestLoad } from '../support/best-routes.js';
import { highsHere, randomTraffic, treeOf } from '../support/exact-routes.js';
import { damaged, identifiedTree } from '../support/infiniband.js';
import { seed } from '../support/seed.js';

async function partitioned(tree: FatTree, traffic: Traffic): Promise<RouteEvaluation> {
  const found = await routePartitioned(tree, traffic, routeDmodK(tree), highsHere, {
    interpodSeconds: 20,
    objectiveSeconds: 20,
    secondsLeft: () => 400,
  });
  expect(found.optimalSteps).toBe(found.steps);
  const evaluation = evaluateRoutes(tree, [found.tables], traffic);
  expect(evaluation.validity.valid).toBe(true);
  return evaluation;
}

describe('without time', () => {
  it('every step is greedy: routes that lead everywhere, none of them proven', async () => {
    const tree = treeOf({ pods: 4, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 4, cores: 8, coreGroups: 2 });
    const traffic = randomTraffic(new RandomStream(3, 'without time'), tree, 200);
    const never = { name: 'never asked', solve: () => Promise.reject(new Error('it was asked')) };
    const found = await routePartitioned(tree, traffic, routeDmodK(tree), never, {
      interpodSeconds: 5,
      objectiveSeconds: 5,
      secondsLeft: () => 0,
    });
    expect(found.optimalSteps).toBe(0);
    expect(found.steps).toBeGreaterThan(8);
    const { validity, maxLoad, lowerBound } = evaluateRoutes(tree, [found.tables], traffic);
    expect(validity.valid).toBe(true);
    expect(maxLoad).toBeGreaterThanOrEqual(lowerBound * (1 - 1e-9));
    // heaviest first on the emptiest is no worse than ports by destination alone
    expect(maxLoad).toBeLessThanOrEqual(evaluateRoutes(tree, [routeDmodK(tree)], traffic).maxLoad);
  });

  it('a solver that finds nothing leaves the greedy routes', async () => {
    const tree = treeOf({ pods: 1, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 2 });
    const traffic = randomTraffic(new RandomStream(4, 'finds nothing'), tree, 12);
    const nothing = {
      name: 'nothing',
      solve: () => Promise.resolve({ status: 'none', objective: Infinity, bound: -Infinity, values: null } as const),
    };
    const [asked, greedy] = await Promise.all(
      [
        [nothing, 100],
        [nothing, 0],
      ].map(([solver, seconds]) =>
        routePartitioned(tree, traffic, routeDmodK(tree), solver as typeof nothing, {
          interpodSeconds: 5,
          objectiveSeconds: 5,
          secondsLeft: () => seconds as number,
        }),
      ),
    );
    expect(evaluateRoutes(tree, [asked!.tables], traffic).maxLoad).toBe(
      evaluateRoutes(tree, [greedy!.tables], traffic).maxLoad,
    );
    expect(asked!.optimalSteps).toBe(0);
  });
});

describe(`Partitioned Binary on small trees (WEFT_SEED=${seed})`, () => {
  it('one pod of two levels, every destination from one leaf: nothing is left out, so it is never below the best', async () => {
    const tree = treeOf({ pods: 1, edgesPerPod: 4, hostsPerEdge: 2, aggregationPerPod: 3 });
    for (let trial = 0; trial < 2; trial++) {
      const traffic = randomTraffic(new RandomStream(seed + trial, 'two levels'), tree, 7);
      const [{ loads }] = (await partitioned(tree, traffic)).phases as [RouteEvaluation['phases'][number]];
      expect(loads.netMaxLoad).toBeGreaterThanOrEqual(leastLargestLoad(tree, traffic) - 1e-9);
    }
  });

  it('the shift by half: every leaf sends one flow per link, so every step can be perfect, and the bound is met', async () => {
    const tree = treeOf({ pods: 2, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 4, cores: 8, coreGroups: 2 });
    const hostCount = tree.fabric.hosts.length;
    const builder = new TrafficBuilder(hostCount, 'relative');
    for (let host = 0; host < hostCount; host++) builder.add(host, (host + hostCount / 2) % hostCount, 3);
    const traffic: Traffic = {
      name: 'half',
      hostCount,
      unit: 'relative',
      note: '',
      phases: [{ name: 'all', matrix: builder.build() }],
    };
    expect((await partitioned(tree, traffic)).phases[0]!.loads.netMaxLoad).toBe(3);
  });

  it('trees with missing links and several core groups: valid routes, no worse than the bound', async () => {
    const whole = identifiedTree('fat-tree', {
      pods: 2,
      edgesPerPod: 3,
      hostsPerEdge: 4,
      aggregationPerPod: 4,
      cores: 8,
      coreGroups: 2,
    });
    let routed = 0;
    for (let trial = 0; trial < 12 && routed < 1; trial++) {
      const random = new RandomStream(seed + trial, 'damage');
      const { tree } = recogniseFatTree(
        damaged(whole, (low, high) => /leaf|spine/.test(low) && high !== '' && random.nextFraction() < 0.06).fabric,
      );
      if (tree === null) continue;
      const traffic = randomTraffic(random, tree, 30);
      if (!evaluateRoutes(tree, [routeDmodK(tree)], traffic).validity.valid) continue;
      routed++;
      const { maxLoad, lowerBound } = await partitioned(tree, traffic);
      expect(maxLoad).toBeGreaterThanOrEqual(lowerBound * (1 - 1e-9));
    }
    expect(routed).toBe(1);
  });
});
