// What helps to choose among the combinations of a sweep: which setting moves a figure, which combinations nobody would rule
// out, and which is best for each value of a setting.
// Invariants: figures are means over the seeds that finished; shares of a grid are told only if every combination has the
// figure; of a sample, points of which a combination is missing are left out and counted.

import { paretoFront } from '../../measurement/pareto-front.js';
import { gridShares, sampleShares, type SampledPoint, type VarianceShares } from '../../measurement/variance-shares.js';
import { figureAt } from '../figures/places.js';
import type { SettingOfColumn } from './row-columns.js';

/** The runs of a combination that finished. */
export interface ChosenRuns {
  readonly choices: readonly number[];
  /** figures by seed */
  readonly bySeed: ReadonlyMap<number | null, ReadonlyMap<string, number>>;
}

/** The shares of a figure's variance, or why there are none. */
export type FigureShares =
  | ({ readonly figure: string; readonly paths: readonly string[]; readonly leftOut: number } & VarianceShares)
  | { readonly figure: string; readonly why: string };

/**
 * What each setting makes of a figure's variance.
 * @param drawn which settings were drawn from ranges; null: combinations are a grid
 */
export function figureShares(
  figure: string,
  settings: readonly SettingOfColumn[],
  combined: Iterable<ChosenRuns>,
  drawn: readonly number[] | null,
): FigureShares {
  const cells = new Map([...combined].map((own) => [own.choices.join(' '), cellOf(own, figure)]));
  return drawn === null ? ofGrid(figure, settings, cells) : ofSample(figure, settings, cells, drawn);
}

type Cells = ReadonlyMap<string, { readonly mean: number; readonly variance: number } | null>;

function ofGrid(figure: string, settings: readonly SettingOfColumn[], cells: Cells): FigureShares {
  const varied = settings.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));
  let grid: number[][] = [settings.map(() => 0)];
  for (const i of varied)
    grid = grid.flatMap((own) => settings[i]!.values.map((_, choice) => own.map((old, j) => (i === j ? choice : old))));
  const found = grid.map((choices) => cells.get(choices.join(' ')) ?? null);
  const missing = found.filter((cell) => cell === null).length;
  if (missing > 0)
    return { figure, why: `${missing} of ${grid.length} combinations do not have it, or are the same run as another` };
  const shares = gridShares(
    varied.map((i) => settings[i]!.values.length),
    found.filter((cell) => cell !== null),
  );
  return shares === null
    ? { figure, why: 'it does not vary' }
    : { figure, paths: varied.map((i) => settings[i]!.path), leftOut: 0, ...shares };
}

function ofSample(
  figure: string,
  settings: readonly SettingOfColumn[],
  cells: Cells,
  drawn: readonly number[],
): FigureShares {
  const block = drawn.length + 2;
  const count = settings[0]!.values.length / block;
  const points: SampledPoint[] = [];
  for (let j = 0; j < count; j++) {
    const values = Array.from({ length: block }, (_, k) => {
      const combination = j * block + k;
      return cells.get(settings.map(() => combination).join(' '))?.mean;
    });
    const [a, b, ...mixed] = values;
    if (values.every((value) => value !== undefined)) points.push({ a: a!, b: b!, mixed: mixed as number[] });
  }
  const shares = sampleShares(drawn.length, points);
  return shares === null
    ? { figure, why: points.length < 2 ? 'fewer than two points of the sample have it' : 'it does not vary' }
    : { figure, paths: drawn.map((i) => settings[i]!.path), leftOut: count - points.length, ...shares };
}

/** @returns null if no run has the figure */
function cellOf({ bySeed }: ChosenRuns, figure: string): { readonly mean: number; readonly variance: number } | null {
  const values = [...bySeed.values()].flatMap((figures) => figures.get(figure) ?? []);
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return { mean, variance: squares / values.length };
}

/** A combination with the means of some figures, in their units. */
export interface ChosenCombination {
  readonly choices: readonly number[];
  readonly means: readonly number[];
}

/** The combinations that are the best in some weighing of figures; those that lack one are not among them. */
export function chosenFront(figures: readonly string[], combined: Iterable<ChosenRuns>): ChosenCombination[] {
  const known = knownMeans(figures, combined);
  const signs = figures.map((figure) => (lessIsBetter(figure) ? 1 : -1));
  return paretoFront(known.map(({ means }) => means.map((mean, k) => signs[k]! * mean))).map((i) => known[i]!);
}

/** For each value of a setting, the combination with the best figure. */
export function bestPerValue(
  place: number,
  figures: readonly string[],
  combined: Iterable<ChosenRuns>,
): ReadonlyMap<number, ChosenCombination> {
  const best = new Map<number, ChosenCombination>();
  const sign = lessIsBetter(figures[0]!) ? 1 : -1;
  for (const own of knownMeans(figures, combined)) {
    const choice = own.choices[place]!;
    const other = best.get(choice);
    if (other === undefined || sign * own.means[0]! < sign * other.means[0]!) best.set(choice, own);
  }
  return best;
}

/** The combinations that have all of some figures. */
export function knownMeans(figures: readonly string[], combined: Iterable<ChosenRuns>): ChosenCombination[] {
  return [...combined].flatMap((own) => {
    const means = figures.map((figure) => cellOf(own, figure)?.mean);
    return means.every((mean) => mean !== undefined) ? [{ choices: own.choices, means }] : [];
  });
}

/** Of figures of which nothing is said, less is taken to be better. */
function lessIsBetter(figure: string): boolean {
  return figureAt(figure).entry.look.lessIsBetter ?? true;
}
