// What given tables are worth for given traffic, and whether they lead everywhere: `weft route evaluate`.

import { wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { solveAdaptiveBounds } from '../../exact/adaptive-bound.js';
import type { AdaptiveBoundBy, SolvedBounds } from '../../optimization/evaluate-routes.js';
import type { ReportedTables } from '../../report/routes/judged-tables.js';
import { routeFigure } from '../../report/routes/route-figure.js';
import type { GivenText } from './file-kinds.js';
import type { RouteHost } from './make-tables.js';
import { checkLaneOptions, loadLevels } from './route-lanes.js';
import { changesAgainst, judged, readProblem, type ProblemRequest, type RouteProblem } from './route-problem.js';
import { requireSolver } from './route-algorithm.js';
import { readTables, type TablesRequest } from './tables-input.js';

/** Which tables, and how they are judged. */
export interface EvaluationRequest extends ProblemRequest {
  readonly tables: TablesRequest;
  /** other tables: entries that differ are counted against them */
  readonly current?: TablesRequest;
  /** service levels of pairs of hosts, as path records: a file, or its text; left out: one lane */
  readonly lanes?: string | GivenText;
  /** lanes of service levels, as SL2VL tables: a file, or its text; left out: level s has lane s */
  readonly sl2vl?: string | GivenText;
  /**
   * how the adaptive bound of a tree that is not whole is found: by spreading the traffic (if left out), by cuts alone,
   * or by a linear programme
   */
  readonly adaptiveBound?: AdaptiveBoundBy | 'lp';
  /** limit of each linear programme, in wall-clock seconds; 60 if left out */
  readonly seconds?: number;
}

/** Tables as they were judged. */
export interface EvaluatedTables extends ReportedTables {
  /** what the tables are called */
  readonly tables: string;
  /** the picture that was asked for */
  readonly figure?: string;
}

/** Limit of a linear programme, in wall-clock seconds. */
export const programmeSeconds = 60;

/**
 * Evaluates tables. Those that lead in circles are judged as well: loads are of the flows that arrive.
 * @throws InputError if the request has mistakes; what the solver throws
 */
export async function evaluateTables(request: EvaluationRequest, host: RouteHost): Promise<EvaluatedTables> {
  checkLaneOptions(request.lanes, request.sl2vl);
  const problem = await readProblem(request, host);
  const { source, traffic, seed, files, warnings } = problem;
  host.stage?.('reading tables');
  const { tables, name, warnings: own } = await readTables(files, request.tables, source);
  const lanes = request.lanes === undefined ? null : await loadLevels(files, request.lanes, request.sl2vl, source);
  const current = request.current === undefined ? null : await readTables(files, request.current, source);
  warnings.push(...own, ...(lanes?.warnings ?? []), ...(current?.warnings ?? []));
  const startSeconds = host.cpuSeconds();
  const by = request.adaptiveBound ?? 'spread';
  const solved = by === 'lp' ? await boundsByProgramme(problem, request.seconds ?? programmeSeconds, host) : null;
  host.stage?.('evaluating');
  const made = lanes === null ? {} : { lanes: lanes.levels };
  const found = judged(problem, tables, made, solved ?? (by === 'cuts' ? 'cuts' : 'spread'));
  const { evaluation } = found;
  return {
    tables: name,
    source,
    traffic,
    seed,
    ...found,
    cpuSeconds: host.cpuSeconds() - startSeconds,
    ...changesAgainst(problem, current, tables),
    warnings,
    ...(request.figure === true && evaluation !== null
      ? { figure: routeFigure(source, traffic!, [{ name, evaluation }]) }
      : {}),
  };
}

/** The adaptive bound by a linear programme; null without traffic, and, with a warning, if its time was too short. */
async function boundsByProgramme(
  { source, traffic, warnings }: RouteProblem,
  seconds: number,
  host: RouteHost,
): Promise<SolvedBounds | null> {
  if (traffic === null) return null;
  const solver = requireSolver(host.solver, '--adaptive-bound', 'lp');
  const close = host.watch?.('adaptive bound', null);
  try {
    const solved = await solveAdaptiveBounds(source.tree, traffic, solver.solver(), seconds, host.whenStopped);
    if (solved === null) warnings.push(notSolved(host.stopRequested() ? 'before it was stopped' : `in ${seconds} s`));
    return solved;
  } finally {
    close?.();
  }
}

function notSolved(when: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'bound-not-solved',
    file: '--adaptive-bound',
    ...wholeFile,
    message: `the linear programme was not solved ${when}; the bound is that of --adaptive-bound spread`,
    hint: 'give it more --time',
  };
}
