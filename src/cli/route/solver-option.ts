// The option --solver: which program solves linear programmes, and what becomes of its failures.

import type { RouteSolver } from '../../app/routes/route-algorithm.js';
import { InputError } from '../../base/diagnostics.js';
import { externalPrograms, type ExternalProgramName } from '../../solvers/external-programs.js';
import { ExternalSolverError, externalSolver, programsOnPath } from '../../solvers/external-solver.js';
import { highsSolver } from '../../solvers/highs-solver.js';
import { oneOf } from '../options/declared-command.js';

export type SolverName = 'highs-wasm' | ExternalProgramName;

/** The one that is installed with Weft. */
export const bundledSolver: SolverName = 'highs-wasm';

/** The option. */
export const solverOption = oneOf(
  '--solver <program>',
  'for integer and linear programmes: HiGHS as it is bundled, or a program on PATH',
  [bundledSolver, ...(Object.keys(externalPrograms) as ExternalProgramName[])],
  bundledSolver,
);

/**
 * A solver by name; failures of a program outside become diagnostics when it solves.
 * @param say told how searches go
 */
export function solverNamed(
  name: SolverName,
  say: Parameters<RouteSolver['solver']>[0] = () => {},
): ReturnType<RouteSolver['solver']> {
  if (name === 'highs-wasm') return highsSolver(say);
  const outside = externalSolver(name, say);
  return {
    ...outside,
    solve: (...problem) =>
      outside.solve(...problem).catch((error: unknown) => {
        if (!(error instanceof ExternalSolverError)) throw error;
        throw InputError.about('solver-failed', '--solver', error.message, { hint: error.hint });
      }),
  };
}

/**
 * What might get further than the bundled solver did, in a sentence; none if there is nothing on PATH, or it was asked
 * for already.
 */
export function otherSolverNotes(name: SolverName): string[] {
  const others = name === bundledSolver ? programsOnPath() : [];
  return others.length === 0
    ? []
    : [`on PATH there is also ${others.join(', ')}: --solver ${others[0]} gives the problem to it`];
}
