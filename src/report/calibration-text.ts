// What `weft calibrate` prints: rows before and after, the parameters, errors on rows that were fitted and held out.
// Invariant: text and JSON come from the same values; every line has at most 80 columns.

import type { RowErrors } from '../collectives/calibrated-profile.js';
import { cellsText, headOfTwoLines } from './aligned-table.js';
import { numberWithin, percentText, signedText } from './text-style.js';

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
  /** sizes that have a pace of their own */
  readonly paces: number;
  /** null without such rows */
  readonly fitted: RowErrors | null;
  readonly heldOut: RowErrors | null;
  /** of the base */
  readonly before: { readonly fitted: RowErrors | null; readonly heldOut: RowErrors | null };
}

const heads = [
  'kind',
  'ranks',
  'size (B)',
  'measured (us)',
  'before (us)',
  'after (us)',
  'error before',
  'error after',
];
const widths = [13, 5, 11, 9, 9, 9, 7, 7];

/** All of it as text. */
export function calibrationText({ rows, parameters, paces, fitted, heldOut, before }: CalibrationFigures): string {
  const lines = [
    ...rows.map(
      ({ kind, ranks, sizeBytes, measuredUs, beforeUs, afterUs, isHeldOut }) =>
        `${cellsText(
          [
            kind,
            String(ranks),
            String(sizeBytes),
            numberWithin(measuredUs, 7),
            numberWithin(beforeUs, 7),
            numberWithin(afterUs, 7),
            percent(beforeUs, measuredUs),
            percent(afterUs, measuredUs),
          ],
          widths,
          ' ',
        )}${isHeldOut ? ' *' : ''}`,
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
  return `${headOfTwoLines(heads, widths)}${lines.join('\n')}\n`;
}

/** Errors for --json: shares of the measured time, and the same in percent. */
export function errorsObject(errors: RowErrors | null): Record<string, number | null> {
  const { rows = 0, median = null, p90 = null, worst = null } = errors ?? {};
  const shares = { median, p90, worst };
  const percents = Object.entries(shares).map(([key, share]) => [`${key}Percent`, share === null ? null : 100 * share]);
  return { rows, ...shares, ...(Object.fromEntries(percents) as Record<string, number | null>) };
}

function percent(simulatedUs: number, measuredUs: number): string {
  return signedText(100 * (simulatedUs / measuredUs - 1));
}

function errorsLine(what: string, before: RowErrors | null, after: RowErrors | null): string {
  if (before === null || after === null) return `# ${what.padEnd(14)}: none`;
  return (
    `# ${what.padEnd(14)}: median error ${percentText(before.median)} -> ${percentText(after.median)}, worst ` +
    `${percentText(before.worst)} -> ${percentText(after.worst)} (${after.rows})`
  );
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
