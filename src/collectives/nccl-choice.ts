// Long because a choice and all that follows from it stand together.
// What NCCL chooses: the least time by its tuner's model (nccl-cost.ts) among the algorithms and protocols that it has
// for the kind, the fabric has room for, and settings and environment variables leave; the channels that its search
// finds (nccl-channels.ts), fewer for small buffers; latencies once where they arise.
// Invariants: what NCCL's tuner does not have for a kind is chosen only in place of a ring that the fabric has no NICs
// for, and the reason says so; the reason names every variable that was honoured.
// Sources: nccl-figures.ts; bytes per thread from which NCCL takes a further channel, 8 with LL and LL128 (a ring with
// LL: times its ranks) and 64 with Simple, of 512 threads. Not modelled: fewer threads for small buffers.

import {
  connectionSlots,
  messageChunkBytes,
  messageChunks,
  passesLines,
  pipelinedChunks,
  type PipelinedCollective,
  slotBytes,
  slotsPerPiece,
} from './chunking.js';
import type { CalibratedProfile } from './calibrated-profile.js';
import { type Choice, plainChoice, type SelectionRequest, type Wish } from './choice.js';
import { collnetHops } from './collnet.js';
import { runningChannels } from './nccl-channels.js';
import { canDo, estimatePs, intraPath, protocolDelayPs, type TunedGroup, tunedGroup } from './nccl-cost.js';
import { isLeft, type NcclEnvironment } from './nccl-environment.js';
import { ncclFigures, ncclLatencyUs, type NcclProfile } from './nccl-figures.js';
import { firstRoundPs, nvlsRounds } from './nvls-chunks.js';
import { postingOf } from './posting.js';
import { type Protocol, protocols, type TunedAlgorithm, tunedAlgorithms } from './protocols.js';
import type { AlgorithmName, CollectiveKind } from './schedule.js';
import { groupUnder, takenFigures } from './taken-figures.js';
import { underProfile } from './under-profile.js';

type Latencies = Pick<Choice, 'startDelayPs' | 'intraServerDelayPs' | 'networkDelayPs'>;

const noEnvironment: NcclEnvironment = { given: [] };
const autoWish: Wish = { algorithm: 'auto', protocol: 'auto' };
const threads = 512;

interface Best {
  readonly algorithm: TunedAlgorithm;
  readonly protocol: Protocol;
  readonly timePs: number;
}

/** Chooses for one collective of a group as a version of NCCL does, or as it would with an algorithm of the user's. */
export function chooseByNccl(
  profile: NcclProfile | CalibratedProfile,
  asked: SelectionRequest,
  wish: Wish = autoWish,
): Choice {
  return underProfile(profile, asked, chosen(profile, asked, wish));
}

