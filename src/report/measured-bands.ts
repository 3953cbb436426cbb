// Errors of collectives by class, and what was measured. Written by `npm run measured`; the table "Error bands" of
// docs/models/measured.md has the same figures, and every row behind them stands on that page.

import type { BandKind, BandNetwork, MeasuredBand } from './band-classes.js';

/** GPUs of the clusters. */
export const measuredGpus: readonly string[] = ['A100', 'B200', 'GB200', 'GH200', 'H100', 'H200', 'RTX6000D'];

/** Networks over which a kind of collective was measured. */
// oxfmt-ignore
export const measuredNetworks: Readonly<Record<BandKind, readonly BandNetwork[]>> = {
  allreduce: ['efa', 'infiniband', 'slingshot', 'tcpxo', 'within'],
  alltoall: ['infiniband', 'within'],
  others: ['infiniband', 'slingshot', 'tcpx', 'within'],
};

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
  { gpus: null, network: 'within', kind: 'allreduce', servers: 'one', sizes: 'small', rows: 18, clusters: 6, medianPercent: 4.4, p90Percent: 30.1, worstPercent: 30.1, insidePercent: 94 },
  { gpus: null, network: 'within', kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 74, clusters: 10, medianPercent: 14.6, p90Percent: 59.1, worstPercent: 74.5, insidePercent: 93 },
  { gpus: 'ampere', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 23, clusters: 3, medianPercent: 36.6, p90Percent: 63.2, worstPercent: 74.5, insidePercent: 91 },
  { gpus: 'blackwell', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 11, clusters: 2, medianPercent: 3.3, p90Percent: 21.5, worstPercent: 21.5, insidePercent: 91 },
  { gpus: null, network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 87, clusters: 13, medianPercent: 1.6, p90Percent: 10.9, worstPercent: 30.1, insidePercent: 91 },
  { gpus: 'ampere', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 14, clusters: 3, medianPercent: 3.8, p90Percent: 20.6, worstPercent: 30.1, insidePercent: 93 },
  { gpus: 'blackwell', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 23, clusters: 3, medianPercent: 2.3, p90Percent: 10.9, worstPercent: 20.3, insidePercent: 91 },
  { gpus: 'hopper', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 50, clusters: 7, medianPercent: 1.4, p90Percent: 4.6, worstPercent: 14.7, insidePercent: 92 },
  { gpus: null, network: 'within', kind: 'allreduce', servers: 'one', sizes: 'all', rows: 179, clusters: 13, medianPercent: 4.4, p90Percent: 44.4, worstPercent: 74.5, insidePercent: 91 },
  { gpus: 'ampere', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'all', rows: 41, clusters: 3, medianPercent: 23.4, p90Percent: 59.1, worstPercent: 74.5, insidePercent: 93 },
  { gpus: 'blackwell', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'all', rows: 35, clusters: 3, medianPercent: 3.2, p90Percent: 18.1, worstPercent: 21.5, insidePercent: 91 },
  { gpus: 'hopper', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'all', rows: 103, clusters: 7, medianPercent: 3.7, p90Percent: 25.5, worstPercent: 67.4, insidePercent: 91 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 70, clusters: 6, medianPercent: 70.7, p90Percent: 95.1, worstPercent: 95.1, insidePercent: 90 },
  { gpus: 'hopper', network: 'infiniband', kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 15, clusters: 2, medianPercent: 10.6, p90Percent: 37.2, worstPercent: 54.1, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'two', sizes: 'large', rows: 48, clusters: 9, medianPercent: 2.7, p90Percent: 51.5, worstPercent: 89.3, insidePercent: 92 },
  { gpus: 'hopper', network: 'infiniband', kind: 'allreduce', servers: 'two', sizes: 'large', rows: 18, clusters: 3, medianPercent: 1.3, p90Percent: 3.5, worstPercent: 3.5, insidePercent: 94 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'two', sizes: 'all', rows: 142, clusters: 10, medianPercent: 23.5, p90Percent: 87.9, worstPercent: 95, insidePercent: 90 },
  { gpus: 'hopper', network: 'infiniband', kind: 'allreduce', servers: 'two', sizes: 'all', rows: 42, clusters: 4, medianPercent: 2.2, p90Percent: 30.1, worstPercent: 54.1, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'more', sizes: 'small', rows: 15, clusters: 3, medianPercent: 14.4, p90Percent: 26.6, worstPercent: 27.7, insidePercent: 93 },
  { gpus: null, network: 'slingshot', kind: 'allreduce', servers: 'more', sizes: 'small', rows: 15, clusters: 3, medianPercent: 14.4, p90Percent: 26.6, worstPercent: 27.7, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'more', sizes: 'large', rows: 63, clusters: 7, medianPercent: 4.3, p90Percent: 30.2, worstPercent: 84, insidePercent: 92 },
  { gpus: null, network: 'infiniband', kind: 'allreduce', servers: 'more', sizes: 'large', rows: 43, clusters: 3, medianPercent: 7.9, p90Percent: 30.2, worstPercent: 41.5, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'more', sizes: 'all', rows: 97, clusters: 7, medianPercent: 13.6, p90Percent: 85.7, worstPercent: 88.4, insidePercent: 92 },
  { gpus: null, network: 'infiniband', kind: 'allreduce', servers: 'more', sizes: 'all', rows: 47, clusters: 3, medianPercent: 8.7, p90Percent: 33.9, worstPercent: 41.5, insidePercent: 94 },
  { gpus: null, network: 'slingshot', kind: 'allreduce', servers: 'several', sizes: 'small', rows: 24, clusters: 3, medianPercent: 15.7, p90Percent: 26.6, worstPercent: 27.7, insidePercent: 92 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'several', sizes: 'middle', rows: 89, clusters: 8, medianPercent: 67.4, p90Percent: 88.4, worstPercent: 95, insidePercent: 92 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'several', sizes: 'large', rows: 111, clusters: 14, medianPercent: 3.1, p90Percent: 39.9, worstPercent: 89.3, insidePercent: 90 },
  { gpus: null, network: 'infiniband', kind: 'allreduce', servers: 'several', sizes: 'large', rows: 74, clusters: 9, medianPercent: 2.6, p90Percent: 33.9, worstPercent: 89.3, insidePercent: 91 },
  { gpus: null, network: 'slingshot', kind: 'allreduce', servers: 'several', sizes: 'large', rows: 26, clusters: 3, medianPercent: 2.9, p90Percent: 21.5, worstPercent: 84, insidePercent: 92 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'several', sizes: 'all', rows: 239, clusters: 15, medianPercent: 17.5, p90Percent: 83.1, worstPercent: 95, insidePercent: 92 },
  { gpus: null, network: 'within', kind: 'alltoall', servers: 'one', sizes: 'all', rows: 23, clusters: 2, medianPercent: 9.3, p90Percent: 56.3, worstPercent: 56.3, insidePercent: 91 },
  { gpus: null, network: null, kind: 'alltoall', servers: 'two', sizes: 'all', rows: 100, clusters: 2, medianPercent: 12.5, p90Percent: 52.9, worstPercent: 64.5, insidePercent: 93 },
  { gpus: null, network: 'infiniband', kind: 'alltoall', servers: 'two', sizes: 'all', rows: 100, clusters: 2, medianPercent: 12.5, p90Percent: 52.9, worstPercent: 64.5, insidePercent: 93 },
  { gpus: null, network: null, kind: 'alltoall', servers: 'several', sizes: 'middle', rows: 55, clusters: 3, medianPercent: 29.6, p90Percent: 55.5, worstPercent: 64.5, insidePercent: 93 },
  { gpus: null, network: 'infiniband', kind: 'alltoall', servers: 'several', sizes: 'middle', rows: 55, clusters: 3, medianPercent: 29.6, p90Percent: 55.5, worstPercent: 64.5, insidePercent: 93 },
  { gpus: null, network: null, kind: 'alltoall', servers: 'several', sizes: 'large', rows: 64, clusters: 3, medianPercent: 2.3, p90Percent: 6.9, worstPercent: 22.2, insidePercent: 91 },
  { gpus: null, network: 'infiniband', kind: 'alltoall', servers: 'several', sizes: 'large', rows: 64, clusters: 3, medianPercent: 2.3, p90Percent: 6.9, worstPercent: 22.2, insidePercent: 91 },
  { gpus: null, network: null, kind: 'alltoall', servers: 'several', sizes: 'all', rows: 140, clusters: 3, medianPercent: 6.4, p90Percent: 52.9, worstPercent: 64.5, insidePercent: 91 },
  { gpus: null, network: 'infiniband', kind: 'alltoall', servers: 'several', sizes: 'all', rows: 140, clusters: 3, medianPercent: 6.4, p90Percent: 52.9, worstPercent: 64.5, insidePercent: 91 },
  { gpus: null, network: 'within', kind: 'others', servers: 'one', sizes: 'middle', rows: 28, clusters: 4, medianPercent: 18.2, p90Percent: 53.7, worstPercent: 58, insidePercent: 93 },
  { gpus: 'hopper', network: 'within', kind: 'others', servers: 'one', sizes: 'middle', rows: 10, clusters: 2, medianPercent: 29.8, p90Percent: 53.7, worstPercent: 58, insidePercent: 90 },
  { gpus: null, network: 'within', kind: 'others', servers: 'one', sizes: 'large', rows: 33, clusters: 5, medianPercent: 1.7, p90Percent: 13.6, worstPercent: 54, insidePercent: 91 },
  { gpus: null, network: 'within', kind: 'others', servers: 'one', sizes: 'all', rows: 67, clusters: 5, medianPercent: 6.4, p90Percent: 53.7, worstPercent: 58, insidePercent: 94 },
  { gpus: null, network: null, kind: 'others', servers: 'two', sizes: 'middle', rows: 51, clusters: 4, medianPercent: 20.5, p90Percent: 69.9, worstPercent: 86.1, insidePercent: 92 },
  { gpus: null, network: null, kind: 'others', servers: 'more', sizes: 'all', rows: 92, clusters: 3, medianPercent: 14.9, p90Percent: 79.2, worstPercent: 82.4, insidePercent: 91 },
  { gpus: null, network: 'infiniband', kind: 'others', servers: 'more', sizes: 'all', rows: 71, clusters: 2, medianPercent: 12.6, p90Percent: 45.1, worstPercent: 62.8, insidePercent: 94 },
  { gpus: 'hopper', network: 'infiniband', kind: 'others', servers: 'more', sizes: 'all', rows: 71, clusters: 2, medianPercent: 12.6, p90Percent: 45.1, worstPercent: 62.8, insidePercent: 94 },
  { gpus: null, network: null, kind: 'others', servers: 'several', sizes: 'middle', rows: 69, clusters: 5, medianPercent: 26.4, p90Percent: 82.2, worstPercent: 86.1, insidePercent: 94 },
  { gpus: null, network: 'infiniband', kind: 'others', servers: 'several', sizes: 'middle', rows: 46, clusters: 3, medianPercent: 16.5, p90Percent: 66.5, worstPercent: 66.5, insidePercent: 91 },
  { gpus: null, network: null, kind: 'others', servers: 'several', sizes: 'large', rows: 97, clusters: 6, medianPercent: 5.4, p90Percent: 49.1, worstPercent: 56.5, insidePercent: 91 },
  { gpus: null, network: null, kind: 'others', servers: 'several', sizes: 'all', rows: 196, clusters: 6, medianPercent: 9.8, p90Percent: 56.5, worstPercent: 86.1, insidePercent: 92 },
];
