// What `weft route compute`, `evaluate` and `repair` print of tables: for people, 80 columns, and as JSON.
// Invariant: both say the same; a self-check that fails is never left out.

import { endGuid, shownName } from '../../fabric/port-identity.js';
import { lidUseText } from '../../optimization/lid-use.js';
import { deadlockFigures, figuresOn, validityFigures } from '../figures/routes.js';
import type { LidReport, ReportedTables } from './judged-tables.js';
import type { SearchCourse } from './route-figure.js';
import {
  deadlockLines,
  evaluationLines,
  evaluationObject,
  fabricLine,
  fabricObject,
  omittedLines,
  loadText,
  titleLine,
  validityLines,
  verdictLines,
} from './route-text.js';

/** Tables that were computed. */
export interface ReportedRoutes extends ReportedTables {
  readonly algorithm: string;
  /** how they were made */
  readonly made: SearchCourse & { readonly notes: readonly string[] };
  /** searches at the same time */
  readonly workers: number;
  /** the user ended the search */
  readonly interrupted: boolean;
  /** with loads of other traffic: where these are from, and what it comes to; null without */
  readonly background: {
    readonly file: string;
    readonly maxLoad: number;
    readonly backgroundMaxLoad: number;
  } | null;
}

/** Files that were written; null = none. */
export interface RouteFiles {
  readonly out: string | null;
  readonly lanesOut: string | null;
  readonly figure: string | null;
  readonly traceFigure: string | null;
}

/** The keys that tables have in any command. */
function tablesObject(tables: ReportedTables): Record<string, unknown> {
  const { source, traffic, seed, evaluation, lids } = tables;
  return {
    fabric: fabricObject(source),
    traffic: traffic?.name ?? null,
    trafficNote: traffic?.note ?? '',
    seed,
    lids:
      lids === null
        ? null
        : {
            lmc: lmcOf(lids),
            count: lids.count,
            use: evaluation === null ? null : lids.use,
            differentWays: lids.differentWays,
          },
    ...evaluationObject(source, evaluation),
    cpuSeconds: tables.cpuSeconds,
    changedEntries: tables.changedEntries,
    changedFrom: tables.changedFrom,
    validity: figuresOn(validityFigures, source, tables.validity),
    ...figuresOn(deadlockFigures, source, tables.deadlock),
    verdicts: tables.verdicts,
    omittedEntries: tables.omitted.count,
  };
}

function lmcOf({ count }: LidReport): number {
  return 31 - Math.clz32(count);
}

/** Computed tables as JSON. */
export function computedObject(routes: ReportedRoutes, files: RouteFiles): Record<string, unknown> {
  const { algorithm, background, interrupted, workers, made } = routes;
  const { notes, search, solver } = made;
  const course =
    search === undefined ? solver : { work: search.work, provenWork: search.provenWork, workers, trace: search.trace };
  return {
    algorithm,
    ...tablesObject(routes),
    background,
    notes,
    interrupted,
    ...(course === undefined ? {} : { search: course }),
    ...files,
  };
}

/** Tables of a file as JSON. */
export function evaluatedObject(file: string, tables: ReportedTables, figure: string | null): Record<string, unknown> {
  return { tables: file, ...tablesObject(tables), figure };
}

/** What is known of tables, for people: fabric, loads and bounds, validity, self-checks that fail. */
function tablesLines(name: string, tables: ReportedTables, more: readonly string[] = []): string[] {
  const { source, traffic, evaluation, lids } = tables;
  const lines = [fabricLine(source), titleLine(name, traffic)];
  if (lids !== null)
    lines.push(
      `  LIDs           ${lids.count} per host (LMC ${lmcOf(lids)}), by ${lids.differentWays.toFixed(2)} different ways on average`,
    );
  if (lids !== null && evaluation !== null) lines.push(`  loads are for  ${lidUseText(lids.use)}`);
  if (evaluation !== null) lines.push(...evaluationLines(source, evaluation));
  return [
    ...lines,
    ...more,
    ...validityLines(source, tables.validity),
    ...deadlockLines(source, tables.deadlock),
    ...verdictLines(tables.verdicts),
    ...omittedLines(source, tables.omitted),
  ];
}