function chosen(profile: NcclProfile | CalibratedProfile, asked: SelectionRequest, wish: Wish): Choice {
  const environment = asked.environment ?? noEnvironment;
  const request = requestUnder(environment, asked);
  const { kind, facts, gpuType, pxn } = request;
  const hardware = takenFigures(profile, gpuType);
  const group = groupUnder(profile, request, environment.postOverheadUs);
  const taken = { ...group, figures: hardware.tables };
  const isPosting = facts.servers > 1 && Number.isFinite(facts.networkBps);
  const heldUs = isPosting ? (environment.postOverheadUs ?? hardware.postUs ?? 0) : 0;
  const common = {
    ...plainChoice,
    ringLayout: 'rail-aligned',
    peerOrder: 'by-server',
    pxn,
    slots: connectionSlots,
    keepsPorts: true,
  } as const;
  const isPointToPoint = kind === 'alltoall' || kind === 'sendrecv';
  if (isPointToPoint || (wish.algorithm !== 'auto' && !isTuned(wish.algorithm)))
    return { ...common, ...pointToPoint(taken, request, environment, wish, heldUs) };
  const { algorithm, protocol, timePs, standsFor } = bestOf(group, request, environment, wish);
  const channels = channelsFor(group, algorithm, protocol, request, environment);
  const isByCollnet = algorithm === 'collnet-direct' || algorithm === 'collnet-chain';
  const why =
    standsFor ??
    `NCCL ${group.figures.version}: ${algorithm} with ${protocol.toUpperCase()} takes least, ${Math.round(timePs / 1e6)} us by its model`;
  const whole: PipelinedCollective = {
    kind,
    sizeBytes: request.sizeBytes,
    ranks: facts.ranks,
    servers: facts.servers,
    // chunks of a chain's channels share its links: more channels do not make its pipeline coarser
    channels:
      algorithm === 'ring' && isRooted(kind) && !passesLines(algorithm, protocol, facts.servers)
        ? Math.min(channels, facts.ranksPerServer)
        : channels,
    bufferBytes: environment.bufferBytes,
  };
  const chunks = pipelinedChunks(algorithm, protocol, whole);
  // what the trees in place of switches pass on no processor posts
  const posts = isByCollnet ? 0 : isNvls(algorithm) ? 1 : slotsPerPiece(protocol, { ...whole, channels }, chunks);
  const { postPs, postHidingBytes } = postingOf(heldUs * posts, kind, facts);
  return {
    ...common,
    ...slowedBy(
      protocolDelayPs(algorithm, protocol, kind, request.sizeBytes, group, channels),
      firstRoundPs(algorithm, hardware.nvls, request.sizeBytes, channels, facts),
      latenciesOf(taken, algorithm, protocol, kind),
    ),
    postPs,
    postHidingBytes,
    algorithm,
    protocol,
    channels,
    chunks,
    ...(timePs > 0 ? { modelPs: timePs } : {}),
    ...(isNvls(algorithm) ? nvlsRounds(algorithm, request, channels, hardware.nvls) : {}),
    reason: [
      wishText(wish) ?? why,
      ...(group.assumption === null ? [] : [group.assumption]),
      ...givenText(environment, algorithm, protocol, facts.servers),
    ].join('; '),
  };
}

/** What NCCL sends by point-to-point operations, or by an algorithm that its tuner does not know. */
function pointToPoint(
  taken: Parameters<typeof latenciesOf>[0],
  request: SelectionRequest,
  environment: NcclEnvironment,
  wish: Wish,
  heldUs: number,
) {
  const { kind, facts, pxn } = request;
  const isAggregated = kind === 'alltoall' && pxn && facts.servers > 1;
  const algorithm = wish.algorithm === 'auto' ? (isAggregated ? 'aggregated' : 'direct') : wish.algorithm;
  const protocol = wish.protocol === 'auto' ? 'simple' : wish.protocol;
  const { postPs, postHidingBytes, beforePs } = postingOf(heldUs, kind, facts);
  const latencies = latenciesOf(taken, 'ring', protocol, kind);
  return {
    ...latencies,
    networkDelayPs: latencies.networkDelayPs + beforePs,
    postPs,
    postHidingBytes,
    algorithm,
    protocol,
    channels: 1,
    ...(algorithm === 'direct' ? { chunks: messagePieces(request, environment) } : {}),
    reason: wishText(wish) ?? pointToPointReason(isAggregated, environment, facts.servers),
  };
}

/** Variables go before settings. */
function requestUnder({ nvls, collnet, pxn }: NcclEnvironment, asked: SelectionRequest): SelectionRequest {
  return { ...asked, nvls: nvls ?? asked.nvls, collnet: collnet ?? asked.collnet, pxn: pxn ?? asked.pxn };
}

