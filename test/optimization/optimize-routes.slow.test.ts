// The optimizer on quartz1, pattern by pattern: Table 3.3 of the dissertation, section 3.6, and the bounds that prove the rest.

import { expect, it } from 'vitest';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { namedTraffic, parseTrafficName } from '../../src/flows/traffic/catalogue.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { named, quartz1 } from '../support/quartz1.js';

const start = routeDmodK(quartz1);

it.each(['stencil', 'bisection', 'all-to-all', 'random-permutation'])('%s: the adaptive bound', (name) => {
  const { tables } = optimizeRoutes(quartz1, named(name), [start], { seed: 1, mostWork: 4e7 });
  const evaluation = evaluateRoutes(quartz1, tables, named(name));
  expect(evaluation.validity.valid).toBe(true);
  expect(evaluation.arGap).toBe(0);
  expect(evaluation.netGap).toBe(0);
  expect(evaluation.provenOptimal).toBe(true);
});

it('cyclic stencil: 8 over its phases', () => {
  const { tables } = optimizeRoutes(quartz1, named('cyclic-stencil'), [start], { seed: 1, mostWork: 4e7 });
  expect(evaluateRoutes(quartz1, tables, named('cyclic-stencil'))).toMatchObject({ maxLoad: 8, lowerBound: 8 });
});

// traffic of seeds 1, 2 and 4: those that take about a second
it.each([1, 2, 4])('random shuffle with noise, traffic of seed %d: the lower bound, which is above the adaptive one', (trafficSeed) => {
  const traffic = named('bs-random-shuffle-noise', trafficSeed);
  const evaluation = evaluateRoutes(quartz1, optimizeRoutes(quartz1, traffic, [start], { seed: 1, mostWork: 2e8 }).tables, traffic);
  expect(evaluation.provenOptimal).toBe(true);
  expect(evaluation.arGap).toBeGreaterThan(0);
});

// within a point of the lower bound; most are proven long before the work ends
it.each(['amg', 'lulesh', 'multigrid-c', 'nekbone', 'partisn', 'boxlib-mg-c', 'partisn-star'])('%s: within a point of the lower bound', (name) => {
  const traffic = named(name);
  const { tables } = optimizeRoutes(quartz1, traffic, [start], { seed: 1, mostWork: 5e7 });
  const { validity, maxLoad, lowerBound } = evaluateRoutes(quartz1, tables, traffic);
  expect(validity.valid).toBe(true);
  expect(maxLoad / lowerBound).toBeLessThanOrEqual(1.01);
}, 240_000);

it('11,664 hosts, random permutation: one flow per link, as in any Clos network', () => {
  const tree = recogniseFatTree(generateFabric('fat-tree', { k: 36 })).tree!;
  const parsed = parseTrafficName('random-permutation');
  if ('message' in parsed) throw new Error(parsed.message);
  const traffic = namedTraffic('random-permutation', parsed.groups, 11_664, { seed: 1, allocation: 'contiguous' });
  if (typeof traffic === 'string') throw new Error(traffic);
  expect(optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork: 1e9 })).toMatchObject({ proven: true, score: { netMaxLoad: 1 } });
});
