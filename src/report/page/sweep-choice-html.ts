// Tables of a sweep's page that help to choose: what moves a figure, the combinations nobody would rule out, the best of
// each group.
// Invariant: every name and value is escaped; a long table says how much of it is left out.

import { bestPerValue, chosenFront, type ChosenCombination, figureShares } from '../sweep/sweep-choice.js';
import { escaped } from '../svg-text.js';
import { counted, percentText } from '../text-style.js';
import { tablePanel } from './page-shell.js';
import type { SweepFigures } from './sweep-figures.js';
import { amountText, figureName } from './sweep-words.js';

const [mostFigures, mostRows] = [4, 60];

/** What is asked of the choice among combinations. */
export interface ChoiceRequest {
  /** two or three figures of which the front is shown; left out: none is */
  readonly pareto?: readonly string[];
  /** the place of a setting for each value of which the best is shown; left out: none is */
  readonly bestPer?: number;
}

/** How much of the variance of the first figures each setting makes. */
export function sharesTable(sweep: SweepFigures): string {
  const found = sweep.varyingNames
    .slice(0, mostFigures)
    .map((name) => figureShares(name, sweep.settings, sweep.combined(), sweep.drawn));
  const known = found.flatMap((shares) => ('why' in shares ? [] : [shares]));
  const whys = found.flatMap((shares) => ('why' in shares ? [`${figureName(shares.figure)}: ${shares.why}.`] : []));
  const missing = whys.length === 0 ? '' : `<p class="note">${escaped(whys.join(' '))}</p>`;
  const [first] = known;
  if (first === undefined) return missing;
  const note =
    sweep.drawn === null
      ? "Exact for this grid (Sobol' 1993). By itself: variance of the means over the setting's values. With others: what is left once it is averaged away."
      : `Estimated from ${counted(sweep.count, 'combination')}: by itself by Saltelli et al. 2010, with others by Jansen 1999. Errors of some percent make small shares negative.`;
  const rows = first.paths.map((path, i) => {
    const shares = known.map(({ shares: own }) => own[i]!);
    const texts = shares.map((own) => `${percent(own.first)} <span class="change">${percent(own.total)}</span>`);
    return [`<code>${escaped(path)}</code>`].concat(texts);
  });
  const seeds = known.some((own) => own.seeds > 0) ? [['seeds', ...known.map((own) => percent(own.seeds))]] : [];
  const leftOut = Math.max(...known.map((own) => own.leftOut));
  return tablePanel(
    `${note} Share of the variance by itself, and with all that it has part in.${leftOut === 0 ? '' : ` ${counted(leftOut, 'point')} of the sample left out: a combination has no figure.`}`,
    ['Setting', ...known.map(({ figure }) => figureName(figure))],
    [...rows, ...seeds],
    missing,
  );
}

/** The combinations nobody would rule out by these figures. */
export function frontTable(sweep: SweepFigures, figures: readonly string[]): string {
  const front = chosenFront(figures, sweep.combined());
  return combinationsTable(
    `Of ${counted(sweep.count, 'combination')} those than which no other is at least as good in ${figures.map(figureName).join(' and ')}, and better in one.`,
    sweep,
    figures,
    front,
  );
}

/** For each value of a setting the combination with the best first figure. */
export function bestTable(sweep: SweepFigures, place: number): string {
  const figures = sweep.varyingNames.slice(0, mostFigures);
  if (figures.length === 0) return '';
  const best = [...bestPerValue(place, figures, sweep.combined())].sort(([a], [b]) => a - b);
  return combinationsTable(
    `For each value of ${sweep.settings[place]!.path} the combination with the best ${figureName(figures[0]!)}.`,
    sweep,
    figures,
    best.map(([, own]) => own),
  );
}

function combinationsTable(
  note: string,
  { settings }: SweepFigures,
  figures: readonly string[],
  combinations: readonly ChosenCombination[],
): string {
  const varied = settings.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));
  const beyond = combinations.length - mostRows;
  return tablePanel(
    note,
    [...varied.map((i) => settings[i]!.path), ...figures.map(figureName)],
    combinations.slice(0, mostRows).map(({ choices, means }) => {
      const values = varied.map((i) => escaped(settings[i]!.values[choices[i]!]!));
      return values.concat(means.map((mean, k) => escaped(amountText(figures[k]!, mean))));
    }),
    beyond > 0 ? `<p class="note">${escaped(`${counted(beyond, 'more combination')} not shown.`)}</p>` : '',
  );
}

function percent(share: number): string {
  return escaped(percentText(share));
}
