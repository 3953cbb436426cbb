// HiGHS, compiled to WebAssembly (package highs), on one programme: blocks its thread until it is done or its time is
// over.
// Invariant: nothing is kept between two programmes. Not used: several threads (the build has one).

import highsModule, { type Highs } from 'highs';
import type { LinearProgram } from '../exact/linear-program.js';
import { OfferedSolutions } from '../exact/offered-solutions.js';
import type { LinearSolution, SolveLimits, SolverProgress } from '../exact/linear-solver.js';

// the package's types are those of its CommonJS form, where the loader is a member; in the ES module it is the default
// export
const load = highsModule as unknown as typeof highsModule.default;

/** A programme and one of its objectives as arrays that can be sent to another thread. */
export interface ProgramArrays {
  readonly cost: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly whole: Int32Array;
  readonly rowLower: Float64Array;
  readonly rowUpper: Float64Array;
  readonly rowOffset: Int32Array;
  readonly termVariable: Int32Array;
  readonly termCoefficient: Float64Array;
}

/** What a thread is given. */
export interface SolverTask {
  readonly arrays: ProgramArrays;
  readonly limits: SolveLimits;
}

/** What it tells: how far it is, a solution better than all before, the end. */
export type SolverMessage =
  | { readonly progress: SolverProgress }
  | { readonly improved: LinearSolution }
  | { readonly solution: LinearSolution };

/** Solver seconds between two reports, unless something better was found. */
const sayEverySeconds = 0.2;

const largestForSimplex = 20_000;

/** A programme as arrays. */
export function programArrays(program: LinearProgram, objective: number): ProgramArrays {
  const cost = new Float64Array(program.variableCount);
  for (const [variable, coefficient] of program.objectives[objective]!.terms) cost[variable]! += coefficient;
  return {
    cost,
    lower: program.lower.toArray(),
    upper: program.upper.toArray(),
    whole: program.whole.toArray(),
    rowLower: program.rowLower.toArray(),
    rowUpper: program.rowUpper.toArray(),
    rowOffset: program.rowOffset.toArray(),
    termVariable: program.termVariable.toArray(),
    termCoefficient: program.termCoefficient.toArray(),
  };
}

/** The solver, ready for programmes one after the other: about 0.1 s and 3.5 MB. */
export async function loadHighs(): Promise<Highs> {
  return await load();
}

/**
 * Solves.
 * @param say told now and then how a search with whole variables goes
 * @param better told of solutions better than all before
 */
export function runHighs(
  highs: Highs,
  arrays: ProgramArrays,
  limits: SolveLimits,
  say: (progress: SolverProgress) => void = () => {},
  better: (solution: LinearSolution) => void = () => {},
): LinearSolution {
  const numCols = arrays.cost.length;
  const numRows = arrays.rowLower.length;
  const model = highs.createModel({
    numCols,
    numRows,
    colCost: arrays.cost,
    colLower: arrays.lower,
    colUpper: arrays.upper,
    rowLower: arrays.rowLower,
    rowUpper: arrays.rowUpper,
    integrality: arrays.whole,
    matrix: {
      format: 'csr',
      numRows,
      numCols,
      starts: arrays.rowOffset,
      indices: arrays.termVariable,
      values: arrays.termCoefficient,
    },
  });
  try {
    const mixed = arrays.whole.includes(1);
    model.options.set({ output_flag: false, time_limit: limits.seconds });
    if (mixed) {
      model.options.set({ mip_rel_gap: 1e-9, mip_abs_gap: 1e-9 });
      if (limits.start !== undefined) model.setSolution({ colValue: limits.start });
      let nextSeconds = 0;
      let lastObjective = NaN;
      const offered = limits.offered === undefined ? null : new OfferedSolutions(limits.offered);
      model.run({
        [highs.constants.callbackType.mipUserSolution]: (event) => {
          const values = offered?.take() ?? null;
          if (values !== null) event.setSolution(values);
          return undefined;
        },
        [highs.constants.callbackType.mipImprovingSolution]: ({ data }) => {
          if (data.mip_solution !== undefined)
            better({
              status: 'feasible',
              objective: data.objective_function_value ?? Infinity,
              bound: data.mip_dual_bound ?? -Infinity,
              values: data.mip_solution,
            });
          return undefined;
        },
        // the callback for logs comes with output alone
        [highs.constants.callbackType.mipInterrupt]: ({ data }) => {
          const seconds = data.running_time ?? 0;
          const objective = data.mip_primal_bound ?? Infinity;
          if (seconds < nextSeconds && objective === lastObjective) return undefined;
          nextSeconds = seconds + sayEverySeconds;
          lastObjective = objective;
          // without any solution or bound yet the values are infinite, or as large as a double can be
          say({
            seconds,
            objective: objective < 1e300 ? objective : Infinity,
            bound: Math.max(0, data.mip_dual_bound ?? 0),
          });
          return undefined;
        },
      });
    } else {
      // simplex is exact to the last digits, but takes minutes where the interior point method takes seconds
      if (numCols > largestForSimplex) model.options.set({ solver: 'ipm', run_crossover: 'off' });
      model.run();
    }
    return readSolution(highs, model, mixed);
  } finally {
    model.dispose();
  }
}

function readSolution(highs: Highs, model: ReturnType<Highs['createModel']>, mixed: boolean): LinearSolution {
  const status = model.getModelStatus();
  const { modelStatus, solutionStatus } = highs.constants;
  const feasible = model.info.get('primal_solution_status') === solutionStatus.feasible;
  if (status === modelStatus.infeasible)
    return { status: 'infeasible', objective: Infinity, bound: Infinity, values: null };
  const optimal = status === modelStatus.optimal;
  const dual = mixed ? Number(model.info.get('mip_dual_bound')) : -Infinity;
  if (!feasible) return { status: 'none', objective: Infinity, bound: dual, values: null };
  const objective = model.getObjectiveValue();
  return {
    status: optimal ? 'optimal' : 'feasible',
    objective,
    bound: mixed ? Math.min(dual, objective) : optimal ? objective : -Infinity,
    values: Float64Array.from(model.getSolution().colValue),
  };
}
