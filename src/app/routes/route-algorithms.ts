// The algorithms of `weft route compute` by name.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { fail } from '../../base/fail.js';
import { hostLidCount } from '../../fabric/identity.js';
import { collapsed, type Traffic } from '../../flows/traffic/matrix.js';
import { routeAfar } from '../../optimization/afar.js';
import type { FatTree } from '../../fabric/fat-tree.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import { routeBounds } from '../../optimization/route-bounds.js';
import type { SearchEnd } from '../../optimization/best-search.js';
import type { LidUse } from '../../optimization/lid-use.js';
import { withMinimalEntries } from '../../optimization/minimal-tables.js';
import { searchLayered } from '../../optimization/layered-search.js';
import { optimizeRoutes, type SearchTrace } from '../../optimization/optimize-routes.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { routeFtree } from '../../routing/ftree.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import { layeredLanes } from '../../routing/lane-layers.js';
import { centralSwitches, minhopByOffset, routeUpDown, upDownByOffset } from '../../routing/minhop.js';
import { routeRandom } from '../../routing/random-minimal.js';
import { routeSssp, ssspByOffset } from '../../routing/sssp.js';
import type { SearchControl } from './search-control.js';

/** The names, in the order in which they are listed. */
export const routeAlgorithms = [
  'ftree',
  'random',
  'dmodk',
  'minhop',
  'updn',
  'sssp',
  'dfsssp',
  'afar',
  'weft',
] as const;

/** Those that route any fabric, not fat trees alone. */
export const generalAlgorithms: readonly string[] = ['minhop', 'updn', 'sssp', 'dfsssp', 'weft'];

/** Lanes that `dfsssp` may use: data lanes of most InfiniBand switches. */
export const mostLanes = 8;

export type RouteAlgorithm = (typeof routeAlgorithms)[number];

/** Those that solve programmes with whole variables (exact-routes.ts). */
export const exactAlgorithms = ['basic-mcf', 'partitioned-binary', 'combined'] as const;

export type ExactAlgorithm = (typeof exactAlgorithms)[number];

/** Whether an algorithm is one of those. */
export function isExact(algorithm: RouteAlgorithm | ExactAlgorithm): algorithm is ExactAlgorithm {
  return (exactAlgorithms as readonly string[]).includes(algorithm);
}

/**
 * Those that search for given traffic until they are done or time is over.
 */
export const searchAlgorithms = ['afar', 'weft'] as const;

export type SearchAlgorithm = (typeof searchAlgorithms)[number];

/** Whether an algorithm is one of those. */
export function isSearch(algorithm: RouteAlgorithm | ExactAlgorithm): algorithm is SearchAlgorithm {
  return (searchAlgorithms as readonly string[]).includes(algorithm);
}

/** What a search is for and what limits it. */
export interface SearchSettings {
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** wall-clock time after which a search ends */
  readonly seconds: number;
  /** work after which `weft` ends; Infinity = only the clock and its own patience end it */
  readonly mostWork: number;
  /** tables in use; null = none were given */
  readonly current: ForwardingTables | null;
  /** entries of `current` that `weft` may change; null = all */
  readonly mostChanges: number | null;
  readonly threshold: number;
  /** how long `weft` goes on without finding anything better, against the usual; 1 if not given */
  readonly patience?: number;
  /** searches of `weft` at the same time, each in a thread; 1 if not given */
  readonly workers?: number;
  /** loads of other traffic, by sending port; null = none */
  readonly background?: Float64Array | null;
  /** which LID of a host tables are searched for: its offset; 0 if left out */
  readonly lidOffset?: number;
  /** how the LIDs of hosts are used, if they have several; `spread` if left out */
  readonly lidUse?: LidUse;
  /** tables in use by LID offset, `current` first; left out: hosts have one LID, or none were given */
  readonly currentOffsets?: TablesByOffset;
}

/** The most moves of AFAR, and how many it makes without getting better. */
const afarLimits = { mostMoves: 1_000_000, patience: 2000 };

