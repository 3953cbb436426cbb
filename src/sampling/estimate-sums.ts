// Sums of rows of estimates, by port or by whatever else rows are told apart by.
// Invariant: traffic and congested add up; standard errors and noise do so by their squares (reservoir-sampling.md).

const estimateColumns = ['traffic', 'trafficError', 'congested', 'congestedError', 'noise'] as const;
type EstimateColumn = (typeof estimateColumns)[number];

const squared: ReadonlySet<EstimateColumn> = new Set(['trafficError', 'congestedError', 'noise']);

/** Rows in columns, of which the first `rows` count. */
export type EstimateRows<C extends EstimateColumn> = {
  readonly rows: number;
  /** what each row is of, from 0 */
  readonly key: Int32Array;
} & Readonly<Record<C, Float64Array>>;

/**
 * Adds rows up by their keys.
 * @param columns which of them @param keys how many there are @param keep which rows of a piece, by its place among them
 */
export function estimateSums<C extends EstimateColumn>(
  columns: readonly C[],
  keys: number,
  pieces: readonly EstimateRows<C>[],
  keep: (piece: number, row: number) => boolean = () => true,
): Record<C, Float64Array> {
  const sums = columns.map(() => new Float64Array(keys));
  const isSquared = columns.map((column) => squared.has(column));
  pieces.forEach((piece, place) => {
    const values = columns.map((column) => piece[column]);
    for (let row = 0; row < piece.rows; row++) {
      if (!keep(place, row)) continue;
      const key = piece.key[row]!;
      for (let column = 0; column < values.length; column++) {
        const value = values[column]![row]!;
        sums[column]![key]! += isSquared[column]! ? value * value : value;
      }
    }
  });
  return Object.fromEntries(
    columns.map((column, i) => [column, isSquared[i]! ? sums[i]!.map(Math.sqrt) : sums[i]!]),
  ) as Record<C, Float64Array>;
}
