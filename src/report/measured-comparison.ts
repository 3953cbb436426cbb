// Measured times of a collective beside simulated ones, size by size: the error of every row, their medians and worst,
// as text and as JSON.
// Invariants: an error is simulated over measured, less one, so above 0 the simulation is slower (times) or faster
// (bandwidths); medians are of absolute errors, the worst keeps its sign; no row is left out of the sums.
// Not modelled: how exact a measurement is; a printed figure counts as it stands.

import { bandwidthFromBytes, latencyBelowBytes } from './band-classes.js';
import type { MeasuredRow } from '../formats/measured-rows.js';
import { cellsText, headOfTwoLines } from './aligned-table.js';
import { howText } from './collective-table.js';
import {
  type CollectiveRow,
  type ComparedRow,
  errorFigures,
  type ErrorSummary,
  measuredFigures,
} from './figures/collectives.js';
import { figuresObject, figureTable } from './figures/figure.js';
import { counted, signedText } from './text-style.js';

/**
 * Compares one size.
 * @param measuredUs above 0
 * @param busFactor of the collective over its ranks, for bandwidths that a file does not print
 */
export function comparedSize(
  measured: { readonly timeUs: number; readonly busbwGBps: number | null },
  simulated: Pick<CollectiveRow, 'sizeBytes' | 'timePs' | 'busBandwidth' | 'choice'>,
  busFactor: number,
): ComparedRow {
  const { sizeBytes, timePs, busBandwidth, choice } = simulated;
  const simulatedUs = timePs / 1e6;
  // what is printed with two decimals says little of small bandwidths: the time says more
  const measuredBusbwGBps = ((sizeBytes / measured.timeUs) * busFactor) / 1e3;
  return {
    sizeBytes,
    measuredUs: measured.timeUs,
    simulatedUs,
    measuredBusbwGBps,
    simulatedBusbwGBps: busBandwidth / 1e9,
    timeError: simulatedUs / measured.timeUs - 1,
    busbwError: busBandwidth / 1e9 / measuredBusbwGBps - 1,
    how: howText(choice),
  };
}

/** The time of a row that counts: out of place, else in place; null if neither ran, or nothing was sent. */
export function timeOfRow({ sizeBytes, outOfPlace, inPlace }: MeasuredRow): MeasuredRow['outOfPlace'] {
  const time = outOfPlace ?? inPlace;
  return sizeBytes > 0 && time !== null && time.timeUs > 0 ? time : null;
}

/** Rows from here on have bandwidths of four digits, whose ratio is exact enough to tell a collective by. */
const leastAlgbwGBps = 10;

/**
 * Bus over algorithm bandwidth as a table prints them, where it is not that of a collective: the table is then of
 * another one. Median of its rows from 10 GB/s; beyond 1 %.
 * @param busFactor of the collective over the table's ranks
 * @returns null: it is, or no row says
 */
export function otherBusFactor(rows: readonly MeasuredRow[], busFactor: number): number | null {
  const factors = rows
    .flatMap((row) => {
      const { algbwGBps, busbwGBps } = timeOfRow(row) ?? { algbwGBps: null, busbwGBps: null };
      return algbwGBps !== null && busbwGBps !== null && algbwGBps >= leastAlgbwGBps ? [busbwGBps / algbwGBps] : [];
    })
    .sort((a, b) => a - b);
  if (factors.length === 0) return null;
  const median = factors[Math.floor(factors.length / 2)]!;
  return Math.abs(median / busFactor - 1) > 0.01 ? median : null;
}

/** Median and worst of an error over rows. */
export function errorSummary(
  rows: readonly ComparedRow[],
  errorOf: (row: ComparedRow) => number = ({ timeError }) => timeError,
): ErrorSummary {
  let [worst, worstSizeBytes] = [NaN, NaN];
  for (const row of rows) {
    const error = errorOf(row);
    if (Number.isNaN(worst) || Math.abs(error) > Math.abs(worst)) [worst, worstSizeBytes] = [error, row.sizeBytes];
  }
  return { rows: rows.length, median: middle(rows.map((row) => Math.abs(errorOf(row)))), worst, worstSizeBytes };
}

/** The three figures that a table comes to: all times, latencies of small messages, bandwidths of large ones. */
export function comparisonSums(
  rows: readonly ComparedRow[],
): Readonly<Record<'time' | 'latency' | 'bandwidth', ErrorSummary>> {
  return {
    time: errorSummary(rows),
    latency: errorSummary(rows.filter(({ sizeBytes }) => sizeBytes < latencyBelowBytes)),
    bandwidth: errorSummary(
      rows.filter(({ sizeBytes }) => sizeBytes >= bandwidthFromBytes),
      ({ busbwError }) => busbwError,
    ),
  };
}

/** The median; NaN of none. */
export function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

const { heads, widths, cells } = figureTable(measuredFigures);

/** The lines above the rows. */
export function comparisonHeader(): string {
  return headOfTwoLines(heads, widths, ['  algorithm', '  and channels']);
}

/** One row, with its newline. */
export function comparisonLine(row: ComparedRow): string {
  return `${cellsText(cells(row), widths, ' ')}  ${row.how}\n`;
}

/** Medians and worst, a line each. */
export function comparisonFooter(rows: readonly ComparedRow[]): string {
  const { time, latency, bandwidth } = comparisonSums(rows);
  return [
    summaryLine('time, all sizes', time),
    summaryLine('time below 64 KiB', latency),
    summaryLine('busbw from 64 MiB', bandwidth),
  ].join('');
}

function summaryLine(what: string, { rows, median, worst, worstSizeBytes }: ErrorSummary): string {
  const text =
    rows === 0
      ? 'no rows'
      : `median error ${errorPercentText(median).replace('+', '')} %, worst ${errorPercentText(worst)} % at ${worstSizeBytes} B (${counted(rows, 'row')})`;
  return `# ${what.padEnd(17)} : ${text}\n`;
}

/** An error in percent, with its sign and one decimal. */
export function errorPercentText(error: number): string {
  return signedText(100 * error);
}

/** Rows and what they come to, for --json; errors are shares, 0.1 is 10 %. */
export function comparisonObject(rows: readonly ComparedRow[]): Record<string, unknown> {
  const sums = Object.entries(comparisonSums(rows)).map(([name, own]) => [name, figuresObject(errorFigures, own)]);
  // a row is what its figures read, in the order that JSON has had from the first
  return { rows, errors: Object.fromEntries(sums) as Record<string, unknown> };
}