/** The algorithms and protocols that NCCL may choose from for a collective, each with its time by the model. */
export function alternativesOf(profile: NcclProfile | CalibratedProfile, asked: SelectionRequest): readonly Best[] {
  const environment = asked.environment ?? noEnvironment;
  const request = requestUnder(environment, asked);
  const group = groupUnder(profile, request, environment.postOverheadUs);
  return tunedAlgorithms.flatMap((algorithm) => {
    const best = isAllowed(algorithm, group, request, environment)
      ? fastest(group, request, [algorithm], protocolsLeft(group, request, environment))
      : null;
    return best === null ? [] : [best];
  });
}

/** The protocol by which an algorithm takes least; of one that NCCL does not tune for the kind, the ring's. */
export function fastestProtocol(profile: NcclProfile, algorithm: AlgorithmName, request: SelectionRequest): Protocol {
  if (!isTuned(algorithm)) return 'simple';
  const group = tunedGroup(ncclFigures(profile), request.facts, request.gpuType);
  return protocolFor(group, algorithm, request, protocols);
}

function bestOf(
  group: TunedGroup,
  request: SelectionRequest,
  environment: NcclEnvironment,
  wish: Wish,
): Best & { readonly standsFor: string | null } {
  const among = wish.protocol === 'auto' ? protocolsLeft(group, request, environment) : [wish.protocol];
  const { algorithm: wished } = wish;
  if (wished !== 'auto' && isTuned(wished))
    return {
      algorithm: wished,
      protocol: wish.protocol === 'auto' ? protocolFor(group, wished, request, among) : wish.protocol,
      timePs: 0,
      standsFor: null,
    };
  const allowed = tunedAlgorithms.filter((algorithm) => isAllowed(algorithm, group, request, environment));
  const best = fastest(group, request, allowed, among);
  if (best !== null) return { ...best, standsFor: null };
  const { kind, facts, nvls, hasNvswitches } = request;
  const isLacking = facts.lacksNics === true;
  const algorithm =
    isLacking && (kind === 'broadcast' || kind === 'reduce' || kind === 'allreduce')
      ? 'tree'
      : isLacking && nvls && hasNvswitches
        ? 'nvls-tree'
        : 'ring';
  return {
    algorithm,
    protocol: protocolFor(group, algorithm, request, among),
    timePs: 0,
    standsFor: isLacking
      ? algorithm === 'ring'
        ? `NCCL ${group.figures.version}: a ring`
        : `NCCL ${group.figures.version}: a ring, for which ranks lack NICs: ${algorithm} takes its place`
      : `NCCL ${group.figures.version}: settings leave nothing else for ${kind}: a ring`,
  };
}

/** The least time by NCCL's model among algorithms and protocols; null if it has none of them for the collective. */
function fastest(
  group: TunedGroup,
  { kind, sizeBytes }: SelectionRequest,
  algorithms: readonly TunedAlgorithm[],
  among: readonly Protocol[],
): Best | null {
  let best: Best | null = null;
  for (const algorithm of algorithms) {
    for (const protocol of among) {
      const timePs = estimatePs(algorithm, protocol, kind, sizeBytes, group);
      if (timePs !== null && (best === null || timePs < best.timePs)) best = { algorithm, protocol, timePs };
    }
  }
  return best;
}

function protocolFor(
  group: TunedGroup,
  algorithm: TunedAlgorithm,
  request: SelectionRequest,
  among: readonly Protocol[],
): Protocol {
  const left = among.filter((one) => ncclLatencyUs(group.figures, algorithm, one, 'nvlink') !== null);
  return (
    fastest(group, request, [algorithm], left)?.protocol ??
    fastest(group, request, ['ring'], left)?.protocol ??
    left.at(-1) ??
    'simple'
  );
}

