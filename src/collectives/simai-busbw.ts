// The cost profile `simai-busbw`: how long SimAI's analytical program says that a collective takes. Size over a bus
// bandwidth, which follows from the GPUs and NICs that the group has in a server, times nccl-tests' factor; constants
// below 1 MiB.
// Invariant: a group of one rank takes no time; times are whole nanoseconds, cut off. Bandwidths are called GB/s and
// count 2^30 bytes, as there.
// Source: SimAI 1.6, AstraParamParse and calbusbw (docs/models/simai.md#analytical-backend has the rules and where they
// are odd). SimAI computes in single precision: the last digits differ.
// Not modelled: anything about the network but the bandwidth of NICs; trees and NVLS, which SimAI's program never asks
// for.

import { busFactor } from './bus-bandwidth.js';
import type { GroupFacts } from './group-facts.js';
import type { GroupKind, ParallelSizes } from './parallel-groups.js';
import type { CollectiveKind } from './schedule.js';
import { busbwRatio, type RatioTable } from './simai-busbw-ratios.js';

/** The name of the profile. */
export const simaiBusbw = 'simai-busbw';

export const busbwKinds = ['allreduce', 'allgather', 'reducescatter', 'alltoall'] as const;
export type BusbwKind = (typeof busbwKinds)[number];
export type BusbwGroup = Exclude<GroupKind, 'pp' | 'cp'>;

/** A time, or why there is none. */
type BusbwTime = { readonly timeNs: number } | { readonly problem: string };

/** How long a collective of so many bytes takes in a group of a kind. */
export type BusbwCosts = (kind: BusbwKind, group: BusbwGroup, sizeBytes: number) => BusbwTime;

/** What a server has; bandwidths in GB/s of 2^30 bytes. */
export interface BusbwServer {
  readonly gpusPerServer: number;
  readonly nicsPerServer: number;
  /** of a GPU */
  readonly nvlinkGBps: number;
  /** of one NIC */
  readonly nicGBps: number;
}

/** NVLink's bus bandwidth by GPU, in GB/s: links times what one reaches. */
export const nvlinkGBpsOfGpu: Readonly<Record<string, number>> = {
  A100: 12 * 20,
  A800: 8 * 20,
  H100: 18 * 20.6,
  H20: 18 * 20.6,
  H800: 8 * 20.6,
};

/** What a NIC reaches, in GB/s. */
export const nicGBpsOfType: Readonly<Record<string, number>> = { cx6: 23.5, cx7: 48.5, bf3: 48.5 };

/** Times below 1 MiB by ranks, in nanoseconds; other numbers of ranks take none. */
const smallTimesNs: Readonly<Record<number, number>> = {
  2: 10_000,
  4: 12_000,
  8: 15_000,
  16: 66_000,
  32: 135_000,
  64: 200_000,
  128: 320_000,
};
const smallBytes = 2 ** 20;

/** The ranks of a group of a kind. */
export function ranksOfGroup(group: BusbwGroup, { tensor, expert, data }: ParallelSizes): number {
  return { tp: tensor, dp: data, ep: expert, dp_ep: data / expert }[group];
}

/** The costs of the profile for ranks in groups of these sizes. */
export function simaiBusbwCosts(sizes: ParallelSizes, server: BusbwServer): BusbwCosts {
  return (kind, group, sizeBytes) => {
    const ranks = ranksOfGroup(group, sizes);
    if (ranks < 2 || sizeBytes === 0) return { timeNs: 0 };
    if (sizeBytes > 1 && sizeBytes < smallBytes) return { timeNs: smallTimesNs[ranks] ?? 0 };
    const place = placeOfGroup(group, ranks, sizes, server);
    if (place.servers > 1 && place.nics < 1)
      return {
        problem: `SimAI gives the ${group.toUpperCase()} group ${server.nicsPerServer} NICs over ${place.sharers} GPUs, rounded down: none`,
      };
    const { busbwGBps, isNvlinkBound } = busbwOf(kind, place, server);
    const ratio = ratioOf(kind, group, ranks, sizes, server, isNvlinkBound, sizeBytes);
    return timeAt(ratio * busbwGBps, kind, ranks, sizeBytes);
  };
}

