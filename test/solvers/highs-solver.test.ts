// HiGHS in threads: one thread for programmes that follow each other, two for two at once, none that keeps anything
// alive; a search that is cancelled returns the best it had told of.

import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { LinearProgram } from '../../src/exact/linear-program.js';
import type { LinearSolver } from '../../src/exact/linear-solver.js';
import type { SolverProgress } from '../../src/exact/linear-solver.js';
import { beginHighsThread, highsSolver } from '../../src/solvers/highs-solver.js';

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
  it('programmes one after the other share one, each with its own answer', async () => {
    const { solver, begun } = counted();
    for (const [cost, least] of [
      [1, 3],
      [2, 5],
      [4, 0.5],
    ] as const)
      expect((await solver.solve(trivial(cost, least), 0, { seconds: 10 })).objective).toBeCloseTo(cost * least, 9);
    expect(begun()).toBe(1);
  });

  it('two at once have one each, which both are used again', async () => {
    const { solver, begun } = counted();
    for (let round = 0; round < 2; round++) {
      const both = await Promise.all([
        solver.solve(trivial(1, 7), 0, { seconds: 10 }),
        solver.solve(trivial(1, 8), 0, { seconds: 10 }),
      ]);
      expect(both.map(({ objective }) => objective)).toEqual([7, 8]);
    }
    expect(begun()).toBe(2);
  });
});
