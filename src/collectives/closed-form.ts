// How long a collective takes on an idle fabric, without carrying it out: the alpha-beta model with a term per hop, by
// algorithm. T is a move with its delays, its path's latency, its packets and its acknowledgement (move-times.ts),
// beside the other moves of its step at the same hosts.
// - ring: stepCount x the longest T of an edge, if moves leave in turn. Without a limit blocks go around, and who is
//   quick waits for who is slow: the mean T, but no less than what the slowest edge needs for its bytes. With slots:
// the   longest way of a block alone and the bytes of other channels, which partly hide each other (overlap.ts).
// - trees and chains of K chunks: pipeline-time.ts.
// - NVLS and NVLS-tree as allgather: the way of a block through its tree, and the other blocks at the fullest host.
// - halving-doubling, PAT: the sum of the longest T of every step.
// - all-to-all, send-receive: at-once-time.ts.
// To it comes the choice's delay before the first move. Large groups are looked at in part (sampled-moves.ts).
// Source: Thakur, Rabenseifner, Gropp (2005), section 3, with the terms of the packet engine;
// docs/models/analytical.md.
// Not modelled: contention within the fabric and between collectives; where overlap is partial, how channels drift
// apart.

import type { PacketShape } from '../routing/lone-transfer.js';
import type { NicPorts } from '../routing/nic-ports.js';
import type { PathTracer } from '../routing/path.js';
import { buildSchedule, type CollectiveRequest, groupFacts } from './build-schedule.js';
import { aggregatedPs, atOncePs, evenAllToAllPs } from './at-once-time.js';
import { busBandwidthPs } from './bus-bandwidth-model.js';
import type { Communicator } from './communicator.js';
import { MoveTimes, PathBook } from './move-times.js';
import { overlappedPs } from './overlap.js';
import { pipelinePs } from './pipeline-time.js';
import { PatAllgather } from './pat.js';
import { Ring } from './ring.js';
import { mostMoves, strideOver } from './sampled-moves.js';
import { emptyMove, type Schedule } from './schedule.js';
import type { Choice } from './selection.js';
import { fabricBusbwNs, simaiBusbw } from './simai-busbw.js';
import { TreeAllgather } from './tree-gather.js';
import { TreeReduction } from './tree-reduction.js';

/**
 * How costs come about: steps of the algorithm, the bus bandwidth of the group (bus-bandwidth-model.ts), or SimAI's
 * rules for that (simai-busbw.ts).
 */
export const costModels = ['steps', 'bus-bandwidth', simaiBusbw] as const;
export type CostModel = (typeof costModels)[number];

/** What costs depend on beside the fabric. */
export interface CostSettings extends PacketShape {
  readonly model: CostModel;
  readonly sendLatencyPs: number;
  /** how flows are spread over the ports of a NIC; left out: each takes one */
  readonly nics?: NicPorts | null;
}

export class ClosedFormCosts {
  private readonly book: PathBook;
  private readonly known = new WeakMap<Communicator, Map<string, number>>();

  constructor(
    tracer: PathTracer,
    private readonly settings: CostSettings,
  ) {
    this.book = new PathBook(tracer, settings, settings.nics ?? null);
  }

  /**
   * From the start of a collective's last rank to its end, in picoseconds: of all ranks the same. Asked for again, it
   * is remembered.
   */
  costPs(request: CollectiveRequest, choice: Choice, communicator: Communicator): number {
    let costs = this.known.get(communicator);
    if (costs === undefined) this.known.set(communicator, (costs = new Map()));
    const {
      algorithm,
      protocol,
      channels,
      chunks,
      ringLayout,
      pxn,
      slots,
      nvswitchShare,
      serverShare,
      networkShare,
      postPs,
      startDelayPs,
      intraServerDelayPs,
      networkDelayPs,
      dropsRemainder,
    } = choice;
    const isPlain = request.blocks === undefined && request.pairs === undefined;
    const key = isPlain
      ? [
          request.kind,
          request.sizeBytes,
          request.root ?? 0,
          request.groupKind ?? '',
          algorithm,
          protocol,
          channels,
          chunks,
          ringLayout,
          pxn,
          slots,
          nvswitchShare,
          serverShare,
          networkShare,
          postPs,
          dropsRemainder,
          startDelayPs,
          intraServerDelayPs,
          networkDelayPs,
        ].join(' ')
      : '';
    let timePs = isPlain ? costs.get(key) : undefined;
    if (timePs === undefined) {
      // SimAI's rules have no latencies of algorithms
      const beforePs = this.settings.model === simaiBusbw && hasBusBandwidth(request) ? 0 : startDelayPs;
      timePs = beforePs + Math.round(this.timePs(request, choice, communicator));
      if (isPlain) costs.set(key, timePs);
    }
    return timePs;
  }

