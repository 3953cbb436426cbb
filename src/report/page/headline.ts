// The headline figures of runs, beside each other: what is better and by how much.
// Invariant: a figure that a run has not is left blank, never zero; changes are beside the first run.

import { textInUnit, type FigureEntry } from '../figures/figure.js';
import { placedFigures } from '../figures/places.js';
import { equalWithin } from '../fabric-verdict.js';
import { grouped } from '../text-style.js';
import { numberText } from './figures.js';
import { type Json, listAt, jsonAt, numberAt, textAt, type ReportRun } from './report-run.js';

/** One figure of all runs. */
export interface Headline {
  readonly name: string;
  /** what it is, for whoever does not know */
  readonly explanation: string;
  /** one per run, as text; empty: it has none */
  readonly texts: readonly string[];
  /** change beside the first run, in percent; null: none, or it has no sense */
  readonly changes: readonly (number | null)[];
  /** whether less is better; null: neither is */
  readonly lessIsBetter: boolean | null;
  /** changes up to here say nothing, in percent: those of the error band, of times in runs that have one */
  readonly undecidedPercent: number;
  /** among the few that stand large above all */
  readonly isLeading: boolean;
}

/** The values that stand under a path of keys: several behind a list, none where something else stands there. */
function valuesAt(value: Json, path: readonly string[]): number[] {
  const [key, ...rest] = path;
  if (key === undefined) return [];
  if (key.endsWith('[]')) return listAt(value, key.slice(0, -2)).flatMap((part) => valuesAt(part, rest));
  const below = jsonAt(value, key);
  if (rest.length > 0) return below === undefined ? [] : valuesAt(below, rest);
  return typeof below === 'number' && Number.isFinite(below) ? [below] : [];
}

interface Line {
  readonly entry: FigureEntry<never>;
  readonly paths: readonly (readonly string[])[];
}

/** The figures that people have a name for, each with all places where it stands: of several jobs, each has it. */
const lines: readonly Line[] = [
  ...placedFigures
    .filter(({ entry }) => entry.look.label !== undefined)
    .reduce(
      (found, { path, entry }) => found.set(entry, [...(found.get(entry) ?? []), path.split('.')]),
      new Map<FigureEntry<never>, string[][]>(),
    ),
].map(([entry, paths]) => ({ entry, paths }));

/** The figure of a run: of several jobs or lists that have it, the largest; null: it has none. */
function valueOf({ entry, paths }: Line, { summary }: ReportRun): number | null {
  const { hidesZero = false, isKnown } = entry.look;
  if (isKnown?.({ finished: jsonAt(summary, 'finished') }) === false) return null;
  const values = paths.flatMap((path) => valuesAt(summary, path));
  const largest = values.length === 0 ? null : Math.max(...values);
  return hidesZero ? largest || null : largest;
}

/** An amount of a figure, ratios and seconds in three digits. */
function figureText({ unit, isWhole }: FigureEntry<never>, value: number): string {
  if (unit === '1') return isWhole ? grouped(value) : `${numberText(value, 3)} x`;
  return textInUnit(unit, value);
}

/** Every figure that at least one run has: those that stand large first. */
export function headlinesOf(runs: readonly ReportRun[]): Headline[] {
  const bandPercent = runs.reduce(
    (most, { summary }) => Math.max(most, numberAt(summary, 'errorBand', 'p90Percent') ?? 0),
    0,
  );
  const found = lines.flatMap((line) => {
    const { label = '', lessIsBetter = null, prominence } = line.entry.look;
    const values = runs.map((run) => valueOf(line, run));
    if (values.every((value) => value === null)) return [];
    const first = values[0];
    return [
      {
        name: label,
        explanation: plainText(line.entry.says),
        texts: values.map((value) => (value === null ? '' : figureText(line.entry, value))),
        changes: values.map((value, i) =>
          i === 0 || value === null || first === null || first === undefined || first === 0
            ? null
            : 100 * (value / first - 1),
        ),
        lessIsBetter,
        undecidedPercent: Math.max(100 * equalWithin, line.entry.unit === 'ns' ? bandPercent : 0),
        isLeading: prominence === 'headline',
      },
    ];
  });
  return [...found.filter(({ isLeading }) => isLeading), ...found.filter(({ isLeading }) => !isLeading)];
}

/** A sentence of the documents without links and quotes of code. */
function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

/** A change in few digits with its sign; empty: none. */
export function changeText(change: number | null): string {
  if (change === null) return '';
  const size = Math.abs(change);
  if (size < 0.005) return 'same';
  const text = size >= 100 ? numberText(size, 3) : size.toFixed(size < 1 ? 2 : 1);
  return `${change < 0 ? '−' : '+'}${text} %`;
}

/** One self-check of a run. */
export interface ShownVerdict {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The self-checks of a run, as its manifest says them. */
export function verdictsOf({ manifest }: ReportRun): ShownVerdict[] {
  return listAt(manifest, 'verdicts').map((verdict) => ({
    name: textAt(verdict, 'name'),
    ok: jsonAt(verdict, 'ok') === true,
    detail: textAt(verdict, 'detail'),
  }));
}
