// How long NCCL would take a collective to last: what its tuner compares algorithms and protocols by.
//     time = latency + bytes / bandwidth
// n ranks on m servers of L, buffer S, lg the base-2 logarithm rounded down, hop latencies within a server (i) and
// between servers (e) of nccl-figures.ts; B is what all channels of the graph carry together (nccl-channels.ts):
//     ring       base + (steps - k) i + k e; allreduce: 2 (n - 1) steps, k = 2 (m - 1) of them between servers, 2 S (n
// -                1) / n; allgather, reduce-scatter: half of all three; broadcast, reduce: S over n - 1 hops
// B; LL B / 2, at most its limit; LL128 0.92 B (0.7 B with one GPU per server), at most its limit     tree       base +
// 2 (L - 1) i + 2 lg m e; 2 S                0.92 B, at most its limit; of that LL 1 / 3.8, LL128 120 / 128 (one
// server: 7 / 9), at most their limits     NVLS       base + i; S; efficiency x B     NVLS-tree  base + i + 2 lg m e;
// S; efficiency x the lesser of B within a server and B between servers, of which                half counts beyond two
// servers     PAT        base + lg n e; 2 S (n - 1) / n over B     CollNet    base + 2 i (direct) or 2 (L - 1) i
// (chain) + e; 2 S; direct on Hopper and later 0.85 B Every latency stands in it once, where it arises. The posting of
// sends takes time of its own (NCCL_NET_OVERHEAD): a ring's steps within a server take at least that long if there are
// several, Simple's three times it.
// Source: facts of NCCL's tuner (nccl-figures.ts). Not modelled: thread counts beyond leastBytesOf, corrections by
// size.

import { type GpuGeneration, generationOf } from './gpu-generation.js';
import type { GroupFacts } from './group-facts.js';
import {
  type ChannelGraph,
  nicsOf,
  nvlinkGBps,
  nvlsGraph,
  ringGraph,
  runningChannels,
  speedBelow,
} from './nccl-channels.js';
import { type NcclFigures, ncclLatencyUs, treeCorrection } from './nccl-figures.js';
import type { PathKind, Protocol, TunedAlgorithm } from './protocols.js';
import type { CollectiveKind } from './schedule.js';

/** A group as the tuner of a version sees it. */
export interface TunedGroup {
  readonly figures: NcclFigures;
  readonly facts: GroupFacts;
  /** whose figures are taken */
  readonly generation: GpuGeneration;
  /** why another generation's than the GPU's own, in words; null: they are its own */
  readonly assumption: string | null;
  readonly rings: ChannelGraph;
  readonly nvls: ChannelGraph;
  /** what posting a send takes; 0: not known, not counted */
  readonly postOverheadUs: number;
}

/** what is taken of a GPU that is not known */
const assumedGeneration: GpuGeneration = 'hopper';

/** A group for the tuner. @param gpuType as the topology names it; "" if unknown */
export function tunedGroup(figures: NcclFigures, facts: GroupFacts, gpuType: string, postOverheadUs = 0): TunedGroup {
  const own = generationOf(gpuType);
  const generation =
    own === null ? assumedGeneration : own === 'blackwell' && figures.newest === 'hopper' ? figures.newest : own;
  return {
    figures,
    facts,
    generation,
    assumption:
      own === generation
        ? null
        : own === null
          ? `${gpuType === '' ? 'the GPU is not named' : `no figures for ${gpuType}`}: Hopper's assumed`
          : `NCCL ${figures.version} takes Hopper's figures for ${gpuType}`,
    // what the links carry is the GPU's own
    rings: ringGraph(own ?? generation, facts),
    nvls: nvlsGraph(own ?? generation, facts, figures.nvlsChannels[generation][facts.servers === 1 ? 0 : 1]),
    postOverheadUs,
  };
}

/** What GPUs of a server hop over. */
export function intraPath({ nvlinkBps, ranks, servers }: GroupFacts): PathKind {
  return nvlinkBps > 0 || ranks === servers ? 'nvlink' : 'pci';
}

/** What posting a send takes with processors of AMD, microseconds (NCCL's own figure; others 1) */
const amdPostOverheadUs = 2;