  /** From the start of a transfer between two nodes to its last acknowledgement, in picoseconds. */
  transferPs(sourceNode: number, destinationNode: number, sizeBytes: number): number {
    return this.settings.sendLatencyPs + this.book.lonePs(this.book.between(sourceNode, destinationNode), sizeBytes);
  }

  private timePs(request: CollectiveRequest, choice: Choice, communicator: Communicator): number {
    if (communicator.rankCount < 2) return 0;
    const times = new MoveTimes(this.book, communicator, choice, this.settings.sendLatencyPs);
    const { kind, sizeBytes, blocks, groupKind = 'dp' } = request;
    const { model } = this.settings;
    if (model !== 'steps' && hasBusBandwidth(request)) {
      const facts = groupFacts(communicator);
      return model === 'bus-bandwidth'
        ? busBandwidthPs(kind, sizeBytes, facts)
        : 1000 * fabricBusbwNs(kind, groupKind, sizeBytes, facts, communicator.fabric.gpuType);
    }
    if (kind === 'alltoall' && blocks === undefined)
      return choice.algorithm === 'aggregated'
        ? aggregatedPs(communicator, times, sizeBytes)
        : evenAllToAllPs(communicator, times, sizeBytes);
    // backwards it takes as long
    const isBackwards =
      kind === 'reducescatter' && choice.algorithm !== 'ring' && choice.algorithm !== 'halving-doubling';
    const schedule = buildSchedule(isBackwards ? { ...request, kind: 'allgather' } : request, choice, communicator);
    if (schedule instanceof Ring) return ringPs(schedule, times);
    if (schedule instanceof TreeReduction) return pipelinePs(schedule, times);
    if (schedule instanceof TreeAllgather) return floodPs(schedule, times);
    if (kind === 'alltoall' || kind === 'sendrecv') return atOncePs(schedule, times);
    return stepwisePs(schedule, times);
  }
}

/** Pairs and uneven blocks have no bus bandwidth. */
function hasBusBandwidth({ kind, blocks }: CollectiveRequest): boolean {
  return kind !== 'sendrecv' && blocks === undefined;
}

/**
 * Every step is the same: one is looked at. What channels wait for each other's posts parts them for good, so it counts
 * once.
 */
