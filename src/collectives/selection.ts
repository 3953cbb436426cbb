// Which algorithm, protocol and channels a collective gets. Three profiles:
// - document: the rules of the communication-stack document (docs/SOURCES.md), 2.2: by kind of group, GPU and number
//   of ranks.
//   simai: what SimAI 1.6 does (docs/models/simai.md#collectives), to compare with it: nothing but rings, NVLS
//   and direct sends; remainders are dropped.
// - nccl-2.21, nccl-2.28: the least time by the tuner of that version of NCCL (nccl-choice.ts); nccl is another name of
//   one of them.
// Invariant: what is chosen can be built (build-schedule.ts) for the group; where a profile's rule cannot, the choice
// says what took its place.

import type { CalibratedProfile } from './calibrated-profile.js';
import { plainChunks } from './chunking.js';
import { type Choice, plainChoice, type SelectionRequest, type Wish } from './choice.js';
import type { GroupFacts } from './group-facts.js';
import { chooseByNccl, fastestProtocol, wishText } from './nccl-choice.js';
import { ncclProfile, type NcclProfile, ncclProfiles } from './nccl-figures.js';
import type { GroupKind } from './parallel-groups.js';
import { latencyOf, type Protocol, protocols, type TunedAlgorithm, tunedAlgorithms } from './protocols.js';
import type { AlgorithmName, CollectiveKind } from './schedule.js';

export type { Choice, SelectionRequest, Wish } from './choice.js';

export const selectionProfiles = ['document', 'simai', ...ncclProfiles] as const;
export type SelectionProfile = (typeof selectionProfiles)[number];
/** One of those that come with Weft, or one of a file. */
export type Profile = SelectionProfile | CalibratedProfile;

/** The path of a profile's file, where a profile is named. */
export type ProfilePath = `${string}.yaml` | `${string}.yml`;

/** Whether the name of a profile is the path of its file. */
export function isProfilePath(name: string): name is ProfilePath {
  return /\.ya?ml$/i.test(name);
}

/** What a profile is called: one of the names above, or its file. */
export function profileName(profile: Profile): string {
  return typeof profile === 'string' ? profile : profile.name;
}

/** chunks of NVLS, as in SimAI */
const nvlsChunks = 4;
/** SimAI's memory bus, before every flow (docs/models/simai.md#collectives) */
const simaiFlowDelayPs = 10_000;
/** the document's AS_RING_CHANNELS */
const documentChannels = 2;
/** fewer channels than were asked for rather than smaller pieces */
const leastPieceBytes = 4096;

/** Chooses for one collective of a group. */
export function choose(profile: Profile, request: SelectionRequest): Choice {
  return typeof profile !== 'string' ? chooseByNccl(profile, request) : profiles[profile](request);
}

const profiles: Readonly<Record<SelectionProfile, (request: SelectionRequest) => Choice>> = {
  document: byDocument,
  simai: bySimai,
  ...(Object.fromEntries(
    ncclProfiles.map((profile) => [profile, (request: SelectionRequest) => chooseByNccl(profile, request)]),
  ) as Record<NcclProfile, (request: SelectionRequest) => Choice>),
};

function bySimai({ kind, groupKind, facts, gpuType, hasNvswitches, nvls, pxn }: SelectionRequest): Choice {
  const common = {
    ...plainChoice,
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
    ...plainChoice,
    channels: channels > 0 ? channels : documentChannels,
    ringLayout: 'rank-order',
    serverTree: 'heap',
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
export function chooseWith(profile: Profile, request: SelectionRequest, wish: Wish): Choice {
  const own = choose(profile, request);
  const isOwnAlgorithm = wish.algorithm === 'auto' || wish.algorithm === own.algorithm;
  if (isOwnAlgorithm && (wish.protocol === 'auto' || wish.protocol === own.protocol)) return own;
  if (isNccl(profile)) return chooseByNccl(profile, request, wish);
  const algorithm = wish.algorithm === 'auto' ? own.algorithm : wish.algorithm;
  const protocol = wish.protocol === 'auto' ? fastestProtocol(ncclProfile, algorithm, request) : wish.protocol;
  const delays = profile === 'simai' ? {} : latencies(latenciesLike(algorithm), protocol);
  const shape =
    algorithm === own.algorithm
      ? { channels: own.channels, chunks: own.chunks }
      : shapeFor(profile, algorithm, request);
  return {
    ...own,
    ...delays,
    ...shape,
    algorithm,
    protocol,
    pxn: request.pxn,
    reason: wishText(wish) ?? own.reason,
  };
}

/** Whether a profile's collectives go over connections with slots (schedule.ts): those that choose as NCCL does. */
export function hasConnections(profile: Profile): boolean {
  return isNccl(profile);
}

/** True if a profile chooses as NCCL does. */
export function isNccl(profile: Profile): profile is NcclProfile | CalibratedProfile {
  return typeof profile !== 'string' || (ncclProfiles as readonly string[]).includes(profile);
}

function shapeFor(
  profile: SelectionProfile,
  algorithm: AlgorithmName,
  { kind, sizeBytes, facts, channels: wanted }: SelectionRequest,
): Pick<Choice, 'channels' | 'chunks'> {
  if (!isTuned(algorithm)) return { channels: 1, chunks: 1 };
  const parts = algorithm === 'ring' || algorithm === 'pat' ? facts.ranks : 1;
  const channels =
    wanted > 0
      ? Math.max(1, Math.min(wanted, Math.floor(sizeBytes / (parts * leastPieceBytes))))
      : profile === 'document'
        ? documentChannels
        : facts.ranksPerServer;
  return { channels, chunks: plainChunks(algorithm, { kind, sizeBytes, ranks: facts.ranks, channels }) };
}

function isTuned(algorithm: AlgorithmName): algorithm is TunedAlgorithm {
  return (tunedAlgorithms as readonly string[]).includes(algorithm);
}

function latenciesLike(algorithm: AlgorithmName): TunedAlgorithm {
  return isTuned(algorithm) ? algorithm : 'ring';
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
