// HiGHS in its threads: programmes one after the other and two at once, each solved by the solver and not ended by the clock.

import { expect, it } from 'vitest';
import { LinearProgram } from '../../src/exact/linear-program.js';
import { highsSolver } from '../../src/solvers/highs-solver.js';

/** The smallest x that is not below `least`. */
function smallest(least: number): LinearProgram {
  const program = new LinearProgram('smallest');
  const x = program.real('x');
  program.objectives.push({ name: 'x', terms: [[x, 1]] });
  program.row('least', [[x, 1]], '>=', least);
  return program;
}

it('a thread that is used again answers: programmes one after the other, then two at once', async () => {
  const solver = highsSolver();
  const solve = async (least: number): Promise<string> => {
    const { status, objective } = await solver.solve(smallest(least), 0, { seconds: 20 });
    return `${status} ${objective}`;
  };
  for (const least of [3, 5, 7]) expect(await solve(least)).toBe(`optimal ${least}`);
  expect(await Promise.all([solve(2), solve(4)])).toEqual(['optimal 2', 'optimal 4']);
  expect(await solve(6)).toBe('optimal 6');
}, 10_000);
