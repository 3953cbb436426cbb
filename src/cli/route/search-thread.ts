// Searches of routes in threads of their own, so that the program hears Ctrl-C and shows progress while they compute.
// Invariants: no thread outlives the call; asked to end, they return the best so far, and a thread that does not is
// ended from outside (watched-search.ts). What is sent are columns: the thread builds its own fabric, tables and
// matrices from copies.

import { Worker } from 'node:worker_threads';
import { LidTraffic } from '../../optimization/lid-use.js';
import { SparseTraffic, UniformTraffic, type Traffic, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import { bestSearch } from '../../optimization/best-search.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import { ForwardingTables } from '../../routing/forwarding-tables.js';
import {
  patienceWithThreads,
  WatchedSearch,
  type SearchOutcome,
  type ThreadPatience,
  type SearchRequest,
} from './watched-search.js';
import type { SearchAlgorithm } from '../../app/routes/algorithms/catalogue.js';
import { layeredStart } from '../../app/routes/algorithms/weft.js';
import type { SearchSettings, TimedTables } from '../../app/routes/route-algorithm.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { SearchState } from '../../app/routes/search-control.js';

/**
 * Searches, in as many threads as the settings say; the best tables of all are kept (best-search.ts).
 * @param listener told how far the search is, and says when it is to end
 * @throws Error if a thread fails, as for want of memory
 */
export async function searchInThreads(
  algorithm: SearchAlgorithm,
  source: RoutedFabric,
  { traffic, current, begin, ...settings }: SearchSettings,
  listener: SearchListener,
  { worker = new URL('./search-worker.js', import.meta.url), patience = patienceWithThreads }: ThreadOptions = {},
): Promise<TimedTables> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const proof = new SharedArrayBuffer(8);
  const startCpu = process.cpuUsage();
  const count = settings.workers ?? 1;
  const states: (SearchState | undefined)[] = [];
  const threads = Array.from({ length: count }, (_, place) => {
    const request: SearchRequest = {
      algorithm,
      source,
      settings,
      traffic: traffic!,
      current: current?.[0]?.entries ?? null,
      begin: begin?.entries ?? null,
      stop,
      place,
      proof,
    };
    return new WatchedSearch(new Worker(worker, { workerData: request }), settings.seconds, patience, (state) => {
      states[place] = state;
      listener.report(ahead(states));
    });
  });
  void listener.whenStopped.then(() => {
    Atomics.store(stop, 0, 1);
    for (const thread of threads) thread.mustEnd();
  });
  try {
    const results = await Promise.all(threads.map(({ result }) => result));
    const ended = results.flatMap((own, place) => ('left' in own ? [] : [{ ...own, place }]));
    const ftree = ftreeBegunWith(source, threads);
    if (ended.length === 0) return { ...tablesLeft(source, results, process.cpuUsage(startCpu)), ...ftree };
    const kept = ended.length === 1 ? 0 : bestSearch(ended.map(({ search }) => search!));
    const { entries, notes, place, ...rest } = ended[kept]!;
    return {
      ...rest,
      notes: count === 1 ? notes : [...notes, `the best of ${ended.length} searches, number ${place + 1}`],
      tables: [tablesFrom(source, entries)],
      ...ftree,
    };
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

/** Whom a search tells how far it is, and who says when it is to end. */
export interface SearchListener {
  report(state: SearchState): void;
  readonly whenStopped: Promise<unknown>;
}

/** For tests: another thread than that of searches, and another patience with it. */
export interface ThreadOptions {
  readonly worker?: URL;
  readonly patience?: ThreadPatience;
}

/** What is left when every thread had to be ended from outside: the best tables that one told of. */
function tablesLeft(
  source: RoutedFabric,
  results: readonly SearchOutcome[],
  { user, system }: NodeJS.CpuUsage,
): TimedTables {
  const told = results.flatMap((own) => ('left' in own && own.left !== null ? [own] : []));
  const asked = results.some((own) => 'left' in own && own.asked);
  const best = told.reduce<(typeof told)[number] | null>(
    (least, own) => (least === null || own.incumbent < least.incumbent ? own : least),
    null,
  );
  const what =
    best === null
      ? source.noTree === null
        ? "dmodk's tables"
        : 'the tables that it would have begun with'
      : best.incumbent === Infinity
        ? 'the tables that it began with'
        : 'the best tables that it had told of';
  return {
    tables: [best === null ? firstTables(source) : tablesFrom(source, best.left!)],
    notes: [
      `ended: ${asked ? 'it was stopped' : 'by --time'}, from outside, for it did not answer at once; these are ${what}`,
    ],
    outOfTime: true,
    cpuSeconds: (user + system) / 1e6,
  };
}

/** Tables that are soon made. */
function firstTables(source: RoutedFabric): ForwardingTables {
  return source.noTree === null ? routeDmodK(source.tree) : layeredStart(source);
}

/** ftree's tables, if a search began with them; null if it found that ftree refuses the fabric. */
function ftreeBegunWith(source: RoutedFabric, threads: readonly WatchedSearch[]): Pick<TimedTables, 'ftree'> {
  for (const { begun } of threads) {
    if (begun?.ftree === 'same') return { ftree: tablesFrom(source, begun.entries) };
    if (begun?.ftree === 'refused') return { ftree: null };
  }
  return {};
}

/** What the search says that is ahead. */
function ahead(states: readonly (SearchState | undefined)[]): SearchState {
  const told = states.filter((state) => state !== undefined);
  return told.reduce((best, state) => (state.incumbent < best.incumbent ? state : best));
}

/** Tables of a fabric from their entries, which are taken, not copied. */
export function tablesFrom({ fabric }: RoutedFabric, entries: Uint8Array): ForwardingTables {
  return new ForwardingTables(fabric, entries);
}

/**
 * Traffic as it was before it was sent to a thread: a copy has the columns of its matrices, but not what they can do.
 */
export function trafficFrom(copy: Traffic): Traffic {
  return { ...copy, phases: copy.phases.map(({ name, matrix }) => ({ name, matrix: matrixFrom(matrix) })) };
}

function matrixFrom(copy: TrafficMatrix): TrafficMatrix {
  if ('lids' in copy) {
    const { whole, use, lids } = copy as LidTraffic;
    return new LidTraffic(matrixFrom(whole), use, lids);
  }
  if ('offset' in copy) {
    const { hostCount, unit, offset, sources, weights } = copy as SparseTraffic;
    return new SparseTraffic(hostCount, unit, offset, sources, weights);
  }
  const { hostCount, unit, weight } = copy as UniformTraffic;
  return new UniformTraffic(hostCount, unit, weight);
}