/** Microseconds of latency, and bytes over GB/s. */
interface Parts {
  readonly latencyUs: number;
  readonly bytes: number;
  readonly gbps: number;
}

/** What every formula needs. */
interface Terms extends TunedGroup {
  readonly protocol: Protocol;
  readonly kind: CollectiveKind;
  readonly sizeBytes: number;
  /** once, and of hops, microseconds */
  readonly baseUs: number;
  readonly intraUs: number;
  readonly interUs: number;
  /** GB/s of all channels of the rings */
  readonly totalGBps: number;
  /** 0: one server, 1: two, 2: more */
  readonly column: 0 | 1 | 2;
}

/** The time that NCCL's model gives, in picoseconds; null if the algorithm or the protocol cannot do it. */
export function estimatePs(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  kind: CollectiveKind,
  sizeBytes: number,
  group: TunedGroup,
): number | null {
  const terms = termsOf(algorithm, protocol, kind, sizeBytes, group);
  if (terms === null) return null;
  const { latencyUs, bytes, gbps } = formulas[algorithm](terms);
  return (terms.baseUs + latencyUs) * 1e6 + (bytes === 0 ? 0 : (bytes / gbps) * 1e3);
}

function termsOf(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  kind: CollectiveKind,
  sizeBytes: number,
  group: TunedGroup,
): Terms | null {
  const { figures, facts, rings } = group;
  const intra = ncclLatencyUs(figures, algorithm, protocol, intraPath(facts));
  const interUs = networkHopUs(figures, algorithm, protocol, facts);
  if (intra === null || interUs === null || !canDo(algorithm, kind, facts)) return null;
  return {
    ...group,
    protocol,
    kind,
    sizeBytes,
    baseUs: intra.baseUs,
    intraUs: intra.hopUs,
    interUs,
    totalGBps: rings.count * rings.speed,
    column: facts.servers === 1 ? 0 : facts.servers === 2 ? 1 : 2,
  };
}

/**
 * What the moves of a ring or tree wait beside their hops, picoseconds: the tuner has protocols slower than their links
 * (copies, flags that processors check, pipelines that do not fill), and the time beyond that of the links is spread
 * over the hops of the way. Between servers a small buffer, which gets few channels, has as little of the bandwidth:
 * LL's flags are checked by the processors' threads, one for every GPU that has a NIC, so that a channel by itself has
 * a whole thread; other protocols are limited by channel. 0 of rings with Simple, which reach what their links carry.
 * @param channels that run
 */
export function protocolDelayPs(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  kind: CollectiveKind,
  sizeBytes: number,
  group: TunedGroup,
  channels: number,
): number {
  if ((algorithm !== 'tree' && algorithm !== 'ring') || (algorithm === 'ring' && protocol === 'simple')) return 0;
  const terms = termsOf(algorithm, protocol, kind, sizeBytes, group);
  if (terms === null) return 0;
  const { facts, generation, rings } = group;
  const { bytes, gbps: whole } = formulas[algorithm](terms);
  const all = protocol === 'll' ? nicsOf(facts) : runningChannels(generation, facts, rings);
  const used = facts.servers > 1 ? Math.min(1, channels / all) : 1;
  const gbps = whole * used;
  const nvlink = facts.nvlinkBps > 0 && facts.ranksPerServer > 1 ? facts.nvlinkBps / 8e9 : Infinity;
  // a tree's 2 S pass NVLink; between two servers S goes each way, between more up to twice that
  const networkTimes = algorithm === 'tree' && facts.servers === 2 ? 2 : 1;
  const network = facts.servers > 1 || nvlink === Infinity ? (networkTimes * facts.networkBps) / 8e9 : Infinity;
  const links = (packetShare * Math.min(nvlink, network)) / flagsOf[protocol];
  const hops =
    algorithm === 'tree'
      ? 2 * (facts.ranksPerServer - 1 + levels(facts.servers))
      : (kind === 'allreduce' ? 2 : 1) * (facts.ranks - 1);
  return hops > 0 && gbps < links ? ((bytes / gbps - bytes / links) * 1e3) / hops : 0;
}

