// What the steps of a collective take beyond its streams (streams.ts), on an idle fabric: a constant that goes before
// the streams. With a a move's time without bytes (its tail, its delays, `sendLatency`), and t its share of the time in
// which the streams over its links pass:
//   a ring takes stepCount x the longest of a + t of a hop (with one slot; with s of them t, or (a + t) / s), and the
//   mean time of a block from edge to edge, because blocks go around: whoever is quick waits for whoever is slow;
//   a pipeline along a chain or star takes a + t of the slowest edge of each step, and for every further chunk that of
//   the slowest of all (with s slots t, or (a + t) / s).
// The streams alone take the bytes of the fullest link, and a once. The lead is the difference.
// A step's or chunk's bytes count as long as the posts of its busier end at least (posting.ts).
// Invariant: not below 0. Not modelled: shares of links that change during the collective; channels whose slowest hops
// differ.

import type { NicPorts } from '../routing/nic-ports.js';
import type { PathTracer } from '../routing/path.js';
import { linkBytes } from '../routing/base-delay.js';
import { acknowledgementPs, lastPacketPs } from '../routing/stream-tail.js';
import { portRateBps } from '../fabric/receive-speed.js';
import { type Communicator, isWithinServer } from './communicator.js';
import { moveWireBytes, type WireCost } from './protocols.js';
import { Ring } from './ring.js';
import { emptyMove, type Schedule } from './schedule.js';
import type { StreamedSchedule } from './streams.js';

/** How bytes cross the network. */
export interface NetworkTimes {
  readonly tracer: PathTracer;
  readonly payloadBytes: number;
  /** header and gap of a data packet */
  readonly overheadBytes: number;
  /** an acknowledgement with its gap */
  readonly acknowledgementBytes: number;
  readonly sendLatencyPs: number;
  /** how flows are spread over the ports of a NIC; left out: each takes one */
  readonly nics?: NicPorts | null;
  /** only collectives become streams of which the paths do not matter (stream-paths.ts); left out: all that can */
  readonly isSelective?: boolean;
}

/** How a collective's moves do, and what they wait for. */
export interface MoveTiming extends NetworkTimes, WireCost {
  readonly intraServerDelayPs: number;
  readonly networkDelayPs: number;
  /** how long a move between servers keeps the processors at its ends (posting.ts); left out: not at all */
  readonly postPs?: number;
}

/** any ports: equal-cost paths are taken for equally long */
const sourcePort = 10_000;
const destinationPort = 100;

/** Time without bytes, and time of the bytes if all streams run, of the stream between two places. */
interface StreamTime {
  readonly latencyPs: number;
  readonly bytesPs: number;
}

/** The lead of a collective's streams, in picoseconds. */
export function streamLeadPs(streams: StreamedSchedule, communicator: Communicator, times: MoveTiming): number {
  const timeOf = streamTimes(streams, communicator, times);
  const { steps } = streams;
  const postsOf = postTimes(steps, communicator, times.postPs ?? 0);
  const steppedPs = steps instanceof Ring ? ringPs(steps, timeOf, postsOf) : pipelinePs(steps, timeOf, postsOf);
  let streamedPs = 0;
  const move = emptyMove();
  for (let number = 0; number < streams.streamCount; number++) {
    streams.describe(number, move);
    const { latencyPs, bytesPs } = timeOf(move.source, move.destination);
    streamedPs = Math.max(streamedPs, latencyPs + bytesPs);
  }
  return Math.max(0, Math.round(steppedPs - streamedPs));
}

/** What the posts of a step of a ring, or of a chunk of a pipeline, keep the busier processor at the ends of a move. */
function postTimes(
  steps: Schedule,
  communicator: Communicator,
  postPs: number,
): (source: number, destination: number) => number {
  if (postPs === 0) return () => 0;
  const sends = new Float64Array(communicator.rankCount);
  const receives = new Float64Array(communicator.rankCount);
  const move = emptyMove();
  const [edges, stride, posts] =
    steps instanceof Ring ? [steps.hopCount, 1, steps.chunkCount] : [steps.moveCount, steps.chunkCount, 1];
  for (let edge = 0; edge < edges; edge += stride) {
    if (steps instanceof Ring) steps.describeHop(edge, move);
    else steps.describe(edge, move);
    const { source, destination } = move;
    if (isWithinServer(communicator, source, destination)) continue;
    sends[source]! += posts;
    receives[destination]! += posts;
  }
  return (source, destination) =>
    isWithinServer(communicator, source, destination) ? 0 : postPs * Math.max(sends[source]!, receives[destination]!);
}

