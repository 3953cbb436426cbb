// A search of HiGHS that is cancelled in its thread.

import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { largestViolation, LinearProgram } from '../../src/exact/linear-program.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import type { LinearSolver } from '../../src/exact/linear-solver.js';
import type { SolverProgress } from '../../src/exact/linear-solver.js';
import { beginHighsThread, highsSolver } from '../../src/solvers/highs-solver.js';
import { leafTraffic, randomTraffic, treeOf } from '../support/exact-routes.js';
import { RandomStream } from '../../src/base/random.js';

/** The solver, and how many threads it has begun. */
function counted(say: (progress: SolverProgress) => void = () => {}): { solver: LinearSolver; begun: () => number } {
  let begun = 0;
  const begin = (): Worker => {
    begun++;
    return beginHighsThread();
  };
  return { solver: highsSolver(say, begin), begun: () => begun };
}

/** Minimises `cost` x a with a >= `least`. */
function trivial(cost: number, least: number): LinearProgram {
  const program = new LinearProgram('trivial');
  const a = program.real('a');
  program.row('least', [[a, 1]], '>=', least);
  program.objectives.push({ name: 'cost', terms: [[a, cost]] });
  return program;
}

describe('threads', () => {
  it('a search that is cancelled has what it found so far, and its thread is not used again', async () => {
    const tree = treeOf({ pods: 4, edgesPerPod: 4, hostsPerEdge: 4, aggregationPerPod: 4, cores: 8, coreGroups: 2 });
    const model = BasicMcf.ofStaticRoutes(
      tree,
      leafTraffic(tree, randomTraffic(new RandomStream(1, 'cancelled'), tree, 400)),
    );
    const start = model.valuesOf(routeDmodK(tree));
    const found: { tell?: () => void } = {};
    const first = new Promise<void>((resolve) => {
      found.tell = resolve;
    });
    const { solver, begun } = counted(({ objective }) => {
      if (objective < Infinity) found.tell?.();
    });
    const solution = await solver.solve(model.program, 0, { seconds: 60, start, cancelled: first });
    expect(solution.status).toBe('feasible');
    expect(largestViolation(model.program, solution.values!)).toBeLessThan(1e-5);
    expect(solution.objective).toBeLessThanOrEqual(
      model.maxval.reduce((sum, variable) => sum + start[variable]!, 0) + 1e-6,
    );
    expect((await solver.solve(trivial(1, 2), 0, { seconds: 10 })).objective).toBe(2);
    expect(begun()).toBe(2);
  });
});
