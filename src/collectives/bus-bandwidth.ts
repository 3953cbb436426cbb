// Bandwidths of a collective as nccl-tests defines them: algorithm bandwidth is the buffer over the time; bus bandwidth
// multiplies it by what an ideal algorithm would have to move per rank, so that it can be compared with the rate of the
// hardware whatever the number of ranks.
// Source: PERFORMANCE.md of nccl-tests. An all-to-all counts the whole buffer, a send-receive what one rank sends.

import type { CollectiveKind } from './schedule.js';

/** Bus bandwidth over algorithm bandwidth, for a group of so many ranks. */
export function busFactor(kind: CollectiveKind, ranks: number): number {
  switch (kind) {
    case 'allreduce':
      return (2 * (ranks - 1)) / ranks;
    case 'allgather':
    case 'reducescatter':
    case 'alltoall':
      return (ranks - 1) / ranks;
    case 'broadcast':
    case 'reduce':
    case 'sendrecv':
      return 1;
  }
}

/** Bytes per second of the buffer, and the same times the factor; both 0 if it took no time. */
export function bandwidths(
  kind: CollectiveKind,
  ranks: number,
  sizeBytes: number,
  timePs: number,
): { readonly algorithmBandwidth: number; readonly busBandwidth: number } {
  const algorithmBandwidth = timePs > 0 ? (sizeBytes * 1e12) / timePs : 0;
  return { algorithmBandwidth, busBandwidth: algorithmBandwidth * busFactor(kind, ranks) };
}
