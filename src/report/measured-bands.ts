// Errors of collectives by class. Written by `npm run measured`; the table "Error bands" of docs/models/measured.md has the
// same figures, and every row behind them stands on that page.

import type { MeasuredBand } from './band-classes.js';

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
  { kind: 'allreduce', servers: 'one', sizes: 'small', rows: 18, medianPercent: 5.9, p90Percent: 35.2, worstPercent: 42.7 },
  { kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 74, medianPercent: 18.1, p90Percent: 54.9, worstPercent: 74.3 },
  { kind: 'allreduce', servers: 'one', sizes: 'large', rows: 87, medianPercent: 1.6, p90Percent: 18.7, worstPercent: 41.9 },
  { kind: 'allreduce', servers: 'one', sizes: 'all', rows: 179, medianPercent: 6, p90Percent: 42.7, worstPercent: 74.3 },
  { kind: 'allreduce', servers: 'two', sizes: 'small', rows: 24, medianPercent: 17.2, p90Percent: 73.2, worstPercent: 78.2 },
  { kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 70, medianPercent: 72.3, p90Percent: 87.3, worstPercent: 95 },
  { kind: 'allreduce', servers: 'two', sizes: 'large', rows: 48, medianPercent: 3.3, p90Percent: 50.1, worstPercent: 90.7 },
  { kind: 'allreduce', servers: 'two', sizes: 'all', rows: 142, medianPercent: 26.5, p90Percent: 82.3, worstPercent: 95 },
  { kind: 'allreduce', servers: 'more', sizes: 'small', rows: 15, medianPercent: 26.3, p90Percent: 59, worstPercent: 61.1 },
  { kind: 'allreduce', servers: 'more', sizes: 'middle', rows: 19, medianPercent: 46.7, p90Percent: 86.7, worstPercent: 89.1 },
  { kind: 'allreduce', servers: 'more', sizes: 'large', rows: 63, medianPercent: 9.8, p90Percent: 39.7, worstPercent: 84.7 },
  { kind: 'allreduce', servers: 'more', sizes: 'all', rows: 97, medianPercent: 19.7, p90Percent: 59.7, worstPercent: 89.1 },
  { kind: 'alltoall', servers: 'one', sizes: 'small', rows: 3, medianPercent: 5.8, p90Percent: 7.1, worstPercent: 7.1 },
  { kind: 'alltoall', servers: 'one', sizes: 'middle', rows: 6, medianPercent: 26.6, p90Percent: 56, worstPercent: 56 },
  { kind: 'alltoall', servers: 'one', sizes: 'large', rows: 14, medianPercent: 8.7, p90Percent: 21.6, worstPercent: 29.7 },
  { kind: 'alltoall', servers: 'one', sizes: 'all', rows: 23, medianPercent: 10.6, p90Percent: 29.7, worstPercent: 56 },
  { kind: 'alltoall', servers: 'two', sizes: 'small', rows: 21, medianPercent: 54.6, p90Percent: 56.8, worstPercent: 59.1 },
  { kind: 'alltoall', servers: 'two', sizes: 'middle', rows: 50, medianPercent: 54.2, p90Percent: 62.2, worstPercent: 68.3 },
  { kind: 'alltoall', servers: 'two', sizes: 'large', rows: 29, medianPercent: 13.2, p90Percent: 17.7, worstPercent: 18.6 },
  { kind: 'alltoall', servers: 'two', sizes: 'all', rows: 100, medianPercent: 46.2, p90Percent: 60.2, worstPercent: 68.3 },
  { kind: 'alltoall', servers: 'more', sizes: 'middle', rows: 5, medianPercent: 24.3, p90Percent: 34.1, worstPercent: 34.1 },
  { kind: 'alltoall', servers: 'more', sizes: 'large', rows: 35, medianPercent: 8.3, p90Percent: 12.8, worstPercent: 27.2 },
  { kind: 'alltoall', servers: 'more', sizes: 'all', rows: 40, medianPercent: 8.6, p90Percent: 20.8, worstPercent: 34.1 },
  { kind: 'others', servers: 'one', sizes: 'small', rows: 6, medianPercent: 32, p90Percent: 33.4, worstPercent: 33.4 },
  { kind: 'others', servers: 'one', sizes: 'middle', rows: 28, medianPercent: 24, p90Percent: 48.4, worstPercent: 58 },
  { kind: 'others', servers: 'one', sizes: 'large', rows: 33, medianPercent: 3.8, p90Percent: 16.4, worstPercent: 53.9 },
  { kind: 'others', servers: 'one', sizes: 'all', rows: 67, medianPercent: 8.4, p90Percent: 37.2, worstPercent: 58 },
  { kind: 'others', servers: 'two', sizes: 'small', rows: 24, medianPercent: 21.9, p90Percent: 28.3, worstPercent: 29.5 },
  { kind: 'others', servers: 'two', sizes: 'middle', rows: 51, medianPercent: 35.8, p90Percent: 62.7, worstPercent: 86 },
  { kind: 'others', servers: 'two', sizes: 'large', rows: 29, medianPercent: 27, p90Percent: 49.1, worstPercent: 53.1 },
  { kind: 'others', servers: 'two', sizes: 'all', rows: 104, medianPercent: 27.2, p90Percent: 49.5, worstPercent: 86 },
  { kind: 'others', servers: 'more', sizes: 'small', rows: 6, medianPercent: 7.9, p90Percent: 56.6, worstPercent: 56.6 },
  { kind: 'others', servers: 'more', sizes: 'middle', rows: 18, medianPercent: 59.9, p90Percent: 88.5, worstPercent: 89.3 },
  { kind: 'others', servers: 'more', sizes: 'large', rows: 68, medianPercent: 13.8, p90Percent: 48.6, worstPercent: 56 },
  { kind: 'others', servers: 'more', sizes: 'all', rows: 92, medianPercent: 21, p90Percent: 57.2, worstPercent: 89.3 },
];
