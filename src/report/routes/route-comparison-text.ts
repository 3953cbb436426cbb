// What `weft route compare` prints: a row for each table, the bounds above, phases below. 80 columns, and the same as
// JSON.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { DeadlockCheck } from '../../optimization/route-deadlock-check.js';
import type { RouteEvaluation } from '../../optimization/evaluate-routes.js';
import type { RouteVerdict } from '../../optimization/route-verdicts.js';
import { deadlockFigures, figuresOn, validityFigures } from '../figures/routes.js';
import { percentText, wrapped } from '../text-style.js';
import {
  deadlockLines,
  evaluationObject,
  fabricLine,
  fabricObject,
  loadText,
  validityLines,
  verdictLines,
} from './route-text.js';

/** One of the tables that are compared. */
export interface ComparedTables {
  /** algorithm or file */
  readonly name: string;
  /** null = the algorithm does not route this fabric */
  readonly evaluation: RouteEvaluation | null;
  /** null = the algorithm does not route this fabric */
  readonly deadlock: DeadlockCheck | null;
  readonly verdicts: readonly RouteVerdict[];
  /** of computing them; null = they come from a file */
  readonly cpuSeconds: number | null;
  /** null = there is nothing to count against */
  readonly changedEntries: number | null;
  /** how a search ended; of other tables, what is to be known */
  readonly notes: readonly string[];
  /** a search made them: JSON alone has what it says */
  readonly isSearched: boolean;
  /** the limit of time ended the search */
  readonly outOfTime: boolean;
  /** why there are no tables; null = there are */
  readonly refusal: string | null;
}

export interface RouteComparison {
  readonly source: RoutedFabric;
  readonly traffic: Traffic;
  readonly seed: number;
  /** what entries are counted against; null = nothing */
  readonly changedFrom: string | null;
  readonly rows: readonly ComparedTables[];
  /** algorithms that were left out because the user stopped it */
  readonly leftOut: readonly string[];
  readonly interrupted: boolean;
  readonly warnings: readonly Diagnostic[];
}

/** The comparison as JSON. Every row has the keys of `weft route evaluate`. @param figure file of it; null = none */
export function routeComparisonObject(
  { source, traffic, seed, changedFrom, rows, leftOut, interrupted }: RouteComparison,
  figure: string | null,
): Record<string, unknown> {
  const bounds = boundsOf(rows);
  return {
    fabric: fabricObject(source),
    traffic: traffic.name,
    trafficNote: traffic.note,
    seed,
    adaptiveBound: bounds?.adaptiveBound ?? null,
    lowerBound: bounds?.lowerBound ?? null,
    adaptiveBoundExact: bounds === null ? null : bounds.collapsed.bounds.inexact === null,
    changedFrom,
    tables: rows.map(({ name, evaluation, deadlock, verdicts, cpuSeconds, changedEntries, notes, refusal }) => ({
      name,
      refusal,
      ...evaluationObject(source, evaluation),
      cpuSeconds,
      changedEntries,
      validity: evaluation === null ? null : figuresOn(validityFigures, source, evaluation.validity),
      ...figuresOn(deadlockFigures, source, deadlock),
      verdicts,
      notes,
    })),
    leftOut,
    interrupted,
    figure,
  };
}

/** The bounds of those tables that lose the fewest flows, the first of equal ones; null without any. */
function boundsOf(rows: readonly ComparedTables[]): RouteEvaluation | null {
  let fewest: RouteEvaluation | null = null;
  for (const { evaluation } of rows)
    if (evaluation !== null && (fewest === null || evaluation.collapsed.lostFlows < fewest.collapsed.lostFlows))
      fewest = evaluation;
  return fewest;
}

const nameColumns = 17;

