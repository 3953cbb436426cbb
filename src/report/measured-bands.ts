// Errors of collectives by class, and what was measured. Written by `npm run measured`; the table "Error bands" of
// docs/models/measured.md has the same figures, and measured.csv beside it every row behind them.

import type { BandKind, MeasuredBand, MeasuredNetwork } from './band-classes.js';

/** GPUs of the clusters. */
export const measuredGpus: readonly string[] = ['A100', 'B200', 'GB200', 'GH200', 'H100', 'H200', 'RTX6000D'];

/** Networks over which a kind of collective was measured, and at which sizes. */
// oxfmt-ignore
export const measuredNetworks: Readonly<Record<BandKind, readonly MeasuredNetwork[]>> = {
  allreduce: ['efa large', 'infiniband large', 'infiniband middle', 'infiniband small', 'slingshot large', 'slingshot middle', 'slingshot small', 'tcpxo large', 'tcpxo middle', 'tcpxo small', 'within large', 'within middle', 'within small'],
  alltoall: ['infiniband large', 'infiniband middle', 'infiniband small', 'within large', 'within middle', 'within small'],
  others: ['infiniband large', 'infiniband middle', 'infiniband small', 'slingshot large', 'slingshot middle', 'slingshot small', 'tcpx large', 'tcpx middle', 'within large', 'within middle', 'within small'],
};

// oxfmt-ignore
export const measuredBands: readonly MeasuredBand[] = [
  { gpus: null, network: 'within', kind: 'allreduce', servers: 'one', sizes: 'small', rows: 18, clusters: 6, medianPercent: 5.6, p90Percent: 50.1, worstPercent: 50.1, insidePercent: 94 },
  { gpus: 'ampere', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 23, clusters: 3, medianPercent: 45.3, p90Percent: 63.2, worstPercent: 74.5, insidePercent: 91 },
  { gpus: 'blackwell', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 11, clusters: 2, medianPercent: 3.3, p90Percent: 19.5, worstPercent: 19.5, insidePercent: 91 },
  { gpus: 'hopper', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'middle', rows: 40, clusters: 5, medianPercent: 8.8, p90Percent: 77.3, worstPercent: 77.3, insidePercent: 90 },
  { gpus: 'ampere', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 14, clusters: 3, medianPercent: 14, p90Percent: 23.8, worstPercent: 30.1, insidePercent: 93 },
  { gpus: 'blackwell', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 18, clusters: 2, medianPercent: 1.6, p90Percent: 11.8, worstPercent: 11.8, insidePercent: 94 },
  { gpus: 'hopper', network: 'within', kind: 'allreduce', servers: 'one', sizes: 'large', rows: 50, clusters: 7, medianPercent: 1.5, p90Percent: 5.9, worstPercent: 14.7, insidePercent: 92 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 55, clusters: 4, medianPercent: 73.2, p90Percent: 102.6, worstPercent: 102.6, insidePercent: 91 },
  { gpus: 'hopper', network: 'infiniband', kind: 'allreduce', servers: 'two', sizes: 'middle', rows: 15, clusters: 2, medianPercent: 10.6, p90Percent: 37.2, worstPercent: 54.1, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'two', sizes: 'large', rows: 48, clusters: 9, medianPercent: 4.6, p90Percent: 51.5, worstPercent: 89.3, insidePercent: 92 },
  { gpus: null, network: 'slingshot', kind: 'allreduce', servers: 'more', sizes: 'small', rows: 15, clusters: 3, medianPercent: 42.3, p90Percent: 59.6, worstPercent: 100.8, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'more', sizes: 'large', rows: 20, clusters: 4, medianPercent: 23.2, p90Percent: 96.1, worstPercent: 96.1, insidePercent: 90 },
  { gpus: null, network: 'infiniband', kind: 'allreduce', servers: 'more', sizes: 'large', rows: 43, clusters: 3, medianPercent: 7.9, p90Percent: 30.2, worstPercent: 41.5, insidePercent: 93 },
  { gpus: null, network: null, kind: 'allreduce', servers: 'several', sizes: 'all', rows: 43, clusters: 7, medianPercent: 32.6, p90Percent: 91.8, worstPercent: 91.8, insidePercent: 91 },
  { gpus: null, network: 'within', kind: 'alltoall', servers: 'one', sizes: 'all', rows: 23, clusters: 2, medianPercent: 10.6, p90Percent: 63.6, worstPercent: 63.6, insidePercent: 91 },
  { gpus: null, network: 'infiniband', kind: 'alltoall', servers: 'several', sizes: 'middle', rows: 55, clusters: 3, medianPercent: 32.8, p90Percent: 57.4, worstPercent: 64.5, insidePercent: 91 },
  { gpus: null, network: 'infiniband', kind: 'alltoall', servers: 'several', sizes: 'large', rows: 64, clusters: 3, medianPercent: 4.9, p90Percent: 11.9, worstPercent: 24.2, insidePercent: 92 },
  { gpus: 'hopper', network: 'within', kind: 'others', servers: 'one', sizes: 'middle', rows: 10, clusters: 2, medianPercent: 29.8, p90Percent: 53.7, worstPercent: 58, insidePercent: 90 },
  { gpus: null, network: 'within', kind: 'others', servers: 'one', sizes: 'large', rows: 33, clusters: 5, medianPercent: 3.8, p90Percent: 16.7, worstPercent: 54, insidePercent: 94 },
  { gpus: null, network: 'within', kind: 'others', servers: 'one', sizes: 'all', rows: 24, clusters: 2, medianPercent: 28.2, p90Percent: 41.7, worstPercent: 41.7, insidePercent: 92 },
  { gpus: null, network: null, kind: 'others', servers: 'two', sizes: 'all', rows: 37, clusters: 3, medianPercent: 8.7, p90Percent: 69.9, worstPercent: 84.8, insidePercent: 92 },
  { gpus: null, network: 'infiniband', kind: 'others', servers: 'several', sizes: 'middle', rows: 46, clusters: 3, medianPercent: 20.7, p90Percent: 66.4, worstPercent: 66.4, insidePercent: 91 },
  { gpus: null, network: null, kind: 'others', servers: 'several', sizes: 'large', rows: 97, clusters: 6, medianPercent: 19.1, p90Percent: 49.1, worstPercent: 56.5, insidePercent: 91 },
];
