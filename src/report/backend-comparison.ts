// Runs of one scenario on several backends side by side: the same figures of each, and how far each is from the last
// one, which is the one to judge by (the most detailed, if the user names it last). Invariant: a figure that a run does
// not have is missing, not 0.

import { cellsText } from './aligned-table.js';
import { backendFigures } from './figures/compared.js';
import { textInUnit, type FigureEntry } from './figures/figure.js';
import { failedChecks, type RunFigures } from './run-figures.js';
import { coloured, counted, shortened, signedText, wrapped, type TextStyle } from './text-style.js';

/** A figure of every run. */
export interface ComparedFigure {
  readonly entry: FigureEntry<RunFigures>;
  /** in order of the runs; null: the run has none */
  readonly values: readonly (number | null)[];
  /** each over the last one, less 1; null if either is missing, or the last one is 0 */
  readonly difference: readonly (number | null)[];
}

/** The figures of runs of one scenario. */
export function comparedFigures(runs: readonly RunFigures[]): ComparedFigure[] {
  return backendFigures(runs).map((entry) => {
    const values = runs.map((run) => (entry.json(run) ?? null) as number | null);
    const last = values.at(-1) ?? 0;
    return {
      entry,
      values,
      difference: values.map((value) => (value === null || last === 0 ? null : value / last - 1)),
    };
  });
}

const [labelColumns, runColumns] = [20, 19];

/**
 * The table within 80 columns, of up to three runs; text that ends with a newline.
 * @param results where each run's results are; none if they were not kept
 */
export function backendComparisonText(
  name: string,
  runs: readonly RunFigures[],
  results: readonly string[],
  style: TextStyle,
): string {
  const last = runs.at(-1)!;
  const line = (label: string, cells: readonly string[]): string =>
    `  ${label.padEnd(labelColumns)}${cellsText(
      cells,
      runs.map(() => runColumns),
    )}`;
  const failed = runs.map(failedChecks);
  const notes = [
    ...(last.jobs.length > 0 ? ['Computation and waits are those of rank 0.'] : []),
    ...(runs.length > 1 ? [`Percentages are relative to ${last.backend}.`] : []),
    ...(runs.some(({ jobs, finished }) => jobs.length > 0 && finished === 0)
      ? ['Collectives that take what closed forms say send no flows.']
      : []),
  ];
  const lines = [
    coloured(style, 'bold', `${name} on ${counted(runs.length, 'backend')}`),
    '',
    line(
      '',
      runs.map(({ backend }) => backend),
    ),
    ...(runs.some(({ outcome }) => outcome !== 'finished')
      ? [
          line(
            'outcome',
            runs.map(({ outcome }) => outcome),
          ),
        ]
      : []),
    ...comparedFigures(runs).map(({ entry, values, difference }) =>
      line(
        shortened(entry.key, labelColumns - 1, '~'),
        values.map((value, i) => {
          const isAlone = entry.look.role === 'cost' || i === runs.length - 1 || difference[i] === null;
          return `${amountText(entry, value)}${isAlone ? '' : ` ${differenceText(difference[i]!).padStart(7)}`}`;
        }),
      ),
    ),
    line(
      'checks',
      runs.map(({ verdicts: { length } }, i) =>
        failed[i]!.length === 0 ? `all ${length} passed` : `${failed[i]!.length} of ${length} FAILED`,
      ),
    ),
    '',
    ...wrapped(notes.join(' ')),
    ...failed.flatMap((checks, i) => checks.flatMap((check) => wrapped(`failed on ${runs[i]!.backend}: ${check}`))),
    ...(results.length > 0 ? [`results: ${results.join(', ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function amountText({ unit }: FigureEntry<RunFigures>, value: number | null): string {
  return value === null ? '-' : unit === 's' ? `${value.toFixed(2)} s` : textInUnit(unit, value);
}

function differenceText(difference: number): string {
  if (Math.abs(difference) < 0.0005) return '0.0%';
  return Math.abs(difference) >= 10 ? `x${(difference + 1).toFixed(0)}` : `${signedText(100 * difference)}%`;
}

/** The comparison for --json. @param summaries of the runs, as `weft run --json` prints them */
export function backendComparisonObject(
  label: { readonly weftVersion: string; readonly name: string; readonly seed: number },
  runs: readonly RunFigures[],
  summaries: readonly object[],
): Record<string, unknown> {
  const byBackend = (values: readonly (number | null)[]): Record<string, number | null> =>
    Object.fromEntries(runs.map(({ backend }, i) => [backend, values[i]!]));
  return {
    name: label.name,
    seed: label.seed,
    weftVersion: label.weftVersion,
    outcome: runs.find(({ outcome }) => outcome !== 'finished')?.outcome ?? 'finished',
    relativeTo: runs.at(-1)!.backend,
    figures: comparedFigures(runs).map(({ entry: { key, unit }, values, difference }) => ({
      name: key,
      unit: unit === '1' ? 'count' : unit,
      values: byBackend(values),
      difference: byBackend(difference),
    })),
    runs: summaries,
  };
}
