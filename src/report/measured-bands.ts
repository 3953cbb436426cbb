// Errors of collectives by class. Written by `npm run measured`; the table "Error bands" of docs/models/measured.md has the
// same figures, and every row behind them stands on that page.

import type { MeasuredBand } from './band-classes.js';

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
  { kind: 'allreduce', servers: 'one', sizes: 'small', rows: 18, medianPercent: 4.3, p90Percent: 23.3, worstPercent: 30 },
  { kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 74, medianPercent: 14.6, p90Percent: 54.9, worstPercent: 74.5 },
  { kind: 'allreduce', servers: 'one', sizes: 'large', rows: 87, medianPercent: 1.5, p90Percent: 10.9, worstPercent: 30.1 },
  { kind: 'allreduce', servers: 'one', sizes: 'all', rows: 179, medianPercent: 4.3, p90Percent: 36, worstPercent: 74.5 },
  { kind: 'allreduce', servers: 'two', sizes: 'small', rows: 24, medianPercent: 11.6, p90Percent: 24.1, worstPercent: 24.9 },
  { kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 70, medianPercent: 66.5, p90Percent: 82.9, worstPercent: 94.9 },
  { kind: 'allreduce', servers: 'two', sizes: 'large', rows: 48, medianPercent: 2.5, p90Percent: 46.7, worstPercent: 89.2 },
  { kind: 'allreduce', servers: 'two', sizes: 'all', rows: 142, medianPercent: 21.1, p90Percent: 80.6, worstPercent: 94.9 },
  { kind: 'allreduce', servers: 'more', sizes: 'small', rows: 15, medianPercent: 14.4, p90Percent: 26.5, worstPercent: 27.7 },
  { kind: 'allreduce', servers: 'more', sizes: 'middle', rows: 19, medianPercent: 40.5, p90Percent: 85.6, worstPercent: 88.3 },
  { kind: 'allreduce', servers: 'more', sizes: 'large', rows: 63, medianPercent: 3.5, p90Percent: 30.1, worstPercent: 83.9 },
  { kind: 'allreduce', servers: 'more', sizes: 'all', rows: 97, medianPercent: 13.1, p90Percent: 45, worstPercent: 88.3 },
  { kind: 'alltoall', servers: 'one', sizes: 'small', rows: 3, medianPercent: 5.8, p90Percent: 7.1, worstPercent: 7.1 },
  { kind: 'alltoall', servers: 'one', sizes: 'middle', rows: 6, medianPercent: 26.4, p90Percent: 55.3, worstPercent: 55.3 },
  { kind: 'alltoall', servers: 'one', sizes: 'large', rows: 14, medianPercent: 8, p90Percent: 20.4, worstPercent: 26.5 },
  { kind: 'alltoall', servers: 'one', sizes: 'all', rows: 23, medianPercent: 9.3, p90Percent: 26.6, worstPercent: 55.3 },
  { kind: 'alltoall', servers: 'two', sizes: 'small', rows: 21, medianPercent: 5.7, p90Percent: 13.4, worstPercent: 29.7 },
  { kind: 'alltoall', servers: 'two', sizes: 'middle', rows: 50, medianPercent: 33.1, p90Percent: 55.5, worstPercent: 64.4 },
  { kind: 'alltoall', servers: 'two', sizes: 'large', rows: 29, medianPercent: 3, p90Percent: 6, worstPercent: 7.3 },
  { kind: 'alltoall', servers: 'two', sizes: 'all', rows: 100, medianPercent: 12.4, p90Percent: 52.8, worstPercent: 64.4 },
  { kind: 'alltoall', servers: 'more', sizes: 'middle', rows: 5, medianPercent: 19, p90Percent: 29.6, worstPercent: 29.6 },
  { kind: 'alltoall', servers: 'more', sizes: 'large', rows: 35, medianPercent: 1.9, p90Percent: 6.8, worstPercent: 22.2 },
  { kind: 'alltoall', servers: 'more', sizes: 'all', rows: 40, medianPercent: 2.3, p90Percent: 15.4, worstPercent: 29.6 },
  { kind: 'others', servers: 'one', sizes: 'small', rows: 6, medianPercent: 11.9, p90Percent: 13.9, worstPercent: 13.9 },
  { kind: 'others', servers: 'one', sizes: 'middle', rows: 28, medianPercent: 18.1, p90Percent: 48.4, worstPercent: 58 },
  { kind: 'others', servers: 'one', sizes: 'large', rows: 33, medianPercent: 1.7, p90Percent: 13.5, worstPercent: 53.9 },
  { kind: 'others', servers: 'one', sizes: 'all', rows: 67, medianPercent: 6.4, p90Percent: 36, worstPercent: 58 },
  { kind: 'others', servers: 'two', sizes: 'small', rows: 24, medianPercent: 4.4, p90Percent: 9.8, worstPercent: 13.4 },
  { kind: 'others', servers: 'two', sizes: 'middle', rows: 51, medianPercent: 20.4, p90Percent: 45.3, worstPercent: 72.3 },
  { kind: 'others', servers: 'two', sizes: 'large', rows: 29, medianPercent: 2.2, p90Percent: 24.4, worstPercent: 25.2 },
  { kind: 'others', servers: 'two', sizes: 'all', rows: 104, medianPercent: 7.2, p90Percent: 34.9, worstPercent: 72.3 },
  { kind: 'others', servers: 'more', sizes: 'small', rows: 6, medianPercent: 6.1, p90Percent: 55.3, worstPercent: 55.3 },
  { kind: 'others', servers: 'more', sizes: 'middle', rows: 18, medianPercent: 57.5, p90Percent: 82.1, worstPercent: 82.3 },
  { kind: 'others', servers: 'more', sizes: 'large', rows: 68, medianPercent: 5.2, p90Percent: 45, worstPercent: 56.5 },
  { kind: 'others', servers: 'more', sizes: 'all', rows: 92, medianPercent: 14.9, p90Percent: 57.3, worstPercent: 82.3 },
];
