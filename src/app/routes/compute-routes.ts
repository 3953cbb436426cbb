// Routes: a fabric, traffic and an algorithm in, forwarding tables, loads, bounds and verdicts out. What `weft route
// compute` and the library do; without a host that has them there are neither files nor threads nor signals.
// Invariants: tables are judged from the tables alone, whoever made them; the same request with a limit in work (and
// not in time) gives the same tables. Model: docs/models/static-routes.md.

import { InputError } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { ReportedRoutes } from '../../report/routes/computed-routes-text.js';
import type { WholeChart } from '../../report/page/chart-frame.js';
import { routeFigure, traceFigure } from '../../report/routes/route-figure.js';
import { algorithmNamed, refuseUnheeded, type AnyAlgorithm } from './algorithms/catalogue.js';
import { refuseWithObjective } from './unused-options.js';
import { ftreeOrNull } from './algorithms/ftree.js';
import { requireTree } from './fabric-input.js';
import { requireForObjective, type RouteObjective } from './route-objective.js';
import { makeTables, requireTrafficFor, type MadeTables, type RouteHost } from './make-tables.js';
import { loadBackground, loadsWithBackground, type Background, type BackgroundRequest } from './route-background.js';
import {
  changesAgainst,
  judged,
  readProblem,
  type ProblemRequest,
  type RouteProblem,
  searchSettings,
  usualThreshold,
} from './route-problem.js';
import { loadCurrent, type TablesRequest } from './tables-input.js';

export type { ReportedRoutes } from '../../report/routes/computed-routes-text.js';

/** What routes are to be computed. */
export interface RouteRequest extends ProblemRequest, BackgroundRequest {
  readonly algorithm: AnyAlgorithm;
  /** work (links looked at, some 20 million a second) after which `weft` ends; repeatable, unlike `seconds` */
  readonly mostWork?: number;
  /** wall-clock seconds after which a search ends with the best so far; 30 if left out */
  readonly seconds?: number;
  /** what `weft` looks for first: the smallest largest load if left out */
  readonly objective?: RouteObjective;
  /** how long `weft` goes on without finding anything better, against the usual; 1 if left out */
  readonly patience?: number;
  /** searches of `weft` at the same time, where the host has threads for them; 1 if left out */
  readonly workers?: number;
  /** tables in use: changed entries are counted against them, and `weft` begins with them, too */
  readonly current?: TablesRequest;
  /** entries of `current` that `weft` may change; all if left out */
  readonly mostChanges?: number;
  /** a chart of how the search went is wanted as well */
  readonly traceFigure?: boolean;
}

/** Routes that were computed. */
export interface ComputedRoutes extends ReportedRoutes {
  readonly algorithm: AnyAlgorithm;
  /** the tables, and how they were made */
  readonly made: MadeTables;
  /** the picture of link loads, as SVG, and the chart of the search, where they were asked for */
  readonly figure?: string;
  readonly traceFigure?: WholeChart;
}

/**
 * Computes routes.
 * @param host clock, wish to end, files, solver and threads; without it nothing limits a search but its work, no file
 * is read, and the exact algorithms are refused
 * @throws InputError if the request has mistakes, or the algorithm does not route this fabric or this traffic
 */
export async function computeRoutes(request: RouteRequest, host: RouteHost = timelessHost): Promise<ComputedRoutes> {
  checkRequest(request, host);
  const { algorithm, workers = 1 } = request;
  const read = await readProblem(request, host, (source) => {
    if (request.traceFigure === true) requireTree(source);
    if (request.objective !== undefined) requireForObjective(source);
  });
  const fewestAbove = request.objective?.fewestAbove ?? null;
  const problem = fewestAbove === null ? read : { ...read, threshold: { load: fewestAbove } };
  const { source, traffic, seed, files, warnings } = problem;
  const { mostChanges = null } = request;
  const current = request.current === undefined ? null : await loadCurrent(files, request.current, source, mostChanges);
  const background = await loadBackground(files, request, source, traffic);
  warnings.push(...(current?.warnings ?? []), ...(background?.warnings ?? []));
  const settings = {
    ...searchSettings(problem, request, current),
    mostChanges,
    patience: request.patience ?? 1,
    workers,
    background: background?.load ?? null,
    fewestAbove,
  };
  const made = await makeTables(algorithm, source, settings, host);
  const interrupted = host.stopRequested();
  host.stage?.('evaluating');
  // a search that counts other traffic as well has other loads
  const { search: _, ...unsearched } = made;
  const found = judged(problem, made.tables, background === null ? made : unsearched);
  const { evaluation } = found;
  return {
    algorithm,
    source,
    traffic,
    seed,
    made,
    ...found,
    workers,
    cpuSeconds: made.cpuSeconds,
    background:
      evaluation === null || background === null
        ? null
        : { file: background.name, ...loadsWithBackground(evaluation, background) },
    ...changesAgainst(problem, current ?? ftreeOf(algorithm, source, made), made.tables),
    interrupted,
    warnings,
    ...figuresOf(request, problem, found.evaluation, made, background),
  };
}

