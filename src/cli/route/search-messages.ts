// What goes between the program and a thread of a search of routes.
// Invariant: nothing but data: columns are copied, shared memory is shared; entries of tables that a search begins with
// are such memory.

import type { SearchAlgorithm } from '../../app/routes/algorithms/catalogue.js';
import type { ComputedTables, SearchSettings } from '../../app/routes/route-algorithm.js';
import type { FtreeOfStart, SearchState } from '../../app/routes/search-control.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { EntryChanges } from '../../routing/table-changes.js';
import type { Traffic } from '../../flows/traffic/matrix.js';

/** What a thread is given: nothing but data. */
export interface SearchRequest {
  readonly algorithm: SearchAlgorithm;
  readonly source: RoutedFabric;
  readonly settings: Omit<SearchSettings, 'traffic' | 'current'>;
  readonly traffic: Traffic;
  /** entries of the tables in use; null = none */
  readonly current: Uint8Array | null;
  /** one word: 1 = end with the best so far */
  readonly stop: Int32Array;
  /** which of several searches this is, and 8 bytes that they share (SharedProof) */
  readonly place: number;
  readonly proof: SharedArrayBuffer;
}

/**
 * What a thread says: the entries of the tables that it begins with, of better ones what differs from these, how far it
 * is, what it came to.
 */
export type SearchMessage =
  | { readonly begun: Uint8Array; readonly ftree: FtreeOfStart }
  | { readonly best: EntryChanges; readonly incumbent: number }
  | { readonly state: SearchState }
  | {
      readonly result: Omit<ComputedTables, 'tables' | 'ftree'> & {
        readonly entries: Uint8Array;
        readonly cpuSeconds: number;
      };
    };
