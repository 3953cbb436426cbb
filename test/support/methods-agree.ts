// One small fabric under all methods: exact model, its relaxation, closed form, spreading, optimizer. What one knows of
// the others has to hold.

import { expect } from 'vitest';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { largestViolation } from '../../src/exact/linear-program.js';
import { evaluateRoutes, type RouteEvaluation } from '../../src/optimization/evaluate-routes.js';
import { optimizeRoutes } from '../../src/optimization/optimize-routes.js';
import { routeBounds } from '../../src/optimization/route-bounds.js';
import type { RouteScore } from '../../src/optimization/route-score.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { expectAround } from './adaptive-interval.js';
import { highsHere, leafTraffic } from './exact-routes.js';
import type { SmallCase } from './small-fabrics.js';

const netLoad = ({ phases }: RouteEvaluation): number => phases.reduce((sum, { loads }) => sum + loads.netMaxLoad, 0);

/** How long the exact model may search for a proof. A few in a hundred of these problems need minutes. */
const proofSeconds = 15;

/**
 * Holds all methods against each other.
 * @returns whether the exact model was solved to the optimum in its time; if not, only its bound and its best routes
 * were held against the rest
 */
export async function expectMethodsToAgree(own: SmallCase): Promise<boolean> {
  const { tree, traffic, whole, description } = own;
  const bounds = leafTraffic(tree, traffic).map((flows) => routeBounds(flows));
  const sum = (of: (own: (typeof bounds)[number]) => number): number =>
    bounds.reduce((all, phase) => all + of(phase), 0);
  const relaxed = await highsHere.solve(BasicMcf.relaxation(tree, leafTraffic(tree, traffic)).program, 0, {
    seconds: 20,
  });
  expect(relaxed.status, description).toBe('optimal');
  if (bounds.length === 1 && bounds[0]!.adaptiveNet > 0)
    expectAround(relaxed.objective, leafTraffic(tree, traffic)[0]!, description);
  if (whole)
    expect(relaxed.objective, description).toBeCloseTo(
      sum(({ adaptiveNet }) => adaptiveNet),
      6,
    );
  else expect(relaxed.objective, description).toBeGreaterThan(sum(({ adaptiveNet }) => adaptiveNet) - 1e-6);

  const { optimal, least, bound } = await leastLoad(
    own,
    bounds.map(() => 0),
  );
  if (!optimal) {
    const load = netLoad(optimized(own, 3e7).evaluation);
    expect(load, `${description}: below the solver's bound`).toBeGreaterThan(bound - 1e-5);
    if (bounds.length === 1) expect(load, `${description}: above the solver's best routes`).toBeLessThan(least + 1e-5);
    return false;
  }
  expect(least, description).toBeGreaterThan(relaxed.objective - 1e-6);
  expect(least, description).toBeGreaterThan(sum(({ staticNet }) => staticNet) - 1e-6);
  // the optimizer counts the links of hosts as well, which matters where phases are weighed against each other
  const ofAll =
    bounds.length === 1
      ? { optimal, least: Math.max(least, bounds[0]!.adaptive) }
      : await leastLoad(
          own,
          bounds.map(({ adaptive, adaptiveNet }) => (adaptive > adaptiveNet ? adaptive : 0)),
        );
  if (ofAll.optimal) expectOptimizer(own, least, ofAll.least);
  return ofAll.optimal;
}

/**
 * The exact model: sum over phases of the largest load between switches, each phase counting `floors` at least.
 * @returns whether `least` is proven, and the bound that no routes are below
 */
async function leastLoad(
  { tree, traffic, description }: SmallCase,
  floors: readonly number[],
): Promise<{ optimal: boolean; least: number; bound: number }> {
  const model = BasicMcf.ofStaticRoutes(tree, leafTraffic(tree, traffic));
  floors.forEach((floor, phase) => {
    model.program.row(`floor_${phase}`, [[model.maxval[phase]!, 1]], '>=', floor);
  });
  const start = routeDmodK(tree);
  const solution = await highsHere.solve(model.program, 0, { seconds: proofSeconds, start: model.valuesOf(start) });
  if (solution.status !== 'optimal' && solution.values === null)
    return { optimal: false, least: Infinity, bound: solution.bound };
  expect(largestViolation(model.program, solution.values!), description).toBeLessThan(1e-5);
  const evaluation = evaluateRoutes(tree, [model.tablesOf(solution.values!, start)], traffic);
  expect(evaluation.validity.valid, description).toBe(true);
  const counted = evaluation.phases.reduce(
    (all, { loads }, phase) => all + Math.max(loads.netMaxLoad, floors[phase]!),
    0,
  );
  expect(counted, description).toBeCloseTo(solution.objective, 5);
  return { optimal: solution.status === 'optimal', least: counted, bound: solution.bound };
}

function optimized({ tree, traffic }: SmallCase, mostWork: number): { evaluation: RouteEvaluation; score: RouteScore } {
  const { tables, score } = optimizeRoutes(tree, traffic, [routeDmodK(tree)], { seed: 1, mostWork });
  return { evaluation: evaluateRoutes(tree, [tables], traffic), score };
}

function expectOptimizer(own: SmallCase, least: number, leastOfAll: number): void {
  const { traffic, description } = own;
  // a quick search first: most need no more
  for (const mostWork of [2e6, 3e7]) {
    const { evaluation, score } = optimized(own, mostWork);
    expect(netLoad(evaluation), description).toBeCloseTo(score.netMaxLoad, 9);
    expect(netLoad(evaluation), `${description}: below the exact optimum`).toBeGreaterThan(least - 1e-5);
    const missed =
      evaluation.maxLoad > leastOfAll + 1e-5 || (traffic.phases.length === 1 && netLoad(evaluation) > least + 1e-5);
    if (missed && mostWork < 3e7) continue;
    expect(evaluation.maxLoad, `${description}: the optimizer against the exact model`).toBeCloseTo(leastOfAll, 5);
    if (traffic.phases.length === 1)
      expect(netLoad(evaluation), `${description}: between switches`).toBeCloseTo(least, 5);
    return;
  }
}
