// Where to try a model whose settings have ranges, so that variance-shares.ts can tell what each of them makes: base points
// A and B, and for each setting A with that setting taken from B, (settings + 2) combinations a point.
// Base points are a Sobol' sequence in twice as many dimensions, or a Latin hypercube.
// Sources: Saltelli et al. 2010, Computer Physics Communications 181; Joe and Kuo 2008, SIAM J. Sci. Comput. 30, direction
// numbers new-joe-kuo-6.21201; McKay, Beckman and Conover 1979, Technometrics 21.
// Invariants: the same method and numbers give the same points on every platform; each coordinate is in [0, 1). The
// sequence is shifted by bits drawn once, so that it does not begin in a corner; it keeps its uniformity.

import { RandomStream } from '../base/random.js';

export const sampleMethods = ['latin-hypercube', 'sobol'] as const;
export type SampleMethod = (typeof sampleMethods)[number];

/** Settings with ranges of one sample. */
export const mostSampledSettings = 10;

/** Degree of the polynomial, its inner coefficients as bits, and the first direction numbers, from dimension 2 on. */
const joeKuo: readonly (readonly [degree: number, coefficients: number, ...initial: number[]])[] = [
  [1, 0, 1],
  [2, 1, 1, 3],
  [3, 1, 1, 3, 1],
  [3, 2, 1, 1, 1],
  [4, 1, 1, 1, 3, 3],
  [4, 4, 1, 3, 5, 13],
  [5, 2, 1, 1, 5, 5, 17],
  [5, 4, 1, 1, 5, 5, 5],
  [5, 7, 1, 1, 7, 11, 19],
  [5, 11, 1, 1, 5, 1, 1],
  [5, 13, 1, 1, 1, 3, 11],
  [5, 14, 1, 3, 5, 5, 31],
  [6, 1, 1, 3, 3, 9, 7, 49],
  [6, 13, 1, 1, 1, 15, 21, 21],
  [6, 16, 1, 3, 1, 13, 27, 49],
  [6, 19, 1, 1, 1, 15, 7, 5],
  [6, 22, 1, 3, 1, 15, 13, 25],
  [6, 25, 1, 1, 5, 5, 19, 61],
  [7, 1, 1, 3, 7, 11, 23, 15, 103],
];

const bits = 32;

/**
 * The combinations of a sample.
 * @param settings how many have a range, at most `mostSampledSettings`
 * @returns for each combination a coordinate for each setting; point after point A, B and the mixed ones
 */
export function sampleDesign(method: SampleMethod, points: number, settings: number): Float64Array[] {
  const base = method === 'sobol' ? sobolPoints(points, 2 * settings, true) : latinHypercube(points, 2 * settings);
  const design: Float64Array[] = [];
  for (const point of base) {
    const [a, b] = [point.slice(0, settings), point.slice(settings)];
    design.push(a, b);
    for (let i = 0; i < settings; i++) design.push(a.map((own, j) => (j === i ? b[i]! : own)));
  }
  return design;
}

/** The first points of a Sobol' sequence. @param dimensions at most 20 @param isShifted by bits that are drawn once */
export function sobolPoints(points: number, dimensions: number, isShifted: boolean): Float64Array[] {
  const directions = Array.from({ length: dimensions }, (_, dimension) => directionsOf(dimension));
  const random = new RandomStream(0, 'sobol shift');
  const state = Uint32Array.from({ length: dimensions }, () => (isShifted ? random.nextUint32() : 0));
  return Array.from({ length: points }, (_, i) => {
    // Gray code: from one point to the next one direction changes
    if (i > 0) {
      let place = 0;
      for (let left = i - 1; (left & 1) === 1; left >>>= 1) place++;
      for (let dimension = 0; dimension < dimensions; dimension++) state[dimension]! ^= directions[dimension]![place]!;
    }
    return Float64Array.from(state, (value) => value / 4294967296);
  });
}

function directionsOf(dimension: number): Uint32Array {
  const found = new Uint32Array(bits);
  if (dimension === 0) {
    for (let i = 0; i < bits; i++) found[i] = (1 << (bits - 1 - i)) >>> 0;
    return found;
  }
  const [degree, coefficients, ...initial] = joeKuo[dimension - 1]!;
  for (let i = 0; i < bits; i++) {
    if (i < degree) {
      found[i] = (initial[i]! << (bits - 1 - i)) >>> 0;
      continue;
    }
    let value = found[i - degree]! ^ (found[i - degree]! >>> degree);
    for (let k = 1; k < degree; k++) if (((coefficients >>> (degree - 1 - k)) & 1) === 1) value ^= found[i - k]!;
    found[i] = value >>> 0;
  }
  return found;
}

/** In each dimension one point in each of so many equal strips. */
function latinHypercube(points: number, dimensions: number): Float64Array[] {
  const found = Array.from({ length: points }, () => new Float64Array(dimensions));
  for (let dimension = 0; dimension < dimensions; dimension++) {
    const random = new RandomStream(0, `latin hypercube ${dimension}`);
    const strips = Array.from({ length: points }, (_, i) => i);
    for (let i = points - 1; i > 0; i--) {
      const other = random.nextBelow(i + 1);
      [strips[i], strips[other]] = [strips[other]!, strips[i]!];
    }
    strips.forEach((strip, i) => (found[i]![dimension] = (strip + random.nextFraction()) / points));
  }
  return found;
}
