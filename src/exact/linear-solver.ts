// What solves linear programmes, and objectives one after the other (hierarchical, lexicographic): each is minimised,
// then held by a row.
// Source: Taffet's dissertation (docs/SOURCES.md), sections 3.3.3 ("optimized in lexicographical order ... plus a
// numerical tolerance") and 3.4 (time limits).
// Invariant: a solution that is returned meets all rows that were there when it was found, within the solver's
// tolerances.

import { LinearProgram } from './linear-program.js';

export interface SolveLimits {
  /** wall-clock time after which the best so far is returned */
  readonly seconds: number;
  /** values of all variables to begin with, if any are known */
  readonly start?: Float64Array;
  /** memory by which further solutions come while it searches (offered-solutions.ts) */
  readonly offered?: SharedArrayBuffer;
  /** ends the search without a result when it is settled */
  readonly cancelled?: Promise<unknown>;
}

export interface LinearSolution {
  /** feasible: time ran out with a solution at hand; none: without */
  readonly status: 'optimal' | 'feasible' | 'infeasible' | 'none';
  /** Infinity without a solution */
  readonly objective: number;
  /** no solution has a smaller objective */
  readonly bound: number;
  readonly values: Float64Array | null;
}

export interface LinearSolver {
  readonly name: string;
  /** Minimises one objective of a programme. */
  solve(program: LinearProgram, objective: number, limits: SolveLimits): Promise<LinearSolution>;
}

/** How far the search for a solution is. */
export interface SolverProgress {
  readonly seconds: number;
  readonly objective: number;
  readonly bound: number;
}

/** What a value may be above the optimum of an earlier objective. */
const objectiveTolerance = 1e-7;

/**
 * Minimises the objectives of a programme one after the other; rows that hold the earlier ones are added to it.
 * @returns the last solution, and what each objective came to; null values if the first found nothing
 */
export async function solveLexicographically(
  program: LinearProgram,
  solver: LinearSolver,
  limits: SolveLimits,
): Promise<{ solutions: LinearSolution[]; values: Float64Array | null }> {
  const solutions: LinearSolution[] = [];
  let values: Float64Array | null = limits.start ?? null;
  for (const [index, objective] of program.objectives.entries()) {
    const solution = await solver.solve(program, index, { ...limits, ...(values === null ? {} : { start: values }) });
    solutions.push(solution);
    values = solution.values ?? values;
    if (values === null) break;
    if (index + 1 === program.objectives.length) break;
    const reached = LinearProgram.valueOf(objective.terms, values);
    program.row(
      `hold_${objective.name}`,
      objective.terms,
      '<=',
      reached + objectiveTolerance * Math.max(1, Math.abs(reached)),
    );
  }
  return { solutions, values };
}
