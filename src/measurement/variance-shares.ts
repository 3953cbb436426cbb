// How much of the variance of a figure each setting makes: by itself (first order), and with all interactions that it has
// part in (total). Exact for a full grid of values; estimated from a sample of ranges.
// Sources: Sobol' 1993, Sensitivity estimates for nonlinear mathematical models (the decomposition); Saltelli et al. 2010,
// Computer Physics Communications 181, table 2 (b) (first order) and (f), of Jansen 1999 (total).
// Invariant: shares of a grid are at least 0, and those of first order and of seeds together at most 1. Estimates may be
// a little below 0 or above 1.

/** What one setting makes. */
interface VarianceShare {
  readonly first: number;
  readonly total: number;
}

/** The shares of all settings, in their order. */
export interface VarianceShares {
  readonly shares: readonly VarianceShare[];
  /** of runs that differ in their seeds alone */
  readonly seeds: number;
  /** of all runs, in the square of the figure's unit */
  readonly variance: number;
}

/** Runs of one combination. */
export interface CellFigures {
  readonly mean: number;
  /** of its runs around their mean: the mean of squares */
  readonly variance: number;
}

/**
 * Of a full grid.
 * @param sizes values of each setting
 * @param cells one for each combination, the last setting changing fastest
 * @returns null if nothing varies
 */
export function gridShares(sizes: readonly number[], cells: readonly CellFigures[]): VarianceShares | null {
  const means = cells.map(({ mean }) => mean);
  const between = varianceOf(means);
  const within = meanOf(cells.map(({ variance }) => variance));
  const variance = between + within;
  if (!(variance > 0)) return null;
  let stride = cells.length;
  const shares = sizes.map((size): VarianceShare => {
    stride /= size;
    const own = new Float64Array(size);
    const others = new Float64Array(cells.length / size);
    const step = stride;
    means.forEach((mean, i) => {
      const block = Math.floor(i / (step * size));
      own[Math.floor(i / step) % size]! += (mean * size) / cells.length;
      others[block * step + (i % step)]! += mean / size;
    });
    // what is left when this setting is averaged away is of the others
    return { first: varianceOf(own) / variance, total: Math.max(0, between - varianceOf(others)) / variance };
  });
  return { shares, seeds: within / variance, variance };
}

/** A base point of a sample: at A, at B, and at A with one setting after the other taken from B. */
export interface SampledPoint {
  readonly a: number;
  readonly b: number;
  readonly mixed: readonly number[];
}

/** Of a sample (sample-design.ts). @returns null if nothing varies, or there are fewer than two points */
export function sampleShares(settings: number, points: readonly SampledPoint[]): VarianceShares | null {
  if (points.length < 2) return null;
  const variance = varianceOf(points.flatMap(({ a, b }) => [a, b]));
  if (!(variance > 0)) return null;
  const centre = meanOf(points.flatMap(({ a, b }) => [a, b]));
  const shares = Array.from({ length: settings }, (_, i): VarianceShare => {
    // of amounts around their mean, which changes nothing but the error
    const first = meanOf(points.map(({ a, b, mixed }) => (b - centre) * (mixed[i]! - a)));
    const total = meanOf(points.map(({ a, mixed }) => (a - mixed[i]!) * (a - mixed[i]!))) / 2;
    return { first: first / variance, total: total / variance };
  });
  return { shares, seeds: 0, variance };
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

function varianceOf(values: ArrayLike<number>): number {
  const mean = meanOf(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) * (values[i]! - mean);
  return squares / values.length;
}
