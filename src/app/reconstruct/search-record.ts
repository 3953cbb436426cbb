// How a search came to its traffic: CPU time, steps, residual, and the error where the truth is known. The form of
// Figures 4.11 and 4.12 of Taffet's dissertation (docs/SOURCES.md).
// Invariant: the record sees the search and never changes it; its own time is left out of what it says.

import { TrafficColumn, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { PairGrid } from '../../reconstruction/pair-grid.js';
import type { ReconstructionTrace } from '../../report/reconstruct/reconstruction-text.js';
import { pairsOfTraffic } from './grid-traffic.js';
import type { SearchLook } from './search-until.js';

/** A record of one search. */
export class SearchRecord {
  /** null: no first-order search has begun */
  trace: ReconstructionTrace | null = null;
  private spentSeconds = 0;

  /** @param sent what was sent; null: it is not known @param cpuSeconds since the measurement began */
  constructor(
    private readonly sent: TrafficMatrix | null,
    private readonly cpuSeconds: () => number,
  ) {}

  /** Opens the record on the pairs of a grid. @param ranks of its blocks, one after the other */
  begin(grid: PairGrid, ranks: readonly number[]): SearchLook {
    const columns = { cpuSeconds: [] as number[], steps: [] as number[], residual: [] as number[] };
    const openedAt = this.cpuSeconds();
    const errorOf = this.sent === null ? null : errorBy(this.sent, grid, ranks);
    const relativeError: number[] | null = errorOf === null ? null : [];
    this.trace = { ...columns, relativeError };
    this.spentSeconds += this.cpuSeconds() - openedAt;
    return (steps, residual, pairs) => {
      const at = this.cpuSeconds();
      columns.cpuSeconds.push(at - this.spentSeconds);
      columns.steps.push(steps);
      columns.residual.push(residual);
      if (errorOf !== null) relativeError!.push(errorOf(pairs()));
      this.spentSeconds += this.cpuSeconds() - at;
    };
  }
}

/** |x - truth| / |truth| of traffic by pair of a grid, which is by pair of hosts: classes of two hosts are added up. */
function errorBy(sent: TrafficMatrix, grid: PairGrid, ranks: readonly number[]): (pairs: Float64Array) => number {
  const classes = grid.places === 0 ? 1 : 1 + Math.floor(grid.first.at(-1)! / ranks.length);
  const numberOf = hostPairNumbers(grid, ranks.length);
  const truth = new Float64Array(numberOf.length);
  const told = pairsOfTraffic(
    Array.from({ length: classes }, () => sent),
    grid,
    ranks,
  );
  told.forEach((own, pair) => (truth[numberOf[pair]!] = own));
  const size = squareOf(sent);
  // what was sent by pairs that the grid leaves out is never found
  const leftOut = Math.max(0, size - truth.reduce((sum, own) => sum + own * own, 0));
  const difference = new Float64Array(truth.length);
  return (pairs) => {
    difference.set(truth);
    pairs.forEach((own, pair) => (difference[numberOf[pair]!]! -= own));
    const square = difference.reduce((sum, own) => sum + own * own, leftOut);
    return size === 0 ? 0 : Math.sqrt(square / size);
  };
}

/** A number for each pair of a grid, the same for the same two hosts in other classes. @param ranks of a class */
function hostPairNumbers({ places, first, offset }: PairGrid, ranks: number): Int32Array {
  const numbers = new Map<number, number>();
  return Int32Array.from({ length: 2 * places }, (_, pair) => {
    const key = 2 * ((first[pair >> 1]! % ranks) * ranks + offset[pair >> 1]!) + (pair % 2);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  });
}

function squareOf(matrix: TrafficMatrix): number {
  const column = new TrafficColumn(matrix.hostCount);
  let sum = 0;
  for (let to = 0; to < matrix.hostCount; to++) {
    matrix.toDestination(to, column);
    for (let i = 0; i < column.length; i++) sum += column.weights[i]! * column.weights[i]!;
  }
  return sum;
}
