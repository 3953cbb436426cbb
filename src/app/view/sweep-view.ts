// A sweep as a page shows it: what is best, each figure over the settings, and its runs. Plain data.
// Invariant: what is said and drawn is what the report of the sweep says and draws.

import type { Figure } from '../../report/page/figures.js';
import type { SweepFigures } from '../../report/page/sweep-figures.js';
import { chartsOfSweep } from '../../report/page/sweep-front-figure.js';
import { amountText, figureName } from '../../report/page/sweep-words.js';
import type { SweepRow } from '../../report/sweep/row-columns.js';

/** runs that are listed, and figures of each */
export const mostListedRuns = 1000;
const mostFigures = 4;

/** A run of a sweep. */
export interface SweepViewRun {
  readonly run: number;
  /** of the settings, in their order */
  readonly values: readonly string[];
  readonly seed: number | null;
  /** how it ended, and why if it has no figures */
  readonly outcome: string;
  /** by figure: as people read it, and for sorting; null: it has none */
  readonly figures: readonly ({ readonly text: string; readonly value: number } | null)[];
}

export interface SweepView {
  readonly name: string;
  readonly verdict: string;
  readonly settings: readonly string[];
  readonly figureNames: readonly string[];
  readonly runs: readonly SweepViewRun[];
  /** that have ended, and that were planned */
  readonly ended: number;
  readonly planned: number;
  readonly charts: readonly Figure[];
}

/**
 * Makes the view of a sweep.
 * @param sweep of all rows that there are @param rows the first of them, at most `mostListedRuns` @param planned runs
 */
export function sweepView(name: string, sweep: SweepFigures, rows: readonly SweepRow[], planned: number): SweepView {
  const shown = sweep.varyingNames.slice(0, mostFigures);
  return {
    name,
    verdict: sweep.verdict(),
    settings: sweep.settings.map(({ path }) => path),
    figureNames: shown.map(figureName),
    runs: rows.map(({ run, values, seed, outcome, error, figures }) => ({
      run,
      values: values.map((value) => value ?? ''),
      seed,
      outcome: error === null ? outcome : `${outcome}: ${error}`,
      figures: shown.map((own) => {
        const value = figures.get(own);
        return typeof value === 'number' ? { text: amountText(own, value), value } : null;
      }),
    })),
    ended: sweep.runs,
    planned,
    charts: chartsOfSweep(sweep, {}),
  };
}
