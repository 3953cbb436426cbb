// Errors of collectives by class. Written by `npm run measured`; the table "Error bands" of docs/models/measured.md has the
// same figures, and every row behind them stands on that page.

import type { MeasuredBand } from './band-classes.js';

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
  { kind: 'allreduce', servers: 'one', sizes: 'small', rows: 18, medianPercent: 4.3, p90Percent: 23.3, worstPercent: 30 },
  { kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 74, medianPercent: 14.6, p90Percent: 54.9, worstPercent: 74.5 },
  { kind: 'allreduce', servers: 'one', sizes: 'large', rows: 87, medianPercent: 1.5, p90Percent: 10.9, worstPercent: 30.1 },
  { kind: 'allreduce', servers: 'one', sizes: 'all', rows: 179, medianPercent: 4.3, p90Percent: 36, worstPercent: 74.5 },
  { kind: 'allreduce', servers: 'two', sizes: 'small', rows: 24, medianPercent: 10.1, p90Percent: 23.9, worstPercent: 24 },
  { kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 70, medianPercent: 62.5, p90Percent: 81.8, worstPercent: 92.8 },
  { kind: 'allreduce', servers: 'two', sizes: 'large', rows: 48, medianPercent: 1.8, p90Percent: 46.1, worstPercent: 87.5 },
  { kind: 'allreduce', servers: 'two', sizes: 'all', rows: 142, medianPercent: 17, p90Percent: 74.1, worstPercent: 92.8 },
  { kind: 'allreduce', servers: 'more', sizes: 'small', rows: 15, medianPercent: 12.1, p90Percent: 25.2, worstPercent: 27.3 },
  { kind: 'allreduce', servers: 'more', sizes: 'middle', rows: 19, medianPercent: 38.8, p90Percent: 85.1, worstPercent: 87.7 },
  { kind: 'allreduce', servers: 'more', sizes: 'large', rows: 63, medianPercent: 2.6, p90Percent: 26.1, worstPercent: 81.2 },
  { kind: 'allreduce', servers: 'more', sizes: 'all', rows: 97, medianPercent: 10.8, p90Percent: 41.5, worstPercent: 87.7 },
  { kind: 'alltoall', servers: 'one', sizes: 'small', rows: 3, medianPercent: 5.8, p90Percent: 7.1, worstPercent: 7.1 },
  { kind: 'alltoall', servers: 'one', sizes: 'middle', rows: 6, medianPercent: 26.4, p90Percent: 55.3, worstPercent: 55.3 },
  { kind: 'alltoall', servers: 'one', sizes: 'large', rows: 14, medianPercent: 8, p90Percent: 20.4, worstPercent: 26.5 },
  { kind: 'alltoall', servers: 'one', sizes: 'all', rows: 23, medianPercent: 9.3, p90Percent: 26.6, worstPercent: 55.3 },
  { kind: 'alltoall', servers: 'two', sizes: 'small', rows: 21, medianPercent: 3.9, p90Percent: 12.1, worstPercent: 28.7 },
  { kind: 'alltoall', servers: 'two', sizes: 'middle', rows: 50, medianPercent: 24.4, p90Percent: 41.1, worstPercent: 54.2 },
  { kind: 'alltoall', servers: 'two', sizes: 'large', rows: 29, medianPercent: 2.9, p90Percent: 4.6, worstPercent: 6.2 },
  { kind: 'alltoall', servers: 'two', sizes: 'all', rows: 100, medianPercent: 9.4, p90Percent: 36.4, worstPercent: 54.2 },
  { kind: 'alltoall', servers: 'more', sizes: 'middle', rows: 5, medianPercent: 11.6, p90Percent: 22.3, worstPercent: 22.3 },
  { kind: 'alltoall', servers: 'more', sizes: 'large', rows: 35, medianPercent: 2, p90Percent: 4.6, worstPercent: 18 },
  { kind: 'alltoall', servers: 'more', sizes: 'all', rows: 40, medianPercent: 2.2, p90Percent: 11.1, worstPercent: 22.3 },
  { kind: 'others', servers: 'one', sizes: 'small', rows: 6, medianPercent: 11.9, p90Percent: 13.9, worstPercent: 13.9 },
  { kind: 'others', servers: 'one', sizes: 'middle', rows: 28, medianPercent: 18.1, p90Percent: 48.4, worstPercent: 58 },
  { kind: 'others', servers: 'one', sizes: 'large', rows: 33, medianPercent: 1.7, p90Percent: 13.5, worstPercent: 53.9 },
  { kind: 'others', servers: 'one', sizes: 'all', rows: 67, medianPercent: 6.4, p90Percent: 36, worstPercent: 58 },
  { kind: 'others', servers: 'two', sizes: 'small', rows: 24, medianPercent: 10.8, p90Percent: 14, worstPercent: 16.1 },
  { kind: 'others', servers: 'two', sizes: 'middle', rows: 51, medianPercent: 8.1, p90Percent: 38.4, worstPercent: 68.3 },
  { kind: 'others', servers: 'two', sizes: 'large', rows: 29, medianPercent: 1.9, p90Percent: 12.7, worstPercent: 20.4 },
  { kind: 'others', servers: 'two', sizes: 'all', rows: 104, medianPercent: 6.6, p90Percent: 27.1, worstPercent: 68.3 },
  { kind: 'others', servers: 'more', sizes: 'small', rows: 6, medianPercent: 9.6, p90Percent: 54.3, worstPercent: 54.3 },
  { kind: 'others', servers: 'more', sizes: 'middle', rows: 18, medianPercent: 52.6, p90Percent: 78.2, worstPercent: 78.9 },
  { kind: 'others', servers: 'more', sizes: 'large', rows: 68, medianPercent: 3.2, p90Percent: 45, worstPercent: 49.2 },
  { kind: 'others', servers: 'more', sizes: 'all', rows: 92, medianPercent: 10.1, p90Percent: 53.4, worstPercent: 78.9 },
];
