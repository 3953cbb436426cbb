// Which algorithm, protocol and channels a collective gets. Three profiles:
// - document: the rules of the communication-stack document (docs/SOURCES.md), 2.2: by kind of group, GPU and number
//   of ranks.
//   simai: what SimAI 1.6 does (docs/models/simai.md#collectives), to compare with it: nothing but rings, NVLS
//   and direct sends; remainders are dropped.
// - nccl: the least time by NCCL's cost model (nccl-cost.ts) among what the fabric and the settings allow.
// Invariant: what is chosen can be built (build-schedule.ts) for the group; where a profile's rule cannot, the choice
// says what took its place.

import { pipelinedChunks, plainChunks } from './chunking.js';
import type { GroupKind } from './parallel-groups.js';
import { estimatePs, type GroupFacts } from './nccl-cost.js';
import { latencyOf, type Protocol, protocols, type TunedAlgorithm, tunedAlgorithms } from './protocols.js';
import type { RingLayout } from './ring-order.js';
import type { AlgorithmName, CollectiveKind } from './schedule.js';
import type { PeerOrder } from './direct-all-to-all.js';

export const selectionProfiles = ['document', 'simai', 'nccl'] as const;
export type SelectionProfile = (typeof selectionProfiles)[number];

export interface SelectionRequest {
  readonly kind: CollectiveKind;
  readonly groupKind: GroupKind;
  readonly sizeBytes: number;
  readonly facts: GroupFacts;
  /** as the topology names it; "" if unknown */
  readonly gpuType: string;
  /** every server of the group has an NVSwitch that all its ranks are linked to */
  readonly hasNvswitches: boolean;
  /** AS_NVLS_ENABLE, NCCL_NVLS_ENABLE */
  readonly nvls: boolean;
  /** AS_PXN_ENABLE, NCCL_PXN_DISABLE=0 */
  readonly pxn: boolean;
  /** NCCL_COLLNET_ENABLE: for `nccl` alone */
  readonly collnet: boolean;
  /** AS_RING_CHANNELS; 0: the profile's own number. SimAI 1.6 does not read it. */
  readonly channels: number;
}

/** What a collective gets, and why. */
export interface Choice {
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  readonly channels: number;
  readonly chunks: number;
  readonly ringLayout: RingLayout;
  readonly peerOrder: PeerOrder;
  /** over proxies: a ring's hops between servers */
  readonly pxn: boolean;
  /**
   * moves over one connection of a ring, tree or chain that may be under way: 1, one after the other; more, in order;
   * Infinity, whatever has its data
   */
  readonly slots: number;
  /** bytes that a link of an NVSwitch carries for each byte of a move */
  readonly nvswitchShare: number;
  /** divisions drop their remainders, as SimAI's do */
  readonly dropsRemainder: boolean;
  /** once, before the first move; and before every move, by its path */
  readonly startDelayPs: number;
  readonly intraServerDelayPs: number;
  readonly networkDelayPs: number;
  readonly reason: string;
}

/** chunks of NVLS, as in SimAI */
const nvlsChunks = 4;
/** SimAI's memory bus, before every flow (docs/models/simai.md#collectives) */
const simaiFlowDelayPs = 10_000;
/** the document's AS_RING_CHANNELS */
const documentChannels = 2;
/** nccl: NCCL_STEPS, the slots of a connection's FIFO (NCCL's device.h, 2.12 to 2.30) */
const ncclSlots = 8;
/** of what NVLink carries, the share that NVLS reaches (NCCL's tuner, 2.28.9, Hopper) */
const nvlsEfficiency = 0.85;
/** nccl: fewer channels rather than smaller pieces */
const leastPieceBytes = 4096;

/**
 * nccl: each rank reduces the part of one in n: it reads that from the switch while the switch reads all parts from it,
 * and writes the sum of its part once while all sums come down, so each direction of an allreduce carries (1 + 1/n) of
 * the buffer.
 */
function nvswitchShare(kind: CollectiveKind, { ranksPerServer }: GroupFacts): number {
  return (kind === 'allreduce' ? 1 + 1 / ranksPerServer : 1) / nvlsEfficiency;
}

/** Whether a profile's collectives go over connections with slots (schedule.ts). */
export function hasConnections(profile: SelectionProfile): boolean {
  return profile === 'nccl';
}

/** Chooses for one collective of a group. */
export function choose(profile: SelectionProfile, request: SelectionRequest): Choice {
  return profiles[profile](request);
}

