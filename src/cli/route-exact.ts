// The algorithms of weft route compute that solve programmes with whole variables: Basic MCF, Partitioned Binary, Combined.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { BasicMcf } from '../exact/basic-mcf.js';
import { dissertationLimits, routeBasicMcf, routeCombined, type SolvedRoutes } from '../exact/combined.js';
import { routePartitioned } from '../exact/partitioned-binary.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import { aggregateByLeaf } from '../optimization/leaf-traffic.js';
import { routeDmodK } from '../routing/d-mod-k.js';
import { highsSolver } from '../solvers/highs-solver.js';
import { ftreeOrNull, type ComputedTables, type ExactAlgorithm, type SearchSettings } from './route-algorithms.js';
import type { RoutedFabric } from './route-inputs.js';
import type { SearchSession } from './search-control.js';

/** The most variables T that HiGHS is given: about 1 GB and far more than it can search. */
const mostFlows = 400_000;

/** Refuses what would not fit. @throws InputError with a hint */
export function refuseLarge(source: RoutedFabric, traffic: Traffic, most: number): void {
  const flows = BasicMcf.mostFlows(source.tree, traffic.phases.map(({ matrix }) => aggregateByLeaf(source.tree, matrix)));
  if (flows > most) throw InputError.at('too-large', '--fabric', wholeFile, 'the whole problem is too large', { got: `${flows} variables of flow`, wanted: `at most ${most}`, hint: 'routes: --algorithm weft, partitioned-binary; files: --model relaxation, or sparser traffic' });
}

/** Computes tables. @throws InputError if the problem is too large, or no routes were found in time */
export async function computeExact(algorithm: ExactAlgorithm, source: RoutedFabric, { traffic, seconds }: SearchSettings, { wallMs, report }: SearchSession): Promise<ComputedTables> {
  const { tree } = source;
  if (algorithm !== 'partitioned-binary') refuseLarge(source, traffic!, mostFlows);
  const start = ftreeOrNull(source) ?? routeDmodK(tree);
  const clock = (): number => wallMs() / 1000;
  const end = clock() + seconds;
  const solver = highsSolver(({ objective, bound }) => { report({ stage: '', incumbent: objective, bound }); });
  const sayStep = (step: string): void => { report({ stage: step, incumbent: Infinity, bound: null }); };
  if (algorithm === 'partitioned-binary') {
    const found = await routePartitioned(tree, traffic!, start, solver, { ...dissertationLimits, secondsLeft: () => end - clock(), say: sayStep });
    if (typeof found === 'string') throw InputError.at('no-routes', '--time', wholeFile, found, { hint: 'give it more --time' });
    return { tables: found.tables, notes: [`${found.optimalSteps} of ${found.steps} sub-problems solved to the optimum`] };
  }
  const solved = algorithm === 'basic-mcf' ? await routeBasicMcf(tree, traffic!, start, solver, seconds) : await routeCombined(tree, traffic!, start, solver, { seconds, clock, say: sayStep });
  report({ stage: '', incumbent: solved.objective, bound: solved.bound });
  return { tables: solved.tables, notes: notesOf(solved) };
}

function notesOf({ status, objective, bound, partitioned }: SolvedRoutes): string[] {
  const notes = [status === 'optimal' ? 'the solver proved that no routes have less on the worst link between switches' : `time is over; largest load between switches ${Number(objective.toPrecision(6))}, solver's bound ${Number(bound.toPrecision(6))}`];
  if (partitioned !== null) notes.push(`Partitioned Binary came to ${Number(partitioned.toPrecision(6))} between switches`);
  return notes;
}