function isAllowed(
  algorithm: TunedAlgorithm,
  { figures, generation }: TunedGroup,
  { kind, facts, nvls, hasNvswitches, pxn, collnet }: SelectionRequest,
  environment: NcclEnvironment,
): boolean {
  if (!canDo(algorithm, kind, facts) || !isLeft(environment.algorithms, kind, algorithm)) return false;
  // trees let ranks with a NIC speak to other servers; rings that reduce or gather need proxies for the others
  if (facts.lacksNics === true && (algorithm === 'ring' || algorithm === 'pat'))
    return algorithm === 'ring' && pxn && kind !== 'broadcast' && kind !== 'reduce';
  if (algorithm === 'nvls' || algorithm === 'nvls-tree')
    return nvls && hasNvswitches && figures.nvlsEfficiency[generation] > 0;
  if (algorithm === 'collnet-direct' || algorithm === 'collnet-chain') return collnet;
  return true;
}

/** LL128 needs stores of 128 B that arrive whole: NVLink within servers. */
function protocolsLeft(
  { facts }: TunedGroup,
  { kind }: SelectionRequest,
  environment: NcclEnvironment,
): readonly Protocol[] {
  const left = protocols.filter(
    (protocol) =>
      isLeft(environment.protocols, kind, protocol) && (protocol !== 'll128' || intraPath(facts) === 'nvlink'),
  );
  return left.length === 0 ? ['simple'] : left;
}

function channelsFor(
  { generation, facts, figures, rings, nvls }: TunedGroup,
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  { channels, sizeBytes }: SelectionRequest,
  { minChannels = 1, maxChannels = figures.maxChannels }: NcclEnvironment,
): number {
  const found = isNvls(algorithm)
    ? nvls.count
    : algorithm.startsWith('collnet')
      ? rings.count
      : // a double tree's second tree is the copy of its first
        runningChannels(generation, facts, rings);
  const most = channels > 0 ? channels : Math.min(Math.max(found, minChannels), maxChannels, figures.maxChannels);
  // NVLS takes all of its channels for every size
  if (isNvls(algorithm)) return most;
  const perThread = protocol === 'simple' ? 64 : protocol === 'll' && algorithm === 'ring' ? 8 * facts.ranks : 8;
  return Math.max(1, Math.min(most, Math.floor(sizeBytes / (threads * perThread))));
}

/**
 * Latencies where they arise: the base once; a hop's before every move over it. What is one term of a collective (NVLS
 * within the server) counts before its start, CollNet's way through the network is spread over the hops of the tree
 * that stands for the switches.
 */
function latenciesOf(
  { figures, facts }: TunedGroup,
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  kind: CollectiveKind,
): Latencies {
  const own =
    ncclLatencyUs(figures, algorithm, protocol, 'network') === null
      ? { algorithm: 'ring' as const, protocol }
      : { algorithm, protocol };
  const intra = ncclLatencyUs(figures, own.algorithm, own.protocol, intraPath(facts));
  const network = ncclLatencyUs(figures, own.algorithm, own.protocol, 'network');
  const isGather = kind === 'allgather' || kind === 'reducescatter';
  const hops = algorithm.startsWith('collnet') ? collnetHops(facts.servers, isGather) : 1;
  return {
    startDelayPs: toPs((intra?.baseUs ?? 0) + (isNvls(algorithm) ? (intra?.hopUs ?? 0) : 0)),
    intraServerDelayPs: isNvls(algorithm) ? 0 : toPs(intra?.hopUs ?? 0),
    networkDelayPs: toPs((network?.hopUs ?? 0) / hops),
  };
}

/** @param delayPs of every move @param oncePs of the delay before the first one, in its place */
function slowedBy(
  delayPs: number,
  oncePs: number,
  { startDelayPs, intraServerDelayPs, networkDelayPs }: Latencies,
): Latencies {
  return {
    startDelayPs: Math.max(0, startDelayPs - oncePs),
    intraServerDelayPs: Math.round(intraServerDelayPs + delayPs),
    networkDelayPs: Math.round(networkDelayPs + delayPs),
  };
}

function isNvls(algorithm: AlgorithmName): algorithm is 'nvls' | 'nvls-tree' {
  return algorithm === 'nvls' || algorithm === 'nvls-tree';
}