function ringPs(
  ring: Ring,
  timeOf: (source: number, destination: number) => StreamTime,
  postsOf: (source: number, destination: number) => number,
): number {
  const { stepCount, rankCount, channelCount, hopCount, chunkCount, slots } = ring;
  const move = emptyMove();
  let slowestPs = 0;
  let aroundPs = 0;
  for (let hop = 0; hop < hopCount; hop++) {
    ring.describeHop(hop, move);
    const { latencyPs, bytesPs } = timeOf(move.source, move.destination);
    const stepPs = Math.max(bytesPs / stepCount, postsOf(move.source, move.destination));
    slowestPs = Math.max(
      slowestPs,
      slots === 1
        ? stepPs + chunkCount * latencyPs
        : slots === Infinity
          ? stepPs + (chunkCount - 1) * latencyPs
          : Math.max(stepPs, (stepPs + chunkCount * latencyPs) / slots),
    );
    aroundPs += stepPs + latencyPs;
  }
  return stepCount * Math.max(slowestPs, aroundPs / (rankCount * channelCount));
}

function pipelinePs(
  steps: Schedule,
  timeOf: (source: number, destination: number) => StreamTime,
  postsOf: (source: number, destination: number) => number,
): number {
  const { moveCount, chunkCount, stepCount, connections } = steps;
  const slots = connections?.slots ?? 1;
  const longestOfStep = new Float64Array(stepCount);
  const move = emptyMove();
  let slowestPs = 0;
  // chunks of an edge stand one after the other
  for (let number = 0; number < moveCount; number += chunkCount) {
    steps.describe(number, move);
    const { latencyPs, bytesPs } = timeOf(move.source, move.destination);
    const chunkPs = Math.max(bytesPs / chunkCount, postsOf(move.source, move.destination));
    const movePs = latencyPs + chunkPs;
    longestOfStep[move.step] = Math.max(longestOfStep[move.step]!, movePs);
    slowestPs = Math.max(slowestPs, slots === 1 ? movePs : Math.max(chunkPs, movePs / slots));
  }
  return longestOfStep.reduce((sum, ps) => sum + ps, 0) + (chunkCount - 1) * slowestPs;
}

/** The times of all streams, by the places between which they run. */
function streamTimes(
  streams: StreamedSchedule,
  communicator: Communicator,
  times: MoveTiming,
): (source: number, destination: number) => StreamTime {
  const {
    tracer,
    payloadBytes,
    overheadBytes,
    acknowledgementBytes,
    sendLatencyPs,
    intraServerDelayPs,
    networkDelayPs,
    nics = null,
  } = times;
  const { fabric } = tracer;
  const { nodes, rankCount } = communicator;
  const path = new Int32Array(tracer.maxLength);
  const move = emptyMove();
  const bitsOfPort = new Map<number, number>();
  const portsOf: Int32Array[] = [];
  const latencyOf = new Float64Array(streams.streamCount);
  const streamOf = new Map<number, number>();
  const places = rankCount + communicator.switchCount;
  for (let number = 0; number < streams.streamCount; number++) {
    streams.describe(number, move);
    const { source, destination } = move;
    streamOf.set(source * places + destination, number);
    const isAtSwitch = source >= rankCount || destination >= rankCount;
    const isIntraServer = isWithinServer(communicator, source, destination);
    const back = tracer.trace(nodes[destination]!, nodes[source]!, destinationPort, sourcePort, path);
    const backPs = acknowledgementPs(fabric, path, back, acknowledgementBytes);
    const length = tracer.trace(nodes[source]!, nodes[destination]!, sourcePort, destinationPort, path);
    const sizeBytes = moveWireBytes(times, move.sizeBytes, isAtSwitch, isIntraServer);
    latencyOf[number] =
      backPs +
      lastPacketPs(fabric, path, length, payloadBytes + overheadBytes) +
      sendLatencyPs +
      (isIntraServer ? intraServerDelayPs : networkDelayPs);
    portsOf.push(path.slice(0, length));
    const spread = nics?.spread(nodes[source]!, nodes[destination]!) ?? 1;
    const bits = (8 * linkBytes(sizeBytes, payloadBytes, overheadBytes)) / spread;
    for (const port of portsOf[number]!) bitsOfPort.set(port, (bitsOfPort.get(port) ?? 0) + bits);
  }
  return (source, destination) => {
    const number = streamOf.get(source * places + destination);
    if (number === undefined) return { latencyPs: 0, bytesPs: 0 };
    let bytesPs = 0;
    for (const port of portsOf[number]!)
      bytesPs = Math.max(bytesPs, (bitsOfPort.get(port)! * 1e12) / portRateBps(fabric, port));
    return { latencyPs: latencyOf[number]!, bytesPs };
  };
}
