// Transfers over time by six patterns: who sends to whom, when and how much, one after the other, so that a trace of
// any length needs no memory.
// Invariants: times ascend; the same request gives the same transfers everywhere; times, pairs and sizes are drawn from
// streams of their own, so that another distribution of sizes moves no start.
// Source: central-controller document (docs/SOURCES.md), 6.2. It names patterns and options; what a burst, the rest of
// a hotspot and random pairs are is ours (docs/models/traces.md).

import { exponential, RandomStream } from '../base/random.js';
import type { SizeDistribution } from './size-distribution.js';

/** What a trace may look like. */
export const tracePatterns = ['constant', 'poisson', 'burst', 'hotspot', 'server-pair', 'one-to-one'] as const;
export type TracePattern = (typeof tracePatterns)[number];

/** What a trace is made from; one object, because a command's options name all of it. */
export interface TraceRequest {
  readonly pattern: TracePattern;
  /** hosts that send and hosts that receive, by random pairs; none sends to a host of its own server */
  readonly sources: Int32Array;
  readonly destinations: Int32Array;
  readonly gpusPerServer: number;
  /** servers of a server pair, and of the pair that is hot */
  readonly sourceServer: number;
  readonly destinationServer: number;
  /** hosts of one-to-one */
  readonly source: number;
  readonly destination: number;
  /** 0 to 1: transfers between the two servers of a hotspot */
  readonly hotShare: number;
  /** transfers that start together in a burst */
  readonly burstSize: number;
  /** picoseconds from one transfer to the next, on average; from one round of a server pair to the next */
  readonly intervalPs: number;
  /** ends the trace: so many transfers, and none that starts later than that */
  readonly flows: number;
  readonly durationPs: number;
  /** bytes of every transfer, or drawn */
  readonly size: number | SizeDistribution;
  readonly seed: number;
}

export interface TraceTransfer {
  readonly startPs: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
}

/** The transfers of a trace, in order of time. */
export function* traceTransfers(request: TraceRequest): Generator<TraceTransfer> {
  const { pattern, flows, durationPs, size, seed } = request;
  const [arrivals, pairs, sizes] = ['arrivals', 'pairs', 'sizes'].map(
    (name) => new RandomStream(seed, `trace ${name}`),
  );
  let startPs = 0;
  for (let flow = 0; flow < flows; flow++) {
    startPs = startOf(request, flow, startPs, arrivals!);
    if (startPs > durationPs) return;
    const [source, destination] =
      pattern === 'one-to-one'
        ? [request.source, request.destination]
        : pattern === 'server-pair'
          ? ofServers(request, flow % request.gpusPerServer)
          : pattern === 'hotspot' && pairs!.nextFraction() < request.hotShare
            ? ofServers(request, pairs!.nextBelow(request.gpusPerServer))
            : randomPair(request, pairs!);
    const sizeBytes = typeof size === 'number' ? size : size.sizeAt(sizes!.nextFraction());
    yield { startPs: Math.round(startPs), source, destination, sizeBytes };
  }
}

/** When a transfer starts, in picoseconds. @param earlierPs start of the one before */
function startOf(request: TraceRequest, flow: number, earlierPs: number, random: RandomStream): number {
  const { pattern, intervalPs, burstSize, gpusPerServer } = request;
  if (pattern === 'poisson' || pattern === 'hotspot') return earlierPs + exponential(random) * intervalPs;
  if (pattern === 'burst') return Math.floor(flow / burstSize) * burstSize * intervalPs;
  if (pattern === 'server-pair') return Math.floor(flow / gpusPerServer) * intervalPs;
  return flow * intervalPs;
}

/** A GPU of one server and the same one of the other. */
function ofServers({ gpusPerServer, sourceServer, destinationServer }: TraceRequest, gpu: number): [number, number] {
  return [sourceServer * gpusPerServer + gpu, destinationServer * gpusPerServer + gpu];
}

/** Two hosts of different servers, all such pairs alike. */
function randomPair({ sources, destinations, gpusPerServer }: TraceRequest, random: RandomStream): [number, number] {
  for (;;) {
    const source = sources[random.nextBelow(sources.length)]!;
    const destination = destinations[random.nextBelow(destinations.length)]!;
    if (Math.floor(source / gpusPerServer) !== Math.floor(destination / gpusPerServer)) return [source, destination];
  }
}
