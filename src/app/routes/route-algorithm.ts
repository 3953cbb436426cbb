// What an algorithm of `weft route compute` is: an entry of the catalogue (algorithms/catalogue.ts). Help, what is
// refused, names in messages and the library's types follow from the entries.
// Invariant: tables are always by LID offset; where hosts have one LID there is one set.

import { InputError } from '../../base/diagnostics.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { SearchEnd } from '../../optimization/best-search.js';
import type { LidUse } from '../../optimization/lid-use.js';
import type { SearchTrace } from '../../optimization/optimize-routes.js';
import type { HotThreshold } from '../../optimization/route-score.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { layeredLanes } from '../../routing/lane-layers.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import type { SearchControl } from './search-control.js';
import type { LinearSolver, SolverProgress } from '../../exact/linear-solver.js';

/** Options of one algorithm or another, as the command line has them. */
export type OwnOption =
  | '--objective'
  | '--work'
  | '--patience'
  | '--workers'
  | '--background'
  | '--most-changes'
  | '--solver'
  | '--trace-figure';

interface AlgorithmFacts {
  /** as users write it; what it does, in a few words for `--help` */
  readonly name: string;
  readonly about: string;
  /** options that it heeds beside those of all */
  readonly heeds?: readonly OwnOption[];
  /** it routes any fabric; left out: fat trees alone */
  readonly anyFabric?: boolean;
  /** what its up-down ways do not reach gets detours (routing/detours.ts) */
  readonly detours?: boolean;
}

/** Tables from a fabric alone, for all LIDs of its hosts. */
export interface FabricAlgorithm extends AlgorithmFacts {
  readonly kind: 'fabric';
  /** @throws InputError if it does not route this fabric */
  readonly make: (source: RoutedFabric, seed: number) => FabricTables;
}

/** Searches for given traffic until it is done or its time is over; may be carried out in a thread. */
export interface SearchingAlgorithm extends AlgorithmFacts {
  readonly kind: 'search';
  /** for hosts with one LID; with several each LID is a host of its own, if `severalLids` */
  readonly make: (source: RoutedFabric, settings: SearchSettings, control: SearchControl) => ComputedTables;
  /** whether it searches ways for every LID of a host (make-offsets.ts) */
  readonly severalLids?: boolean;
}

/** Solves programmes with whole variables for given traffic. */
export interface SolvingAlgorithm extends AlgorithmFacts {
  readonly kind: 'exact';
  /** whether the solver's incumbents and bounds are those of the whole problem */
  readonly isWhole: boolean;
  /** @throws InputError if the problem is too large; what the solver throws */
  readonly make: (source: RoutedFabric, settings: SearchSettings, control: SolvingControl) => Promise<ComputedTables>;
}

/** What solves linear programmes for routes: a program outside, or one in a thread of the host. */
export interface RouteSolver {
  /** A solver that begins anew. @param say told how far it is with a programme */
  solver(say?: (progress: SolverProgress) => void): LinearSolver;
  /** what might get further than it did, in sentences for people */
  notes(): readonly string[];
}

/** @throws InputError if there is no solver @param what needs one, and where it was asked for */
export function requireSolver(solver: RouteSolver | null, option: string, what: string): RouteSolver {
  if (solver !== null) return solver;
  throw InputError.about('no-solver', option, `${what} needs a solver of linear programmes`, {
    hint: 'ftree, random, dmodk, afar and weft need none',
  });
}

/** What solving needs of the world. */
export interface SolvingControl extends SearchControl {
  readonly solver: RouteSolver;
  /** settled when the search is to end */
  readonly whenStopped: Promise<unknown>;
}

export type AlgorithmEntry = FabricAlgorithm | SearchingAlgorithm | SolvingAlgorithm;

/** What a search is for and what limits it. */
export interface SearchSettings {
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** wall-clock time after which a search ends */
  readonly seconds: number;
  /** work after which `weft` ends; Infinity = only the clock and its own patience end it */
  readonly mostWork: number;
  /** tables in use; null = none were given */
  readonly current: TablesByOffset | null;
  /** entries of `current` that `weft` may change; null = all */
  readonly mostChanges: number | null;
  /** above what a link between switches is hot */
  readonly threshold: HotThreshold;
  /** the first objective is as few links between switches above this load as can be; null or left out: the largest load */
  readonly fewestAbove?: number | null;
  /** how long `weft` goes on without finding anything better, against the usual; 1 if not given */
  readonly patience?: number;
  /** searches of `weft` at the same time, each in a thread; 1 if not given */
  readonly workers?: number;
  /** loads of other traffic, by sending port; null = none */
  readonly background?: Float64Array | null;
  /** tables to begin with in place of the search's own; beside `current` */
  readonly begin?: ForwardingTables;
  /** how the LIDs of hosts are used, if they have several; `spread` if left out */
  readonly lidUse?: LidUse;
}

/** Tables, and how they were made. */
export interface ComputedTables {
  readonly tables: TablesByOffset;
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

/** Tables with the CPU time of the algorithm, all threads. */
export interface TimedTables extends ComputedTables {
  readonly cpuSeconds: number;
}

/** How a search of `weft` went. */
export interface SearchReport extends SearchEnd {
  readonly work: number;
  /** why it ended, in words */
  readonly end: string;
  /** when it came to which load */
  readonly trace: SearchTrace;
}

/** What an algorithm makes of a fabric alone. */
export type FabricTables = Pick<ComputedTables, 'tables' | 'lanes' | 'notes'>;

/** Tables of every LID offset. @param make those of one */
export function eachOffset(
  { fabric, identity }: RoutedFabric,
  make: (offset: number) => ForwardingTables,
): FabricTables {
  return { tables: Array.from({ length: hostLidCount(fabric, identity) }, (_, offset) => make(offset)), notes: [] };
}

/** @throws InputError if hosts have several LIDs, which something does not do */
export function refuseSeveralLids({ fabric, identity, name }: RoutedFabric, what: string, why: string): void {
  const lids = hostLidCount(fabric, identity);
  if (lids === 1) return;
  throw InputError.about('several-lids', name, `${what} is for hosts with one LID: ${why}`, {
    got: `LMC ${31 - Math.clz32(lids)}, ${lids} LIDs per host`,
    hint: '--lmc 0 takes the first LID of each host alone',
  });
}

/** Lanes that routes may use: data lanes of most InfiniBand switches. */
export const mostLanes = 8;

/** Lanes that free tables of deadlock, with a note if there are several; null if they need more than there are. */
export function lanesFor(
  tables: TablesByOffset,
): (Pick<FabricTables, 'notes'> & { readonly lanes: FlowLevels }) | null {
  const lanes = layeredLanes(tables, mostLanes);
  if (lanes === null) return null;
  const note = `free of deadlock on ${lanes.count} lanes: hosts have to send by the service level of their flow`;
  return { lanes, notes: lanes.count === 1 ? [] : [note] };
}