/** Tables, and how they were made. */
export interface ComputedTables {
  readonly tables: ForwardingTables;
  /** by LID offset, `tables` first; left out: hosts have one LID */
  readonly offsets?: TablesByOffset;
  /** lanes of flows; left out: one lane */
  readonly lanes?: FlowLevels;
  /** lines for people */
  readonly notes: readonly string[];
  /** the limit of time ended a search that would have gone on */
  readonly outOfTime?: boolean;
  /** ftree's tables, if they were made on the way; null = ftree refuses the fabric; left out: not known */
  readonly ftree?: ForwardingTables | null;
  /** how the search of `weft` went */
  readonly search?: SearchReport;
}

/** How a search of `weft` went. */
export interface SearchReport extends SearchEnd {
  readonly work: number;
  /** when it came to which load */
  readonly trace: SearchTrace;
}

/** What an algorithm makes of a fabric alone. */
type FabricTables = Pick<ComputedTables, 'tables' | 'offsets' | 'lanes' | 'notes'>;

/**
 * Computes tables from a fabric alone, for all LIDs of its hosts, with lanes if the algorithm knows any.
 * @throws InputError if the algorithm does not route this fabric
 */
export function computeTables(
  algorithm: Exclude<RouteAlgorithm, SearchAlgorithm>,
  source: RoutedFabric,
  seed: number,
): FabricTables {
  const { fabric, identity, tree } = source;
  const lids = hostLidCount(fabric, identity);
  const each = (make: (offset: number) => ForwardingTables): FabricTables =>
    alone(Array.from({ length: lids }, (_, offset) => make(offset)));
  switch (algorithm) {
    case 'random':
      return each((offset) => routeRandom(tree, seed, offset));
    case 'dmodk':
      return each((offset) => routeDmodK(tree, offset));
    case 'ftree':
      refuseSeveralLids(source, 'ftree', 'OpenSM routes by minhop where LMC is above 0');
      return alone([ftreeOf(source)]);
    case 'minhop':
      return alone(minhopByOffset(fabric, identity));
    case 'updn':
      return alone(upDownOf(source));
    case 'sssp':
      return alone(ssspByOffset(fabric, identity));
    case 'dfsssp':
      return layeredOf(source);
  }
}

/** @throws InputError if hosts have several LIDs, which something does not do */
export function refuseSeveralLids({ fabric, identity, name }: RoutedFabric, what: string, why: string): void {
  const lids = hostLidCount(fabric, identity);
  if (lids === 1) return;
  throw InputError.at('several-lids', name, wholeFile, `${what} is for hosts with one LID: ${why}`, {
    got: `LMC ${31 - Math.clz32(lids)}, ${lids} LIDs per host`,
    hint: '--lmc 0 takes the first LID of each host alone',
  });
}

/** Tables that need one lane and no word. */
function alone(offsets: TablesByOffset): FabricTables {
  return { ...ofOffsets(offsets), notes: [] };
}

/** Tables by LID offset as they are handed on: `offsets` only where there are several. */
export function ofOffsets(offsets: TablesByOffset): Pick<ComputedTables, 'tables' | 'offsets'> {
  return offsets.length === 1 ? { tables: offsets[0]! } : { tables: offsets[0]!, offsets };
}

function upDownOf({ fabric, identity, roots, tree, name }: RoutedFabric): TablesByOffset {
  const top = roots.length > 0 || centralSwitches(fabric).length > 0 ? roots : tree.isTree ? topOf(tree) : [];
  const tables = upDownByOffset(fabric, identity, top);
  if (tables !== null) return tables;
  throw InputError.at('no-roots', name, wholeFile, 'updn finds no switch that looks like the top of a tree', {
    hint: 'OpenSM would fall back to minhop; give --roots FILE with the GUIDs of switches to go up to, or --algorithm dfsssp',
  });
}

function topOf(tree: FatTree): number[] {
  return Array.from(tree.switches[tree.levels - 1]!);
}

