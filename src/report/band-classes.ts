// Classes of collectives by which errors against measurements are counted: GPUs, network, kind, servers, size.

import type { NetworkKind } from '../collectives/hardware-figures.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import { type GpuGeneration, gpuTypeOf } from '../fabric/gpu-types.js';

/** Up to where times are latencies, and from where bandwidths are those of large messages. */
export const latencyBelowBytes = 65_536;
export const bandwidthFromBytes = 64 * 2 ** 20;

/** Kinds of collectives that count together. */
export type BandKind = 'allreduce' | 'alltoall' | 'others';
/** `several`: two and more together */
export type BandServers = 'one' | 'two' | 'more' | 'several';
export type BandSizes = 'small' | 'middle' | 'large' | 'all';
/** `within`: within a server */
export type BandNetwork = NetworkKind | 'within';

/** A network and sizes of which something was measured. */
export type MeasuredNetwork = `${BandNetwork} ${Exclude<BandSizes, 'all'>}`;

/** Generations, and those around whose NVSwitches there are racks */
type BandGpus = GpuGeneration | 'nvl72';

/** Errors of rows of a class, in percent with one decimal. */
export interface MeasuredBand extends CrossValidated {
  /** null: all that were measured */
  readonly gpus: BandGpus | null;
  readonly network: BandNetwork | null;
  readonly kind: BandKind;
  readonly servers: BandServers;
  readonly sizes: BandSizes;
}

/** Absolute errors of rows, and how they hold for clusters that are left out. */
export interface CrossValidated {
  readonly rows: number;
  /** that the rows are from */
  readonly clusters: number;
  readonly medianPercent: number;
  /** nine of ten rows of clusters that are left out have at most that */
  readonly p90Percent: number;
  readonly worstPercent: number;
  /** how many of the rows that are left out, cluster by cluster, lie inside */
  readonly insidePercent: number;
}

/** Where a collective runs, as far as its errors depend on it. */
export interface BandPlace {
  readonly gpus: BandGpus | null;
  readonly network: BandNetwork;
  readonly kind: BandKind;
  readonly servers: Exclude<BandServers, 'several'>;
  readonly sizes: Exclude<BandSizes, 'all'>;
}

/** that were measured */
const otherKinds: ReadonlySet<CollectiveKind> = new Set(['allgather', 'reducescatter', 'sendrecv']);

/** What a collective is; null: nobody measured its kind. @param network between its servers */
export function bandPlace(
  kind: CollectiveKind,
  servers: number,
  sizeBytes: number,
  gpuType: string,
  network: NetworkKind,
): BandPlace | null {
  const own = kind === 'allreduce' || kind === 'alltoall' ? kind : otherKinds.has(kind) ? 'others' : null;
  if (own === null) return null;
  const gpu = gpuTypeOf(gpuType);
  return {
    gpus: gpu === null ? null : gpu.domainGpus > 8 ? 'nvl72' : gpu.generation,
    network: servers === 1 ? 'within' : network,
    kind: own,
    servers: servers === 1 ? 'one' : servers === 2 ? 'two' : 'more',
    sizes: sizeBytes < latencyBelowBytes ? 'small' : sizeBytes < bandwidthFromBytes ? 'middle' : 'large',
  };
}

/** The classes that a collective belongs to, the narrowest first. */
export function bandClasses({ gpus, network, kind, servers, sizes }: BandPlace): readonly BandClass[] {
  const classes: BandClass[] = [];
  for (const size of [sizes, 'all'] as const) {
    if (gpus !== null) classes.push({ gpus, network, kind, servers, sizes: size });
    classes.push({ gpus: null, network, kind, servers, sizes: size });
    if (servers === 'one') continue;
    classes.push({ gpus: null, network, kind, servers: 'several', sizes: size });
    for (const count of [servers, 'several'] as const)
      classes.push({ gpus: null, network: null, kind, servers: count, sizes: size });
  }
  return classes;
}

export type BandClass = Pick<MeasuredBand, 'gpus' | 'network' | 'kind' | 'servers' | 'sizes'>;

/** Whether two classes are the same. */
export function isSameClass(one: BandClass, other: BandClass): boolean {
  return (['gpus', 'network', 'kind', 'servers', 'sizes'] as const).every((key) => one[key] === other[key]);
}

/** Errors of a class of figures; null where a figure is of a class without measurements. */
export interface ErrorBand {
  /** in words */
  readonly class: string;
  readonly rows: number;
  /** that the rows are from; null: rows of one cluster that were held out */
  readonly clusters: number | null;
  /** of absolute errors, as are the others */
  readonly medianPercent: number;
  /** nine of ten rows have at most that, of clusters that are left out, too */
  readonly p90Percent: number;
  readonly worstPercent: number;
  /** the page with every row, or the profile */
  readonly source: string;
}
