// Measured times of a collective beside simulated ones, size by size: the error of every row, their medians and worst,
// as text and as JSON.
// Invariants: an error is simulated over measured, less one, so above 0 the simulation is slower (times) or faster
// (bandwidths); medians are of absolute errors, the worst keeps its sign; no row is left out of the sums.
// Not modelled: how exact a measurement is; a printed figure counts as it stands.

import { bandwidthFromBytes, latencyBelowBytes } from './band-classes.js';
import type { MeasuredRow } from '../formats/measured-rows.js';
import { type CollectiveRow, howText } from './collective-table.js';

/** One size, measured and simulated. */
export interface ComparedRow {
  readonly sizeBytes: number;
  readonly measuredUs: number;
  readonly simulatedUs: number;
  /** 10^9 bytes per second */
  readonly measuredBusbwGBps: number;
  readonly simulatedBusbwGBps: number;
  /** of the time: 0.1 is 10 % too slow */
  readonly timeError: number;
  /** of the bus bandwidth: 0.1 is 10 % too fast */
  readonly busbwError: number;
  /** algorithm, protocol and channels of the simulation */
  readonly how: string;
}

/** Errors of several rows. */
export interface ErrorSummary {
  readonly rows: number;
  /** of absolute errors; NaN of no rows */
  readonly median: number;
  /** the largest in size, with its sign; NaN of no rows */
  readonly worst: number;
  readonly worstSizeBytes: number;
}

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

const widths = [11, 9, 9, 7, 8, 9] as const;

/** The lines above the rows. */
export function comparisonHeader(): string {
  const names = cells(['size', 'measured', 'simulated', 'error', 'measured', 'simulated']);
  const units = cells(['(B)', '(us)', '(us)', '(%)', '(GB/s)', '(GB/s)']);
  return `#${names.slice(1)}  algorithm\n#${units.slice(1)}  and channels\n`;
}

/** One row, with its newline. */
export function comparisonLine(row: ComparedRow): string {
  const figures = cells([
    String(row.sizeBytes),
    figure(row.measuredUs),
    figure(row.simulatedUs),
    percentText(row.timeError),
    figure(row.measuredBusbwGBps),
    figure(row.simulatedBusbwGBps),
  ]);
  return `${figures}  ${row.how}\n`;
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
      : `median error ${percentText(median).replace('+', '')} %, worst ${percentText(worst)} % at ${worstSizeBytes} B (${rows} ${rows === 1 ? 'row' : 'rows'})`;
  return `# ${what.padEnd(17)} : ${text}\n`;
}

/** An error in percent, with its sign and one decimal. */
export function percentText(error: number): string {
  return `${error >= 0 ? '+' : ''}${(100 * error).toFixed(1)}`;
}

/** A row for --json; errors are shares, 0.1 is 10 %. */
export function comparisonObject(rows: readonly ComparedRow[]): Record<string, unknown> {
  const sums = Object.entries(comparisonSums(rows)).map(([name, { rows: count, median, worst, worstSizeBytes }]) => [
    name,
    { rows: count, medianError: orNull(median), worstError: orNull(worst), worstSizeBytes: orNull(worstSizeBytes) },
  ]);
  return { rows, errors: Object.fromEntries(sums) as Record<string, unknown> };
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function cells(texts: readonly string[]): string {
  return texts.map((text, i) => text.padStart(widths[i]!)).join(' ');
}

function figure(value: number): string {
  return value >= 1e5 ? value.toFixed(0) : value >= 1e4 ? value.toFixed(1) : value.toFixed(2);
}
