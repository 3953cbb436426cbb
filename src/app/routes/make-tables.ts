// Makes tables by any algorithm of routes, with what limits and watches it given as a value.
// Invariant: a search that is asked to end returns the best tables so far. Without a place to search in (threads) it
// searches where it is called, and the caller has to wait.

import { InputError } from '../../base/diagnostics.js';
import { fail } from '../../base/fail.js';
import type { RunHost } from '../../records/run-tables.js';
import type { Host } from '../../base/host.js';
import { solveAdaptiveBounds } from '../../exact/adaptive-bound.js';
import { anyWaysSize } from '../../exact/any-ways.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { SolvedBounds } from '../../optimization/evaluate-routes.js';
import { aggregateByLeaf } from '../../optimization/leaf-traffic.js';
import { withDetours } from '../../routing/detours.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { repairAnyTables } from '../../routing/repair-any-tables.js';
import { repairTables } from '../../routing/repair-tables.js';
import { algorithmNamed, type AnyAlgorithm, type SearchAlgorithm } from './algorithms/catalogue.js';
import { requireTree } from './fabric-input.js';
import { searchLids } from './make-offsets.js';
import {
  lanesFor,
  mostLanes,
  refuseSeveralLids,
  requireSolver,
  type ComputedTables,
  type RouteSolver,
  type SearchingAlgorithm,
  type SearchSettings,
  type SolvingAlgorithm,
  type TimedTables,
} from './route-algorithm.js';
import { keepHistory, type SearchControl, type SearchHistory } from './search-control.js';

/** What computing and judging routes needs of the world. */
export interface RouteHost extends SearchControl {
  /** CPU seconds that this process has used; 0 always where nobody knows */
  cpuSeconds(): number;
  /** settled when searches are to end with the best so far; of one who never asks for that it is never settled */
  readonly whenStopped: Promise<unknown>;
  /** solves linear programmes; null = the exact algorithms are refused */
  readonly solver: RouteSolver | null;
  /** carries out a search somewhere else, as in threads; left out: it is carried out here */
  readonly search?: SearchElsewhere;
  /** reads the files that a request names; left out: there are none */
  readonly files?: Host & RunHost;
  /** told what is done next */
  readonly stage?: (text: string) => void;
  /** told that something begins that may take long and can be stopped; what it returns is called when it has ended */
  readonly watch?: (name: string, mostSeconds: number | null) => () => void;
}

/** Carries out a search and says what CPU time it took. */
type SearchElsewhere = (
  algorithm: SearchAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
) => Promise<TimedTables>;

/** Tables with how they were made. */
export interface MadeTables extends TimedTables {
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
  algorithm: AnyAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  host: RouteHost,
): Promise<MadeTables> {
  const entry = algorithmNamed(algorithm);
  if (entry.kind !== 'fabric') requireTrafficFor(algorithm, settings.traffic);
  if (entry.anyFabric !== true) requireTree(source);
  const isOffTree = entry.kind === 'search' && entry.anyFabric === true && source.noTree !== null;
  if (entry.kind === 'exact' || (entry.kind === 'search' && entry.severalLids !== true))
    refuseSeveralLids(source, algorithm, 'minhop, updn, sssp, dfsssp and weft route several');
  const startSeconds = host.cpuSeconds();
  if (entry.kind === 'fabric') {
    host.stage?.(algorithm);
    const made = { ...entry.make(source, settings.seed), cpuSeconds: host.cpuSeconds() - startSeconds };
    return entry.detours === true ? withDetourNotes(source, made) : made;
  }
  const startMs = host.wallMs();
  const close = host.watch?.(algorithm, Number.isFinite(settings.seconds) ? settings.seconds : null);
  try {
    const made =
      entry.kind === 'exact'
        ? await solved(entry, source, settings, host)
        : await searched(entry, source, settings, host);
    if (!isOffTree) return entry.kind === 'exact' ? withDetourNotes(source, made) : made;
    const secondsLeft = settings.seconds - (host.wallMs() - startMs) / 1000;
    return await withLanesAndBound(source, made, { ...settings, seconds: secondsLeft }, host);
  } finally {
    close?.();
  }
}

