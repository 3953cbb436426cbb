// Makes tables at the terminal: with progress, Ctrl-C, threads and the solver that an option names. What compute and
// compare share; which algorithms there are and what they do is app/routes/.
// Invariant: a search that is stopped still returns tables, with the exit code that the process then ends with.

import {
  isExact,
  isSearch,
  type ExactAlgorithm,
  type RouteAlgorithm,
  type SearchSettings,
} from '../../app/routes/route-algorithms.js';
import { makeTables, type MadeTables } from '../../app/routes/make-tables.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { CommandContext } from '../context.js';
import type { StageProgress } from '../stage-progress.js';
import { SearchSession } from './search-session.js';
import { searchInThreads } from './search-thread.js';
import { otherSolverNotes, solverNamed, withSolverErrors, type SolverName } from './solver-option.js';

/** Tables, and how the process ends if it was asked to. */
export interface WatchedTables extends MadeTables {
  /** what the process ends with if it was asked to stop meanwhile; null if it was not */
  readonly interrupted: number | null;
}

/**
 * Makes tables and listens meanwhile.
 * @param settings with traffic, unless the algorithm needs none
 * @throws InputError if the algorithm does not route this fabric or this traffic, or the solver fails
 */
export async function makeWatched(
  algorithm: RouteAlgorithm | ExactAlgorithm,
  source: RoutedFabric,
  settings: SearchSettings,
  solver: SolverName,
  { host, stderr }: CommandContext,
  progress: StageProgress,
): Promise<WatchedTables> {
  const wallMs = (): number => host.wallMs();
  const cpuSeconds = (): number => host.cpuSeconds();
  if (!isExact(algorithm) && !isSearch(algorithm)) {
    progress.update(algorithm);
    const world = { wallMs, cpuSeconds, stopRequested: never, report: ignore, whenStopped: forever, solver: null };
    return { ...(await makeTables(algorithm, source, settings, world)), interrupted: null };
  }
  const mostSeconds = Number.isFinite(settings.seconds) ? settings.seconds : null;
  const session = new SearchSession(algorithm, stderr, progress, wallMs, mostSeconds);
  try {
    const made = await withSolverErrors(() =>
      makeTables(algorithm, source, settings, {
        wallMs,
        cpuSeconds,
        stopRequested: session.stopRequested,
        report: session.report,
        whenStopped: session.whenStopped,
        solver: { solver: (say) => solverNamed(solver, say), notes: () => otherSolverNotes(solver) },
        search: async (name, ...problem) => {
          const from = cpuSeconds();
          const found = await searchInThreads(name, ...problem, session);
          // one thread counts its own time, several have that of the process
          return (settings.workers ?? 1) === 1 ? found : { ...found, cpuSeconds: cpuSeconds() - from };
        },
      }),
    );
    return { ...made, interrupted: session.exitCode };
  } finally {
    session.close();
  }
}

const never = (): boolean => false;
const ignore = (): void => {};
const forever = new Promise<never>(() => {});
