// Makes tables by any algorithm of `weft route compute`, with progress and Ctrl-C: what compute and compare share.
// Invariant: a search that is stopped still returns tables, with the exit code that the process then ends with.

import { computeExact } from './route-exact.js';
import {
  computeTables,
  isExact,
  isSearch,
  type ComputedTables,
  type ExactAlgorithm,
  type RouteAlgorithm,
  type SearchAlgorithm,
  type SearchSettings,
} from './route-algorithms.js';
import type { RoutedFabric } from './route-inputs.js';
import type { CommandContext } from '../context.js';
import { SearchSession, type SearchHistory } from './search-control.js';
import { searchInThreads, type SearchedTables } from './search-thread.js';
import type { StageProgress } from '../stage-progress.js';

export interface MadeTables extends ComputedTables {
  /** CPU time of the algorithm, all threads */
  readonly cpuSeconds: number;
  /** what the process ends with if it was asked to stop meanwhile; null if it was not */
  readonly interrupted: number | null;
  /** what a solver reported over time, if one searched for the whole problem */
  readonly solver?: { readonly seconds: number; readonly trace: SearchHistory };
}

/**
 * Makes tables.
 * @param settings with traffic, unless the algorithm needs none
 * @throws InputError if the algorithm does not route this fabric or this traffic
 */
export async function makeTables(
  algorithm: RouteAlgorithm | ExactAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  { host, stderr }: CommandContext,
  progress: StageProgress,
): Promise<MadeTables> {
  const startSeconds = host.cpuSeconds();
  const spent = (): number => host.cpuSeconds() - startSeconds;
  if (!isExact(algorithm) && !isSearch(algorithm)) {
    progress.update(algorithm);
    const tables = computeTables(algorithm, source, settings.seed);
    return { tables, notes: [], cpuSeconds: spent(), interrupted: null };
  }
  const session = new SearchSession(algorithm, stderr, progress, () => host.wallMs());
  try {
    if (isSearch(algorithm))
      return { ...(await searchAll(algorithm, source, settings, session, spent)), interrupted: session.exitCode };
    const made = await computeExact(algorithm, source, settings, session);
    return {
      ...made,
      cpuSeconds: spent(),
      interrupted: session.exitCode,
      ...(algorithm !== 'partitioned-binary' ? { solver: { seconds: session.seconds, trace: session.history } } : {}),
    };
  } finally {
    session.close();
  }
}

/** One thread counts its own time, several have that of the process. */
async function searchAll(
  algorithm: SearchAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  session: SearchSession,
  spent: () => number,
): Promise<SearchedTables> {
  const made = await searchInThreads(algorithm, source, settings, session);
  return (settings.workers ?? 1) === 1 ? made : { ...made, cpuSeconds: spent() };
}
