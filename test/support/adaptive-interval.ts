// The adaptive bound by spreading, against an optimum that is known.

import { expect } from 'vitest';
import { spreadAdaptively } from '../../src/optimization/adaptive-spread.js';
import { destinationGraphs } from '../../src/optimization/destination-graphs.js';
import type { LeafTraffic } from '../../src/optimization/leaf-traffic.js';
import { routeBounds } from '../../src/optimization/route-bounds.js';

/** Expects an interval that holds the optimum between switches, at most a thousandth wide. */
export function expectAround(optimum: number, flows: LeafTraffic, what: string): void {
  const { lower, upper } = spreadAdaptively(destinationGraphs(flows)!, routeBounds(flows).adaptiveNet, {
    tolerance: 1e-4,
    mostWork: 1e7,
    mostPasses: 4000,
  });
  expect(lower, what).toBeLessThanOrEqual(optimum * (1 + 1e-7));
  expect(upper, what).toBeGreaterThanOrEqual(optimum * (1 - 1e-7));
  expect(upper / lower - 1, what).toBeLessThan(1e-3);
}
