// The algorithms of weft route compute that solve programmes with whole variables: Basic MCF, Partitioned Binary,
// Combined.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { BasicMcf } from '../../exact/basic-mcf.js';
import { dissertationLimits, routeBasicMcf, routeCombined, type SolvedRoutes } from '../../exact/combined.js';
import { routePartitioned } from '../../exact/partitioned-binary.js';
import { inSolverUnits } from '../../exact/solver-units.js';
import type { LinearSolver, SolverProgress } from '../../exact/linear-solver.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import { ftreeOrNull, type ComputedTables, type ExactAlgorithm, type SearchSettings } from './route-algorithms.js';
import type { SearchControl } from './search-control.js';

/** What solves linear programmes for routes: a program outside, or one in a thread of the host. */
export interface RouteSolver {
  /** A solver that begins anew. @param say told how far it is with a programme */
  solver(say?: (progress: SolverProgress) => void): LinearSolver;
  /** what might get further than it did, in sentences for people */
  notes(): readonly string[];
}

/** The most variables T that HiGHS is given: about 1 GB and far more than it can search. */
const mostFlows = 400_000;

/** Refuses what would not fit. @throws InputError with a hint */
export function refuseLarge(source: RoutedFabric, traffic: Traffic, most: number): void {
  const flows = BasicMcf.mostFlows(
    source.tree,
    traffic.phases.map(({ matrix }) => routableTraffic(source.tree, matrix)),
  );
  if (flows > most)
    throw InputError.at('too-large', '--fabric', wholeFile, 'the whole problem is too large', {
      got: `${flows} variables of flow`,
      wanted: `at most ${most}`,
      hint: 'routes: --algorithm weft, partitioned-binary; files: --model relaxation, or sparser traffic',
    });
}

/**
 * Computes tables.
 * @param whenStopped settled when the search is to end
 * @throws InputError if the problem is too large; what the solver throws
 */
export async function computeExact(
  algorithm: ExactAlgorithm,
  source: RoutedFabric,
  { traffic, seconds }: SearchSettings,
  { wallMs, report, stopRequested }: SearchControl,
  solvers: RouteSolver,
  whenStopped: Promise<unknown>,
): Promise<ComputedTables> {
  const { tree } = source;
  if (algorithm !== 'partitioned-binary') refuseLarge(source, traffic!, mostFlows);
  const start = ftreeOrNull(source) ?? routeDmodK(tree);
  const clock = (): number => wallMs() / 1000;
  const end = clock() + seconds;
  // what a sub-problem comes to is not what the routes come to: it is part of the stage
  let step = '';
  const parts = solvers.solver(({ objective, bound }) => {
    report({
      stage: `${step}${Number.isFinite(objective) ? ` (${short(objective)}, bound ${short(bound)})` : ''}`,
      incumbent: Infinity,
      bound: null,
    });
  });
  const { unit } = inSolverUnits(traffic!.phases.map(({ matrix }) => routableTraffic(tree, matrix)));
  const solver = solvers.solver(({ objective, bound }) => {
    report({ stage: '', incumbent: unit * objective, bound: unit * bound });
  });
  const say = (name: string): void => {
    step = name;
    if (algorithm === 'partitioned-binary') report({ stage: step, incumbent: Infinity, bound: null });
  };
  if (algorithm === 'partitioned-binary') {
    const { tables, steps, optimalSteps } = await routePartitioned(tree, traffic!, start, parts, {
      ...dissertationLimits,
      secondsLeft: () => (stopRequested() ? 0 : end - clock()),
      cancelled: whenStopped,
      say,
    });
    return {
      tables,
      notes: [
        `${optimalSteps} of ${steps} sub-problems solved to the optimum`,
        ...(optimalSteps < steps ? solvers.notes() : []),
      ],
    };
  }
  const solved =
    algorithm === 'basic-mcf'
      ? await routeBasicMcf(tree, traffic!, start, solver, seconds, whenStopped)
      : await routeCombined(tree, traffic!, start, solver, solvers.solver(), {
          seconds,
          clock,
          stopped: whenStopped,
        });
  report({ stage: '', incumbent: solved.objective, bound: solved.bound });
  return {
    tables: solved.tables,
    notes: [...notesOf(solved, stopRequested()), ...(solved.status === 'optimal' ? [] : solvers.notes())],
  };
}

function notesOf({ status, objective, bound, partitioned }: SolvedRoutes, stopped: boolean): string[] {
  const notes = [
    status === 'optimal'
      ? 'the solver proved that no routes have less on the worst link between switches'
      : `${stopped ? 'stopped' : 'time is over'}; largest load between switches ${short(objective)}, ${Number.isFinite(bound) ? `solver's bound ${short(bound)}` : 'the solver told no bound'}`,
  ];
  if (partitioned !== null) notes.push(`Partitioned Binary came to ${short(partitioned)} between switches`);
  return notes;
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
