// The front of a sweep's combinations as a chart: one figure against another, those in the front joined by a line, the
// others as points.
// Invariant: a point is a combination with its means; how many of the others are left out the note says.

import { chosenFront, type ChosenCombination, knownMeans } from '../sweep/sweep-choice.js';
import { counted } from '../text-style.js';
import { type Axis, type Figure, type LineFigure, short } from './figures.js';
import type { ChoiceRequest } from './sweep-choice-html.js';
import type { SweepFigures } from './sweep-figures.js';
import { figureName, unitOf } from './sweep-words.js';

/** Points of combinations beyond the front. */
const mostPoints = 2000;

/** All charts of a sweep: figures over settings, then the front if one is asked for. */
export function chartsOfSweep(sweep: SweepFigures, { pareto }: ChoiceRequest): Figure[] {
  return [...sweep.charts(), ...(pareto === undefined ? [] : [frontFigure(sweep, pareto)])];
}

/** The first figure, upwards, against the second. @param figures two or three, by their keys */
function frontFigure(sweep: SweepFigures, figures: readonly string[]): LineFigure {
  const front = chosenFront(figures, sweep.combined());
  const inFront = new Set(front.map(({ choices }) => choices.join(' ')));
  const others = knownMeans(figures, sweep.combined()).filter(({ choices }) => !inFront.has(choices.join(' ')));
  const shown = others.slice(0, mostPoints);
  const [y, x] = [0, 1].map((k) =>
    axisOf(
      figures[k]!,
      [...front, ...shown].map(({ means }) => means[k]!),
    ),
  ) as [ScaledAxis, ScaledAxis];
  const series = (name: string, colour: number, points: readonly ChosenCombination[]) => ({
    name,
    colour,
    x: points.map(({ means }) => short(means[1]! / x.per)),
    y: points.map(({ means }) => short(means[0]! / y.per)),
    hasPoints: true,
  });
  const left = others.length - shown.length;
  const third = figures[2] === undefined ? '' : ` ${figureName(figures[2])} counts, too, and stands in the table.`;
  return {
    kind: 'lines',
    id: 'front',
    title: `${figureName(figures[0]!)} against ${figureName(figures[1]!).toLowerCase()}`,
    note: `A point is a combination, with the means over its seeds.${third}${left === 0 ? '' : ` ${counted(left, 'other point')} left out.`}`,
    x: x.axis,
    y: y.axis,
    series: [
      // below the front
      ...(shown.length === 0 ? [] : [{ ...series('others', 7, shown), isUnjoined: true }]),
      // with a third figure it need not go down from point to point
      { ...series('front', 0, front), ...(figures.length === 2 ? {} : { isUnjoined: true }) },
    ],
  };
}

interface ScaledAxis {
  readonly axis: Axis;
  /** how many of the figure's own units its unit is */
  readonly per: number;
}

function axisOf(figure: string, values: readonly number[]): ScaledAxis {
  const { unit, per } = unitOf(figure, Math.max(...values));
  return { axis: { name: figureName(figure).toLowerCase(), unit }, per };
}