/** @throws InputError if there is no traffic to route for */
export function requireTrafficFor(algorithm: AnyAlgorithm, traffic: unknown): void {
  if (traffic === undefined || traffic === null)
    throw InputError.about('missing-traffic', '--algorithm', `${algorithm} routes for given traffic`, {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
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
  const { lanes, notes: laneNotes } = lanesFor(made.tables) ?? fail('tables without lanes');
  const notes = [...made.notes, ...laneNotes];
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
  const bounds = await solveAdaptiveBounds(tree, traffic!, solver.solver(), seconds, whenStopped);
  return bounds === null
    ? withoutProgramme('the linear programme was not solved in time')
    : { ...made, lanes, notes, bounds };
}

/** Tables with every entry that leads, and others where one does not. */
export function withEveryWay({ tree, noTree }: RoutedFabric, tables: ForwardingTables): ForwardingTables {
  return noTree === null ? repairTables(tree, tables) : repairAnyTables(tables);
}

/** Tables of up-down ways with detours for what these do not reach, if there is any, and notes that say so. */
export function withDetourNotes<T extends ComputedTables>({ tree }: RoutedFabric, made: T): T {
  const found = made.tables.map((tables) => withDetours(tree, tables));
  const [first] = found;
  if (first === null || first === undefined || first.pairs === 0) return made;
  const { lanes: alone, pairs, averageSwitches, mostSwitches } = first;
  const own = found.map((detours) => detours!.tables);
  const tell = (tables: MadeTables['tables'], lanes: typeof alone, notes: readonly string[]): T => ({
    ...made,
    tables,
    lanes,
    notes: [...made.notes, ...notes],
  });
  if (own.length === 1) {
    const note =
      `${pairs} pairs (leaf, host) have no up-down way and take detours over ${averageSwitches.toFixed(1)} ` +
      `switches on average, ${mostSwitches} at most`;
    const more = `detours need ${alone.count} virtual lanes, which a file of tables does not hold: on one they may deadlock`;
    return tell(own, alone, alone.count === 1 ? [note] : [note, more]);
  }
  const note = `${pairs} pairs (leaf, host) have no up-down way and take detours, by each of ${own.length} LIDs`;
  const together = lanesFor(own);
  if (together !== null) return tell(own, together.lanes, [note, ...together.notes]);
  const same = { count: alone.count, levels: (from: number, host: number) => alone.levels(from, host) };
  const why = `all LIDs have the ways of the first: others would need more than ${mostLanes} lanes`;
  return tell(
    own.map(() => first.tables),
    same,
    [note, why],
  );
}

/** Searches, for all LIDs of the hosts; on trees with detours where they are needed. */
async function searched(
  entry: SearchingAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  host: RouteHost,
): Promise<TimedTables> {
  const one = async (fabric: RoutedFabric, own: SearchSettings): Promise<TimedTables> => {
    if (host.search !== undefined) return host.search(entry.name as SearchAlgorithm, fabric, own);
    const from = host.cpuSeconds();
    const made = entry.make(fabric, own, host);
    return { ...made, cpuSeconds: host.cpuSeconds() - from };
  };
  // entries in use that point at what is gone are made anew, those that lead to switches as well
  const mends = settings.current !== null && settings.mostChanges === null;
  const finish = <T extends ComputedTables>(found: T): T => {
    const made = mends ? { ...found, tables: found.tables.map((tables) => withEveryWay(source, tables)) } : found;
    return source.noTree === null && entry.detours === true ? withDetourNotes(source, made) : made;
  };
  const made =
    hostLidCount(source.fabric, source.identity) === 1
      ? finish(await one(source, settings))
      : await searchLids(source, settings, { ...host, search: one, finish });
  const { search, notes } = made;
  if (search === undefined) return made;
  const { work, end } = search;
  return { ...made, notes: [`work ${work} (--work ${work} repeats it); ended: ${end}`, ...notes] };
}

async function solved(
  entry: SolvingAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  host: RouteHost,
): Promise<MadeTables> {
  const { wallMs, cpuSeconds } = host;
  const solver = requireSolver(host.solver, '--algorithm', entry.name);
  const trace: SearchHistory = { seconds: [], incumbent: [], bound: [], stage: [] };
  const [startMs, startCpu] = [wallMs(), cpuSeconds()];
  const made = await entry.make(source, settings, {
    ...host,
    solver,
    report: (state) => {
      keepHistory(trace, (wallMs() - startMs) / 1000, state);
      host.report(state);
    },
  });
  return {
    ...made,
    cpuSeconds: cpuSeconds() - startCpu,
    ...(entry.isWhole ? { solver: { seconds: (wallMs() - startMs) / 1000, trace } } : {}),
  };
}
