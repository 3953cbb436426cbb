// How long NCCL would take a collective to last: what it compares algorithms and protocols by. Latencies by step and
// path, and bytes over the narrowest of what the algorithm uses:
//     time = base + steps within servers x hardware (NVLink) + steps between servers x hardware (network) + bytes /
//     (bandwidth x share of data)
// Bandwidths are what the fabric has: NVLink per GPU, NICs per server. n ranks, m servers of L, buffer S:
//     ring 2 (n - 1) steps, 2 (m - 1) of them between servers; 2 S (n - 1) / n (allgather, reduce-scatter: half;
//     broadcast, reduce: S)
//     tree        2 (L - 1) and 2 log2 m; 2 S                                         (broadcast, reduce: half)
//     NVLS 2 within the server; S up while S goes down (allgather, reduce-scatter: 1 step each way, S (n - 1) / n)
//     NVLS-tree 2 and 2 log2 m; S over NVLink, 2 S between servers (allgather, reduce-scatter: half the steps, S)
//     PAT         log2 n between servers; S (n - 1) / n                                (one rank per server)
//     CollNet 2 (L - 1) or 2, and 2 log2 m; 3 S, for direct 3 S / L per GPU and NIC: as modelled in collnet.ts, not as
//     SHARP
// Source: the structure of NCCL's tuning (ncclTopoTuneModel), latencies in protocols.ts. Not modelled: its tables of
// efficiency by GPU and number of servers, thread counts, limits by SM.

import { dataShare, latencyOf, type Protocol, type TunedAlgorithm } from './protocols.js';
import type { CollectiveKind } from './schedule.js';

/** What a group has on its fabric. */
export interface GroupFacts {
  readonly ranks: number;
  readonly servers: number;
  /** most ranks that a server has */
  readonly ranksPerServer: number;
  /** of one GPU, in one direction */
  readonly nvlinkBps: number;
  /** of all NICs of a server, in one direction */
  readonly networkBps: number;
  /** ranks on several servers, and not all of them have a NIC; left out: all have */
  readonly lacksNics?: boolean;
}

/** Steps within and between servers, and seconds times bit/s: bytes over the bandwidth that limits them. */
interface Shape {
  readonly intraSteps: number;
  readonly interSteps: number;
  readonly transferSeconds: number;
}

/** The time that NCCL's model gives, in picoseconds; null if the algorithm or the protocol cannot do it. */
export function estimatePs(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  kind: CollectiveKind,
  sizeBytes: number,
  facts: GroupFacts,
): number | null {
  const nvlink = latencyOf(algorithm, protocol, 'nvlink');
  const network = latencyOf(algorithm, protocol, 'network');
  const shape = shapes[algorithm](kind, sizeBytes, facts);
  if (nvlink === null || network === null || shape === null) return null;
  const { intraSteps, interSteps, transferSeconds } = shape;
  const basePs = Math.max(nvlink.basePs, interSteps > 0 ? network.basePs : 0);
  return (
    basePs +
    intraSteps * nvlink.hardwarePs +
    interSteps * network.hardwarePs +
    (transferSeconds / dataShare(protocol)) * 1e12
  );
}

const shapes: Readonly<
  Record<TunedAlgorithm, (kind: CollectiveKind, sizeBytes: number, facts: GroupFacts) => Shape | null>
> = {
  ring: (kind, sizeBytes, { ranks, servers, nvlinkBps, networkBps }) => {
    const phases = kind === 'allreduce' ? 2 : 1;
    if (kind === 'alltoall' || kind === 'sendrecv') return null;
    const interSteps = phases * (servers - 1);
    const share = kind === 'broadcast' || kind === 'reduce' ? 1 : (ranks - 1) / ranks;
    return {
      intraSteps: phases * (ranks - 1) - interSteps,
      interSteps,
      transferSeconds: (8 * phases * share * sizeBytes) / slowest(servers, ranks, nvlinkBps, networkBps),
    };
  },
  tree: (kind, sizeBytes, { ranks, servers, ranksPerServer, nvlinkBps, networkBps }) => {
    if (kind !== 'allreduce' && kind !== 'broadcast' && kind !== 'reduce') return null;
    const phases = kind === 'allreduce' ? 2 : 1;
    return {
      intraSteps: phases * (ranksPerServer - 1),
      interSteps: phases * levels(servers),
      transferSeconds: (8 * phases * sizeBytes) / slowest(servers, ranks, nvlinkBps, networkBps),
    };
  },
  nvls: (kind, sizeBytes, { ranks, servers, nvlinkBps }) => {
    if (servers > 1 || nvlinkBps === 0 || !isGatherOrReduction(kind)) return null;
    return {
      intraSteps: 2,
      interSteps: 0,
      transferSeconds: (8 * sizeBytes * (kind === 'allreduce' ? 1 : (ranks - 1) / ranks)) / nvlinkBps,
    };
  },
  'nvls-tree': (kind, sizeBytes, { servers, nvlinkBps, networkBps }) => {
    if (servers === 1 || nvlinkBps === 0 || !isGatherOrReduction(kind)) return null;
    const phases = kind === 'allreduce' ? 2 : 1;
    return {
      intraSteps: 2,
      interSteps: phases * levels(servers),
      transferSeconds: Math.max((8 * sizeBytes) / nvlinkBps, (8 * phases * sizeBytes) / networkBps),
    };
  },
  pat: (kind, sizeBytes, { ranks, ranksPerServer, servers, networkBps }) => {
    if (ranksPerServer > 1 || servers === 1 || (kind !== 'allgather' && kind !== 'reducescatter')) return null;
    return {
      intraSteps: 0,
      interSteps: levels(ranks),
      transferSeconds: (8 * sizeBytes * (ranks - 1)) / ranks / networkBps,
    };
  },
  'collnet-direct': (kind, sizeBytes, { servers, nvlinkBps, networkBps }) => {
    if (kind !== 'allreduce' || servers === 1) return null;
    return {
      intraSteps: 2,
      interSteps: 2 * levels(servers),
      transferSeconds: Math.max(nvlinkBps > 0 ? (16 * sizeBytes) / nvlinkBps : 0, (24 * sizeBytes) / networkBps),
    };
  },
  'collnet-chain': (kind, sizeBytes, { servers, ranksPerServer, nvlinkBps, networkBps }) => {
    if (kind !== 'allreduce' || servers === 1) return null;
    return {
      intraSteps: 2 * (ranksPerServer - 1),
      interSteps: 2 * levels(servers),
      transferSeconds: Math.max(nvlinkBps > 0 ? (16 * sizeBytes) / nvlinkBps : 0, (24 * sizeBytes) / networkBps),
    };
  },
};

function isGatherOrReduction(kind: CollectiveKind): boolean {
  return kind === 'allreduce' || kind === 'allgather' || kind === 'reducescatter';
}

/**
 * The narrowest of what a ring or a tree crosses: NVLink where ranks share a server, NICs where there is more than one.
 */
function slowest(servers: number, ranks: number, nvlinkBps: number, networkBps: number): number {
  const within = ranks > servers && nvlinkBps > 0 ? nvlinkBps : Infinity;
  const between = servers > 1 || nvlinkBps === 0 ? networkBps : Infinity;
  return Math.min(within, between);
}

/** Levels of a binary tree over `count`: the base-2 logarithm, rounded up. */
function levels(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}