function layeredOf({ fabric, identity, name }: RoutedFabric): FabricTables {
  const offsets = ssspByOffset(fabric, identity);
  const lanes = layeredLanes(offsets, mostLanes);
  if (lanes === null)
    throw InputError.at('too-few-lanes', name, wholeFile, `dfsssp needs more than ${mostLanes} lanes`, {
      hint: 'updn with --roots FILE needs one',
    });
  return { ...ofOffsets(offsets), lanes, notes: lanes.count === 1 ? [] : [laneNote(lanes)] };
}

/** What lanes ask of hosts. */
export function laneNote({ count }: FlowLevels): string {
  return `free of deadlock on ${count} lanes: hosts have to send by the service level of their flow`;
}

/** Searches for tables for the traffic of the settings. */
export function searchTables(
  algorithm: SearchAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  control: SearchControl,
): ComputedTables {
  if (algorithm === 'afar') return afar(source, settings, control);
  return source.noTree === null ? weft(source, settings, control) : layered(source, settings, control);
}

function ftreeOf({ fabric, identity, roots, name }: RoutedFabric): ForwardingTables {
  const made = routeFtree(fabric, identity, roots);
  if (made instanceof ForwardingTables) return made;
  throw InputError.at('ftree-refuses', name, wholeFile, `ftree does not route this fabric: ${made.refusal}`, {
    ...(made.nodes.length > 0 ? { got: made.nodes.map((node) => identity.nodeName[node]).join(', ') } : {}),
    hint: 'OpenSM would fall back to minhop; give --roots FILE with the GUIDs of the top level, or another --algorithm',
  });
}

/** ftree's tables, with the recognised top level as roots where it refuses otherwise; null if it still does. */
export function ftreeOrNull({ fabric, identity, roots, tree }: RoutedFabric): ForwardingTables | null {
  if (!tree.isTree) return null;
  const made = routeFtree(fabric, identity, roots);
  if (made instanceof ForwardingTables) return made;
  const again = routeFtree(fabric, identity, [...tree.switches[tree.levels - 1]!]);
  return again instanceof ForwardingTables ? again : null;
}

function afar(
  source: RoutedFabric,
  { traffic, seconds }: SearchSettings,
  { wallMs, stopRequested, report, begun, bettered }: SearchControl,
): ComputedTables {
  const ftree = ftreeOrNull(source);
  const made = withMinimalEntries(source.tree, ftree ?? routeDmodK(source.tree));
  const start = begun?.(made, ftree === null ? 'refused' : 'unknown') ?? made;
  const untilMs = wallMs() + 1000 * seconds;
  let outOfTime = false;
  const flows = routableTraffic(source.tree, collapsed(traffic!));
  const bound = routeBounds(flows).staticNet;
  const { tables, moves, finished } = routeAfar(start, flows, {
    ...afarLimits,
    stopped: (done, largest, best) => {
      report({ stage: `${done} moves`, incumbent: largest, bound });
      bettered?.(largest, () => best);
      outOfTime = wallMs() >= untilMs;
      return outOfTime || stopRequested();
    },
  });
  const end = finished
    ? 'no link can be relieved any more'
    : stopRequested()
      ? 'it was stopped'
      : outOfTime
        ? `after ${seconds} s`
        : `after ${afarLimits.patience} moves that did not help`;
  return { tables, notes: [`${moves} moves; ended: ${end}`], outOfTime, ftree };
}

/**
 * The lanes of tables of a fabric that is no tree; they follow from the tables.
 * @throws InvariantError if they need more than there are
 */
export function lanesOf(tables: ForwardingTables): FlowLevels {
  return layeredLanes(tables, mostLanes) ?? fail('tables without lanes');
}

/** Tables to begin with on a fabric that is no tree: dfsssp's, or, where these need too many lanes, up and down from a root. */
export function layeredStart({ fabric, identity, roots }: RoutedFabric): ForwardingTables {
  const shortest = routeSssp(fabric, identity);
  if (layeredLanes(shortest, mostLanes) !== null) return shortest;
  const [first] = shortest.switches;
  return routeUpDown(fabric, identity, roots.length > 0 ? roots : [first!]) ?? fail('no up*/down* ways');
}

