// From a choice (selection.ts), or from an algorithm of the user's own, to the schedule of a collective on a
// communicator. `scheduleProblem` says in words why an algorithm cannot do a collective there; `buildSchedule` may be
// called if it returns null.

import { fail } from '../base/fail.js';
import { AggregatedAllToAll } from './aggregated-all-to-all.js';
import { type BlockMatrix, EvenBlocks } from './block-matrix.js';
import { ringChains } from './chain.js';
import { collnetChainTrees, collnetDirectTrees, collnetGatherTrees, collnetRails } from './collnet.js';
import { type Communicator, type Placement, ranksPerServer } from './communicator.js';
import { DirectAllToAll } from './direct-all-to-all.js';
import { NodeKind } from '../fabric/fabric.js';
import { lacksNvlink } from '../fabric/gpus-without-nvlink.js';
import { isMeshPort } from '../fabric/server-mesh.js';
import { truncatedSize } from './division.js';
import { meshRings } from './mesh-rings.js';
import { doubleBinaryTrees } from './double-binary-tree.js';
import type { Forest } from './forest.js';
import { HalvingDoubling } from './halving-doubling.js';
import type { GroupFacts } from './group-facts.js';
import { canNvls, nvlsHeaps, nvlsStars, nvlsTrees } from './nvls.js';
import type { GroupKind } from './parallel-groups.js';
import { PatAllgather } from './pat.js';
import { networkWay } from './proxies.js';
import { ReversedAllgather } from './reversed.js';
import { Ring } from './ring.js';
import { ringOrders, type RingOrders } from './ring-order.js';
import type { AlgorithmName, CollectiveKind, ReversibleSchedule, Schedule } from './schedule.js';
import type { Choice } from './selection.js';
import { type SendPair, SendReceive } from './send-receive.js';
import { TreeAllgather } from './tree-gather.js';
import { TreeReduction } from './tree-reduction.js';

/** What is to be done; sizes as nccl-tests count them. */
export interface CollectiveRequest {
  readonly kind: CollectiveKind;
  /** the whole buffer of a rank; of an all-to-all with `blocks` and of a send-receive it is not read */
  readonly sizeBytes: number;
  /** place of the root of a broadcast or reduce */
  readonly root?: number;
  /** of parallelism: SimAI's bus bandwidths depend on it; left out: data */
  readonly groupKind?: GroupKind;
  /** uneven all-to-all */
  readonly blocks?: BlockMatrix;
  /** who sends what to whom in a send-receive */
  readonly pairs?: readonly SendPair[];
}

/** How it is done: the part of a choice that shapes the schedule. */
export type ScheduleShape = Pick<
  Choice,
  'algorithm' | 'channels' | 'chunks' | 'ringLayout' | 'peerOrder' | 'serverTree' | 'pxn' | 'slots' | 'dropsRemainder'
>;

const kindsOf: Readonly<Record<AlgorithmName, readonly CollectiveKind[]>> = {
  ring: ['allreduce', 'allgather', 'reducescatter', 'broadcast', 'reduce'],
  tree: ['allreduce', 'broadcast', 'reduce'],
  nvls: ['allreduce', 'allgather', 'reducescatter'],
  'nvls-tree': ['allreduce', 'allgather', 'reducescatter'],
  'collnet-direct': ['allreduce', 'allgather', 'reducescatter'],
  'collnet-chain': ['allreduce'],
  pat: ['allgather', 'reducescatter'],
  'halving-doubling': ['allreduce', 'allgather', 'reducescatter'],
  direct: ['alltoall', 'sendrecv'],
  aggregated: ['alltoall'],
};

/** The algorithms that can do a kind of collective. */
export function algorithmsFor(kind: CollectiveKind): AlgorithmName[] {
  return (Object.keys(kindsOf) as AlgorithmName[]).filter((algorithm) => kindsOf[algorithm].includes(kind));
}