const profiles: Readonly<Record<SelectionProfile, (request: SelectionRequest) => Choice>> = {
  document: byDocument,
  simai: bySimai,
  nccl: byNccl,
};

const plain = {
  protocol: 'simple',
  chunks: 1,
  ringLayout: 'cross-rail',
  peerOrder: 'by-distance',
  pxn: false,
  slots: 1,
  nvswitchShare: 1,
  dropsRemainder: false,
  startDelayPs: 0,
  intraServerDelayPs: 0,
  networkDelayPs: 0,
} as const;

function bySimai({ kind, groupKind, facts, gpuType, hasNvswitches, nvls, pxn }: SelectionRequest): Choice {
  const common = {
    ...plain,
    channels: facts.ranksPerServer,
    peerOrder: 'by-rank',
    slots: Infinity,
    dropsRemainder: true,
    intraServerDelayPs: simaiFlowDelayPs,
    networkDelayPs: simaiFlowDelayPs,
  } as const;
  if (kind === 'alltoall' || kind === 'sendrecv')
    return { ...common, algorithm: 'direct', channels: 1, reason: 'SimAI sends directly' };
  const isNvls = wantsNvls(kind, groupKind, facts, gpuType, nvls);
  if (isNvls && hasNvswitches && facts.servers === 1)
    return {
      ...common,
      algorithm: 'nvls',
      channels: 1,
      chunks: nvlsChunks,
      reason: 'SimAI: allreduce of 8 or more ranks of tensor parallelism on Hopper, NVLS enabled',
    };
  const ring = {
    ...common,
    algorithm: 'ring',
    pxn: pxn && (kind === 'allreduce' || kind === 'reducescatter'),
  } as const;
  return { ...ring, reason: isNvls ? "SimAI's NVLS needs one server with an NVSwitch: a ring" : 'SimAI: a ring' };
}

function byDocument({ kind, groupKind, facts, gpuType, hasNvswitches, nvls, pxn, channels }: SelectionRequest): Choice {
  const common = {
    ...plain,
    channels: channels > 0 ? channels : documentChannels,
    ringLayout: 'rank-order',
    peerOrder: 'by-rank',
    pxn,
  } as const;
  if (kind === 'sendrecv')
    return {
      ...common,
      ...latencies('ring', 'simple'),
      algorithm: 'direct',
      channels: 1,
      reason: 'the document: point to point',
    };
  if (kind === 'alltoall') {
    const isAggregated = pxn && facts.servers > 1;
    return {
      ...common,
      ...latencies('ring', 'simple'),
      algorithm: isAggregated ? 'aggregated' : 'direct',
      channels: 1,
      reason: isAggregated
        ? 'the document: all-to-all, gathered, sent and scattered by proxies (PXN)'
        : 'the document: all-to-all by direct sends',
    };
  }
  const isNvlsTree = kind === 'allgather' && groupKind === 'tp' && nvls && facts.ranks >= 8;
  const wanted = wantsNvls(kind, groupKind, facts, gpuType, nvls) ? 'nvls' : isNvlsTree ? 'nvls-tree' : 'ring';
  if (wanted === 'ring')
    return { ...common, ...latencies('ring', 'simple'), algorithm: 'ring', reason: 'the document: a ring' };
  if (!hasNvswitches)
    return {
      ...common,
      ...latencies('ring', 'simple'),
      algorithm: 'ring',
      reason: `the document wants ${wanted}, but a server has no NVSwitch for all its ranks: a ring`,
    };
  const algorithm = facts.servers > 1 ? 'nvls-tree' : wanted;
  const why =
    kind === 'allreduce'
      ? 'allreduce of 8 or more ranks of tensor parallelism on H100 or H800'
      : 'allgather of 8 or more ranks of tensor parallelism';
  return {
    ...common,
    ...latencies(algorithm, 'simple'),
    algorithm,
    channels: 1,
    chunks: kind === 'allreduce' ? nvlsChunks : 1,
    reason: `the document: ${why}, NVLS enabled${algorithm === wanted ? '' : ' (several servers: along a tree)'}`,
  };
}