/** What links carry of data beside the headers of packets of 4 KiB, as packets of NVLink and RoCE have them here. */
const packetShare = 4096 / 4184;

/** Bytes on the wire for each of data (protocols.ts). */
const flagsOf: Readonly<Record<Protocol, number>> = { ll: 2, ll128: 128 / 120, simple: 1 };

/** Whether NCCL's tuner has the algorithm for a kind and a group of that form at all. */
export function canDo(algorithm: TunedAlgorithm, kind: CollectiveKind, facts: GroupFacts): boolean {
  const { servers, ranksPerServer, nvlinkBps } = facts;
  const isGather = kind === 'allgather' || kind === 'reducescatter';
  switch (algorithm) {
    case 'ring':
      return kind !== 'alltoall' && kind !== 'sendrecv';
    case 'tree':
      return kind === 'allreduce';
    case 'nvls':
      return (kind === 'allreduce' || isGather) && servers === 1 && nvlinkBps > 0;
    case 'nvls-tree':
      return kind === 'allreduce' && servers > 1 && nvlinkBps > 0 && ranksPerServer > 1;
    case 'pat':
      return isGather && servers > 1 && ranksPerServer === 1;
    case 'collnet-direct':
      // gathers need a NIC for every GPU
      return (
        servers > 1 && (kind === 'allreduce' || (isGather && (facts.nicsPerServer ?? ranksPerServer) >= ranksPerServer))
      );
    case 'collnet-chain':
      return kind === 'allreduce' && servers > 1;
  }
}

const formulas: Readonly<Record<TunedAlgorithm, (terms: Terms) => Parts>> = {
  ring: (terms) => {
    const { kind, sizeBytes, facts, protocol, intraUs, interUs, postOverheadUs } = terms;
    const { ranks, servers } = facts;
    const phases = kind === 'allreduce' ? 2 : 1;
    const interSteps = phases * (servers - 1);
    const overheadUs = servers > 1 ? postOverheadUs * (protocol === 'simple' ? 3 : 1) : 0;
    const isRooted = kind === 'broadcast' || kind === 'reduce';
    return {
      latencyUs:
        ((phases * (ranks - 1) - interSteps) * Math.max(intraUs, isRooted ? 0 : overheadUs) + interSteps * interUs) *
        plateauOf(terms),
      bytes: isRooted ? (ranks > 1 ? sizeBytes : 0) : (phases * sizeBytes * (ranks - 1)) / ranks,
      gbps: ringGBps(terms),
    };
  },
  tree: (terms) => ({
    latencyUs: 2 * ((terms.facts.ranksPerServer - 1) * terms.intraUs + levels(terms.facts.servers) * terms.interUs),
    bytes: terms.facts.ranks > 1 ? 2 * terms.sizeBytes : 0,
    gbps: treeGBps(terms),
  }),
  nvls: ({ sizeBytes, figures, generation, nvls, intraUs }) => ({
    latencyUs: intraUs,
    bytes: sizeBytes,
    gbps: nvls.count * nvls.speed * figures.nvlsEfficiency[generation],
  }),
  'nvls-tree': ({ sizeBytes, figures, generation, facts, rings, nvls, totalGBps, column, intraUs, interUs }) => ({
    latencyUs: intraUs + 2 * levels(facts.servers) * interUs,
    bytes: sizeBytes,
    gbps: Math.min(
      Math.min(nvls.count * nvls.speed, totalGBps / (facts.servers > 2 ? 2 : 1)) * figures.nvlsEfficiency[generation],
      rings.count * (figures.nvlsTreeLimit?.[generation][column] ?? Infinity),
    ),
  }),
  pat: ({ sizeBytes, facts, totalGBps, interUs }) => ({
    latencyUs: levels(facts.servers) * (interUs / 3.5) + facts.ranks * 2.8,
    bytes: sizeBytes,
    gbps: totalGBps * 0.75,
  }),
  'collnet-direct': ({ kind, sizeBytes, facts, generation, totalGBps, intraUs, interUs }) => ({
    latencyUs: (facts.ranksPerServer > 1 ? 2 * intraUs : 0) + interUs,
    ...(kind === 'allreduce'
      ? { bytes: 2 * sizeBytes, gbps: totalGBps * (generation === 'hopper' || generation === 'blackwell' ? 0.85 : 1) }
      : { bytes: sizeBytes, gbps: collnetGatherGBps(facts) }),
  }),
  'collnet-chain': ({ sizeBytes, facts, totalGBps, intraUs, interUs }) => ({
    latencyUs: 2 * (facts.ranksPerServer - 1) * intraUs + interUs,
    bytes: 2 * sizeBytes,
    gbps: totalGBps,
  }),
};

