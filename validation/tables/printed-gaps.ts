// Tables 3.2 and 3.3 of the dissertation as printed: AR gaps in percent after 12 minutes on 96 threads, and what 24
// hours or more told of the best static routes. Its traces are not at hand: rows that are not its own synthetic traffic
// are set beside other traffic.

/** A row of both tables; null where they have a dash. */
export interface PrintedGaps {
  /** our name of the pattern */
  readonly pattern: string;
  /** whether the traffic is the dissertation's own */
  readonly same: boolean;
  /** Table 3.2 */
  readonly basicMcf: number | null;
  readonly partitionedBinary: number;
  /** both tables */
  readonly combined: number;
  /** Table 3.2: no static routes are below, and routes are known at the end */
  readonly bound: readonly [least: number, known: number];
  /** Table 3.3 */
  readonly afar: number;
  readonly ftree: number;
  readonly random: number;
}

type Row = readonly [
  pattern: string,
  basicMcf: number | null,
  partitionedBinary: number,
  combined: number,
  least: number,
  known: number,
  afar: number,
  ftree: number,
  random: number,
];

const synthetic: readonly Row[] = [
  ['stencil', 16.67, 0, 0, 0, 0, 0, 0, 150],
  ['bisection', 100, 0, 0, 0, 0, 0, 0, 350],
  ['bs-random-shuffle', 100, 0, 0, 0, 0, 100, 250, 350],
  ['all-to-all', null, 0, 0, 0, 0, 0, 0, 39.98],
  ['bs-random-shuffle-noise', 92.75, 1.83, 1.83, 0.88, 1.64, 49.61, 246.37, 343.35],
];

const traces: readonly Row[] = [
  ['boxlib-mg-c', 1.85, 12.68, 1.85, 0.06, 0.67, 36.32, 126.19, 157.63],
  ['amg', 0, 0, 0, 0, 0, 35.57, 66.38, 83.76],
  ['boxlib-cns', null, 0.37, 0.24, 0, 0.08, 10.95, 53.83, 84.93],
  ['partisn', 7.98, 13.12, 7.98, 7.98, 7.98, 46.55, 110.89, 177.69],
  ['multigrid-c', 5.58, 5.28, 5.28, 4.14, 5, 44.66, 83.7, 123.6],
  ['nekbone', 7.78, 6.13, 5.32, 0, 0.02, 17.38, 66.11, 106.76],
  ['lulesh', 3.92, 4.58, 3.92, 2.52, 2.97, 27.29, 73.55, 118.76],
  ['boxlib-mg-c-star', 1.2, 6.03, 1.2, 0, 0.28, 21.81, 50.04, 104.95],
  ['amg-star', 0, 0, 0, 0, 0, 35.57, 66.38, 81.93],
  ['boxlib-cns-star', null, 0.29, 0.13, 0, 0.03, 15.73, 35.58, 53.61],
  ['partisn-star', 3.5, 0.17, 0.17, 0, 0.09, 6.16, 31.26, 63.02],
  ['multigrid-c-star', 6.68, 2.02, 2.02, 1.94, 2.01, 18.99, 67.34, 83],
  ['nekbone-star', 3.55, 0.54, 0.54, 0, 0.01, 15.63, 34.75, 79.24],
  ['lulesh-star', 0.67, 0.41, 0.47, 0, 0.07, 9.98, 23.94, 53.07],
];

/** All rows, in the order of the tables. */
export const printedGaps: readonly PrintedGaps[] = [
  ...synthetic.map((row) => printed(row, true)),
  ...traces.map((row) => printed(row, false)),
];

function printed(
  [pattern, basicMcf, partitionedBinary, combined, least, known, afar, ftree, random]: Row,
  same: boolean,
): PrintedGaps {
  return { pattern, same, basicMcf, partitionedBinary, combined, bound: [least, known], afar, ftree, random };
}
