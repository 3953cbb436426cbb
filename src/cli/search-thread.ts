// A search of routes in a thread of its own, so that the program hears Ctrl-C and shows progress while the search computes.
// Invariants: the thread never outlives the call; asked to end, it returns the best so far. What is sent are columns: the thread builds
// its own fabric, tables and matrices from copies.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SparseTraffic, UniformTraffic, type Traffic, type TrafficMatrix } from '../flows/traffic/matrix.js';
import { ForwardingTables } from '../routing/forwarding-tables.js';
import type { ComputedTables, SearchAlgorithm, SearchSettings } from './route-algorithms.js';
import type { RoutedFabric } from './route-inputs.js';
import type { SearchSession, SearchState } from './search-control.js';

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
}

/** What a thread says. */
export type SearchMessage =
  | { readonly state: SearchState; readonly result?: undefined }
  | { readonly result: Omit<ComputedTables, 'tables'> & { readonly entries: Uint8Array; readonly cpuSeconds: number } };

/** Tables, and the CPU time of the search alone. */
export interface SearchedTables extends ComputedTables {
  readonly cpuSeconds: number;
}

/** Searches. @throws Error if the thread fails, as for want of memory */
export async function searchInThread(algorithm: SearchAlgorithm, source: RoutedFabric, { traffic, current, ...settings }: SearchSettings, session: SearchSession): Promise<SearchedTables> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const request: SearchRequest = { algorithm, source, settings, traffic: traffic!, current: current?.entries ?? null, stop };
  const worker = new Worker(workerFile(), { workerData: request });
  void session.whenStopped.then(() => { Atomics.store(stop, 0, 1); });
  try {
    return await new Promise<SearchedTables>((resolve, reject) => {
      worker.on('message', ({ state, result }: { state?: SearchState; result?: (SearchMessage & { result: object })['result'] }) => {
        if (result === undefined) {
          session.report(state!);
          return;
        }
        const { entries, ...rest } = result;
        resolve({ ...rest, tables: tablesFrom(source, entries) });
      });
      worker.on('error', reject);
      worker.on('exit', (code) => { reject(new Error(`the thread of the search ended with code ${code}`)); });
    });
  } finally {
    await worker.terminate();
  }
}

/** Tables of a fabric from their entries. */
export function tablesFrom({ fabric }: RoutedFabric, entries: Uint8Array): ForwardingTables {
  const tables = new ForwardingTables(fabric);
  tables.entries.set(entries);
  return tables;
}

/** Traffic as it was before it was sent to a thread: a copy has the columns of its matrices, but not what they can do. */
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
  return existsSync(fileURLToPath(beside)) ? beside : new URL('../../dist/cli/search-worker.js', import.meta.url);
}
