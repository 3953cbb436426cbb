// The health of a fabric in one operation: cables, changes since an earlier capture, counters, tables and their load,
// LIDs, and a drawing: `weft report --fabric`.
// Invariant: every file is read once, and each judgement is that of the command that makes it alone: topology check,
// route import, route evaluate.

import { Diagnostics, InputError, type Diagnostic } from '../base/diagnostics.js';
import type { Host } from '../base/host.js';
import { summariseLids } from '../fabric/lid-summary.js';
import type { RoutedFabric } from '../fabric/routed-fabric.js';
import { usualLidUse } from '../optimization/lid-use.js';
import type { HealthReport, HealthTables } from '../report/fabric-health.js';
import { healthFigure } from '../report/routes/health-figure.js';
import { checkRead, type FabricCheck, type FabricCheckRequest } from './check-fabric.js';
import { recognisedFabric, unroutedFabric, type FabricRequest } from './routes/fabric-input.js';
import type { GivenText } from './routes/file-kinds.js';
import { loadCounters, type CounterFiles } from './routes/route-counters.js';
import { checkLaneOptions, loadLevels } from './routes/route-lanes.js';
import { judged } from './routes/route-problem.js';
import { loadTables, type LoadedTables, type TablesRequest } from './routes/tables-input.js';
import { loadTraffic, type TrafficRequest } from './routes/traffic-input.js';

export type { LidSummary } from '../fabric/lid-summary.js';
export type { HealthReport, HealthTables } from '../report/fabric-health.js';
export type { CountedLink, CountedPort, LinkCounters } from '../report/routes/counter-text.js';

/** A fabric, and whatever is known of it. */
export interface FabricHealthRequest
  extends FabricCheckRequest, CounterFiles, TrafficRequest, Pick<FabricRequest, 'roots'> {
  readonly tables?: TablesRequest;
  /** service levels of pairs of hosts, and lanes of levels, as {@link evaluateTables} takes them */
  readonly lanes?: string | GivenText;
  readonly sl2vl?: string | GivenText;
}

/** What was found; null = it was not given. */
export interface CheckedFabricHealth extends HealthReport {
  readonly check: FabricCheck;
}

/** Looks at all that is known of a fabric. @throws InputError if a file has mistakes, or one is missing beside another */
export async function fabricHealth(request: FabricHealthRequest, files: Host): Promise<CheckedFabricHealth> {
  const { fabric, guid2lid, against, tables, traffic } = request;
  checkLaneOptions(request.lanes, request.sl2vl);
  if (tables === undefined && (traffic !== undefined || request.lanes !== undefined))
    throw InputError.about('missing-tables', '--tables', 'traffic and lanes say nothing without tables', {
      hint: 'add --tables FILE',
    });
  const read = await unroutedFabric(files, fabric, guid2lid);
  const check = checkRead(read, against === undefined ? null : await unroutedFabric(files, against));
  const isRouted = tables !== undefined || request.counters !== undefined || request.before !== undefined;
  const source = await recognisedFabric(files, read, request).catch((error: unknown) => {
    if (isRouted || request.roots !== undefined || !(error instanceof InputError)) throw error;
    return null;
  });
  const diagnostics = new Diagnostics();
  const counted = source === null ? null : await loadCounters(files, request, source, diagnostics);
  const given = source === null || traffic === undefined ? null : await loadTraffic(files, request, source);
  const own: Diagnostic[] = [];
  const judgedTables =
    source === null || tables === undefined
      ? null
      : await healthOfTables(request, source, given?.traffic ?? null, files, own);
  const { identity } = read;
  return {
    check,
    source,
    counters: counted?.report ?? null,
    tables: judgedTables,
    traffic: given?.traffic ?? null,
    lids: identity === null ? null : summariseLids(read.fabric, identity),
    figure:
      source?.tree.isTree === true && source.tree.levels > 1
        ? healthFigure(source, check.faultPorts, counted?.every ?? [])
        : null,
    warnings: [
      ...check.warnings,
      ...(source?.warnings.filter((warning) => !read.warnings.includes(warning)) ?? []),
      ...diagnostics.warnings,
      ...(given?.warnings ?? []),
      ...own,
    ],
  };
}

/** Tables that lead in circles are a finding here, and no mistake of the caller's. */
async function healthOfTables(
  { tables, lanes, sl2vl }: FabricHealthRequest,
  source: RoutedFabric,
  traffic: HealthReport['traffic'],
  files: Host,
  warnings: Diagnostic[],
): Promise<HealthTables> {
  let read: LoadedTables;
  try {
    read = await loadTables(files, tables!, source);
  } catch (error) {
    const loop = error instanceof InputError ? error.diagnostics.find(({ code }) => code === 'loop') : undefined;
    if (loop === undefined) throw error;
    return { name: loop.file, loop, judged: null };
  }
  const levels = lanes === undefined ? null : await loadLevels(files, lanes, sl2vl, source);
  warnings.push(...read.warnings, ...(levels?.warnings ?? []));
  const made = levels === null ? {} : { lanes: levels.levels };
  const problem = { source, traffic, seed: 1, threshold: 0.9, lidUse: usualLidUse, warnings };
  return { name: read.name, loop: null, judged: judged(problem, read.tables, made) };
}