function ringPs(ring: Ring, times: MoveTimes): number {
  const { stepCount, rankCount, channelCount, hopCount, chunkCount, slots } = ring;
  const move = emptyMove();
  for (let hop = 0; hop < hopCount; hop++) {
    ring.describe(hop * chunkCount, move);
    times.load(move.source, move.destination, move.sizeBytes);
  }
  const isEdgeWise = hopCount > rankCount * channelCount;
  const stride = isEdgeWise ? 1 : strideOver(hopCount);
  let [slowestPs, slowestBytesPs, othersPs, postWaitPs, slotPs, sumPs, looked, edgePs] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let hop = 0; hop < hopCount; hop += stride) {
    ring.describe(hop * chunkCount, move);
    const { source, destination, sizeBytes } = move;
    const ownPs = times.sharedPs(source, destination, sizeBytes);
    // over proxies an edge has several hops, one after the other
    edgePs = isEdgeWise && ring.prerequisites(hop * chunkCount) > 0 ? edgePs + ownPs : ownPs;
    slowestPs = Math.max(slowestPs, edgePs);
    const busyPs = times.busyPs(source, destination, sizeBytes);
    slowestBytesPs = Math.max(slowestBytesPs, times.loadPs(source, destination), busyPs);
    const linkWaitPs = times.linkWaitPs(source, destination, sizeBytes);
    othersPs = Math.max(othersPs, linkWaitPs);
    postWaitPs = Math.max(postWaitPs, times.postWaitPs(source, destination) - linkWaitPs);
    slotPs = Math.max(slotPs, times.transferPs(source, destination, sizeBytes));
    sumPs += times.lonePs(source, destination, sizeBytes) + linkWaitPs;
    looked++;
  }
  if (slots === 1) return stepCount * chunkCount * slowestPs;
  const hopsPerEdge = hopCount / (rankCount * channelCount);
  const aroundPs = stepCount * (sumPs / looked) * hopsPerEdge;
  if (slots === Infinity) return Math.max(aroundPs, stepCount * slowestBytesPs) + (chunkCount - 1) * slowestPs;
  const perMovePs = Math.max(slowestBytesPs, slotPs / slots);
  const { longestPs, spreadPs } = lonelyWay(ring, times);
  // a hop that takes longer than the others by the time of their bytes parts the channels, so that they no longer meet
  const parted = othersPs > 0 ? Math.min(1, spreadPs / othersPs) : 1;
  const overlapPs = overlappedPs(longestPs, stepCount * chunkCount * othersPs);
  return Math.max(
    parted * overlapPs + (1 - parted) * aroundPs + (chunkCount - 1) * perMovePs + postWaitPs,
    stepCount * chunkCount * perMovePs,
  );
}

/**
 * The longest way of a block, alone on its links: as many edges of its ring as there are steps, from the worst one on;
 * and by how much the longest edge exceeds the shortest. Some channels stand for all.
 */
function lonelyWay(
  ring: Ring,
  times: MoveTimes,
): {
  readonly longestPs: number;
  readonly spreadPs: number;
} {
  const { stepCount, rankCount, hopCount, chunkCount, channelCount } = ring;
  const move = emptyMove();
  const hopsOfChannel = hopCount / channelCount;
  const channels = Math.min(channelCount, Math.max(1, Math.floor(mostMoves / hopsOfChannel)));
  const rounds = Math.floor(stepCount / rankCount);
  const rest = stepCount % rankCount;
  const edges = new Float64Array(rankCount);
  let [longestPs, spreadPs] = [0, 0];
  for (let channel = 0; channel < channels; channel++) {
    let [edge, aroundPs] = [-1, 0];
    for (let hop = channel * hopsOfChannel; hop < (channel + 1) * hopsOfChannel; hop++) {
      ring.describe(hop * chunkCount, move);
      const ownPs = times.lonePs(move.source, move.destination, move.sizeBytes);
      if (ring.prerequisites(hop * chunkCount) === 0) edges[++edge] = ownPs;
      else edges[edge]! += ownPs;
      aroundPs += ownPs;
    }
    let [windowPs, leastEdgePs, mostEdgePs] = [0, Infinity, 0];
    for (const edgePs of edges) {
      leastEdgePs = Math.min(leastEdgePs, edgePs);
      mostEdgePs = Math.max(mostEdgePs, edgePs);
    }
    spreadPs = Math.max(spreadPs, mostEdgePs - leastEdgePs);
    for (let at = 0; at < rest; at++) windowPs += edges[at]!;
    let mostPs = windowPs;
    for (let at = 0; at < rankCount; at++) {
      windowPs += edges[(at + rest) % rankCount]! - edges[at]!;
      mostPs = Math.max(mostPs, windowPs);
    }
    longestPs = Math.max(longestPs, rounds * aroundPs + mostPs);
  }
  return { longestPs, spreadPs };
}

/**
 * The longest way of a block through its trees, and the other blocks at the fullest host: some blocks stand for all.
 */
