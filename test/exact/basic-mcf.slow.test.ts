// Basic MCF against the closed form (relaxed), against all routes of small trees (whole), and against hand computation
// on a broken tree.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { largestViolation } from '../../src/exact/linear-program.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeBounds } from '../../src/optimization/route-bounds.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { leastLargestLoad } from '../support/best-routes.js';
import { highsHere, leafTraffic, randomTraffic, treeOf } from '../support/exact-routes.js';
import { damaged, identifiedTree } from '../support/infiniband.js';
import { seed } from '../support/seed.js';

const shapes = {
  'two levels': { pods: 1, edgesPerPod: 4, hostsPerEdge: 2, aggregationPerPod: 3 },
  'three levels': { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 4 },
  'core groups': { pods: 2, edgesPerPod: 1, hostsPerEdge: 4, aggregationPerPod: 4, cores: 4, coreGroups: 2 },
};

describe(`relaxation (WEFT_SEED=${seed})`, () => {
  const larger = {
    '32 hosts': { pods: 4, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 2, cores: 4 },
    tapered: { pods: 2, edgesPerPod: 3, hostsPerEdge: 5, aggregationPerPod: 4, cores: 6, coreGroups: 2 },
  };
  for (const [name, shape] of Object.entries({ ...shapes, ...larger })) {
    it(`${name}: the closed form`, async () => {
      const tree = treeOf(shape);
      for (let trial = 0; trial < 2; trial++) {
        const phases = leafTraffic(
          tree,
          randomTraffic(new RandomStream(seed + trial, name), tree, 5 + 10 * trial, 1 + (trial % 2)),
        );
        const solution = await highsHere.solve(BasicMcf.relaxation(tree, phases).program, 0, { seconds: 10 });
        expect(solution.status).toBe('optimal');
        expect(solution.objective, `trial ${trial}`).toBeCloseTo(
          phases.reduce((sum, own) => sum + routeBounds(own).adaptiveNet, 0),
          5,
        );
      }
    });
  }

  it('a broken link: what is left carries it, above every cut', async () => {
    // leaf 0 lost its link to spine 1, leaf 1 its to spine 0: only spine 2 joins them. Both have two links left, so
    // cuts say 3 / 2
    const whole = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 3, aggregationPerPod: 3 });
    const names = whole.identity.nodeName;
    const leaves = names.filter((name) => /leaf/.test(name));
    const spines = names.filter((name) => /spine/.test(name));
    const broken = damaged(
      whole,
      (low, high) => (low === leaves[0] && high === spines[1]) || (low === leaves[1] && high === spines[0]),
    );
    const tree = recogniseFatTree(broken.fabric).tree!;
    const builder = new TrafficBuilder(6, 'relative');
    for (let host = 0; host < 3; host++) builder.add(host, 3 + host, 1);
    const traffic: Traffic = {
      name: 'across',
      hostCount: 6,
      unit: 'relative',
      note: '',
      phases: [{ name: 'all', matrix: builder.build() }],
    };
    const phases = leafTraffic(tree, traffic);
    expect(routeBounds(phases[0]!).adaptiveNet).toBe(1.5);
    expect(
      (await highsHere.solve(BasicMcf.relaxation(tree, phases).program, 0, { seconds: 10 })).objective,
    ).toBeCloseTo(3, 9);
  });
});

describe(`static routes (WEFT_SEED=${seed})`, () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`${name}: the best of all routes, and the optimizer's`, async () => {
      const tree = treeOf(shape);
      for (let trial = 0; trial < 1; trial++) {
        const traffic = randomTraffic(new RandomStream(seed + trial, name), tree, 7, 1 + ((seed + trial) % 2));
        const model = BasicMcf.ofStaticRoutes(tree, leafTraffic(tree, traffic));
        const start = routeDmodK(tree);
        const first = model.valuesOf(start);
        expect(largestViolation(model.program, first)).toBeLessThan(1e-9);
        const solution = await highsHere.solve(model.program, 0, { seconds: 20, start: first });
        expect(solution.status).toBe('optimal');
        expect(largestViolation(model.program, solution.values!)).toBeLessThan(1e-5);
        const tables = model.tablesOf(solution.values!, start);
        const evaluation = evaluateRoutes(tree, [tables], traffic);
        expect(evaluation.validity.valid).toBe(true);
        const best = leastLargestLoad(tree, traffic);
        expect(solution.objective, `trial ${trial}`).toBeCloseTo(best, 5);
        expect(evaluation.phases.reduce((sum, { loads }) => sum + loads.netMaxLoad, 0)).toBeCloseTo(best, 5);
        expect(largestViolation(model.program, model.valuesOf(tables))).toBeLessThan(1e-9);
        const { score } = optimizeRoutes(tree, traffic, [start], { seed: 1, mostWork: 1e6 });
        expect(score.phaseMax.reduce((sum, own) => sum + own, 0)).toBeCloseTo(best, 5);
      }
    });
  }
});
