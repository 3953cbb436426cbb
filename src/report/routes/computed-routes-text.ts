// What `weft route compute` and `evaluate` print of tables: for people, 80 columns, and as JSON.
// Invariant: both say the same; a self-check that fails is never left out.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { omittedEntries } from '../../formats/opensm-lfts-writer.js';
import type { RouteEvaluation } from '../../optimization/evaluate-routes.js';
import { lidUseText, type LidUse } from '../../optimization/lid-use.js';
import type { RouteVerdict } from '../../optimization/route-verdicts.js';
import type { RouteValidity } from '../../optimization/route-validity.js';
import type { DeadlockCheck } from '../../optimization/route-deadlock-check.js';
import type { SearchCourse } from './route-figure.js';
import {
  deadlockLines,
  deadlockObject,
  evaluationLines,
  evaluationObject,
  fabricLine,
  fabricObject,
  omittedLines,
  titleLine,
  validityLines,
  validityObject,
  verdictLines,
} from './route-text.js';

/** Tables, judged. */
export interface ReportedTables {
  readonly source: RoutedFabric;
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** null without traffic */
  readonly evaluation: RouteEvaluation | null;
  readonly validity: RouteValidity;
  readonly deadlock: DeadlockCheck;
  readonly omitted: ReturnType<typeof omittedEntries>;
  readonly verdicts: readonly RouteVerdict[];
  /** LIDs of every host, how they are used, and how many ways differ by them; null = hosts have one */
  readonly lids: { readonly count: number; readonly use: LidUse; readonly differentWays: number } | null;
  /** of computing, or of evaluating */
  readonly cpuSeconds: number;
  /** entries that differ, and from which tables; null = there is nothing to count against */
  readonly changedEntries: number | null;
  readonly changedFrom: string | null;
  readonly warnings: readonly Diagnostic[];
}

/** Tables that were computed. */
export interface ReportedRoutes extends ReportedTables, SearchCourse {
  readonly algorithm: string;
  readonly search?: { readonly work: number; readonly provenWork: number | null } & NonNullable<SearchCourse['search']>;
  readonly workers: number;
  readonly notes: readonly string[];
  readonly interrupted: boolean;
  /** with loads of other traffic: where these are from, and what it comes to; null without */
  readonly background: {
    readonly file: string;
    readonly maxLoad: number;
    readonly backgroundMaxLoad: number;
  } | null;
  /** files that were written, null if none */
  readonly out: string | null;
  readonly lanesOut: string | null;
  readonly figure: string | null;
  readonly traceFigure: string | null;
}

/** The keys that tables have in any command. */
export function tablesObject(tables: ReportedTables): Record<string, unknown> {
  const { source, traffic, seed, evaluation, validity, deadlock, omitted, verdicts, lids } = tables;
  const { cpuSeconds, changedEntries, changedFrom } = tables;
  return {
    fabric: fabricObject(source),
    traffic: traffic?.name ?? null,
    trafficNote: traffic?.note ?? '',
    seed,
    lids: lids === null ? null : lidsObject(lids, evaluation !== null),
    ...evaluationObject(source, evaluation),
    cpuSeconds,
    changedEntries,
    changedFrom,
    validity: validityObject(source, validity),
    ...deadlockObject(source, deadlock),
    verdicts,
    omittedEntries: omitted.count,
  };
}

type LidReport = NonNullable<ReportedTables['lids']>;

function lidsObject({ count, use, differentWays }: LidReport, isLoaded: boolean): Record<string, unknown> {
  return { lmc: 31 - Math.clz32(count), count, use: isLoaded ? use : null, differentWays };
}

/** Several LIDs of hosts for people. */
function lidLines({ count, use, differentWays }: LidReport, isLoaded: boolean): string[] {
  return [
    `  LIDs           ${count} per host (LMC ${31 - Math.clz32(count)}), by ${differentWays.toFixed(2)} different ways on average`,
    ...(isLoaded ? [`  loads are for  ${lidUseText(use)}`] : []),
  ];
}

/** Computed tables as JSON. */
export function computedObject(routes: ReportedRoutes): Record<string, unknown> {
  const {
    algorithm,
    background,
    notes,
    interrupted,
    search,
    solver,
    workers,
    out,
    lanesOut,
    figure,
    traceFigure,
    warnings,
  } = routes;
  return {
    algorithm,
    ...tablesObject(routes),
    background,
    notes,
    interrupted,
    ...(search === undefined
      ? solver === undefined
        ? {}
        : { search: solver }
      : { search: { work: search.work, provenWork: search.provenWork, workers, trace: search.trace } }),
    out,
    lanesOut,
    figure,
    traceFigure,
    warnings,
  };
}

/** Tables of a file as JSON. */
export function evaluatedObject(file: string, tables: ReportedTables, figure: string | null): Record<string, unknown> {
  return { tables: file, ...tablesObject(tables), figure, warnings: tables.warnings };
}

/** What is known of tables, for people: fabric, loads and bounds, validity, self-checks that fail. */
export function tablesLines(name: string, tables: ReportedTables, more: readonly string[] = []): string[] {
  const { source, traffic, evaluation, validity, deadlock, omitted, verdicts, lids } = tables;
  return [
    fabricLine(source),
    titleLine(name, traffic),
    ...(lids === null ? [] : lidLines(lids, evaluation !== null)),
    ...(evaluation === null ? [] : evaluationLines(source, evaluation)),
    ...more,
    ...validityLines(source, validity),
    ...deadlockLines(source, deadlock),
    ...verdictLines(verdicts),
    ...omittedLines(source, omitted),
  ];
}

/** Computed tables for people. */
export function computedLines(routes: ReportedRoutes): string[] {
  const { algorithm, background, changedEntries, changedFrom, notes, cpuSeconds, out, lanesOut, figure, traceFigure } =
    routes;
  const others =
    background === null
      ? []
      : [
          `  with others    largest load ${number(background.maxLoad)} between switches; others alone ${number(background.backgroundMaxLoad)}`,
        ];
  const lines = tablesLines(algorithm, routes, others);
  if (changedEntries !== null && (algorithm !== 'ftree' || changedFrom !== 'ftree'))
    lines.push(`  changed        ${changedEntries} entries against ${changedFrom}`);
  lines.push(...notes.map((note) => `  note           ${note}`), `  CPU time       ${cpuSeconds.toFixed(2)} s`);
  for (const file of [out, lanesOut]) if (file !== null) lines.push(`  written        ${file}`);
  for (const file of [figure, traceFigure]) if (file !== null) lines.push(`  figure         ${file}`);
  return lines;
}

/** Tables of a file for people. */
export function evaluatedLines(file: string, tables: ReportedTables, figure: string | null): string[] {
  const lines = tablesLines(file, tables);
  if (tables.changedEntries !== null)
    lines.push(`  changed        ${tables.changedEntries} entries against ${tables.changedFrom}`);
  if (figure !== null) lines.push(`  figure         ${figure}`);
  return lines;
}

function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}