/** Why an algorithm cannot do a collective on a communicator, in words; null if it can. */
export function scheduleProblem(
  algorithm: AlgorithmName,
  kind: CollectiveKind,
  communicator: Communicator,
): string | null {
  if (!kindsOf[algorithm].includes(kind)) return `${algorithm} has no ${kind}: ${algorithmsFor(kind).join(', ')} have`;
  if (algorithm === 'nvls' && communicator.servers.length > 1)
    return `NVLS works within a server; this group has ranks on ${communicator.servers.length} (nvls-tree works across servers)`;
  if ((algorithm === 'nvls' || algorithm === 'nvls-tree') && !canNvls(communicator))
    return communicator.sumsInSwitches
      ? 'NVLS needs in every server an NVSwitch that all ranks of the group are linked to'
      : `NVLS sums in NVSwitches of Hopper and later: those of ${communicator.fabric.gpuType || 'a GPU without a name'} do not`;
  return null;
}

/** What a group has on its fabric, as the cost model asks for it. */
export function groupFacts(communicator: Communicator): GroupFacts {
  const { fabric, nodes, rankCount, servers, switches, nicOwners, isMeshed } = communicator;
  const { portOffset, portPeer, portNode, portLink, linkRateBps, nodeKind } = fabric;
  const nvswitches = new Set(
    Array.from(
      switches.flatMap((places) => Array.from(places)),
      (place) => nodes[place]!,
    ),
  );
  const hasPcie = lacksNvlink(fabric.gpuType);
  /**
   * rates of a host's links to the group's NVSwitches or to its server's other GPUs, of the others, and to PCIe
   * switches
   */
  const rates = (place: number): readonly [nvlinkBps: number, networkBps: number, pcieBps: number] => {
    let [nvlinkBps, networkBps, pcieBps] = [0, 0, 0];
    for (let port = portOffset[nodes[place]!]!; port < portOffset[nodes[place]! + 1]!; port++) {
      if (hasPcie && nodeKind[portNode[portPeer[port]!]!] === NodeKind.nvswitch)
        pcieBps += linkRateBps[portLink[port]!]!;
      else if (nvswitches.has(portNode[portPeer[port]!]!) || (isMeshed && isMeshPort(fabric, port)))
        nvlinkBps += linkRateBps[portLink[port]!]!;
      else networkBps += linkRateBps[portLink[port]!]!;
    }
    return [nvlinkBps, networkBps, pcieBps];
  };
  let [nvlinkBps, pcieBps] = [Infinity, hasPcie ? Infinity : 0];
  for (let place = 0; place < rankCount; place++) {
    const [own, , ownPcieBps] = rates(place);
    nvlinkBps = Math.min(nvlinkBps, own);
    pcieBps = Math.min(pcieBps, ownPcieBps);
  }
  const networkBps = nicOwners.reduce(
    (least, owners) =>
      Math.min(
        least,
        owners.reduce((sum, place) => sum + rates(place)[1], 0),
      ),
    Infinity,
  );
  const lacksNics = servers.length > 1 && nicOwners.some((owners, server) => owners.length < servers[server]!.length);
  return {
    ranks: rankCount,
    servers: servers.length,
    ranksPerServer: ranksPerServer(communicator).most,
    nvlinkBps,
    networkBps,
    nicsPerServer: nicOwners.reduce((least, { length }) => Math.min(least, length), Infinity),
    ...(lacksNics ? { lacksNics } : {}),
    ...(pcieBps > 0 ? { pcieBps } : {}),
    ...(isMeshed ? { meshRings: meshRings(ranksPerServer(communicator).most).length } : {}),
  };
}

/** Builds the schedule; `scheduleProblem` must have nothing to say. */
export function buildSchedule(request: CollectiveRequest, shape: ScheduleShape, communicator: Communicator): Schedule {
  const problem = scheduleProblem(shape.algorithm, request.kind, communicator);
  if (problem !== null) fail(problem);
  return builders[shape.algorithm](
    shape.dropsRemainder ? withoutRemainder(request, shape, communicator) : request,
    shape,
    communicator,
  );
}

