// Makes tables by any algorithm of routes, with what limits and watches it given as a value.
// Invariant: a search that is asked to end returns the best tables so far. Without a place to search in (threads) it
// searches where it is called, and the caller has to wait.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { solveAdaptiveBounds } from '../../exact/adaptive-bound.js';
import { anyWaysSize } from '../../exact/any-ways.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { SolvedBounds } from '../../optimization/evaluate-routes.js';
import { aggregateByLeaf } from '../../optimization/leaf-traffic.js';
import { withDetours } from '../../routing/detours.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { layeredLanes } from '../../routing/lane-layers.js';
import { requireTree } from './fabric-input.js';
import { searchOffsets } from './make-offsets.js';
import { computeExact, type RouteSolver } from './exact-routes.js';
import {
  computeTables,
  exactAlgorithms,
  generalAlgorithms,
  isExact,
  isSearch,
  laneNote,
  lanesOf,
  mostLanes,
  ofOffsets,
  refuseSeveralLids,
  searchTables,
  type ComputedTables,
  type ExactAlgorithm,
  type RouteAlgorithm,
  type SearchAlgorithm,
  type SearchSettings,
} from './route-algorithms.js';
import { keepHistory, type SearchControl, type SearchHistory, type SearchState } from './search-control.js';

/** What making tables needs of the world. */
export interface RouteHost extends SearchControl {
  /** CPU seconds that this process has used; 0 always where nobody knows */
  cpuSeconds(): number;
  /** settled when searches are to end with the best so far; of one who never asks for that it is never settled */
  readonly whenStopped: Promise<unknown>;
  /** solves linear programmes; null = the exact algorithms are refused */
  readonly solver: RouteSolver | null;
  /** carries out a search somewhere else, as in threads; left out: it is carried out here */
  readonly search?: SearchElsewhere;
}

/** Carries out a search and says what CPU time it took. */
export type SearchElsewhere = (
  algorithm: SearchAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
) => Promise<ComputedTables & { readonly cpuSeconds: number }>;

/** Tables with how they were made. */
export interface MadeTables extends ComputedTables {
  readonly tables: ForwardingTables;
  /** CPU time of the algorithm, all threads */
  readonly cpuSeconds: number;
  /** adaptive bounds that were solved on the way */
  readonly bounds?: SolvedBounds;
  /** what a solver reported over time, if one searched for the whole problem */
  readonly solver?: { readonly seconds: number; readonly trace: SearchHistory };
}

/**
 * Makes tables.
 * @param settings with traffic, unless the algorithm needs none
 * @throws InputError if the algorithm does not route this fabric or this traffic, or needs a solver and there is none
 */
export async function makeTables(
  algorithm: RouteAlgorithm | ExactAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  host: RouteHost,
): Promise<MadeTables> {
  const startMs = host.wallMs();
  const made = await makeGiven(algorithm, source, settings, host);
  if (algorithm === 'weft' && source.noTree !== null) {
    const secondsLeft = settings.seconds - (host.wallMs() - startMs) / 1000;
    return withLanesAndBound(source, made, { ...settings, seconds: secondsLeft }, host);
  }
  return completedByDetours.has(algorithm) ? withDetourNotes(source, made) : made;
}

/** The most variables of the linear programme that bounds all ways: some seconds for HiGHS. */
const mostBoundVariables = 40_000;
/** With less time it is not begun. */
const leastBoundSeconds = 0.5;

/**
 * Lanes of tables of a fabric that is no tree, and, unless its bound is met, what a linear programme says of all ways.
 * @param settings `seconds` are those that the search left
 */
async function withLanesAndBound(
  { tree }: RoutedFabric,
  made: MadeTables,
  { traffic, seconds }: SearchSettings,
  { solver, whenStopped, stopRequested }: RouteHost,
): Promise<MadeTables> {
  const lanes = lanesOf(made.tables);
  const notes = [...made.notes, ...(lanes.count === 1 ? [] : [laneNote(lanes)])];
  const isProven = made.search !== undefined && made.search.provenWork !== null;
  if (isProven || solver === null || stopRequested()) return { ...made, lanes, notes };
  const withoutProgramme = (why: string): MadeTables => ({
    ...made,
    lanes,
    notes: [...notes, `the bound is that of cuts and distances: ${why}`],
  });
  if (seconds < leastBoundSeconds)
    return withoutProgramme('no time is left for the linear programme (weft route evaluate --adaptive-bound lp)');
  const size = Math.max(...traffic!.phases.map(({ matrix }) => anyWaysSize(aggregateByLeaf(tree, matrix))));
  if (size > mostBoundVariables) return withoutProgramme(`${size} variables are too many`);
  const solved = await solveAdaptiveBounds(tree, traffic!, solver.solver(), seconds, whenStopped);
  return solved === null
    ? withoutProgramme('the linear programme was not solved in time')
    : { ...made, lanes, notes, bounds: solved };
}

