// The figures of NCCL's tuner, by version: latencies, limits of bandwidth, factors, channels. Facts of the files
// src/graph/tuning.cc, src/graph/topo.h, src/graph/connect.cc and src/include/device.h of NVIDIA/nccl at tags 2.21.5
// and 2.28.9 (facts only, no code); what the two share stands once.
// Invariant: a version stands here only if all its figures are known. Not modelled: the limits of Volta over NVLink per
// link, the pattern factor 0.85 of trees that share no NIC.

import type { GpuGeneration } from './gpu-generation.js';
import type { NetworkKind } from './hardware-figures.js';
import type { PathKind, Protocol, TunedAlgorithm } from './protocols.js';

/** Microseconds for LL, LL128 and Simple; null: the algorithm has no such protocol. */
type Row = readonly [ll: number | null, ll128: number | null, simple: number | null];
export type LatencyTable = Readonly<Record<TunedAlgorithm, Row>>;
/** GB/s with one server, with two, with more. */
type ByServers = readonly [one: number, two: number, more: number];
type Limits = Readonly<Record<GpuGeneration, ByServers>>;

/** What the tuner of one version reckons with. */
export interface NcclFigures {
  /** whose figures they are */
  readonly version: string;
  /** once per collective */
  readonly baseUs: LatencyTable;
  /** per hop */
  readonly hopUs: Readonly<Record<PathKind, LatencyTable>>;
  /** of all channels together: within a server by GPU; between servers by processor, below */
  readonly llLimit: Readonly<Record<GpuGeneration, number>>;
  /** of all channels together between servers, with processors of AMD and with others */
  readonly llLimitBetween: Readonly<Record<'amd' | 'other', readonly [two: number, more: number]>>;
  /** per channel */
  readonly ll128RingLimit: Limits;
  readonly ll128TreeLimit: Limits;
  readonly simpleTreeLimit: Limits;
  /** per channel; null: none */
  readonly nvlsTreeLimit: Limits | null;
  /** share of the bandwidth that NVLS and NVLS-tree reach by the tuner; 0: the GPU cannot do it */
  readonly nvlsEfficiency: Readonly<Record<GpuGeneration, number>>;
  /** channels of NVLS in one server, and in each of several */
  readonly nvlsChannels: Readonly<Record<GpuGeneration, readonly [one: number, several: number]>>;
  /** the newest generation that the version knows; later ones take its figures */
  readonly newest: GpuGeneration;
  readonly maxChannels: number;
}

const simple = (us: number): Row => [null, null, us];
const baseUs: LatencyTable = {
  tree: [6.8, 14, 0],
  ring: [6.6, 14, 8.4],
  'collnet-direct': simple(0),
  'collnet-chain': simple(0),
  nvls: simple(0),
  'nvls-tree': simple(0),
  pat: [null, null, null],
};
const oldHopUs: NcclFigures['hopUs'] = {
  nvlink: {
    tree: [0.6, 1.25, 28],
    ring: [0.6, 1.9, 3.4],
    'collnet-direct': simple(3.7),
    'collnet-chain': simple(2.8),
    nvls: simple(25),
    'nvls-tree': simple(25),
    pat: [null, null, null],
  },
  pci: {
    tree: [1, 1.9, 28],
    ring: [1, 2.5, 5.7],
    'collnet-direct': simple(3.7),
    'collnet-chain': simple(2.8),
    nvls: simple(0),
    'nvls-tree': simple(0),
    pat: [null, null, null],
  },
  network: {
    tree: [5, 8.5, 28],
    ring: [2.7, 4, 14],
    'collnet-direct': simple(31),
    'collnet-chain': simple(30),
    nvls: simple(18),
    'nvls-tree': simple(14),
    pat: [null, null, null],
  },
};
const hopperLl128Limit = [36.7, 36.7, 36.7] as const;
const everyOne = (gbps: number): ByServers => [gbps, gbps, gbps];

const v2_21: NcclFigures = {
  version: '2.21.5',
  baseUs,
  hopUs: oldHopUs,
  llLimit: { volta: 39, ampere: 87.7, hopper: 141, blackwell: 141 },
  llLimitBetween: { amd: [22.5, 19], other: [39, 20.4] },
  ll128RingLimit: {
    volta: everyOne(20),
    ampere: everyOne(20),
    hopper: hopperLl128Limit,
    blackwell: hopperLl128Limit,
  },
  ll128TreeLimit: {
    volta: everyOne(20),
    ampere: everyOne(20),
    hopper: [36.7, 36.7, 29],
    blackwell: [36.7, 36.7, 29],
  },
  simpleTreeLimit: {
    volta: [26.5, 18.5, 10],
    ampere: [24, 23.6, 17.8],
    hopper: [38.7, 41.4, 36],
    blackwell: [38.7, 41.4, 36],
  },
  nvlsTreeLimit: null,
  nvlsEfficiency: { volta: 0, ampere: 0, hopper: 5 / 6, blackwell: 5 / 6 },
  nvlsChannels: { volta: [16, 16], ampere: [16, 16], hopper: [16, 16], blackwell: [16, 16] },
  newest: 'hopper',
  maxChannels: 32,
};