/** What the channels of a schedule run along: rings, trees, or neither. */
export interface ChannelLayout {
  readonly rings: RingOrders | null;
  readonly trees: Forest | null;
  /** a channel of a CollNet gather has one for each rail */
  readonly treesPerChannel: number;
}

/** The rings or trees that `buildSchedule` lays out, for people to look at. */
export function channelLayout(
  { kind, root = 0 }: CollectiveRequest,
  shape: ScheduleShape,
  communicator: Communicator,
): ChannelLayout {
  const isRooted = kind === 'broadcast' || kind === 'reduce';
  if (shape.algorithm === 'collnet-direct' && (kind === 'allgather' || kind === 'reducescatter'))
    return collnetGatherLayout(communicator, shape.channels);
  if (shape.algorithm !== 'ring')
    return {
      rings: null,
      trees: treeLayouts[shape.algorithm]?.(communicator, shape, isRooted ? root : undefined) ?? null,
      treesPerChannel: 1,
    };
  const rings = ringOrders(shape.ringLayout, communicator, shape.channels);
  if (!isRooted) return { rings, trees: null, treesPerChannel: 1 };
  return { rings, trees: ringChains(rings, root, kind === 'broadcast' ? 'away' : 'towards'), treesPerChannel: 1 };
}

function collnetGatherLayout(communicator: Communicator, channels: number): ChannelLayout {
  const { count } = collnetRails(communicator);
  return { rings: null, trees: collnetGatherTrees(communicator, channels, count), treesPerChannel: count };
}

const treeLayouts: {
  readonly [K in AlgorithmName]?: (communicator: Communicator, shape: ScheduleShape, root?: number) => Forest;
} = {
  tree: (communicator, { channels }, root) => doubleBinaryTrees(communicator, channels, root),
  nvls: (communicator, { channels }) => nvlsStars(communicator, channels),
  'nvls-tree': (communicator, { channels, serverTree }) => {
    if (communicator.servers.length === 1) return nvlsStars(communicator, channels);
    return serverTree === 'heap' ? nvlsHeaps(communicator, channels) : nvlsTrees(communicator, channels);
  },
  'collnet-direct': (communicator, { channels }) => collnetDirectTrees(communicator, channels),
  'collnet-chain': (communicator, { channels }) => collnetChainTrees(communicator, channels),
};

type Builder = (request: CollectiveRequest, shape: ScheduleShape, communicator: Communicator) => Schedule;

const builders: Readonly<Record<AlgorithmName, Builder>> = {
  ring: (request, shape, communicator) => {
    const { chunks, pxn, slots } = shape;
    const { kind, sizeBytes } = request;
    const { rings, trees } = channelLayout(request, shape, communicator);
    if (kind === 'broadcast' || kind === 'reduce')
      return new TreeReduction({
        algorithm: 'ring',
        kind,
        rankCount: communicator.rankCount,
        forest: trees!,
        sizeBytes,
        chunkCount: chunks,
        slots: slotsOfTrees(shape),
      });
    if (kind !== 'allreduce' && kind !== 'allgather' && kind !== 'reducescatter') fail(`a ring for ${kind}`);
    return new Ring({
      kind,
      rings: rings!,
      sizeBytes,
      chunkCount: chunks,
      way: pxn ? (from, to) => networkWay(communicator, from, to) : null,
      slots,
    });
  },
  tree: alongTrees,
  nvls: alongTrees,
  'nvls-tree': alongTrees,
  'collnet-direct': alongTrees,
  'collnet-chain': alongTrees,
  pat: ({ kind, sizeBytes }, { channels }, { rankCount }) =>
    gathered(kind, new PatAllgather(rankCount, sizeBytes, channels)),
  'halving-doubling': ({ kind, sizeBytes }, _shape, { rankCount }) => {
    if (kind !== 'allreduce' && kind !== 'allgather' && kind !== 'reducescatter')
      fail(`halving and doubling for ${kind}`);
    return new HalvingDoubling(kind, rankCount, sizeBytes);
  },
  direct: ({ kind, sizeBytes, blocks, pairs = [] }, shape, communicator) => {
    const { channels, chunks, slots, peerOrder } = shape;
    const { rankCount } = communicator;
    if (kind === 'sendrecv') return new SendReceive(rankCount, pairs, channels, chunks, slotsOfTrees(shape));
    const all = blocks ?? new EvenBlocks(rankCount, sizeBytes);
    const perServer = evenServers(communicator);
    return new DirectAllToAll(all, {
      channelCount: channels,
      chunkCount: chunks,
      slots,
      ...(peerOrder !== 'by-server'
        ? { order: peerOrder }
        : perServer !== null
          ? { order: peerOrder, ranksPerServer: perServer }
          : {}),
    });
  },
  aggregated: ({ sizeBytes, blocks }, _shape, communicator) =>
    new AggregatedAllToAll(communicator, blocks ?? new EvenBlocks(communicator.rankCount, sizeBytes)),
};