function isRooted(kind: CollectiveKind): boolean {
  return kind === 'broadcast' || kind === 'reduce';
}

/** Pieces of what a rank sends another. */
function messagePieces(
  { kind, sizeBytes, facts }: SelectionRequest,
  { p2pChunkBytes, bufferBytes }: NcclEnvironment,
): number {
  return messageChunks(kind === 'sendrecv' ? sizeBytes : sizeBytes / facts.ranks, p2pChunkBytes, bufferBytes);
}

function pointToPointReason(isAggregated: boolean, environment: NcclEnvironment, servers: number): string {
  const how = isAggregated ? 'grouped sends, aggregated by proxies (PXN)' : 'grouped sends';
  return [`NCCL: ${how}`, ...givenText(environment, isAggregated ? 'aggregated' : 'direct', 'simple', servers)].join(
    '; ',
  );
}

/** The variables that were given, and those of them from which nothing follows. */
function givenText(
  environment: NcclEnvironment,
  algorithm: AlgorithmName,
  protocol: Protocol,
  servers: number,
): string[] {
  const { given } = environment;
  if (given.length === 0) return [];
  const idle = idleVariables(environment, algorithm, protocol, servers);
  return [`with ${given.join(', ')}${idle.length === 0 ? '' : ` (no effect here: ${idle.join('; ')})`}`];
}

/** Variables of buffers, pieces and queue pairs that change nothing for a collective, and why. */
function idleVariables(
  { bufferBytes, p2pChunkBytes, queuePairs, splitsData }: NcclEnvironment,
  algorithm: AlgorithmName,
  protocol: Protocol,
  servers: number,
): string[] {
  const isMessage = algorithm === 'direct';
  const idle: string[] = [];
  if (bufferBytes !== undefined) {
    if (protocol !== 'simple') idle.push(`NCCL_BUFFSIZE is Simple's`);
    else if (algorithm === 'nvls' || algorithm === 'nvls-tree') idle.push('NCCL_BUFFSIZE, NVLS has chunks of its own');
    else if (algorithm === 'pat' || algorithm === 'aggregated')
      idle.push(`NCCL_BUFFSIZE, the pieces of ${algorithm === 'pat' ? 'PAT' : 'what proxies send'} keep their size`);
    else if (isMessage && slotBytes(bufferBytes) >= messageChunkBytes)
      idle.push('NCCL_BUFFSIZE, a slot holds a piece of a message');
  }
  if (p2pChunkBytes !== undefined) {
    if (!isMessage) idle.push('NCCL_P2P_NET_CHUNKSIZE is for sends that are not gathered by proxies');
    else if (p2pChunkBytes >= messageChunkBytes)
      idle.push(`NCCL_P2P_NET_CHUNKSIZE, eight pieces of ${messageChunkBytes} B keep every path full`);
  }
  if (queuePairs !== undefined && servers === 1)
    idle.push('NCCL_IB_QPS_PER_CONNECTION, one server has no connections over the network');
  if (splitsData !== undefined && (servers === 1 || (queuePairs ?? 1) === 1))
    idle.push('NCCL_IB_SPLIT_DATA_ON_QPS, there is nothing to split over');
  return idle;
}

/** What was asked for, in words; null if nothing was. */
export function wishText({ algorithm, protocol }: Wish): string | null {
  const parts = [
    ...(algorithm === 'auto' ? [] : [`the algorithm ${algorithm}`]),
    ...(protocol === 'auto' ? [] : [`the protocol ${protocol.toUpperCase()}`]),
  ];
  return parts.length === 0 ? null : `asked for: ${parts.join(' and ')}`;
}

function isTuned(algorithm: AlgorithmName): algorithm is TunedAlgorithm {
  return (tunedAlgorithms as readonly string[]).includes(algorithm);
}

function toPs(microseconds: number): number {
  return Math.round(microseconds * 1e6);
}