/** Computed tables for people. */
export function computedLines(routes: ReportedRoutes, files: RouteFiles): string[] {
  const { algorithm, background, changedEntries, changedFrom, made, cpuSeconds } = routes;
  const others =
    background === null
      ? []
      : [
          `  with others    largest load ${loadText(background.maxLoad)} between switches; others alone ${loadText(background.backgroundMaxLoad)}`,
        ];
  const lines = tablesLines(algorithm, routes, others);
  if (changedEntries !== null && (algorithm !== 'ftree' || changedFrom !== 'ftree'))
    lines.push(`  changed        ${changedEntries} entries against ${changedFrom}`);
  return [
    ...lines,
    ...noteLines(made.notes),
    `  CPU time       ${cpuSeconds.toFixed(2)} s`,
    ...fileLines('written', files.out, files.lanesOut),
    ...fileLines('figure', files.figure, files.traceFigure),
  ];
}

function noteLines(notes: readonly string[]): string[] {
  return notes.map((note) => `  note           ${note}`);
}

/** A line for each file that there is. */
export function fileLines(label: string, ...files: readonly (string | null | undefined)[]): string[] {
  return files.flatMap((file) => (file === null || file === undefined ? [] : [`  ${label.padEnd(14)} ${file}`]));
}

/** Tables of a file for people. */
export function evaluatedLines(file: string, tables: ReportedTables, figure: string | null): string[] {
  const { changedEntries, changedFrom } = tables;
  const changed = changedEntries === null ? [] : [`  changed        ${changedEntries} entries against ${changedFrom}`];
  return [...tablesLines(file, tables), ...changed, ...fileLines('figure', figure)];
}

/** Tables that were repaired. */
export interface RepairedRoutes extends ReportedTables {
  /** switches whose tables change, and how many of their entries */
  readonly changes: readonly { readonly node: number; readonly entries: number }[];
  readonly notes: readonly string[];
  /** CPU time by what it went to */
  readonly cpu: { readonly readSeconds: number; readonly repairSeconds: number; readonly checkSeconds: number };
}

/** Repaired tables as JSON. @param writeSeconds CPU time of writing them */
export function repairedObject(
  repaired: RepairedRoutes,
  writeSeconds: number,
  { out, lanesOut }: Pick<RouteFiles, 'out' | 'lanesOut'>,
): Record<string, unknown> {
  const { source, changes, notes, cpu } = repaired;
  return {
    ...tablesObject(repaired),
    changedSwitches: changes.map(({ node, entries }) => ({
      switch: shownName(source.identity, node),
      guid: endGuid(source.identity, node),
      entries,
    })),
    cpu: { ...cpu, writeSeconds },
    notes,
    out,
    lanesOut,
  };
}

/** Repaired tables for people. @param writeSeconds CPU time of writing them */
export function repairedLines(
  repaired: RepairedRoutes,
  writeSeconds: number,
  { out, lanesOut }: Pick<RouteFiles, 'out' | 'lanesOut'>,
): string[] {
  const { changedEntries, changedFrom, changes, notes, cpu } = repaired;
  const { readSeconds, repairSeconds, checkSeconds } = cpu;
  const times = [readSeconds, repairSeconds, checkSeconds, writeSeconds].map((seconds) => `${seconds.toFixed(2)} s`);
  return [
    ...tablesLines('repair', repaired),
    `  changed        ${changedEntries} entries of ${changes.length} switches against ${changedFrom}`,
    ...noteLines(notes),
    `  CPU time       ${times[0]} reading, ${times[1]} repairing, ${times[2]} checking, ${times[3]} writing`,
    ...fileLines('written', out, lanesOut),
  ];
}
