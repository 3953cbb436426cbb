// What a path costs on an idle fabric: base round-trip time, bottleneck, bandwidth-delay product, ideal completion
// time. Formulas: SimAI's (docs/models/simai.md#ideal-completion-time): the round trip is twice the latency of cables
// and switches (SimAI's take no time) plus one serialisation of a payload at every forward link, without headers, gap
// and the ACK's way back. Completion times count what every packet takes of a link: header and gap, too. The lower
// bound is physics: nothing is faster.

import { type Fabric, NodeKind, serverOf } from '../fabric/fabric.js';
import { portLatencyPs } from '../fabric/forwarding-latency.js';
import type { PathTracer } from './path.js';

export interface PathDelay {
  /** 2 x latency + one payload serialisation per forward link, in picoseconds */
  roundTripPs: number;
  /** one way through cables and switches in picoseconds */
  latencyPs: number;
  /** slowest link in bit/s */
  bottleneckBps: number;
}

/** Delay of a path given as output ports. @param result is overwritten and returned */
export function pathDelay(
  fabric: Fabric,
  ports: Int32Array,
  length: number,
  payloadBytes: number,
  result: PathDelay,
): PathDelay {
  let latencyPs = 0;
  let serialisationPs = 0;
  let bottleneckBps = Infinity;
  for (let i = 0; i < length; i++) {
    const link = fabric.portLink[ports[i]!]!;
    const rateBps = fabric.linkRateBps[link]!;
    latencyPs += portLatencyPs(fabric, ports[i]!);
    serialisationPs += Math.round((payloadBytes * 8e12) / rateBps);
    if (rateBps < bottleneckBps) bottleneckBps = rateBps;
  }
  result.roundTripPs = 2 * latencyPs + serialisationPs;
  result.latencyPs = latencyPs;
  result.bottleneckBps = bottleneckBps;
  return result;
}

/**
 * Bytes of link time of a transfer: its payload and, for each packet, what comes on top.
 * @param overheadBytes header and gap of a packet
 */
export function linkBytes(sizeBytes: number, payloadBytes: number, overheadBytes: number): number {
  return sizeBytes + Math.ceil(sizeBytes / payloadBytes) * overheadBytes;
}

/**
 * Completion time alone on an idle fabric as SimAI estimates it (with its packets, which have no gap), in picoseconds.
 */
export function idealCompletionPs(
  delay: PathDelay,
  sizeBytes: number,
  payloadBytes: number,
  overheadBytes: number,
): number {
  return Math.round(
    delay.roundTripPs + (linkBytes(sizeBytes, payloadBytes, overheadBytes) * 8e12) / delay.bottleneckBps,
  );
}

/**
 * Picoseconds below which no completion is possible: all bytes through the bottleneck, and light there and back.
 * @param returnLatencyPs propagation of the way that the acknowledgements take, which may be another
 */
export function leastCompletionPs(
  delay: PathDelay,
  returnLatencyPs: number,
  sizeBytes: number,
  payloadBytes: number,
  overheadBytes: number,
): number {
  // half a picosecond per packet: serialisation times are rounded to whole picoseconds
  const roundingPs = Math.ceil(sizeBytes / payloadBytes);
  return (
    Math.floor(
      delay.latencyPs +
        returnLatencyPs +
        (linkBytes(sizeBytes, payloadBytes, overheadBytes) * 8e12) / delay.bottleneckBps,
    ) - roundingPs
  );
}

/** What is largest over all pairs of hosts. */
export interface LargestDelays {
  /** base round trip in picoseconds */
  readonly roundTripPs: number;
  /** bandwidth-delay product in bytes: SimAI's window (its GLOBAL_T) */
  readonly bdpBytes: number;
}

/** Largest bandwidth-delay product over all pairs of hosts, in bytes: SimAI's window (its GLOBAL_T). */
export function largestBdpBytes(tracer: PathTracer, payloadBytes: number): number {
  return largestDelays(tracer, payloadBytes).bdpBytes;
}

/** Largest base round trip over all pairs of hosts, in picoseconds. */
export function largestRoundTripPs(tracer: PathTracer, payloadBytes: number): number {
  return largestDelays(tracer, payloadBytes).roundTripPs;
}

/**
 * Largest base round trip and bandwidth-delay product over all pairs of hosts. Hosts of a kind stand for each other, so
 * the work is quadratic in the number of leaves, not of hosts.
 */
export function largestDelays(tracer: PathTracer, payloadBytes: number): LargestDelays {
  const { fabric } = tracer;
  const path = new Int32Array(tracer.maxLength);
  const delay: PathDelay = { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 };
  let [largestPs, largestBytes] = [0, 0];
  const consider = (source: number, destination: number): void => {
    const length = tracer.trace(source, destination, 0, 0, path);
    if (length === 0) return;
    const { roundTripPs, bottleneckBps } = pathDelay(fabric, path, length, payloadBytes, delay);
    largestPs = Math.max(largestPs, roundTripPs);
    largestBytes = Math.max(largestBytes, Math.floor((roundTripPs * bottleneckBps) / 8e12));
  };
  const representatives = representativeHosts(fabric);
  for (const a of representatives) for (const b of representatives) if (a !== b) consider(a, b);
  for (let server = 0; server < fabric.hosts.length; server += fabric.gpusPerServer) {
    const end = Math.min(server + fabric.gpusPerServer, fabric.hosts.length);
    for (let a = server; a < end; a++)
      for (let b = server; b < end; b++) if (a !== b) consider(fabric.hosts[a]!, fabric.hosts[b]!);
  }
  return { roundTripPs: largestPs, bdpBytes: largestBytes };
}

/**
 * Hosts that stand for all: of every kind the first, and the first of another server. Hosts are of a kind if they hang
 * on the same switches by the same links; an NVSwitch that serves one server alone counts as any such.
 */
function representativeHosts(fabric: Fabric): number[] {
  const { portOffset, portLink, linkRateBps, linkLatencyPs, portNeighbour } = fabric;
  const first = new Map<string, number>();
  const second = new Map<string, number>();
  for (const host of fabric.hosts) {
    let key = '';
    for (let p = portOffset[host]!; p < portOffset[host + 1]!; p++) {
      const neighbour = portNeighbour[p]!;
      const link = portLink[p]!;
      key += `${servesOneServer(fabric, neighbour) ? 'nvswitch' : neighbour}:${linkRateBps[link]!}:${linkLatencyPs[link]!} `;
    }
    const known = first.get(key);
    if (known === undefined) first.set(key, host);
    else if (!second.has(key) && serverOf(fabric, host) !== serverOf(fabric, known)) second.set(key, host);
  }
  return [...first.values(), ...second.values()];
}

function servesOneServer(fabric: Fabric, node: number): boolean {
  const { portOffset, nodeKind, portNeighbour } = fabric;
  if (nodeKind[node] !== NodeKind.nvswitch) return false;
  const server = serverOf(fabric, portNeighbour[portOffset[node]!]!);
  for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
    const neighbour = portNeighbour[p]!;
    if (nodeKind[neighbour] !== NodeKind.host || serverOf(fabric, neighbour) !== server) return false;
  }
  return true;
}
