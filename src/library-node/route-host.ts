// What a computation of routes needs of Node: clock, CPU time, the wish to end, and HiGHS for the exact algorithms.
// Invariant: a search runs where it is called; its caller waits. Not here: searches in several threads (`weft route`).

import type { RouteHost } from '../app/routes/make-tables.js';
import type { SearchState } from '../app/routes/search-control.js';
import { highsSolver } from '../solvers/highs-solver.js';
import { nodeHost } from '../storage/node-host.js';

/** Who ends a search, and who is told of it. */
export interface RouteHostOptions {
  /** ends searches with the best so far */
  readonly signal?: AbortSignal;
  /** called often, with what a search has found */
  readonly onProgress?: (state: SearchState) => void;
}

/** A host for `computeRoutes`: limits in time count, and the exact algorithms have a solver. */
export function routeHost({ signal, onProgress = () => {} }: RouteHostOptions = {}): RouteHost {
  const { wallMs, cpuSeconds } = nodeHost();
  return {
    wallMs,
    cpuSeconds,
    stopRequested: () => signal?.aborted === true,
    whenStopped: new Promise((resolve) => {
      if (signal?.aborted === true) resolve(null);
      else signal?.addEventListener('abort', () => resolve(null), { once: true });
    }),
    report: onProgress,
    solver: { solver: (say) => highsSolver(say), notes: () => [] },
  };
}