function layered(
  source: RoutedFabric,
  { traffic, seed, seconds, mostWork, threshold, patience }: SearchSettings,
  { wallMs, stopRequested, report, begun, bettered, rivals }: SearchControl,
): ComputedTables {
  const made = layeredStart(source);
  const start = begun?.(made, 'refused') ?? made;
  const untilMs = wallMs() + 1000 * seconds;
  let outOfTime = false;
  const { tables, work, proven, provenWork, score, trace } = searchLayered(source.tree, traffic!, start, mostLanes, {
    seed,
    mostWork,
    thresholdShare: threshold,
    patience: patience ?? 1,
    place: rivals?.place ?? 0,
    stopped: ({ incumbent, bound, stage, work: done, provenWork: proof, best }) => {
      report({ stage, incumbent, bound });
      bettered?.(incumbent, best);
      outOfTime = wallMs() >= untilMs;
      if (proof !== null) rivals?.proof.found(proof);
      return outOfTime || stopRequested() || rivals?.proof.isLate(done) === true;
    },
  });
  if (provenWork !== null) rivals?.proof.found(provenWork);
  const end = endOf(proven, stopRequested(), outOfTime, work >= mostWork, seconds);
  return {
    tables,
    notes: [`work ${work} (--work ${work} repeats it); ended: ${end}`],
    outOfTime,
    ftree: null,
    search: { work, trace, score, provenWork },
  };
}

/** Why a search ended. */
function endOf(proven: boolean, stopped: boolean, outOfTime: boolean, worked: boolean, seconds: number): string {
  if (proven) return 'the bound was met';
  if (stopped) return 'it was stopped';
  if (outOfTime) return `after ${seconds} s`;
  return worked ? 'by its work' : 'nothing better was found for long';
}

function weft(
  source: RoutedFabric,
  settings: SearchSettings,
  { wallMs, stopRequested, report, begun, bettered, rivals }: SearchControl,
): ComputedTables {
  const { traffic, seed, seconds, mostWork, current, mostChanges, threshold, patience, background } = settings;
  const lidOffset = settings.lidOffset ?? 0;
  // other LIDs begin with other ways
  const made = lidOffset > 0 ? null : ftreeOrNull(source);
  const isLimited = mostChanges !== null && current !== null;
  const first = made ?? routeDmodK(source.tree, lidOffset);
  const begin = isLimited ? current : first;
  const kept = begun?.(begin, made === null ? 'refused' : isLimited ? 'unknown' : 'same') ?? begin;
  const ftree = made === null || isLimited ? made : kept;
  const starts = isLimited ? [kept] : [kept, ...(current === null ? [] : [current])];
  const untilMs = wallMs() + 1000 * seconds;
  let outOfTime = false;
  const { tables, work, proven, provenWork, score, trace } = optimizeRoutes(source.tree, traffic!, starts, {
    seed,
    mostWork,
    thresholdShare: threshold,
    patience: patience ?? 1,
    place: rivals?.place ?? 0,
    ...(background === null || background === undefined ? {} : { background }),
    ...(current === null ? {} : { near: current }),
    ...(current === null || mostChanges === null ? {} : { limit: { from: current, most: mostChanges } }),
    stopped: ({ incumbent, bound, stage, work: done, provenWork: proof, best }) => {
      report({ stage, incumbent, bound });
      bettered?.(incumbent, best);
      outOfTime = wallMs() >= untilMs;
      if (proof !== null) rivals?.proof.found(proof);
      return outOfTime || stopRequested() || rivals?.proof.isLate(done) === true;
    },
  });
  if (provenWork !== null) rivals?.proof.found(provenWork);
  const end = endOf(proven, stopRequested(), outOfTime, work >= mostWork, seconds);
  return {
    tables,
    notes: [`work ${work} (--work ${work} repeats it); ended: ${end}`],
    outOfTime,
    ftree,
    search: { work, trace, score, provenWork },
  };
}
