// The option --solver: which program solves linear programmes, and what becomes of its failures.

import { Option } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import type { LinearSolver, SolverProgress } from '../../exact/linear-solver.js';
import { externalPrograms, type ExternalProgramName } from '../../solvers/external-programs.js';
import { ExternalSolverError, externalSolver, programsOnPath } from '../../solvers/external-solver.js';
import { highsSolver } from '../../solvers/highs-solver.js';

export type SolverName = 'highs-wasm' | ExternalProgramName;

/** The one that is installed with Weft. */
export const bundledSolver: SolverName = 'highs-wasm';

/** The option. */
export function solverOption(): Option {
  return new Option(
    '--solver <program>',
    'for integer and linear programmes: HiGHS as it is bundled, or a program on PATH',
  )
    .choices([bundledSolver, ...Object.keys(externalPrograms)])
    .default(bundledSolver);
}

/** A solver by name. @param say told how searches go */
export function solverNamed(name: SolverName, say: (progress: SolverProgress) => void = () => {}): LinearSolver {
  return name === 'highs-wasm' ? highsSolver(say) : externalSolver(name, say);
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

/** Runs what uses a solver; failures of a program outside become diagnostics. @throws InputError */
export async function withSolverErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ExternalSolverError)) throw error;
    throw InputError.at('solver-failed', '--solver', wholeFile, error.message, { hint: error.hint });
  }
}