/** Ranks of each server, if all have as many and they stand beside each other; else null. */
function evenServers({ servers, serverOf, rankCount }: Placement): number | null {
  const count = servers[0]?.length ?? rankCount;
  return servers.every(({ length }) => length === count) &&
    serverOf.every((server, place) => server === Math.floor(place / count))
    ? count
    : null;
}

function alongTrees(request: CollectiveRequest, shape: ScheduleShape, communicator: Communicator): Schedule {
  const { kind, sizeBytes } = request;
  const { algorithm, chunks } = shape;
  const { rankCount } = communicator;
  if (algorithm === 'collnet-direct' && (kind === 'allgather' || kind === 'reducescatter')) {
    const rails = collnetRails(communicator);
    const forest = collnetGatherTrees(communicator, shape.channels, rails.count);
    return gathered(kind, new TreeAllgather(algorithm, rankCount, { forest, rails }, sizeBytes, chunks));
  }
  const forest = channelLayout(request, shape, communicator).trees!;
  if (kind === 'allgather' || kind === 'reducescatter')
    return gathered(kind, new TreeAllgather(algorithm, rankCount, forest, sizeBytes, chunks));
  if (kind !== 'allreduce' && kind !== 'broadcast' && kind !== 'reduce') fail(`trees for ${kind}`);
  return new TreeReduction({
    algorithm,
    kind,
    rankCount,
    forest,
    sizeBytes,
    chunkCount: chunks,
    slots: slotsOfTrees(shape),
    overSwitches: algorithm.startsWith('collnet') ? communicator.serverOf : undefined,
  });
}

/** Chunks along trees always follow each other: where rings have no limit, one at a time. */
function slotsOfTrees({ slots }: ScheduleShape): number {
  return slots === Infinity ? 1 : slots;
}

function gathered(kind: CollectiveKind, allgather: ReversibleSchedule): Schedule {
  return kind === 'reducescatter' ? new ReversedAllgather(allgather) : allgather;
}

/**
 * SimAI divides by ranks, then by channels (or chunks), and drops what is left each time. A buffer of which nothing
 * were left is sent whole: SimAI's would take no time at all.
 */
function withoutRemainder(
  request: CollectiveRequest,
  { algorithm, channels, chunks }: ScheduleShape,
  { rankCount }: Communicator,
): CollectiveRequest {
  if (request.kind === 'sendrecv' || request.blocks !== undefined) return request;
  const leftBytes =
    algorithm === 'nvls'
      ? truncatedSize(request.sizeBytes, 1, chunks)
      : truncatedSize(request.sizeBytes, rankCount, channels);
  return leftBytes === 0 ? request : { ...request, sizeBytes: leftBytes };
}
