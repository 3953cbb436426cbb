// What was captured from a running InfiniBand fabric (tables, counters, lanes), checked: `weft route import`; and
// tables as OpenSM is started with, if they lead everywhere: `weft route export`.
// Invariant: what is to be written leads everywhere and cannot deadlock, unless the switches have it already; OpenSM
// checks neither for omissions nor for loops.

import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { slToVl } from '../../formats/opensm-options.js';
import type { LinkCounters } from '../../report/routes/counter-text.js';
import type { PassedTables } from '../../report/routes/judged-tables.js';
import type { LoadedLanes } from '../../report/routes/lane-text.js';
import { counterFigure } from '../../report/routes/route-figure.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { SeparatedLevels } from '../../reconstruction/separated-levels.js';
import { DrawnLanes, PermutedLanes, type LaneAssignment } from '../../routing/lane-maps.js';
import { DrawnLevels } from '../../routing/service-levels.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import { requireTree, type FabricRequest } from './fabric-input.js';
import type { GivenText } from './file-kinds.js';
import type { RouteHost } from './make-tables.js';
import { loadCounters, type CounterFiles } from './route-counters.js';
import { loadLanes, loadLevels } from './route-lanes.js';
import { passedTables, readProblem } from './route-problem.js';
import { loadTables, readTables, type TablesRequest } from './tables-input.js';

/** Tables of a fabric that were checked. */
export interface CheckedTables extends PassedTables {
  readonly source: RoutedFabric;
  readonly tables: TablesByOffset;
  /** what the tables are called */
  readonly name: string;
  readonly warnings: readonly Diagnostic[];
}

/** What was captured: files. */
export interface CaptureRequest extends FabricRequest, CounterFiles {
  /** left out: none were captured */
  readonly tables?: TablesRequest;
  /** file of SL2VL tables */
  readonly sl2vl?: string;
  /** lanes that these should deal service levels out to */
  readonly virtualLanes?: number;
  /** a picture of how busy links were is wanted as well, as SVG */
  readonly figure?: boolean;
}

/** What was captured, checked; null = it was not given. */
export interface CheckedCapture extends Pick<CheckedTables, 'source' | 'warnings'> {
  readonly checked: CheckedTables | null;
  readonly counters: LinkCounters | null;
  readonly lanes: LoadedLanes | null;
  /** the picture that was asked for */
  readonly figure?: string;
}

/** Reads and checks what was captured. @throws InputError if a file has mistakes, or one is missing beside another */
export async function checkCapture(request: CaptureRequest, host: RouteHost): Promise<CheckedCapture> {
  const { figure, interval, sl2vl, virtualLanes, ...fabric } = request;
  if (figure === true && interval === undefined)
    throw InputError.about(
      'missing-counters',
      '--figure',
      'how busy links were follows from two readings of their counters',
      { hint: 'add --before FILE, --counters FILE and --interval' },
    );
  const { source, files, warnings } = await readProblem(fabric, host, figure === true ? requireTree : undefined);
  // circles are what is looked for: they are told with the rest
  const read = request.tables === undefined ? null : await readTables(files, request.tables, source);
  const diagnostics = new Diagnostics();
  const counted = await loadCounters(files, request, source, diagnostics);
  if (virtualLanes !== undefined && sl2vl === undefined)
    throw InputError.about('missing-lanes', '--virtual-lanes', 'the SL2VL tables to compare with are missing', {
      hint: 'add --sl2vl FILE',
    });
  const lanes = sl2vl === undefined ? null : await loadLanes(files, sl2vl, virtualLanes, source, diagnostics);
  if (read === null && counted === null && lanes === null)
    throw InputError.about('missing-capture', '--tables', 'there is nothing to check', {
      hint: 'add --tables FILE, --counters FILE or --sl2vl FILE; weft topology check looks at the fabric alone',
    });
  const all = [...warnings, ...(read?.warnings ?? []), ...diagnostics.warnings];
  return {
    source,
    checked:
      read === null
        ? null
        : {
            source,
            tables: read.tables,
            name: read.name,
            ...passedTables(source, read.tables),
            warnings: all,
          },
    counters: counted?.report ?? null,
    lanes,
    warnings: all,
    ...(figure === true ? { figure: counterFigure(source, interval!, counted!.every) } : {}),
  };
}

