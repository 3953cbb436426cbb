// Tables in use after something failed, with new entries only where they lead no more: `weft route repair`.
// Invariant: what reading, repairing and checking cost is told apart.

import type { RepairedRoutes } from '../../report/routes/computed-routes-text.js';
import { checkRoutes } from '../../optimization/route-validity.js';
import { changesByOffset, type TablesByOffset } from '../../routing/lid-offsets.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { layeredStart } from './algorithms/weft.js';
import { makeTables, withDetourNotes, withEveryWay, type RouteHost } from './make-tables.js';
import { lanesFor, mostLanes, type ComputedTables } from './route-algorithm.js';
import { judged, readProblem, type ProblemRequest, type RouteProblem } from './route-problem.js';
import { readTables, searchStart, type TablesRequest } from './tables-input.js';

export type { RepairedRoutes } from '../../report/routes/computed-routes-text.js';

/** The fabric as it is now, and the tables from before. */
export interface RepairRequest extends ProblemRequest {
  readonly current: TablesRequest;
}

/** The largest load over the lower bound from which on better routes are looked for. */
const closeEnough = 1.1;
/** Work of that search (links looked at): about a CPU second. */
const searchWork = 20_000_000;

/**
 * Repairs tables. With traffic, routes near the repaired ones are searched for if these carry clearly more than the
 * bound, and taken if they carry clearly less.
 * @throws InputError if the request has mistakes
 */
export async function repairRoutes(
  request: RepairRequest,
  host: RouteHost,
): Promise<RepairedRoutes & { readonly made: { readonly tables: TablesByOffset; readonly lanes?: FlowLevels } }> {
  let lastSeconds = host.cpuSeconds();
  const spent = (): number => {
    const before = lastSeconds;
    lastSeconds = host.cpuSeconds();
    return lastSeconds - before;
  };
  const problem = await readProblem(request, host);
  const { source, traffic, seed, files, warnings } = problem;
  host.stage?.('reading tables');
  // circles are mended as other ways that lead nowhere are
  const current = await readTables(files, request.current, source);
  warnings.push(...current.warnings);
  const readSeconds = spent();
  host.stage?.('repairing');
  const mended = repaired(source, current.tables);
  const repairSeconds = spent();
  host.stage?.('checking');
  const { made, found } = await withLessLoad(problem, host, current.tables, mended);
  const changes = changesByOffset(source.identity, current.tables, made.tables);
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

/** Tables with every entry that still leads; on what is no tree, with lanes for what they need. */
function repaired(source: RoutedFabric, current: TablesByOffset): ComputedTables {
  if (source.noTree === null)
    return withDetourNotes<ComputedTables>(source, {
      tables: current.map((tables) => withEveryWay(source, tables)),
      notes: [],
    });
  const tables = current.map((own) => withEveryWay(source, own));
  const lanes = lanesFor(tables);
  if (lanes !== null) return { tables, ...lanes };
  const start = layeredStart(source);
  return {
    tables: tables.map(() => start),
    lanes: lanesFor([start])!.lanes,
    notes: [`ways in use, mended, would need more than ${mostLanes} lanes: all are laid anew`],
  };
}

/** The repaired tables, or others near them if traffic is given and they carry clearly less. */
async function withLessLoad(
  problem: RouteProblem,
  host: RouteHost,
  current: TablesByOffset,
  mended: ComputedTables,
): Promise<{ readonly made: ComputedTables; readonly found: ReturnType<typeof judged> }> {
  const { source, traffic, seed, threshold, lidUse } = problem;
  const found = judged(problem, mended.tables, mended);
  const { evaluation } = found;
  if (evaluation === null || evaluation.maxLoad <= closeEnough * evaluation.lowerBound) return { made: mended, found };
  const made = await makeTables(
    'weft',
    source,
    {
      traffic,
      seed,
      seconds: Infinity,
      mostWork: searchWork,
      // where `route compute --current` begins, so that it finds nothing better
      current: searchStart(source, current, checkRoutes(source.tree, current)),
      mostChanges: null,
      threshold,
      lidUse,
    },
    { ...host, solver: null },
  );
  const better = judged(problem, made.tables, made);
  const gain = evaluation.maxLoad / better.evaluation!.maxLoad;
  if (gain < 1.02) return { made: mended, found };
  const { lanes, tables } = made;
  const note = `mended ways alone would carry ${gain.toFixed(2)} times as much on the fullest link: others are changed as well`;
  return { made: { tables, ...(lanes === undefined ? {} : { lanes }), notes: [...mended.notes, note] }, found: better };
}
