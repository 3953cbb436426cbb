// Classes of collectives by which errors against measurements are counted: kind, servers, size.

import type { CollectiveKind } from '../collectives/schedule.js';

/** Up to where times are latencies, and from where bandwidths are those of large messages. */
export const latencyBelowBytes = 65_536;
export const bandwidthFromBytes = 64 * 2 ** 20;

/** Kinds of collectives that count together. */
export type BandKind = 'allreduce' | 'alltoall' | 'others';
export type BandServers = 'one' | 'two' | 'more';
export type BandSizes = 'small' | 'middle' | 'large' | 'all';

/** Errors of rows of a class, in percent with one decimal. */
export interface MeasuredBand {
  readonly kind: BandKind;
  readonly servers: BandServers;
  readonly sizes: BandSizes;
  readonly rows: number;
  readonly medianPercent: number;
  readonly p90Percent: number;
  readonly worstPercent: number;
}

/** that were measured */
const otherKinds: ReadonlySet<CollectiveKind> = new Set(['allgather', 'reducescatter', 'sendrecv']);

/** The class of a collective; null: nobody measured its kind. */
export function bandClass(
  kind: CollectiveKind,
  servers: number,
  sizeBytes: number,
): Pick<MeasuredBand, 'kind' | 'servers' | 'sizes'> | null {
  const own = kind === 'allreduce' || kind === 'alltoall' ? kind : otherKinds.has(kind) ? 'others' : null;
  if (own === null) return null;
  return {
    kind: own,
    servers: servers === 1 ? 'one' : servers === 2 ? 'two' : 'more',
    sizes: sizeBytes < latencyBelowBytes ? 'small' : sizeBytes < bandwidthFromBytes ? 'middle' : 'large',
  };
}

/** Errors of a class of figures; null where a figure is of a class without measurements. */
export interface ErrorBand {
  /** in words */
  readonly class: string;
  readonly rows: number;
  /** of absolute errors, as are the others */
  readonly medianPercent: number;
  /** nine of ten rows have at most that */
  readonly p90Percent: number;
  readonly worstPercent: number;
  /** the page with every row, or the profile */
  readonly source: string;
}
