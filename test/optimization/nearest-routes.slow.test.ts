// Routes near tables in use, against the fewest changes that any routes at the bound need: an exact model for HiGHS.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { changedEntries } from '../../src/routing/forwarding-tables.js';
import { highsHere, leafTraffic, randomTraffic, treeOf } from '../support/exact-routes.js';
import { seed } from '../support/seed.js';

const shapes = {
  'two levels': { pods: 1, edgesPerPod: 4, hostsPerEdge: 3, aggregationPerPod: 3 },
  'three levels': { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 4 },
};

for (const [name, shape] of Object.entries(shapes)) {
  it(`${name}: the bound, with at most three times the fewest changes (WEFT_SEED=${seed})`, async () => {
    const tree = treeOf(shape);
    let compared = 0;
    for (let trial = 0; trial < 3; trial++) {
      const draw = (traffic: string): ReturnType<typeof randomTraffic> =>
        randomTraffic(new RandomStream(seed + trial, `${name} ${traffic}`), tree, 9, 1);
      const before = optimizeRoutes(tree, draw('before'), [routeDmodK(tree)], { seed: 1, mostWork: 1e6 }).tables;
      const traffic = draw('after');
      const made = optimizeRoutes(tree, traffic, [routeDmodK(tree), before], { seed: 1, mostWork: 1e6, near: before });
      if (!made.proven) continue;
      compared++;
      const { maxLoad, lowerBound, validity } = evaluateRoutes(tree, [made.tables], traffic);
      expect(validity.valid).toBe(true);
      expect(maxLoad).toBeCloseTo(lowerBound, 6);
      const model = BasicMcf.ofStaticRoutes(tree, leafTraffic(tree, traffic));
      const { program, maxval, choices } = model;
      program.row('bound', [[maxval[0]!, 1]], '<=', made.score.phaseMax[0]! * (1 + 1e-7));
      const { portNode } = tree.fabric;
      program.objectives.push({
        name: 'changes',
        terms: choices
          .filter(({ port, destination }) => before.port(portNode[port]!, destination) !== port)
          .map(({ variable }) => [variable, 1] as const),
      });
      const start = model.valuesOf(made.tables);
      const solution = await highsHere.solve(program, 1, { seconds: 20, start });
      expect(solution.status).toBe('optimal');
      const fewest = Math.round(solution.objective);
      const changes = changedEntries(before, made.tables);
      expect(changes, `trial ${trial}`).toBeGreaterThanOrEqual(fewest);
      expect(changes, `trial ${trial}`).toBeLessThanOrEqual(3 * fewest);
    }
    expect(compared).toBeGreaterThan(0);
  });
}