/** The costs where a file says the bandwidths (`-busbw`). @param bandwidthOf in GB/s; null: the file says none */
export function givenBusbwCosts(
  sizes: ParallelSizes,
  bandwidthOf: (kind: BusbwKind, group: BusbwGroup) => number | null,
): BusbwCosts {
  return (kind, group, sizeBytes) => {
    const ranks = ranksOfGroup(group, sizes);
    if (ranks < 2 || sizeBytes === 0) return { timeNs: 0 };
    const busbwGBps = bandwidthOf(kind, group);
    return busbwGBps === null
      ? { problem: `the file of bandwidths has none for ${kind} over ${group.toUpperCase()}` }
      : timeAt(busbwGBps, kind, ranks, sizeBytes);
  };
}

function timeAt(busbwGBps: number, kind: BusbwKind, ranks: number, sizeBytes: number): BusbwTime {
  return { timeNs: Math.floor((sizeBytes / 2 ** 30 / busbwGBps) * 1e9 * busFactor(kind, ranks)) };
}

/**
 * How long a collective of a group on a fabric takes by the same rules, in nanoseconds. Where the group is, its links
 * say: so many servers, GPUs and NICs; SimAI's division of a server's NICs comes to the same for its own groups, but
 * for data groups that have several ranks in a server, which SimAI spreads over as many servers.
 * @param groupKind for the ratios: tensor and expert groups have some
 */
export function fabricBusbwNs(
  kind: CollectiveKind,
  groupKind: GroupKind,
  sizeBytes: number,
  { ranks, servers, ranksPerServer, nvlinkBps, networkBps, nicsPerServer = ranksPerServer, pcieBps }: GroupFacts,
  gpuType: string,
): number {
  if (ranks < 2 || sizeBytes === 0) return 0;
  if (sizeBytes > 1 && sizeBytes < smallBytes) return smallTimesNs[ranks] ?? 0;
  const nics = Math.max(1, nicsPerServer);
  const nicGBps = nicGBpsOfRate(networkBps / nics);
  const nvlinkGBps =
    nvlinkBps > 0 ? (nvlinkOf(gpuType) ?? nvlinkBps / 8e9) : pcieBps === undefined ? nicGBps : pcieBps / 8e9;
  const place = { servers, gpus: ranksPerServer, nics, sharers: 1 };
  const { busbwGBps, isNvlinkBound } = busbwOf(kind, place, { nvlinkGBps, nicGBps });
  const hasRatio =
    kind === 'alltoall' ? groupKind === 'tp' || groupKind === 'ep' : groupKind === 'tp' && isGathered(kind);
  const table: RatioTable = kind === 'alltoall' ? 'alltoall' : isNvlinkBound ? 'nvlink' : 'nic';
  const isMulti = groupKind === 'ep' && servers > 1 && ranksPerServer === 1;
  const ratio = hasRatio ? busbwRatio(table, isMulti ? 'multi' : servers, sizeBytes) : 1;
  return Math.floor((sizeBytes / 2 ** 30 / (ratio * busbwGBps)) * 1e9 * busFactor(kind, ranks));
}

function isGathered(kind: CollectiveKind): boolean {
  return kind === 'allgather' || kind === 'reducescatter';
}

/** NVLink's bus bandwidth of a GPU as a fabric names it; null if SimAI has none. */
function nvlinkOf(gpuType: string): number | null {
  const name = gpuType.toUpperCase();
  return Object.hasOwn(nvlinkGBpsOfGpu, name) ? nvlinkGBpsOfGpu[name]! : null;
}

