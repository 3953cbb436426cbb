// The optimizer on quartz1, pattern by pattern: Table 3.3 of the dissertation, section 3.6, and the bounds that prove the rest.

import { expect, it } from 'vitest';
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
