// Bases of traffic matrices by their definitions, entry by entry (Taffet's dissertation, docs/SOURCES.md, 4.3).

import type { BasisName } from '../../src/reconstruction/pair-grid.js';

/** Sums below the diagonal, differences above it: 4.3.2, with X(i, j) what j sends to i. */
function symmetric(x: number[][]): number[][] {
  return x.map((row, i) => row.map((own, j) => (i >= j ? own + x[j]![i]! : own - x[j]![i]!)));
}

/** Differences along diagonals: 4.3.3. */
function differences(x: number[][]): number[][] {
  return x.map((row, i) => row.map((own, j) => (i === 0 || j === 0 ? own : own - x[i - 1]![j - 1]!)));
}

/** Upper right quarters of submatrices against those of the submatrix before, and the same below: 4.3.4. */
function copies(x: number[][]): number[][] {
  const told = x.map((row) => row.slice());
  for (let half = 1; half < x.length; half *= 2)
    for (let begin = 2 * half; begin < x.length; begin += 2 * half)
      for (let a = 0; a < half; a++)
        for (let b = half; b < 2 * half; b++) {
          told[begin + a]![begin + b] = x[begin + a]![begin + b]! - x[begin + a - 2 * half]![begin + b - 2 * half]!;
          told[begin + b]![begin + a] = x[begin + b]![begin + a]! - x[begin + b - 2 * half]![begin + a - 2 * half]!;
        }
  return told;
}

/** What each basis makes of a matrix of 2^n ranks. */
export const basisByDefinition: Record<BasisName, (x: number[][]) => number[][]> = {
  i: (x) => x,
  s: symmetric,
  cd: differences,
  scd: (x) => differences(symmetric(x)),
  cs: copies,
  scs: (x) => copies(symmetric(x)),
};