/** The comparison for people. @param figure file of it; null = none */
export function comparisonLines(comparison: RouteComparison, figure: string | null): string[] {
  const { source, traffic, changedFrom, rows, leftOut } = comparison;
  const bounds = boundsOf(rows);
  const lines = [
    ...wrapped(fabricLine(source)),
    ...wrapped(`${traffic.name}${traffic.note === '' ? '' : ` (${traffic.note})`}`),
  ];
  if (bounds !== null) {
    const { threshold } = bounds.collapsed.loads;
    lines.push(
      'adaptive bound ' +
        `${number(bounds.adaptiveBound)}${bounds.collapsed.bounds.inexact === null ? '' : ' or more'}, lower ` +
        `bound ${number(bounds.lowerBound)}${bounds.phases.length > 1 ? ' (sums over the phases)' : ''}`,
    );
    lines.push(`hot: links between switches above ${number(threshold)}`);
  }
  if (changedFrom !== null) lines.push(...wrapped(`changed: entries that differ from ${changedFrom}`));
  lines.push('', row('tables', ['max load ', 'AR gap', 'net gap', 'hot', 'l2 norm', 'CPU time', 'changed']));
  for (const own of rows) lines.push(row(shortName(own.name, nameColumns - 1), cells(own)));
  const footnotes: string[] = [];
  if (rows.some(({ evaluation }) => evaluation?.provenOptimal === true))
    footnotes.push('* proven: no static routes have a smaller largest load');
  for (const { name, evaluation, deadlock, verdicts, refusal, notes, outOfTime, isSearched } of rows) {
    // searches say how they ended in JSON; what was not computed as asked, or might have become better, is said here
    if (outOfTime) footnotes.push(`${name}: ended by --time, more of which may give less load`);
    if (!isSearched) for (const note of notes) footnotes.push(...wrapped(`${name}: ${note}`));
    if (refusal !== null) footnotes.push(...wrapped(`${name}: ${refusal}`));
    else if (!evaluation!.validity.valid)
      footnotes.push(
        ...wrapped(`${name} does not lead everywhere:`),
        ...validityLines(source, evaluation!.validity).slice(1),
      );
    if (evaluation !== null && evaluation.collapsed.lostFlows > 0)
      footnotes.push(
        ...wrapped(
          `${name}: loads and gaps are those of the flows that arrive, ${evaluation.collapsed.lostFlows} do not`,
        ),
      );
    if (deadlock !== null && deadlock.cycle !== null)
      footnotes.push(...deadlockLines(source, deadlock).flatMap((line) => wrapped(`${name}: ${line.trim()}`)));
    else if (deadlock !== null && deadlock.lanes > 1) footnotes.push(`${name}: needs ${deadlock.lanes} lanes`);
    footnotes.push(...verdictLines(verdicts).flatMap((line) => wrapped(`${name}: ${line.trim()}`)));
  }
  if (leftOut.length > 0) footnotes.push(...wrapped(`left out: ${leftOut.join(', ')}`));
  if (footnotes.length > 0) lines.push('', ...footnotes);
  if (bounds !== null && bounds.phases.length > 1) lines.push(...phaseLines(rows, bounds));
  if (figure !== null) lines.push('', ...wrapped(`figure: ${figure}`));
  return lines;
}

function row(name: string, values: readonly string[]): string {
  const widths = [10, 10, 10, 6, 9, 9, 9];
  return `${name.padEnd(nameColumns)}${values.map((value, i) => value.padStart(widths[i]!)).join('')}`.trimEnd();
}

function cells({ evaluation, cpuSeconds, changedEntries }: ComparedTables): string[] {
  const time = cpuSeconds === null ? '-' : `${cpuSeconds.toFixed(2)} s`;
  if (evaluation === null) return ['- ', '-', '-', '-', '-', time, '-'];
  const { maxLoad, arGap, netGap, provenOptimal } = evaluation;
  const { loads } = evaluation.collapsed;
  return [
    `${number(maxLoad)}${provenOptimal ? '*' : ' '}`,
    percentText(arGap, 2),
    percentText(netGap, 2),
    String(loads.linksAboveThreshold),
    number(loads.l2, 8),
    time,
    changedEntries === null ? '-' : String(changedEntries),
  ];
}

/** Largest loads by phase: a column for each table, as many at once as fit. */
function phaseLines(rows: readonly ComparedTables[], bounds: RouteEvaluation): string[] {
  const columns = 5;
  const made = rows.filter(({ evaluation }) => evaluation !== null);
  const lines: string[] = [];
  for (let first = 0; first < made.length; first += columns) {
    const shown = made.slice(first, first + columns);
    lines.push(
      '',
      `${'phase'.padEnd(16)}${'bound'.padStart(10)}${shown.map(({ name }) => shortName(name, 9).padStart(10)).join('')}`,
    );
    bounds.phases.forEach(({ name, bounds: { adaptive } }, phase) => {
      lines.push(
        `${shortName(name, 15).padEnd(16)}${number(adaptive).padStart(10)}${shown.map(({ evaluation }) => number(evaluation!.phases[phase]!.loads.maxLoad).padStart(10)).join('')}`,
      );
    });
    lines.push(
      `${'all at once'.padEnd(16)}${number(bounds.collapsed.bounds.adaptive).padStart(10)}${shown.map(({ evaluation }) => number(evaluation!.collapsed.loads.maxLoad).padStart(10)).join('')}`,
    );
  }
  return lines;
}

/** A name within a column: of long ones the end, which tells files apart. */
function shortName(name: string, columns: number): string {
  return name.length <= columns ? name : `..${name.slice(name.length - columns + 2)}`;
}

/** Six digits, or four where they would need more characters than there are. */
function number(value: number, columns = 9): string {
  const text = loadText(value);
  return text.length <= columns ? text : value.toExponential(3);
}
