// Tables 4.1 to 4.3 of Taffet's dissertation (docs/SOURCES.md) as they are printed.

import type { LaneStrategy } from '#weft/app/reconstruct/reconstruction-request.js';

/** Columns of Table 4.1. */
export const sparsityBases = ['i', 's', 'cd', 'scd', 'cs', 'scs', 'od'] as const;

/** Non-zeros per rank by basis: all, those for 10 % of error, those of 90 % of power; null: not printed. */
export interface PrintedSparsity {
  readonly pattern: string;
  readonly all: readonly (number | null)[];
  readonly tenPercentError: readonly (number | null)[];
  readonly ninetyPercentPower: readonly (number | null)[];
}

const no = null;

/** Table 4.1. */
export const printedSparsity: readonly PrintedSparsity[] = [
  {
    pattern: 'multigrid-c',
    all: [10.45, 5.22, 14.84, 7.42, no, no, 4.76],
    tenPercentError: [6.0, 3.0, 6.96, 3.48, no, no, 2.48],
    ninetyPercentPower: [6.0, 3.0, 6.96, 3.48, no, no, 2.48],
  },
  {
    pattern: 'nekbone',
    all: [29.06, 20.24, 20.38, 20.64, 16.13, 13.06, 11.33],
    tenPercentError: [6.15, 3.07, 5.49, 0.87, 4.03, 1.98, 0.41],
    ninetyPercentPower: [3.63, 1.81, 1.73, 0.87, 0.75, 0.38, 0.41],
  },
  {
    pattern: 'amg',
    all: [79.22, 61.88, 108.85, 85.86, no, no, 69.21],
    tenPercentError: [5.5, 2.75, 0.36, 0.18, no, no, 0.18],
    ninetyPercentPower: [5.5, 2.72, 0.36, 0.18, no, no, 0.18],
  },
  {
    pattern: 'boxlib-cns',
    all: [72.57, 39.03, 118.76, 62.25, 84.13, 44.59, 44.32],
    tenPercentError: [19.34, 9.67, 118.76, 62.25, 29.71, 14.86, 44.32],
    ninetyPercentPower: [19.34, 9.67, 32.79, 16.39, 22.16, 11.08, 10.11],
  },
  {
    pattern: 'boxlib-mg-c',
    all: [20.74, 10.37, 27.78, 13.89, 2.86, 1.43, 1.43],
    tenPercentError: [5.38, 2.69, 6.37, 3.18, 0.41, 0.21, 0.21],
    ninetyPercentPower: [5.38, 2.69, 3.75, 1.87, 0.41, 0.21, 0.21],
  },
  {
    pattern: 'lulesh',
    all: [19.8, 9.9, 3.93, 1.97, 5.94, 2.97, 1.29],
    tenPercentError: [5.25, 2.63, 0.56, 0.28, 0.86, 0.43, 0.04],
    ninetyPercentPower: [5.25, 2.63, 0.56, 0.28, 0.86, 0.43, 0.04],
  },
  {
    pattern: 'partisn',
    all: [5.65, 3.82, 4.23, 4.1, no, no, 2.13],
    tenPercentError: [3.69, 1.85, 0.29, 0.14, no, no, 0.14],
    ninetyPercentPower: [3.69, 1.85, 0.27, 0.14, no, no, 0.14],
  },
];

/** Levels and lanes of a column of Tables 4.2 and 4.3. */
export interface LaneColumn {
  readonly title: string;
  readonly lanes: number;
  readonly serviceLevels: number;
  readonly strategy: LaneStrategy;
}

/** Columns of Tables 4.2 and 4.3. */
export const laneColumns: readonly LaneColumn[] = [
  { title: '1 SL, 1 VL', lanes: 1, serviceLevels: 1, strategy: 'random' },
  { title: '2 SL, 2 VL', lanes: 2, serviceLevels: 2, strategy: 'random' },
  { title: '4 SL, 2 VL', lanes: 2, serviceLevels: 4, strategy: 'random' },
  { title: 'Rand, 2 VL', lanes: 2, serviceLevels: 1, strategy: 'pairs' },
  { title: '2 SL, 4 VL', lanes: 4, serviceLevels: 2, strategy: 'random' },
  { title: '5 SL, 5 VL', lanes: 5, serviceLevels: 5, strategy: 'random' },
  { title: 'Rand, 5 VL', lanes: 5, serviceLevels: 1, strategy: 'pairs' },
  { title: 'Galois, 5 VL', lanes: 5, serviceLevels: 1, strategy: 'galois' },
];

/** Relative errors in percent by column: with the basis that suits best and an exact solver, and with OD. */
export interface PrintedErrors {
  readonly pattern: string;
  readonly basis: string;
  readonly best: readonly number[];
  readonly od: readonly number[];
}

/** Tables 4.2 and 4.3. */
export const printedErrors: readonly PrintedErrors[] = [
  {
    pattern: 'multigrid-c',
    basis: 's',
    best: [96.4, 94.5, 94.7, 95.3, 86.5, 58.9, 7.1, 5.9],
    od: [109, 92.2, 82, 90, 90.5, 62.1, 43.7, 41.6],
  },
  {
    pattern: 'nekbone',
    basis: 'scd',
    best: [22.8, 10.6, 9.1, 10.2, 7.4, 7.1, 7.1, 7.2],
    od: [16.5, 4.8, 3.2, 4.9, 4.8, 2.4, 1.4, 1.4],
  },
  {
    pattern: 'amg',
    basis: 'scd',
    best: [49.2, 8.8, 6, 7.8, 2.2, 1.8, 1.7, 1.7],
    od: [50.2, 12, 3.3, 11.2, 9.9, 1.8, 1.7, 1.6],
  },
  {
    pattern: 'boxlib-cns',
    basis: 's',
    best: [97.6, 97.1, 97.5, 97.4, 94.6, 88.1, 84.2, 83.9],
    od: [118, 97.6, 92.1, 96.2, 96.1, 86.9, 84.5, 83.9],
  },
  {
    pattern: 'boxlib-mg-c',
    basis: 'cs',
    best: [66.1, 19, 13.6, 11.1, 9.9, 3.3, 0, 0.1],
    od: [68.7, 5.2, 0.7, 1.1, 1.1, 0.4, 0.2, 0.4],
  },
  {
    pattern: 'lulesh',
    basis: 'scd',
    best: [58.6, 7.3, 4, 7.2, 0.4, 0, 0, 0],
    od: [29.4, 0.9, 0.6, 0.8, 0.7, 0.4, 0.5, 0.5],
  },
  {
    pattern: 'partisn',
    basis: 'scd',
    best: [30.6, 0.1, 0.1, 0.1, 0, 0, 0, 0],
    od: [23.4, 5.7, 5.2, 0.2, 0.2, 0.2, 0.2, 0.2],
  },
];
