// Algorithms that solve programmes with whole variables: Basic MCF, Partitioned Binary, and Combined, which is both at
// once (exact/).

import { InputError, wholeFile } from '../../../base/diagnostics.js';
import { BasicMcf } from '../../../exact/basic-mcf.js';
import { dissertationLimits, routeBasicMcf, routeCombined, type SolvedRoutes } from '../../../exact/combined.js';
import type { LinearSolver } from '../../../exact/linear-solver.js';
import { routePartitioned } from '../../../exact/partitioned-binary.js';
import { inSolverUnits } from '../../../exact/solver-units.js';
import type { FatTree } from '../../../fabric/fat-tree.js';
import type { RoutedFabric } from '../../../fabric/routed-fabric.js';
import type { Traffic } from '../../../flows/traffic/matrix.js';
import { routableTraffic, type LeafTraffic } from '../../../optimization/leaf-traffic.js';
import { routeDmodK } from '../../../routing/d-mod-k.js';
import type { ForwardingTables } from '../../../routing/forwarding-tables.js';
import type { ComputedTables, SearchSettings, SolvingAlgorithm, SolvingControl } from '../route-algorithm.js';
import { ftreeOrNull } from './ftree.js';

/** The most variables T that HiGHS is given: about 1 GB and far more than it can search. */
const mostFlows = 400_000;

export const basicMcf = {
  kind: 'exact',
  name: 'basic-mcf',
  about: 'an integer programme for HiGHS (needs --traffic): the whole problem, with a proof, for some 64 hosts',
  heeds: ['--solver', '--trace-figure'],
  detours: true,
  isWhole: true,
  make: (source, settings, control) =>
    solveWhole(source, settings, control, (start, solver) =>
      routeBasicMcf(source.tree, settings.traffic!, start, solver, settings.seconds, control.whenStopped),
    ),
} as const satisfies SolvingAlgorithm;

export const combinedMcf = {
  kind: 'exact',
  name: 'combined',
  about: 'basic-mcf and partitioned-binary at once, which help each other (needs --traffic)',
  heeds: ['--solver', '--trace-figure'],
  detours: true,
  isWhole: true,
  make: (source, settings, control) =>
    solveWhole(source, settings, control, (start, solver) =>
      routeCombined(source.tree, settings.traffic!, start, solver, control.solver.solver(), {
        seconds: settings.seconds,
        clock: () => control.wallMs() / 1000,
        stopped: control.whenStopped,
      }),
    ),
} as const satisfies SolvingAlgorithm;

export const partitionedBinary = {
  kind: 'exact',
  name: 'partitioned-binary',
  about: 'integer programmes for HiGHS, layer by layer (needs --traffic)',
  heeds: ['--solver'],
  detours: true,
  isWhole: false,
  make: async (source, { traffic, seconds }, { wallMs, report, stopRequested, whenStopped, solver }) => {
    const endMs = wallMs() + 1000 * seconds;
    // what a sub-problem comes to is not what the routes come to: it is part of the stage
    let step = '';
    const say = (stage: string): void => report({ stage, incumbent: Infinity, bound: null });
    const parts = solver.solver(({ objective, bound }) => {
      say(`${step}${Number.isFinite(objective) ? ` (${short(objective)}, bound ${short(bound)})` : ''}`);
    });
    const { tables, steps, optimalSteps } = await routePartitioned(source.tree, traffic!, startOf(source), parts, {
      ...dissertationLimits,
      secondsLeft: () => (stopRequested() ? 0 : (endMs - wallMs()) / 1000),
      cancelled: whenStopped,
      say: (name) => say((step = name)),
    });
    const notes = [`${optimalSteps} of ${steps} sub-problems solved to the optimum`];
    return { tables: [tables], notes: optimalSteps < steps ? [...notes, ...solver.notes()] : notes };
  },
} as const satisfies SolvingAlgorithm;

/** Solves the whole problem and tells how far the solver is. @throws InputError if it is too large */
async function solveWhole(
  source: RoutedFabric,
  { traffic }: SearchSettings,
  { report, stopRequested, solver }: SolvingControl,
  solve: (start: ForwardingTables, solver: LinearSolver) => Promise<SolvedRoutes>,
): Promise<ComputedTables> {
  refuseLarge(source.tree, traffic!, mostFlows);
  const { unit } = inSolverUnits(flowsOf(source.tree, traffic!));
  const master = solver.solver(({ objective, bound }) => {
    report({ stage: '', incumbent: unit * objective, bound: unit * bound });
  });
  const { tables, status, objective, bound, partitioned } = await solve(startOf(source), master);
  report({ stage: '', incumbent: objective, bound });
  const isProven = status === 'optimal';
  const end = stopRequested() ? 'stopped' : 'time is over';
  const known = Number.isFinite(bound) ? `solver's bound ${short(bound)}` : 'the solver told no bound';
  const notes = isProven
    ? ['the solver proved that no routes have less on the worst link between switches']
    : [`${end}; largest load between switches ${short(objective)}, ${known}`];
  if (partitioned !== null) notes.push(`Partitioned Binary came to ${short(partitioned)} between switches`);
  return { tables: [tables], notes: isProven ? notes : [...notes, ...solver.notes()] };
}

/** Refuses what would not fit. @param most variables of flow @throws InputError with a hint */
export function refuseLarge(tree: FatTree, traffic: Traffic, most: number): void {
  const flows = BasicMcf.mostFlows(tree, flowsOf(tree, traffic));
  if (flows > most)
    throw InputError.at('too-large', '--fabric', wholeFile, 'the whole problem is too large', {
      got: `${flows} variables of flow`,
      wanted: `at most ${most}`,
      hint: 'routes: --algorithm weft, partitioned-binary; files: --model relaxation, or sparser traffic',
    });
}

/** What is routed in each phase. */
export function flowsOf(tree: FatTree, { phases }: Traffic): LeafTraffic[] {
  return phases.map(({ matrix }) => routableTraffic(tree, matrix));
}

/** Complete minimal tables to begin with. */
function startOf(source: RoutedFabric): ForwardingTables {
  return ftreeOrNull(source) ?? routeDmodK(source.tree);
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
