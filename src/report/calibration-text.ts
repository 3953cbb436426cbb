// What `weft calibrate` prints: rows before and after, the parameters, errors on rows that were fitted and held out.
// Invariant: text and JSON come from the same values; every line has at most 80 columns.

import type { RowErrors } from '../collectives/calibrated-profile.js';

/** A row, measured, and under the base and the profile. */
interface CalibrationLine {
  readonly kind: string;
  readonly ranks: number;
  readonly sizeBytes: number;
  readonly measuredUs: number;
  readonly beforeUs: number;
  readonly afterUs: number;
  readonly isHeldOut: boolean;
}

/** A parameter that was fitted. */
interface CalibrationParameter {
  readonly name: string;
  readonly unit: 'times' | 'us' | 'share' | 'B';
  readonly before: number;
  readonly after: number;
}

/** What came of a calibration, as far as it is printed. */
export interface CalibrationFigures {
  readonly rows: readonly CalibrationLine[];
  readonly parameters: readonly CalibrationParameter[];
  readonly paces: number;
  readonly fitted: RowErrors | null;
  readonly heldOut: RowErrors | null;
  readonly before: { readonly fitted: RowErrors | null; readonly heldOut: RowErrors | null };
}

const widths = [13, 5, 11, 9, 9, 9, 7, 7] as const;

/** All of it as text. */
export function calibrationText({ rows, parameters, paces, fitted, heldOut, before }: CalibrationFigures): string {
  const head = cells(['kind', 'ranks', 'size', 'measured', 'before', 'after', 'error', 'error']);
  const units = cells(['', '', '(B)', '(us)', '(us)', '(us)', 'before', 'after']);
  const lines = [
    `#${head.slice(1)}`,
    `#${units.slice(1)}`,
    ...rows.map(
      ({ kind, ranks, sizeBytes, measuredUs, beforeUs, afterUs, isHeldOut }) =>
        `${cells([
          kind,
          String(ranks),
          String(sizeBytes),
          figure(measuredUs),
          figure(beforeUs),
          figure(afterUs),
          percent(beforeUs / measuredUs - 1),
          percent(afterUs / measuredUs - 1),
        ])}${isHeldOut ? ' *' : ''}`,
    ),
    '# * held out: not fitted',
    '#',
    ...parameters.map(
      ({ name, unit, before: from, after }) =>
        `# ${name.padEnd(22)} ${short(from)} -> ${short(after)}${unit === 'share' ? '' : ` ${unit}`}`,
    ),
    `# ${'paces by size'.padEnd(22)} ${paces}`,
    '#',
    errorsLine('fitted rows', before.fitted, fitted),
    errorsLine('held-out rows', before.heldOut, heldOut),
  ];
  return `${lines.join('\n')}\n`;
}

/** Errors for --json: shares of the measured time, and the same in percent. */
export function errorsObject(errors: RowErrors | null): Record<string, number | null> {
  const { rows = 0, median = null, p90 = null, worst = null } = errors ?? {};
  return {
    rows,
    median,
    p90,
    worst,
    medianPercent: inPercent(median),
    p90Percent: inPercent(p90),
    worstPercent: inPercent(worst),
  };
}

function inPercent(value: number | null): number | null {
  return value === null ? null : 100 * value;
}

function shareText(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function errorsLine(what: string, before: RowErrors | null, after: RowErrors | null): string {
  if (before === null || after === null) return `# ${what.padEnd(14)}: none`;
  return (
    `# ${what.padEnd(14)}: median error ${shareText(before.median)} -> ${shareText(after.median)}, worst ` +
    `${shareText(before.worst)} -> ${shareText(after.worst)} (${after.rows})`
  );
}

function cells(texts: readonly string[]): string {
  return texts.map((text, i) => text.padStart(widths[i]!)).join(' ');
}

function percent(error: number): string {
  return `${error >= 0 ? '+' : ''}${(100 * error).toFixed(1)}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function figure(value: number): string {
  return value >= 1e5 ? value.toFixed(0) : value >= 1e4 ? value.toFixed(1) : value.toFixed(2);
}
