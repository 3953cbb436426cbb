// What a chart of a report shows, as plain data: lines, bars, matrices and spans. The page, exported pictures and CSV
// files are all made from these (chart-option.ts, figure-csv.ts), so they cannot say different things.
// Invariants: values are in the unit of their axis and finite (null: unknown); the amount of data is bounded by
// whoever makes the figure, and a note says so where it is less than there was.

import type { spanKinds } from '../timeline-rows.js';

/** Along which values stand. */
export interface Axis {
  readonly name: string;
  /** as people write it; empty: none */
  readonly unit: string;
  readonly isLogarithmic?: boolean;
  /** of a logarithmic axis; left out: 10 */
  readonly logBase?: number;
  /** from line to line of a logarithmic axis, as a power of its base */
  readonly interval?: number;
  readonly least?: number;
  readonly most?: number;
  /** of an axis along a run, in picoseconds: the time at 0, and from there to 1 */
  readonly time?: { readonly fromPs: number; readonly unitPs: number };
}

interface FigureFrame {
  /** a word or several joined by hyphens: part of file names and addresses in the page */
  readonly id: string;
  readonly title: string;
  /** what it shows, and what of it was put together; a sentence or two */
  readonly note: string;
}

/** One line, or a band between two. */
export interface LineSeries {
  readonly name: string;
  /** which colour: the number of the run, or of the thing that is shown */
  readonly colour: number;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  /** the upper edge of a band of which `y` is the lower; left out: a line */
  readonly upTo?: readonly (number | null)[];
  /** values hold until the next one */
  readonly isStepped?: boolean;
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
  /** each value has a mark */
  readonly hasPoints?: boolean;
  /** marks alone, without a line from one to the next */
  readonly isUnjoined?: boolean;
}

export interface LineFigure extends FigureFrame {
  readonly kind: 'lines';
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly LineSeries[];
}

export interface BarFigure extends FigureFrame {
  readonly kind: 'bars';
  /** names of the bars, or of groups of bars where there are several series */
  readonly x: Axis & { readonly names: readonly string[] };
  readonly y: Axis;
  readonly series: readonly {
    readonly name: string;
    readonly colour: number;
    readonly y: readonly (number | null)[];
    /** a whisker on each bar, from here to there; left out: none */
    readonly from?: readonly (number | null)[];
    readonly to?: readonly (number | null)[];
  }[];
}

export interface MatrixFigure extends FigureFrame {
  readonly kind: 'matrix';
  readonly rows: { readonly name: string; readonly names: readonly string[] };
  readonly columns: { readonly name: string; readonly names: readonly string[] };
  readonly value: Axis;
  /** row after row; null: there is no such thing */
  readonly values: readonly (number | null)[];
  /** gray: amounts; load: shares from 0 to 1; signed: below and above zero; kinds: amounts in the hues of their kinds */
  readonly colours: 'gray' | 'load' | 'signed' | 'kinds';
  /** of `colours: kinds`: their names, and the kind of each value */
  readonly kinds?: { readonly names: readonly string[]; readonly of: readonly number[] };
}

export interface SpanFigure extends FigureFrame {
  readonly kind: 'spans';
  readonly x: Axis;
  readonly rows: readonly string[];
  /** what spans are of */
  readonly kinds: readonly string[];
  /** which colour each kind has: the number of a hue, or what it is the same as in timelines */
  readonly colours: readonly (number | (typeof spanKinds)[number])[];
  /** columns of the same length */
  readonly row: readonly number[];
  readonly kindOf: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** what else is to be said of each */
  readonly text: readonly string[];
}

/** Green says better, here as everywhere. */
const greenHue = 2;

/** Colours of kinds of things on a page about so many runs: none of them is that of a run. */
export function coloursOfKinds(kinds: number, runs: number): readonly number[] {
  const first = runs > 1 ? runs : 0;
  const hues = Array.from({ length: kinds + 1 }, (_, i) => first + i).filter((hue) => hue !== greenHue);
  return hues.slice(0, kinds);
}

export type Figure = LineFigure | BarFigure | MatrixFigure | SpanFigure;

/** A number in at most `digits` digits, so that texts of figures stay short. */
export function short(value: number, digits = 5): number {
  return Number(value.toPrecision(digits));
}

/** A number as people read it in a chart: few digits, thousands apart. */
export function numberText(value: number, digits = 4): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(2);
  const rounded = size >= 1000 ? Math.round(value) : short(value, digits);
  const [whole, fraction] = String(rounded).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A number with its unit. */
export function valueText(value: number, { unit }: Pick<Axis, 'unit'>): string {
  return unit === '' ? numberText(value) : `${numberText(value)} ${unit}`;
}

/** The unit in which times up to this one are read easily. */
export function timeUnit(mostPs: number): { readonly unit: string; readonly ps: number } {
  if (mostPs >= 10e12) return { unit: 's', ps: 1e12 };
  if (mostPs >= 10e9) return { unit: 'ms', ps: 1e9 };
  if (mostPs >= 1e6) return { unit: 'us', ps: 1e6 };
  return { unit: 'ns', ps: 1e3 };
}

/** The unit in which amounts up to this one are read easily. */
export function sizeUnit(mostBytes: number): { readonly unit: string; readonly bytes: number } {
  if (mostBytes >= 10e9) return { unit: 'GB', bytes: 1e9 };
  if (mostBytes >= 10e6) return { unit: 'MB', bytes: 1e6 };
  if (mostBytes >= 10e3) return { unit: 'kB', bytes: 1e3 };
  return { unit: 'B', bytes: 1 };
}

/** `completion time (us)` */
export function axisTitle({ name, unit }: Axis): string {
  return unit === '' ? name : `${name} (${unit})`;
}