/** Algorithms of up-down ways whose tables get detours for what these do not reach; ftree's are OpenSM's. */
const completedByDetours: ReadonlySet<RouteAlgorithm | ExactAlgorithm> = new Set([
  'random',
  'dmodk',
  'afar',
  'weft',
  ...exactAlgorithms,
]);

/** Tables of up-down ways with detours for what these do not reach, if there is any, and notes that say so. */
export function withDetourNotes<T extends ComputedTables>(source: RoutedFabric, made: T): T {
  if (made.offsets !== undefined) return withOffsetDetours(source, made);
  const { tree } = source;
  const detours = withDetours(tree, made.tables);
  if (detours === null || detours.pairs === 0) return made;
  const { tables, lanes, pairs, averageSwitches, mostSwitches } = detours;
  const notes = [
    `${pairs} pairs (leaf, host) have no up-down way and take detours over ${averageSwitches.toFixed(1)} switches on average, ${mostSwitches} at most`,
    ...(lanes.count === 1
      ? []
      : [`detours need ${lanes.count} virtual lanes, which a file of tables does not hold: on one they may deadlock`]),
  ];
  return { ...made, tables, lanes, notes: [...made.notes, ...notes] };
}

/** The same for every LID offset, with lanes for all of them together; where these are too few all have the first one's. */
function withOffsetDetours<T extends ComputedTables>({ tree }: RoutedFabric, made: T): T {
  const found = made.offsets!.map((tables) => withDetours(tree, tables));
  const [first] = found;
  if (first === null || first === undefined || first.pairs === 0) return made;
  const own = found.map((detours) => detours!.tables);
  const lanes = layeredLanes(own, mostLanes);
  const note = `${first.pairs} pairs (leaf, host) have no up-down way and take detours, by each of ${own.length} LIDs`;
  if (lanes === null) {
    const alike = own.map(() => first.tables);
    const { lanes: alone } = first;
    const same = { count: alone.count, levels: (from: number, host: number) => alone.levels(from, host) };
    const why = `all LIDs have the ways of the first: others would need more than ${mostLanes} lanes`;
    return { ...made, ...ofOffsets(alike), lanes: same, notes: [...made.notes, note, why] };
  }
  const more = lanes.count === 1 ? [] : [laneNote(lanes)];
  return { ...made, ...ofOffsets(own), lanes, notes: [...made.notes, note, ...more] };
}

async function makeGiven(
  algorithm: RouteAlgorithm | ExactAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  host: RouteHost,
): Promise<MadeTables> {
  const startSeconds = host.cpuSeconds();
  const spent = (): number => host.cpuSeconds() - startSeconds;
  if ((isExact(algorithm) || isSearch(algorithm)) && settings.traffic === null)
    throw InputError.at('missing-traffic', '--algorithm', wholeFile, `${algorithm} routes for given traffic`, {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
  if (!generalAlgorithms.includes(algorithm)) requireTree(source);
  if (algorithm !== 'weft' || source.noTree !== null) {
    const what = algorithm === 'weft' ? 'weft on what is no fat tree' : algorithm;
    if (isExact(algorithm) || isSearch(algorithm))
      refuseSeveralLids(source, what, 'minhop, updn, sssp, dfsssp and, on fat trees, weft route several');
  }
  if (isExact(algorithm)) return solveTables(algorithm, source, settings, host, spent);
  if (!isSearch(algorithm)) {
    const made = computeTables(algorithm, source, settings.seed);
    return { ...made, cpuSeconds: spent() };
  }
  const { search } = host;
  const one = async (own: SearchSettings): Promise<ComputedTables & { readonly cpuSeconds: number }> => {
    if (search !== undefined) return search(algorithm, source, own);
    const from = host.cpuSeconds();
    const made = searchTables(algorithm, source, own, host);
    return { ...made, cpuSeconds: host.cpuSeconds() - from };
  };
  return hostLidCount(source.fabric, source.identity) === 1 ? one(settings) : searchOffsets(source, settings, one);
}

async function solveTables(
  algorithm: ExactAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  host: RouteHost,
  spent: () => number,
): Promise<MadeTables> {
  const { solver, whenStopped, wallMs } = host;
  if (solver === null)
    throw InputError.at('no-solver', '--algorithm', wholeFile, `${algorithm} needs a solver of linear programmes`, {
      hint: 'ftree, random, dmodk, afar and weft need none',
    });
  const trace: SearchHistory = { seconds: [], incumbent: [], bound: [], stage: [] };
  const startMs = wallMs();
  const seconds = (): number => (wallMs() - startMs) / 1000;
  const report = (state: SearchState): void => {
    keepHistory(trace, seconds(), state);
    host.report(state);
  };
  const made = await computeExact(algorithm, source, settings, { ...host, report }, solver, whenStopped);
  return {
    ...made,
    cpuSeconds: spent(),
    ...(algorithm === 'partitioned-binary' ? {} : { solver: { seconds: seconds(), trace } }),
  };
}