/** Tables that OpenSM is to be started with. */
export interface ExportRequest extends FabricRequest {
  readonly tables: TablesRequest;
  /** lanes that service levels are dealt out to */
  readonly virtualLanes?: number;
  /** how these are given to levels: in turn, if left out, or drawn for every port in, port out and level */
  readonly laneMap?: 'modulo' | 'random' | 'separated';
  /** of what is drawn; 1 if left out */
  readonly seed?: number;
  /** service levels that hosts send with, as path records: a file, or its text */
  readonly lanes?: string | GivenText;
  /** the switches have these tables now: they are written whatever they are worth, for the way back */
  readonly inUse?: boolean;
}

/**
 * Checks tables before they are written.
 * @returns whether they lead everywhere and cannot deadlock, and whether they are to be written
 * @throws InputError
 */
export async function checkExport(
  request: ExportRequest,
  host: RouteHost,
): Promise<
  CheckedTables & { readonly isComplete: boolean; readonly isWanted: boolean; readonly drawn: DrawnMap | null }
> {
  const { tables: from, virtualLanes, lanes: levels, inUse = false, ...fabric } = request;
  checkDrawn(request);
  const { source, files, warnings } = await readProblem(fabric, host);
  const load = inUse ? readTables : loadTables;
  const { tables, name, ways, warnings: own } = await load(files, from, source);
  const given = levels === undefined ? null : await loadLevels(files, levels, undefined, source);
  warnings.push(...own, ...(given?.warnings ?? []));
  const passed = passedTables(source, tables, given === null ? null : dealtOut(given.levels, virtualLanes), ways);
  const { validity, omitted, deadlock } = passed;
  const drawn = drawnMap(request, source);
  const isComplete = validity.valid && omitted.count === 0 && deadlock.cycle === null;
  return { source, tables, name, ...passed, warnings, isComplete, isWanted: isComplete || inUse, drawn };
}

/** Levels of pairs and lanes of these: as the credit backend draws them, or as `weft reconstruct` separates them. */
type DrawnMap = Pick<LaneAssignment, 'levels' | 'map'>;

/** A map is drawn over lanes, for levels that are drawn as well. @throws InputError */
function checkDrawn({ laneMap, virtualLanes, lanes }: ExportRequest): void {
  if (laneMap === undefined || laneMap === 'modulo') return;
  if (virtualLanes === undefined)
    throw InputError.about('missing-lanes', '--lane-map', 'over how many lanes?', {
      hint: 'add --virtual-lanes COUNT',
    });
  if (lanes !== undefined)
    throw InputError.about('unused-option', '--lanes', 'a drawn map has its own levels of pairs', {
      hint: 'leave one of --lanes and --lane-map out',
    });
}

/** The map that is asked for; null: one table for all switches does. */
function drawnMap({ laneMap, virtualLanes = 1, seed = 1 }: ExportRequest, { tree }: RoutedFabric): DrawnMap | null {
  const levels = new DrawnLevels(virtualLanes, seed);
  if (laneMap === 'random') return { levels, map: new DrawnLanes(virtualLanes, seed) };
  if (laneMap !== 'separated') return null;
  const map = new PermutedLanes(virtualLanes, seed);
  return { levels: new SeparatedLevels(tree, levels, map), map };
}

/** Levels on the lanes that the exported SL2VL tables put them on. */
function dealtOut(given: FlowLevels, lanes: number | undefined): FlowLevels {
  if (lanes === undefined) return given;
  const lane = slToVl(lanes);
  return {
    count: given.count,
    lanes: { rule: (level) => lane[level]!, count: Math.min(lanes, given.count) },
    levels: (from, destination, offset) => given.levels(from, destination, offset),
  };
}
