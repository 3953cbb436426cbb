// A line through means with a band from the least to the most, as charts of sweeps have them.
// Invariant: places without values are left out.

import { type LineSeries, short } from './figures.js';

/** A line through means, and the band from the least to the most. @param points values at a place of the axis each */
export function bandAndLine(
  label: string,
  colour: number,
  points: readonly { readonly at: number; readonly values: number[] }[],
  per: number,
): LineSeries[] {
  const known = points.filter(({ values }) => values.length > 0).sort((a, b) => a.at - b.at);
  const own = { colour, x: known.map(({ at }) => at) };
  const put = (figure: (values: number[]) => number): number[] =>
    known.map(({ values }) => short(figure(values) / per));
  const name = label || 'mean';
  return [
    { ...own, name: `${name}: least to most`, y: put(leastOf), upTo: put(mostOf) },
    { ...own, name, y: put(meanOf), hasPoints: true },
  ];
}

/** The least of values; Infinity of none. */
export function leastOf(values: readonly number[]): number {
  return Math.min(...values);
}

/** The most of values; -Infinity of none. */
export function mostOf(values: readonly number[]): number {
  return Math.max(...values);
}

/** The mean of values; NaN of none. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