/** What SimAI gives NICs of 200 and 400 Gb/s; of others the line rate. */
function nicGBpsOfRate(rateBps: number): number {
  if (rateBps === 400e9) return nicGBpsOfType['cx7']!;
  return rateBps === 200e9 ? nicGBpsOfType['cx6']! : rateBps / 8e9;
}

/** What SimAI takes a group for: so many servers with so many of its GPUs and of their NICs in each. */
interface GroupPlace {
  readonly servers: number;
  readonly gpus: number;
  readonly nics: number;
  /** GPUs that share the NICs of a server */
  readonly sharers: number;
}

/** SimAI's rules, whose divisions drop remainders. A data group counts a server for every rank. */
function placeOfGroup(
  group: BusbwGroup,
  ranks: number,
  { tensor, expert }: ParallelSizes,
  { gpusPerServer, nicsPerServer }: BusbwServer,
): GroupPlace {
  const spread = (servers: number, sharers: number): GroupPlace => {
    const within = Math.min(sharers, gpusPerServer);
    return {
      servers,
      gpus: Math.max(1, Math.floor(gpusPerServer / within)),
      nics: Math.floor(nicsPerServer / within),
      sharers: within,
    };
  };
  switch (group) {
    case 'tp':
      return tensor <= gpusPerServer
        ? { servers: 1, gpus: tensor, nics: nicsPerServer, sharers: 1 }
        : { servers: Math.floor(tensor / gpusPerServer), gpus: gpusPerServer, nics: nicsPerServer, sharers: 1 };
    case 'ep':
      return tensor * ranks <= gpusPerServer
        ? { servers: 1, gpus: Math.floor(gpusPerServer / tensor), nics: nicsPerServer, sharers: 1 }
        : spread(Math.floor((tensor * ranks) / gpusPerServer), tensor);
    case 'dp':
      return spread(ranks, tensor);
    case 'dp_ep':
      return spread(ranks, tensor * expert);
  }
}

function busbwOf(
  kind: CollectiveKind,
  { servers, gpus, nics }: GroupPlace,
  { nvlinkGBps, nicGBps }: Pick<BusbwServer, 'nvlinkGBps' | 'nicGBps'>,
): { readonly busbwGBps: number; readonly isNvlinkBound: boolean } {
  if (servers === 1) return { busbwGBps: nvlinkGBps, isNvlinkBound: kind === 'alltoall' };
  const nicsGBps = nicGBps * nics;
  const ranks = servers * gpus;
  if (kind === 'alltoall')
    return { busbwGBps: ((nicsGBps / gpus) * (ranks - 1)) / (ranks - gpus), isNvlinkBound: false };
  // rings that change rail between servers carry one share of gpus - 1 over NVLink
  const crossingGBps = gpus === 1 ? Infinity : (nvlinkGBps * gpus) / (gpus - 1);
  return crossingGBps < nicsGBps
    ? { busbwGBps: crossingGBps, isNvlinkBound: true }
    : { busbwGBps: nicsGBps, isNvlinkBound: false };
}

/** 1 where SimAI has no table: every all-reduce, and data groups. */
function ratioOf(
  kind: BusbwKind,
  group: BusbwGroup,
  ranks: number,
  { tensor }: ParallelSizes,
  { gpusPerServer }: BusbwServer,
  isNvlinkBound: boolean,
  sizeBytes: number,
): number {
  const serversOf = (gpus: number): number => (gpus <= gpusPerServer ? 1 : Math.floor(gpus / gpusPerServer));
  if (group === 'tp' && kind !== 'allreduce') {
    const table: RatioTable = kind === 'alltoall' ? 'alltoall' : isNvlinkBound ? 'nvlink' : 'nic';
    return busbwRatio(table, serversOf(tensor), sizeBytes);
  }
  if (group !== 'ep' || kind !== 'alltoall') return 1;
  const isMulti = tensor * ranks > gpusPerServer && tensor >= gpusPerServer;
  return busbwRatio('alltoall', isMulti ? 'multi' : serversOf(tensor * ranks), sizeBytes);
}