function byNccl(request: SelectionRequest): Choice {
  const { kind, sizeBytes, facts, pxn } = request;
  const common = {
    ...plain,
    ringLayout: 'rail-aligned',
    pxn,
    slots: ncclSlots,
    nvswitchShare: nvswitchShare(kind, facts),
  } as const;
  if (kind === 'alltoall' || kind === 'sendrecv') {
    const isAggregated = kind === 'alltoall' && pxn && facts.servers > 1;
    return {
      ...common,
      ...latencies('ring', 'simple'),
      algorithm: isAggregated ? 'aggregated' : 'direct',
      channels: 1,
      reason: `NCCL: ${isAggregated ? 'grouped sends, aggregated by proxies (PXN)' : 'grouped sends'}`,
    };
  }
  const allowed = tunedAlgorithms.filter((algorithm) => isAllowed(algorithm, request));
  // a ring can do all that is left
  const { algorithm, protocol, timePs } = fastest(request, allowed, protocols) ?? {
    algorithm: 'ring',
    protocol: 'simple',
    timePs: 0,
  };
  const channels = channelsFor(algorithm, request);
  return {
    ...common,
    ...latenciesOf('nccl', algorithm, protocol),
    algorithm,
    protocol,
    channels,
    chunks: pipelinedChunks(algorithm, protocol, { kind, sizeBytes, channels }),
    reason: `NCCL: ${algorithm} with ${protocol.toUpperCase()} takes least, ${Math.round(timePs / 1e6)} us by its model`,
  };
}

/** The least time by NCCL's model among algorithms and protocols; null if it has none of them for the collective. */
function fastest(
  { kind, sizeBytes, facts }: SelectionRequest,
  algorithms: readonly TunedAlgorithm[],
  among: readonly Protocol[],
): { readonly algorithm: TunedAlgorithm; readonly protocol: Protocol; readonly timePs: number } | null {
  let best: { readonly algorithm: TunedAlgorithm; readonly protocol: Protocol; readonly timePs: number } | null = null;
  for (const algorithm of algorithms) {
    for (const protocol of among) {
      const timePs = estimatePs(algorithm, protocol, kind, sizeBytes, facts);
      if (timePs !== null && (best === null || timePs < best.timePs)) best = { algorithm, protocol, timePs };
    }
  }
  return best;
}

/** What a user asks for instead of what a profile would choose. */
export interface Wish {
  readonly algorithm: AlgorithmName | 'auto';
  readonly protocol: Protocol | 'auto';
}

/**
 * Why an algorithm has no such protocol, in words; null if it has. Algorithms that NCCL does not tune take the
 * latencies of a ring.
 */
export function protocolProblem(algorithm: AlgorithmName, protocol: Protocol): string | null {
  const tuned = latenciesLike(algorithm);
  const has = protocols.filter((one) => latencyOf(tuned, one, 'nvlink') !== null);
  return has.includes(protocol)
    ? null
    : `${algorithm} has no protocol ${protocol.toUpperCase()}: it has ${has.map((one) => one.toUpperCase()).join(', ')}`;
}

/**
 * As `choose`, but with an algorithm or a protocol of the user's own; the profile decides on all that is left open, and
 * on delays. `scheduleProblem` (build-schedule.ts) and `protocolProblem` must have nothing to say of the result.
 */
export function chooseWith(profile: SelectionProfile, request: SelectionRequest, wish: Wish): Choice {
  const own = choose(profile, request);
  const isOwnAlgorithm = wish.algorithm === 'auto' || wish.algorithm === own.algorithm;
  if (isOwnAlgorithm && (wish.protocol === 'auto' || wish.protocol === own.protocol)) return own;
  const wanted = isTuned(wish.algorithm)
    ? [wish.algorithm]
    : wish.algorithm === 'auto' && profile === 'nccl'
      ? tunedAlgorithms.filter((one) => isAllowed(one, request))
      : [];
  const best = fastest(request, wanted, wish.protocol === 'auto' ? protocols : [wish.protocol]);
  const algorithm = wish.algorithm === 'auto' ? (best?.algorithm ?? own.algorithm) : wish.algorithm;
  const protocol = wish.protocol === 'auto' ? (best?.protocol ?? 'simple') : wish.protocol;
  const delays = profile === 'simai' ? {} : latenciesOf(profile, latenciesLike(algorithm), protocol);
  const shape =
    algorithm === own.algorithm && (protocol === own.protocol || !hasConnections(profile))
      ? { channels: own.channels, chunks: own.chunks }
      : shapeFor(profile, algorithm, protocol, request);
  const parts = [
    ...(wish.algorithm === 'auto' ? [] : [`the algorithm ${algorithm}`]),
    ...(wish.protocol === 'auto' ? [] : [`the protocol ${protocol.toUpperCase()}`]),
  ];
  return {
    ...own,
    ...delays,
    ...shape,
    algorithm,
    protocol,
    pxn: request.pxn,
    reason: `asked for: ${parts.join(' and ')}`,
  };
}

