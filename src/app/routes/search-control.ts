// What a search of routes is told and tells: how far it is, and that it has to end. Used by every algorithm that takes
// a while; whoever runs it gives the clock and the wish to end as values.
// Invariant: a search that is asked to end returns the best so far. Not modelled: threads and signals (src/cli/route).

import type { SharedProof } from '../../optimization/best-search.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';

/** How far a search is. */
export interface SearchState {
  /** what it is doing */
  readonly stage: string;
  /** largest load of the best so far, summed over phases; Infinity = nothing found yet */
  readonly incumbent: number;
  /** nothing is below that; null = not known */
  readonly bound: number | null;
}

/**
 * What the tables that a search begins with are to ftree's: the same, others because ftree refuses the fabric, or not
 * known.
 */
export type FtreeOfStart = 'same' | 'refused' | 'unknown';

/** What a search needs of the world. */
export interface SearchControl {
  readonly wallMs: () => number;
  /** true once the search has to end with the best so far; asked often */
  readonly stopRequested: () => boolean;
  /** called often */
  readonly report: (state: SearchState) => void;
  /**
   * told once, before the search looks at anything else, which tables it begins with; it does not change them
   * @returns the same entries, which the search then has in place of them: in memory that others see, or as they were
   */
  readonly begun?: (tables: ForwardingTables, ftree: FtreeOfStart) => ForwardingTables;
  /**
   * told often how good the best tables so far are, and how to get them: for those who may have to end it from outside
   */
  readonly bettered?: (incumbent: number, best: () => ForwardingTables | null) => void;
  /** other searches for the same routes, if there are any */
  readonly rivals?: Rivals;
}

/** What one of several searches knows of the others. */
interface Rivals {
  /** of this search among all, from 0 */
  readonly place: number;
  readonly proof: SharedProof;
}

/** Columns: after how many seconds what was known; a row whenever it changes. Depends on the machine. */
export interface SearchHistory {
  readonly seconds: number[];
  readonly incumbent: number[];
  readonly bound: number[];
  readonly stage: string[];
}

/** Adds a row to a history if the load or the bound is another one than before; none without a bound. */
export function keepHistory(history: SearchHistory, seconds: number, { stage, incumbent, bound }: SearchState): void {
  if (bound === null || (isSame(incumbent, history.incumbent.at(-1)) && isSame(bound, history.bound.at(-1)))) return;
  history.seconds.push(seconds);
  history.incumbent.push(incumbent);
  history.bound.push(bound);
  history.stage.push(stage);
}

/** Whether a load is the one before, but for rounding. */
function isSame(load: number, before: number | undefined): boolean {
  return before !== undefined && (load === before || Math.abs(load - before) <= 1e-9 * Math.abs(before));
}
