// Several tables for one traffic, made by algorithms or given, side by side: `weft route compare`.
// Invariants: rows are judged in the same way, from the tables alone; an algorithm that does not route the fabric is a
// row that says so; once the wish to end has come, what is to come is left out.

import { InputError } from '../../base/diagnostics.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { ComparedTables, RouteComparison } from '../../report/routes/route-comparison-text.js';
import { routeFigure } from '../../report/routes/route-figure.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { algorithmNamed, type AnyAlgorithm } from './algorithms/catalogue.js';
import { ftreeOrNull } from './algorithms/ftree.js';
import type { GivenText } from './file-kinds.js';
import { makeTables, type MadeTables, type RouteHost } from './make-tables.js';
import type { SearchSettings } from './route-algorithm.js';
import { loadLevels } from './route-lanes.js';
import {
  changesAgainst,
  judged,
  readLoadedProblem,
  type ProblemRequest,
  type RouteProblem,
  searchSettings,
} from './route-problem.js';
import { loadCurrent, loadTables, type LoadedTables, type TablesRequest } from './tables-input.js';

export type { ComparedTables, RouteComparison } from '../../report/routes/route-comparison-text.js';

/** What is compared. */
export interface ComparisonRequest extends ProblemRequest {
  /** computed; `ftree`, `afar` and `weft` if left out, and none beside `tables` */
  readonly algorithms?: readonly AnyAlgorithm[];
  readonly tables?: readonly TablesRequest[];
  /** service levels of pairs of hosts for each of `tables`: a file, or its text; `-` = one lane */
  readonly lanes?: readonly (string | GivenText)[];
  /** tables in use: changed entries are counted against them, not against ftree's; `weft` begins with them, too */
  readonly current?: TablesRequest;
  /** limit of each search, in wall-clock seconds; 30 if left out */
  readonly seconds?: number;
  /** limit of each search of `weft` in work, which is repeatable */
  readonly mostWork?: number;
}

/** In place of a file of lanes: tables that need none. */
const oneLane = '-';

/**
 * Compares tables.
 * @throws InputError if the request has mistakes, or the only algorithm does not route the fabric
 */
export async function compareRoutes(
  request: ComparisonRequest,
  host: RouteHost,
): Promise<RouteComparison & { readonly figure?: string }> {
  const { tables = [], lanes } = request;
  if (lanes !== undefined && lanes.length !== tables.length)
    throw InputError.about('lane-files', '--lanes', 'every file of --tables has its lanes', {
      got: `${lanes.length} for ${tables.length}`,
      wanted: 'as many as --tables, in the same order; - for tables on one lane',
    });
  const problem = await readLoadedProblem(request, host, 'tables are compared for given traffic');
  const { source, traffic, seed, files, warnings } = problem;
  const current = request.current === undefined ? null : await loadCurrent(files, request.current, source, null);
  warnings.push(...(current?.warnings ?? []));
  const ftree = current !== null || hostLidCount(source.fabric, source.identity) > 1 ? null : ftreeOrNull(source);
  const reference = current ?? (ftree === null ? null : { tables: [ftree], name: 'ftree' });
  const rows: ComparedTables[] = [];
  if (current !== null && !tables.includes(request.current!))
    rows.push(comparedRow(problem, reference, current.name, current.tables));
  // files first: a mistake in one of them is said before anything is computed
  for (const [place, from] of tables.entries()) {
    const given = await loadTables(files, from, source);
    const levels = lanes?.[place] ?? oneLane;
    const read = levels === oneLane ? null : await loadLevels(files, levels, undefined, source);
    warnings.push(...given.warnings, ...(read?.warnings ?? []));
    host.stage?.(`${given.name}: evaluating`);
    rows.push(comparedRow(problem, reference, given.name, given.tables, read === null ? {} : { lanes: read.levels }));
  }
  const algorithms = request.algorithms ?? (request.tables === undefined ? usualAlgorithms : []);
  const settings = searchSettings(problem, request, current);
  const computed: ComparedTables[] = [];
  for (const algorithm of algorithms) {
    const isAlone = algorithms.length === 1 && rows.length === 0;
    computed.push(await computedRow(problem, reference, algorithm, settings, host, isAlone));
    if (host.stopRequested()) break;
  }
  const all = [...computed, ...rows];
  const drawn = all.flatMap(({ name, evaluation }) => (evaluation === null ? [] : [{ name, evaluation }]));
  return {
    source,
    traffic,
    seed,
    changedFrom: reference?.name ?? null,
    rows: all,
    leftOut: algorithms.slice(computed.length),
    interrupted: host.stopRequested(),
    warnings,
    ...(request.figure === true ? { figure: routeFigure(source, traffic, drawn) } : {}),
  };
}

const usualAlgorithms: readonly AnyAlgorithm[] = ['ftree', 'afar', 'weft'];

/** Tables that entries are counted against. */
type Reference = Pick<LoadedTables, 'tables' | 'name'> | null;

/** A row of tables that are there. @param made how they were made, if they were made here */
function comparedRow(
  problem: RouteProblem,
  reference: Reference,
  name: string,
  tables: TablesByOffset,
  { lanes, bounds, cpuSeconds, notes = [], outOfTime = false }: Partial<MadeTables> = {},
  isSearched = false,
): ComparedTables {
  const { evaluation, deadlock, verdicts } = judged(problem, tables, {
    ...(lanes === undefined ? {} : { lanes }),
    ...(bounds === undefined ? {} : { bounds }),
  });
  const { changedEntries } = changesAgainst(problem, reference, tables);
  const made = { cpuSeconds: cpuSeconds ?? null, changedEntries, notes, isSearched, outOfTime };
  return { name, evaluation, deadlock, verdicts, ...made, refusal: null };
}

/** A row of tables that an algorithm makes. @throws InputError if it does not route the fabric and is alone */
async function computedRow(
  problem: RouteProblem,
  reference: Reference,
  algorithm: AnyAlgorithm,
  settings: SearchSettings,
  host: RouteHost,
  isAlone: boolean,
): Promise<ComparedTables> {
  try {
    const made = await makeTables(algorithm, problem.source, settings, host);
    host.stage?.(`${algorithm}: evaluating`);
    return comparedRow(problem, reference, algorithm, made.tables, made, algorithmNamed(algorithm).kind !== 'fabric');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { code, message } = error.diagnostics[0]!;
    // what OpenSM does once it is told the top level; judged, for a fabric with a failed link is what people compare
    const told = code === 'ftree-refuses' ? ftreeOrNull(problem.source) : null;
    if (told !== null)
      return comparedRow(problem, reference, algorithm, [told], {
        notes: ['with the top level as recognised: without --roots OpenSM refuses this fabric'],
      });
    if (isAlone) throw error;
    const none = { evaluation: null, deadlock: null, verdicts: [], cpuSeconds: null, changedEntries: null };
    return { name: algorithm, ...none, notes: [], isSearched: false, outOfTime: false, refusal: message };
  }
}