const v2_28: NcclFigures = {
  version: '2.28.9',
  baseUs: { ...baseUs, tree: [6.8, 14, 8.4], pat: simple(8) },
  hopUs: {
    nvlink: { ...oldHopUs.nvlink, tree: [0.6, 1.25, 4], pat: simple(4) },
    pci: { ...oldHopUs.pci, tree: [1, 1.9, 4], pat: simple(4) },
    network: { ...oldHopUs.network, tree: [5, 8.5, 14], 'nvls-tree': simple(20.9), pat: simple(14) },
  },
  llLimit: { ...v2_21.llLimit, blackwell: 282 },
  llLimitBetween: v2_21.llLimitBetween,
  ll128RingLimit: { ...v2_21.ll128RingLimit, blackwell: [73.4, 34.6, 73.4] },
  ll128TreeLimit: { ...v2_21.ll128TreeLimit, blackwell: [55.6, 31.67, 20] },
  simpleTreeLimit: { ...v2_21.simpleTreeLimit, blackwell: [70, 42.8, 24] },
  nvlsTreeLimit: {
    volta: everyOne(Infinity),
    ampere: everyOne(Infinity),
    hopper: [Infinity, 57.7, 45.5],
    blackwell: [Infinity, 96, 43.8],
  },
  nvlsEfficiency: { volta: 0, ampere: 0, hopper: 0.85, blackwell: 0.74 },
  nvlsChannels: { ...v2_21.nvlsChannels, blackwell: [24, 32] },
  newest: 'blackwell',
  maxChannels: 64,
};

/** The profiles that choose as NCCL does: by version, over InfiniBand and RoCE; and by network. */
export const ncclProfiles = [
  'nccl',
  'nccl-2.21',
  'nccl-2.28',
  'nccl-efa',
  'nccl-slingshot',
  'nccl-tcpx',
  'nccl-tcpxo',
] as const;
export type NcclProfile = (typeof ncclProfiles)[number];
/** The profile that `nccl` is another name of. */
export const ncclProfile: Exclude<NcclProfile, 'nccl'> = 'nccl-2.28';

const profiles: Readonly<
  Record<Exclude<NcclProfile, 'nccl'>, { readonly figures: NcclFigures; readonly network: NetworkKind }>
> = {
  'nccl-2.21': { figures: v2_21, network: 'infiniband' },
  'nccl-2.28': { figures: v2_28, network: 'infiniband' },
  'nccl-efa': { figures: v2_28, network: 'efa' },
  'nccl-slingshot': { figures: v2_28, network: 'slingshot' },
  'nccl-tcpx': { figures: v2_28, network: 'tcpx' },
  'nccl-tcpxo': { figures: v2_28, network: 'tcpxo' },
};

/** The figures of the version of a profile. */
export function ncclFigures(profile: NcclProfile): NcclFigures {
  return profiles[profile === 'nccl' ? ncclProfile : profile].figures;
}

/** The network whose figures a profile takes. */
export function ncclNetwork(profile: NcclProfile): NetworkKind {
  return profiles[profile === 'nccl' ? ncclProfile : profile].network;
}

/**
 * What the tuner multiplies the bandwidth of a tree with, by the power of two of an allreduce's bytes from 64 B on;
 * beyond the last it is 1. The same in 2.21.5 and 2.28.9.
 */
const treeCorrections: Readonly<Record<Protocol, readonly number[]>> = {
  ll: [1, 1, 1, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1],
  ll128: [1, 1, 1, 1, 1, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1, 1],
  simple: [
    0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9,
  ],
};

/** The share of a tree's bandwidth that the tuner reckons with for an allreduce of so many bytes. */
export function treeCorrection(protocol: Protocol, sizeBytes: number): number {
  if (sizeBytes < 64) return 1;
  let power = 0;
  for (let left = sizeBytes / 128; left >= 1; left /= 2) power++;
  return treeCorrections[protocol][power] ?? 1;
}

const columnOf: Readonly<Record<Protocol, 0 | 1 | 2>> = { ll: 0, ll128: 1, simple: 2 };

/** Base and per-hop latency in microseconds; null if the algorithm has no such protocol in that version. */
export function ncclLatencyUs(
  { baseUs: base, hopUs }: NcclFigures,
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  path: PathKind,
): { readonly baseUs: number; readonly hopUs: number } | null {
  const column = columnOf[protocol];
  const [once, hop] = [base[algorithm][column], hopUs[path][algorithm][column]];
  return once === null || hop === null ? null : { baseUs: once, hopUs: hop };
}
