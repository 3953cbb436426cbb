// Tables in use after something failed, with new entries only where they lead no more: `weft route repair`.
// Invariant: what reading, repairing and checking cost is told apart.

import type { RepairedRoutes } from '../../report/routes/computed-routes-text.js';
import { changesByOffset, type TablesByOffset } from '../../routing/lid-offsets.js';
import { repairTables } from '../../routing/repair-tables.js';
import { requireTree } from './fabric-input.js';
import { withDetourNotes, type RouteHost } from './make-tables.js';
import type { ComputedTables } from './route-algorithm.js';
import { judged, readProblem, type ProblemRequest } from './route-problem.js';
import { loadTables, type TablesRequest } from './tables-input.js';

export type { RepairedRoutes } from '../../report/routes/computed-routes-text.js';

/** The fabric as it is now, and the tables from before. */
export interface RepairRequest extends ProblemRequest {
  readonly current: TablesRequest;
}

/**
 * Repairs tables.
 * @throws InputError if the request has mistakes, or the fabric is no fat tree
 */
export async function repairRoutes(
  request: RepairRequest,
  host: RouteHost,
): Promise<RepairedRoutes & { readonly made: { readonly tables: TablesByOffset } }> {
  let lastSeconds = host.cpuSeconds();
  const spent = (): number => {
    const before = lastSeconds;
    lastSeconds = host.cpuSeconds();
    return lastSeconds - before;
  };
  const problem = await readProblem(request, host, requireTree);
  const { source, traffic, seed, files, warnings } = problem;
  host.stage?.('reading tables');
  const current = await loadTables(files, request.current, source);
  warnings.push(...current.warnings);
  const readSeconds = spent();
  host.stage?.('repairing');
  const made = withDetourNotes<ComputedTables>(source, {
    tables: current.tables.map((tables) => repairTables(source.tree, tables)),
    notes: [],
  });
  const changes = changesByOffset(source.identity, current.tables, made.tables);
  const repairSeconds = spent();
  host.stage?.('checking');
  const found = judged(problem, made.tables, made);
  const checkSeconds = spent();
  return {
    source,
    traffic,
    seed,
    ...found,
    made,
    cpuSeconds: repairSeconds + checkSeconds,
    changedEntries: changes.reduce((sum, { entries }) => sum + entries, 0),
    changedFrom: current.name,
    changes,
    notes: made.notes,
    cpu: { readSeconds, repairSeconds, checkSeconds },
    warnings,
  };
}
