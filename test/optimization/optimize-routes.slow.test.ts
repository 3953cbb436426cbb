// The optimizer on quartz1, pattern by pattern: Table 3.3 of the dissertation, section 3.6, and the bounds that prove
// the rest.

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
  const evaluation = evaluateRoutes(quartz1, [tables], named(name));
  expect(evaluation.validity.valid).toBe(true);
  expect(evaluation.arGap).toBe(0);
  expect(evaluation.netGap).toBe(0);
  expect(evaluation.provenOptimal).toBe(true);
});

it('cyclic stencil: 8 over its phases', () => {
  const { tables } = optimizeRoutes(quartz1, named('cyclic-stencil'), [start], { seed: 1, mostWork: 4e7 });
  expect(evaluateRoutes(quartz1, [tables], named('cyclic-stencil'))).toMatchObject({ maxLoad: 8, lowerBound: 8 });
});

// without exchanges of core groups most of these take ten times the work
it.each(Array.from({ length: 20 }, (_, i) => i + 1))(
  'random shuffle with noise, traffic of seed %d: the lower bound, which is above the adaptive one',
  (trafficSeed) => {
    const traffic = named('bs-random-shuffle-noise', trafficSeed);
    const evaluation = evaluateRoutes(
      quartz1,
      [optimizeRoutes(quartz1, traffic, [start], { seed: 1, mostWork: 3e7 }).tables],
      traffic,
    );
    expect(evaluation.provenOptimal).toBe(true);
    expect(evaluation.arGap).toBeGreaterThan(0);
  },
);

// most are proven long before the work ends
it.each([
  'amg',
  'lulesh',
  'multigrid-c',
  'nekbone',
  'partisn',
  'boxlib-mg-c',
  'boxlib-cns',
  'amg-star',
  'lulesh-star',
  'multigrid-c-star',
  'nekbone-star',
  'partisn-star',
  'boxlib-mg-c-star',
  'boxlib-cns-star',
])('%s: within half a point of the lower bound', (name) => {
  const traffic = named(name);
  const { tables } = optimizeRoutes(quartz1, traffic, [start], { seed: 1, mostWork: 3e7 });
  const { validity, maxLoad, lowerBound } = evaluateRoutes(quartz1, [tables], traffic);
  expect(validity.valid).toBe(true);
  expect(maxLoad / lowerBound).toBeLessThanOrEqual(1.005);
});

it.each([
  ['random-permutation', 'contiguous'],
  ['100xstencil:116', 'fragmented'],
] as const)('11,664 hosts, %s: proven', (name, allocation) => {
  const tree = recogniseFatTree(generateFabric('fat-tree', { k: 36 })).tree!;
  const parsed = parseTrafficName(name);
  if ('message' in parsed) throw new Error(parsed.message);
  const traffic = namedTraffic(name, parsed.groups, 11_664, { seed: 1, allocation });
  if (typeof traffic === 'string') throw new Error(traffic);
  const { tables } = optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork: 1e9 });
  expect(evaluateRoutes(tree, [tables], traffic)).toMatchObject({ provenOptimal: true, validity: { valid: true } });
});

it('ends by itself when it finds nothing better, and the later the more patience it is given', () => {
  const traffic = named('boxlib-mg-c');
  const work = [0.1, 0.3].map(
    (patience) => optimizeRoutes(quartz1, traffic, [start], { seed: 1, mostWork: 1e9, patience }).work,
  );
  expect(work[0]).toBeLessThan(6e7);
  expect(work[1]).toBeGreaterThan(work[0]!);
});