/** ftree's tables, against which changes are counted where no tables are in use and hosts have one LID. */
function ftreeOf(
  algorithm: AnyAlgorithm,
  source: RoutedFabric,
  { tables, ftree }: MadeTables,
): { readonly tables: MadeTables['tables']; readonly name: string } | null {
  if (algorithm === 'ftree') return { tables, name: algorithm };
  const own = tables.length > 1 ? null : ftree === undefined ? ftreeOrNull(source) : ftree;
  return own === null ? null : { tables: [own], name: 'ftree' };
}

/** The pictures that a request asks for. */
function figuresOf(
  { algorithm, figure, traceFigure: trace }: RouteRequest,
  { source, traffic }: RouteProblem,
  evaluation: ComputedRoutes['evaluation'],
  made: MadeTables,
  background: Background | null,
): Pick<ComputedRoutes, 'figure' | 'traceFigure'> {
  if (evaluation === null || traffic === null) return {};
  const [tables, search] =
    background === null
      ? [[], []]
      : [
          ['loads of this traffic alone: those of other traffic (--background) are left out'],
          [
            'the search counts the loads of other traffic (--background) as well; gaps are to the adaptive bound of this traffic alone',
          ],
        ];
  return {
    ...(figure === true ? { figure: routeFigure(source, traffic, [{ name: algorithm, evaluation }], tables) } : {}),
    ...(trace === true ? { traceFigure: traceFigure(source, traffic, algorithm, evaluation, made, search) } : {}),
  };
}

/** Refuses what does not go together. @throws InputError */
function checkRequest(request: RouteRequest, host: RouteHost): void {
  const { algorithm, traffic, current, mostChanges, background, backgroundBefore } = request;
  const { objective, threshold = usualThreshold, workers = 1 } = request;
  if (backgroundBefore !== undefined && background === undefined)
    throw InputError.about('missing-background', '--background-before', 'the counters from afterwards are missing', {
      hint: 'add --background FILE',
    });
  if (algorithmNamed(algorithm).kind !== 'fabric') requireTrafficFor(algorithm, traffic);
  refuseUnheeded(algorithm, '--background', background);
  refuseUnheeded(algorithm, '--most-changes', mostChanges);
  refuseUnheeded(algorithm, '--objective', objective);
  refuseWithObjective(objective, [
    ['--threshold', threshold !== usualThreshold && threshold],
    ['--most-changes', mostChanges],
    ['--workers', workers !== 1 && workers],
  ]);
  if (request.traceFigure === true)
    refuseUnheeded(algorithm, '--trace-figure', true, 'has no incumbent and bound to draw');
  if (mostChanges !== undefined && current === undefined)
    throw InputError.about('missing-current', '--most-changes', 'changes are counted against tables in use', {
      hint: 'add --current FILE',
    });
  if (host === timelessHost && request.mostWork === undefined && algorithm === 'weft' && request.seconds !== undefined)
    throw InputError.about('missing-clock', 'seconds', 'without a host nobody knows the time', {
      hint: 'give a host with wallMs, or mostWork',
    });
}

/** A host that knows no time, never asks to end and has neither files nor a solver. */
const timelessHost: RouteHost = {
  wallMs: () => 0,
  cpuSeconds: () => 0,
  stopRequested: () => false,
  report: () => {},
  whenStopped: new Promise<never>(() => {}),
  solver: null,
};