function floodPs(schedule: TreeAllgather, times: MoveTimes): number {
  const { rankCount, moveCount, chunkCount, stepCount, channelCount, switchCount } = schedule;
  const perBlock = moveCount / rankCount;
  const blockStride = Math.max(1, Math.floor((rankCount * perBlock) / (16 * mostMoves)));
  const move = emptyMove();
  const places = rankCount + switchCount;
  // when a block is where, by channel and place
  const readyPs = new Float64Array(channelCount * places);
  const byStep: number[][] = Array.from({ length: stepCount }, () => []);
  let [mostBusyPs, latencyPs, wayPs] = [0, 0, 0];
  const blocks = Math.ceil(rankCount / blockStride);
  for (let block = 0; block < rankCount; block += blockStride) {
    for (const numbers of byStep) numbers.length = 0;
    for (let number = block * perBlock; number < (block + 1) * perBlock; number++) {
      schedule.describe(number, move);
      times.load(move.source, move.destination, move.sizeBytes, rankCount / blocks);
      if (number % chunkCount === 0) byStep[move.step]!.push(number);
    }
    readyPs.fill(0);
    for (const numbers of byStep)
      for (const number of numbers) {
        schedule.describe(number, move);
        const ownPs = times.lonePs(move.source, move.destination, move.sizeBytes);
        const busyPs = times.busyPs(move.source, move.destination, move.sizeBytes);
        const base = move.channel * places;
        const arrivedPs = readyPs[base + move.source]! + ownPs;
        readyPs[base + move.destination] = arrivedPs;
        wayPs = Math.max(wayPs, arrivedPs);
        mostBusyPs = Math.max(mostBusyPs, busyPs);
        latencyPs = Math.max(latencyPs, ownPs - busyPs);
      }
  }
  // a chunk waits for the arrival of the one before it over the same edge
  return wayPs + (chunkCount - 1) * latencyPs + Math.max(0, times.busiestPs() - mostBusyPs);
}

/**
 * One step after the other, each as long as its longest move. Posts that take longer than bytes part the channels,
 * which then wait no more for posts, and for each other's bytes so much less: it counts once, unless posts alone take
 * longer than all steps.
 */
function stepwisePs(schedule: Schedule, times: MoveTimes): number {
  const { moveCount, stepCount, rankCount } = schedule;
  const perStep = moveCount / Math.max(1, stepCount);
  // PAT's ranks send alike, with a sum over half of them for each message: of many some are looked at
  const rankStride = schedule instanceof PatAllgather ? strideOver(moveCount / 16) : 1;
  const stride = rankStride > 1 ? 1 : strideOver(perStep);
  const move = emptyMove();
  let [totalPs, mostWaitPs, waitsPs, longestPs] = [0, 0, 0, 0];
  for (let step = 0; step < stepCount; step++) {
    times.clear();
    for (let number = step * perStep; number < (step + 1) * perStep; number++) {
      if ((number % rankCount) % rankStride > 0) continue;
      schedule.describe(number, move);
      if (move.source !== move.destination) times.load(move.source, move.destination, move.sizeBytes);
    }
    let waitPs = 0;
    longestPs = 0;
    for (let number = step * perStep; number < (step + 1) * perStep; number += stride) {
      if ((number % rankCount) % rankStride > 0) continue;
      schedule.describe(number, move);
      const { source, destination, sizeBytes } = move;
      const lonePs = times.lonePs(source, destination, sizeBytes);
      if (lonePs === 0) continue;
      const isPosted = times.busyPs(source, destination, sizeBytes) > times.drainPs(source, destination, sizeBytes);
      if (isPosted) waitPs = Math.max(waitPs, times.postWaitPs(source, destination));
      const linkWaitPs = isPosted ? 0 : times.linkWaitPs(source, destination, sizeBytes);
      longestPs = Math.max(longestPs, lonePs + Math.max(0, linkWaitPs - mostWaitPs));
    }
    totalPs += longestPs;
    waitsPs += waitPs;
    mostWaitPs = Math.max(mostWaitPs, waitPs);
  }
  return Math.max(totalPs + mostWaitPs, waitsPs + longestPs);
}
