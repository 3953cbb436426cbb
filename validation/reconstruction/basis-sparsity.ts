// How many non-zeros tell a traffic matrix in a basis, and how many of them matter: Table 4.1 of Taffet's dissertation
// (docs/SOURCES.md, 4.3.6). Bases are those of the product (reconstruction/pair-grid), on the whole matrix.
// OD has no one representation: each diagonal of sums, and of differences, is told by the basis that needs less there.

import { miniAppPatterns } from '#weft/flows/traffic/mini-app-patterns.js';
import { bases, dictionaryOf, type BasisName } from '#weft/reconstruction/pair-grid.js';

/** Non-zeros per rank: all; to be within 10 % of the matrix; with 90 % of the power of the representation. */
export interface Sparsity {
  readonly all: number;
  readonly tenPercentError: number;
  readonly ninetyPercentPower: number;
}

/** More thresholds than this are halved, not gone through one by one. */
const fewThresholds = 64;

/** Upper triangle by diagonals: what the lower rank sends to the higher one, and back. */
type Halves = readonly [Float64Array, Float64Array];

/** A diagonal of `length` entries from `begin` of the triangle. */
interface Span {
  readonly offset: number;
  readonly begin: number;
  readonly length: number;
}

/** Non-zeros of a mini-application in a basis, or in OD. @returns null if the basis does not suit its ranks */
export function sparsityOf(patternName: string, basis: BasisName | 'od'): Sparsity | null {
  const pattern = miniAppPatterns.find(({ name }) => name === patternName)!;
  const ranks = pattern.ranks!;
  if (basis.endsWith('cs') && (ranks & (ranks - 1)) !== 0) return null;
  const spans = spansOf(ranks);
  const sent = trianglesOf(pattern, ranks, spans);
  const names = dictionaryOf(basis, ranks)!;
  const { isSymmetric } = bases[names[0]!];
  const told = isSymmetric ? sumsAndDifferences(sent) : sent;
  // a basis of the dictionary for each diagonal of each half
  const chosen = told.map((half) =>
    spans.map((span) => {
      const own = names.map((name) => changes(half, span, name, 1));
      return names[own.reduce((best, one, i) => (count(one) < count(own[best]!) ? i : best), 0)]!;
    }),
  );
  const shown = told.map((half, h) => {
    const whole = new Float64Array(half.length);
    spans.forEach((span, i) => {
      whole.set(changes(half, span, chosen[h]![i]!, 1), span.begin);
    });
    return whole;
  });
  const sizes = [...new Set(shown.flatMap((half) => [...new Set(half.map(Math.abs))]))].filter((size) => size > 0);
  sizes.sort((one, other) => other - one);
  const kept = (least: number): number => shown.reduce((sum, half) => sum + countFrom(half, least), 0) / ranks;
  const errorFrom = (least: number): number => {
    const back = shown.map((half, h) => {
      const whole = half.map((own) => (Math.abs(own) >= least ? own : 0));
      spans.forEach((span, i) => {
        whole.set(changes(whole, span, chosen[h]![i]!, -1), span.begin);
      });
      return whole;
    }) as unknown as Halves;
    const found = isSymmetric ? sumsAndDifferences(back, 0.5) : back;
    return distance(found, sent);
  };
  const power = shown.reduce((sum, half) => sum + half.reduce((own, value) => own + value * value, 0), 0);
  const powerFrom = (least: number): number =>
    shown.reduce(
      (sum, half) => sum + half.reduce((own, value) => own + (Math.abs(value) >= least ? value * value : 0), 0),
      0,
    );
  return {
    all: kept(0),
    tenPercentError: kept(highest(sizes, (least) => errorFrom(least) <= 0.1)),
    ninetyPercentPower: kept(highest(sizes, (least) => powerFrom(least) >= 0.81 * power)),
  };
}

/** The highest of descending thresholds that does. */
function highest(sizes: readonly number[], does: (least: number) => boolean): number {
  if (sizes.length <= fewThresholds) return sizes.find(does) ?? 0;
  let [low, high] = [0, sizes.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (does(sizes[middle]!)) high = middle;
    else low = middle + 1;
  }
  return sizes[low]!;
}

function spansOf(ranks: number): Span[] {
  let begin = 0;
  return Array.from({ length: ranks - 1 }, (_, i) => {
    const span = { offset: i + 1, begin, length: ranks - 1 - i };
    begin += span.length;
    return span;
  });
}

function trianglesOf(pattern: (typeof miniAppPatterns)[number], ranks: number, spans: readonly Span[]): Halves {
  const halves: Halves = [new Float64Array((ranks * (ranks - 1)) / 2), new Float64Array((ranks * (ranks - 1)) / 2)];
  pattern.phases.forEach((_, phase) => {
    pattern.send(ranks, 1, phase, (from, to, weight) => {
      if (from === to) return;
      halves[from < to ? 0 : 1][spans[Math.abs(to - from) - 1]!.begin + Math.min(from, to)]! += weight;
    });
  });
  return halves;
}

function sumsAndDifferences([one, other]: Halves, share = 1): Halves {
  return [one.map((own, i) => share * (own + other[i]!)), one.map((own, i) => share * (own - other[i]!))];
}

/** Entries of a diagonal as differences to those a step before (sign 1), or entries from such differences (-1). */
function changes(half: Float64Array, { offset, begin, length }: Span, name: BasisName, sign: 1 | -1): Float64Array {
  const own = half.slice(begin, begin + length);
  const { step } = bases[name];
  if (step === null) return own;
  const ranks = length + offset;
  if (sign === -1) {
    for (let first = 0; first < length; first++) {
      const next = first + step(offset, first);
      if (next + offset < ranks) own[next]! += own[first]!;
    }
    return own;
  }
  const told = own.slice();
  for (let first = 0; first < length; first++) {
    const next = first + step(offset, first);
    if (next + offset < ranks) told[next]! -= own[first]!;
  }
  return told;
}

function count(values: Float64Array): number {
  return values.reduce((sum, own) => sum + (own === 0 ? 0 : 1), 0);
}

function countFrom(values: Float64Array, least: number): number {
  return values.reduce((sum, own) => sum + (own !== 0 && Math.abs(own) >= least ? 1 : 0), 0);
}

function distance(found: Halves, truth: Halves): number {
  let error = 0;
  let size = 0;
  truth.forEach((half, h) => {
    half.forEach((own, i) => {
      error += (own - found[h]![i]!) ** 2;
      size += own * own;
    });
  });
  return Math.sqrt(error / size);
}
