// What a size takes between two that were measured: the geometric mean of two forecasts, because neither holds alone.
// - the times' own curve: a cubic through the logarithms of times over those of sizes, monotone where they are (Fritsch
//   and Butland, "A method for constructing local monotone piecewise cubic interpolants", 1984, with Brodlie's weights,
//   known as PCHIP). It knows nothing of protocols;
// - the model's shape: what the profile without paces takes, times the pace between the neighbours', geometrically. It
//   knows protocols, not what the cluster does otherwise.
// Two forecasts of equal worth are averaged: Bates and Granger, "The combination of forecasts" (1969).
// Below the first size and above the last the model goes on at the pace of that size.
// Invariant: the curve goes through every size that was measured.

import { exp2, log2 } from './logarithms.js';

/** A size that was measured. */
export interface MeasuredSize {
  readonly sizeBytes: number;
  readonly measuredUs: number;
  /** what the profile takes without paces */
  readonly modelUs: number;
}

/** What sizes take. @param measured ascending, each size once, one at least */
export class TimeCurve {
  private readonly sizes: readonly number[];
  private readonly times: readonly number[];
  private readonly paces: readonly number[];
  private readonly slopes: readonly number[];

  constructor(measured: readonly MeasuredSize[]) {
    this.sizes = measured.map(({ sizeBytes }) => log2(sizeBytes));
    this.times = measured.map(({ measuredUs }) => log2(measuredUs));
    this.paces = measured.map(({ modelUs }, i) => this.times[i]! - log2(modelUs));
    this.slopes = monotoneSlopes(this.sizes, this.times);
  }

  /** Microseconds. @param modelUs what the profile takes without paces */
  timeUs(sizeBytes: number, modelUs: number): number {
    const { sizes, times, paces, slopes } = this;
    const x = log2(sizeBytes);
    const last = sizes.length - 1;
    if (x <= sizes[0]!) return exp2(log2(modelUs) + paces[0]!);
    if (x >= sizes[last]!) return exp2(log2(modelUs) + paces[last]!);
    const i = sizes.findIndex((size) => size > x) - 1;
    const width = sizes[i + 1]! - sizes[i]!;
    const t = (x - sizes[i]!) / width;
    const byShape = log2(modelUs) + paces[i]! + (paces[i + 1]! - paces[i]!) * t;
    const byTimes =
      times[i]! +
      (times[i + 1]! - times[i]!) * t * t * (3 - 2 * t) +
      width * t * (1 - t) * (slopes[i]! * (1 - t) - slopes[i + 1]! * t);
    return exp2((byShape + byTimes) / 2);
  }
}

/** Slopes at points with which cubics between them are monotone where the points are. */
function monotoneSlopes(x: readonly number[], y: readonly number[]): number[] {
  const widths = x.slice(1).map((own, i) => own - x[i]!);
  const chords = widths.map((width, i) => (y[i + 1]! - y[i]!) / width);
  const last = chords.length - 1;
  if (last < 1) return x.map(() => chords[0] ?? 0);
  return x.map((_, i) => {
    if (i === 0) return endSlope(widths[0]!, widths[1]!, chords[0]!, chords[1]!);
    if (i > last) return endSlope(widths[last]!, widths[last - 1]!, chords[last]!, chords[last - 1]!);
    const [before, after] = [chords[i - 1]!, chords[i]!];
    if (before * after <= 0) return 0;
    const [weightBefore, weightAfter] = [2 * widths[i]! + widths[i - 1]!, widths[i]! + 2 * widths[i - 1]!];
    return (weightBefore + weightAfter) / (weightBefore / before + weightAfter / after);
  });
}

/** Of the parabola through an end and the two points next to it, bounded so that the cubic stays monotone. */
function endSlope(width: number, nextWidth: number, chord: number, nextChord: number): number {
  const slope = ((2 * width + nextWidth) * chord - width * nextChord) / (width + nextWidth);
  if (slope * chord <= 0) return 0;
  return chord * nextChord <= 0 && Math.abs(slope) > 3 * Math.abs(chord) ? 3 * chord : slope;
}