function shapeFor(
  profile: SelectionProfile,
  algorithm: AlgorithmName,
  protocol: Protocol,
  request: SelectionRequest,
): Pick<Choice, 'channels' | 'chunks'> {
  const { kind, sizeBytes, facts } = request;
  if (!isTuned(algorithm)) return { channels: 1, chunks: 1 };
  const channels =
    profile === 'nccl' || request.channels > 0
      ? channelsFor(algorithm, request)
      : profile === 'document'
        ? documentChannels
        : facts.ranksPerServer;
  const whole = { kind, sizeBytes, channels };
  return {
    channels,
    chunks: hasConnections(profile) ? pipelinedChunks(algorithm, protocol, whole) : plainChunks(algorithm, whole),
  };
}

function isTuned(algorithm: AlgorithmName | 'auto'): algorithm is TunedAlgorithm {
  return (tunedAlgorithms as readonly string[]).includes(algorithm);
}

function latenciesLike(algorithm: AlgorithmName): TunedAlgorithm {
  return isTuned(algorithm) ? algorithm : 'ring';
}

function isAllowed(
  algorithm: TunedAlgorithm,
  { kind, facts, nvls, hasNvswitches, pxn, collnet }: SelectionRequest,
): boolean {
  // trees let ranks with a NIC speak to other servers; rings that reduce or gather need proxies for the others
  if (facts.lacksNics === true && (algorithm === 'ring' || algorithm === 'pat'))
    return algorithm === 'ring' && pxn && kind !== 'broadcast' && kind !== 'reduce';
  if (algorithm === 'nvls' || algorithm === 'nvls-tree') return nvls && hasNvswitches;
  if (algorithm === 'collnet-direct' || algorithm === 'collnet-chain') return collnet;
  return true;
}

/** The rule that the document and SimAI share. */
function wantsNvls(
  kind: CollectiveKind,
  groupKind: GroupKind,
  { ranks }: GroupFacts,
  gpuType: string,
  nvls: boolean,
): boolean {
  return kind === 'allreduce' && groupKind === 'tp' && (gpuType === 'H100' || gpuType === 'H800') && ranks >= 8 && nvls;
}

/**
 * As many as a server has ranks (double trees: twice as many, so that every NIC has a channel of both), fewer if pieces
 * would become small.
 */
function channelsFor(algorithm: TunedAlgorithm, { channels, facts, sizeBytes }: SelectionRequest): number {
  const isTwofold = algorithm === 'tree' || algorithm === 'nvls-tree';
  const most = channels > 0 ? channels : facts.ranksPerServer * (isTwofold ? 2 : 1);
  const parts = algorithm === 'ring' || algorithm === 'pat' ? facts.ranks : 1;
  return Math.max(1, Math.min(most, Math.floor(sizeBytes / (parts * leastPieceBytes))));
}

/** Moves within servers, one after the other, over which NVLS' one latency is spread: up, down, and a speaker's two. */
const nvlsMoves: { readonly [K in TunedAlgorithm]?: number } = { nvls: 2, 'nvls-tree': 4 };

/** The latencies of a profile: NCCL counts that of NVLS once per collective, the document at every move. */
function latenciesOf(
  profile: SelectionProfile,
  algorithm: TunedAlgorithm,
  protocol: Protocol,
): Pick<Choice, 'startDelayPs' | 'intraServerDelayPs' | 'networkDelayPs'> {
  const own = latencies(algorithm, protocol);
  const moves = hasConnections(profile) ? (nvlsMoves[algorithm] ?? 1) : 1;
  return { ...own, intraServerDelayPs: Math.round(own.intraServerDelayPs / moves) };
}

/** Base latency before the first move, hardware latencies before every move. */
function latencies(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
): Pick<Choice, 'startDelayPs' | 'intraServerDelayPs' | 'networkDelayPs'> {
  const nvlink = latencyOf(algorithm, protocol, 'nvlink');
  const network = latencyOf(algorithm, protocol, 'network');
  return {
    startDelayPs: Math.max(nvlink?.basePs ?? 0, network?.basePs ?? 0),
    intraServerDelayPs: nvlink?.hardwarePs ?? 0,
    networkDelayPs: network?.hardwarePs ?? 0,
  };
}