/**
 * What CollNet gathers at: nine tenths of the NICs, as they are bound to them, or all that NVLink has for the server.
 */
function collnetGatherGBps({ networkBps, nvlinkBps, ranksPerServer }: GroupFacts): number {
  const nvlink = ranksPerServer > 1 && nvlinkBps > 0 ? (ranksPerServer * nvlinkBps) / 8e9 : Infinity;
  return Math.min((0.9 * networkBps) / 8e9, nvlink);
}

/** Where every rank is a server of its own no step hides the network's: a tree's latency counts for all. */
function networkHopUs(
  figures: NcclFigures,
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  { ranks, servers }: GroupFacts,
): number | null {
  const isAlone = ranks === servers && algorithm === 'ring';
  return ncclLatencyUs(figures, isAlone ? 'tree' : algorithm, protocol, 'network')?.hopUs ?? null;
}

/** An allreduce's ring between servers waits longer with Simple, if a rank and channel have 64 B at least. */
function plateauOf({ kind, protocol, facts, generation, sizeBytes, rings }: Terms): number {
  const channels = runningChannels(generation, facts, rings);
  const isPlateau =
    kind === 'allreduce' && protocol === 'simple' && facts.servers > 1 && sizeBytes / (channels * facts.ranks) >= 64;
  return isPlateau ? (generation === 'volta' ? 1.9 : 1.4) : 1;
}

function ringGBps(terms: Terms): number {
  const { figures, generation, column, protocol, facts, rings, totalGBps } = terms;
  switch (protocol) {
    case 'll':
      return Math.min(llLimitGBps(terms), totalGBps * 0.5);
    case 'll128':
      return Math.min(
        totalGBps * (facts.ranksPerServer < 2 ? 0.7 : 0.92),
        rings.count * figures.ll128RingLimit[generation][column],
      );
    case 'simple':
      return totalGBps;
  }
}

function treeGBps(terms: Terms): number {
  const { figures, generation, column, protocol, rings, totalGBps, sizeBytes } = terms;
  // on two servers the search makes a tree's channels within them faster than a ring's, as far as NVLink allows
  const isSplit = column === 1 && terms.facts.ranksPerServer > 1;
  const within = isSplit ? Math.min(2 * totalGBps, nvlinkTreeGBps(terms)) : totalGBps;
  const simple = Math.min(
    Math.max(totalGBps, within) * 0.92,
    rings.count * figures.simpleTreeLimit[generation][column],
  );
  const whole = {
    ll: Math.min(simple / 3.8, llLimitGBps(terms)),
    ll128: Math.min(
      simple * (column === 0 ? 7 / 9 : 120 / 128),
      rings.count * figures.ll128TreeLimit[generation][column],
    ),
    simple,
  }[protocol];
  return whole * treeCorrection(protocol, sizeBytes);
}

function nvlinkTreeGBps({ generation, facts, rings }: Terms): number {
  const own = nvlinkGBps(generation, facts);
  return rings.count * speedBelow(own / rings.count, generation, 'inter');
}

/** LL's flags are checked by the GPU within a server, by the processor between servers. */
function llLimitGBps({ figures, generation, column, postOverheadUs }: Terms): number {
  if (column === 0) return figures.llLimit[generation];
  return figures.llLimitBetween[postOverheadUs >= amdPostOverheadUs ? 'amd' : 'other'][column - 1]!;
}

/** The base-2 logarithm of a positive whole number, rounded down. */
function levels(count: number): number {
  return count <= 1 ? 0 : 31 - Math.clz32(count);
}
