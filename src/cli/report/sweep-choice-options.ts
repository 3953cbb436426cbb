// `--pareto` and `--best-per` of `weft report`: what they name, and what JSON says of a choice among combinations.
// Invariant: JSON has what the page has, for every figure that varies.

import { InputError } from '../../base/diagnostics.js';
import type { ChoiceRequest } from '../../report/page/sweep-choice-html.js';
import type { SweepFigures } from '../../report/page/sweep-figures.js';
import type { SettingOfColumn } from '../../report/sweep/row-columns.js';
import {
  bestPerValue,
  type ChosenCombination,
  chosenFront,
  figureShares,
  knownMeans,
} from '../../report/sweep/sweep-choice.js';
import { figureNamed } from '../../report/sweep/until-target.js';

/** What was asked for. @throws InputError */
export function choiceOf(
  settings: readonly SettingOfColumn[],
  pareto: string | undefined,
  bestPer: string | undefined,
): ChoiceRequest {
  const figures = pareto?.split(',').map((name) => figureNamed(name.trim(), '--pareto'));
  if (figures !== undefined && (figures.length < 2 || figures.length > 3 || new Set(figures).size < figures.length))
    throw InputError.about('report-pareto', '--pareto', 'a front is one of two or three figures', {
      got: pareto,
      wanted: 'different figures with commas between them, such as p99,cost',
    });
  const path = bestPer?.replace(/^set\./, '');
  const place = settings.findIndex((setting) => setting.path === path);
  if (path !== undefined && place < 0)
    throw InputError.about('report-best-per', '--best-per', 'the sweep has no such setting', {
      got: path,
      wanted: settings.map((setting) => setting.path).join(', '),
    });
  return { ...(figures === undefined ? {} : { pareto: figures }), ...(place < 0 ? {} : { bestPer: place }) };
}

/** Refuses a front by a figure that no run has. @param sweep with all rows @throws InputError */
export function refuseMissing(sweep: SweepFigures, { pareto = [] }: ChoiceRequest): void {
  const missing = pareto.find((figure) => knownMeans([figure], sweep.combined()).length === 0);
  if (missing === undefined || sweep.count === 0) return;
  throw InputError.about('report-pareto', '--pareto', 'no run of the sweep has this figure', {
    got: missing,
    wanted: `figures that runs have, such as ${sweep.varyingNames.slice(0, 3).join(', ') || 'fct.meanNs'}`,
    hint:
      missing === 'cost'
        ? 'give the scenario prices, such as cost: { switch: 10000, port: 500 }, and sweep again'
        : 'the first line of runs.csv in the folder names the others',
  });
}

/** What JSON says of it. */
export function choiceObject(sweep: SweepFigures, { pareto, bestPer }: ChoiceRequest): object {
  const { settings } = sweep;
  const names = sweep.varyingNames;
  const told = (figures: readonly string[], { choices, means }: ChosenCombination): object => ({
    settings: Object.fromEntries(settings.map(({ path, values }, i) => [path, values[choices[i]!]!])),
    figures: Object.fromEntries(figures.map((figure, k) => [figure, means[k]!])),
  });
  return {
    shares: names.map((name) => {
      const found = figureShares(name, settings, sweep.combined(), sweep.drawn);
      if ('why' in found) return found;
      const { figure, paths, shares, seeds, variance, leftOut } = found;
      const own = paths.map((path, i) => ({ setting: path, first: shares[i]!.first, total: shares[i]!.total }));
      return { figure, settings: own, seeds, variance, pointsLeftOut: leftOut };
    }),
    ...(pareto === undefined ? {} : { pareto: chosenFront(pareto, sweep.combined()).map((own) => told(pareto, own)) }),
    ...(bestPer === undefined || names.length === 0
      ? {}
      : {
          bestPer: [...bestPerValue(bestPer, names.slice(0, 4), sweep.combined())]
            .sort(([a], [b]) => a - b)
            .map(([, own]) => told(names.slice(0, 4), own)),
        }),
  };
}
