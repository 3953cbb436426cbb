// Searches of routes in threads of their own, so that the program hears Ctrl-C and shows progress while they compute.
// Invariants: no thread outlives the call; asked to end, they return the best so far. What is sent are columns: the
// thread builds its own fabric, tables and matrices from copies.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SparseTraffic, UniformTraffic, type Traffic, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import { bestSearch } from '../../optimization/best-search.js';
import { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { ComputedTables, SearchAlgorithm, SearchSettings } from '../../app/routes/route-algorithms.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { SearchSession } from './search-session.js';
import type { SearchState } from '../../app/routes/search-control.js';

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

/** What a thread says. */
export type SearchMessage =
  | { readonly state: SearchState; readonly result?: undefined }
  | { readonly result: Omit<ComputedTables, 'tables'> & { readonly entries: Uint8Array; readonly cpuSeconds: number } };

/** Tables, and the CPU time of the search alone. */
export interface SearchedTables extends ComputedTables {
  readonly cpuSeconds: number;
}

/**
 * Searches, in as many threads as the settings say; the best tables of all are kept (best-search.ts).
 * @throws Error if a thread fails, as for want of memory
 */
export async function searchInThreads(
  algorithm: SearchAlgorithm,
  source: RoutedFabric,
  { traffic, current, ...settings }: SearchSettings,
  session: SearchSession,
): Promise<SearchedTables> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const proof = new SharedArrayBuffer(8);
  void session.whenStopped.then(() => {
    Atomics.store(stop, 0, 1);
  });
  const count = settings.workers ?? 1;
  const states: (SearchState | undefined)[] = [];
  const threads = Array.from({ length: count }, (_, place) => {
    const request: SearchRequest = {
      algorithm,
      source,
      settings,
      traffic: traffic!,
      current: current?.entries ?? null,
      stop,
      place,
      proof,
    };
    const worker = new Worker(workerFile(), { workerData: request });
    return {
      worker,
      result: resultOf(worker, (state) => {
        states[place] = state;
        session.report(ahead(states));
      }),
    };
  });
  try {
    const results = await Promise.all(threads.map(({ result }) => result));
    const kept = count === 1 ? 0 : bestSearch(results.map(({ search }) => search!));
    const { entries, notes, ...rest } = results[kept]!;
    return {
      ...rest,
      notes: count === 1 ? notes : [...notes, `the best of ${count} searches, number ${kept + 1}`],
      tables: tablesFrom(source, entries),
    };
  } finally {
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }
}

type SearchResult = NonNullable<SearchMessage['result']>;

function resultOf(worker: Worker, report: (state: SearchState) => void): Promise<SearchResult> {
  return new Promise((resolve, reject) => {
    worker.on('message', ({ state, result }: { state?: SearchState; result?: SearchResult }) => {
      if (result === undefined) report(state!);
      else resolve(result);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      reject(new Error(`the thread of the search ended with code ${code}`));
    });
  });
}

/** What the search says that is ahead. */
function ahead(states: readonly (SearchState | undefined)[]): SearchState {
  const told = states.filter((state) => state !== undefined);
  return told.reduce((best, state) => (state.incumbent < best.incumbent ? state : best));
}

/** Tables of a fabric from their entries. */
export function tablesFrom({ fabric }: RoutedFabric, entries: Uint8Array): ForwardingTables {
  const tables = new ForwardingTables(fabric);
  tables.entries.set(entries);
  return tables;
}

/**
 * Traffic as it was before it was sent to a thread: a copy has the columns of its matrices, but not what they can do.
 */
export function trafficFrom(copy: Traffic): Traffic {
  return { ...copy, phases: copy.phases.map(({ name, matrix }) => ({ name, matrix: matrixFrom(matrix) })) };
}

function matrixFrom(copy: TrafficMatrix): TrafficMatrix {
  if ('offset' in copy) {
    const { hostCount, unit, offset, sources, weights } = copy as SparseTraffic;
    return new SparseTraffic(hostCount, unit, offset, sources, weights);
  }
  const { hostCount, unit, weight } = copy as UniformTraffic;
  return new UniformTraffic(hostCount, unit, weight);
}

/** The compiled worker; from the sources (tests) that of the build beside them. */
function workerFile(): URL {
  const beside = new URL('./search-worker.js', import.meta.url);
  return existsSync(fileURLToPath(beside))
    ? beside
    : new URL('../../../dist/cli/route/search-worker.js', import.meta.url);
}
