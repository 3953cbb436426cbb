// How long a transfer takes that has its path to itself: its packets follow each other over the links of the path,
// store and forward, and the acknowledgement of the last one comes back. n - 1 packets of the full size and a last one,
// which may be smaller; at link i they take a_i and s_i. The last packet leaves link k no earlier than the full ones
// before it have, and the links from k on serialise it, too:
//     time = max over k of ( a_1 + ... + a_k + (n - 2) max(a_1 .. a_k) + s_k + ... + s_L ) + latencies + the way of the
//     acknowledgement
// Invariant: on idle links it is the packet engine's time to the picosecond (serialisations are rounded as there), as
// long as windows are no limit and acknowledgements do not catch up with each other; with anything else under way no
// transfer is faster.
// Source: departure times of a tandem of queues, store and forward (docs/models/engine.md). Not modelled: windows,
// pacing below the link's rate.

import type { Fabric } from '../fabric/fabric.js';
import { portLatencyPs } from '../fabric/forwarding-latency.js';
import { portRateBps } from '../fabric/receive-speed.js';

/** Sizes of the packets that transfers travel in. */
export interface PacketShape {
  readonly payloadBytes: number;
  /** header and gap of a data packet */
  readonly overheadBytes: number;
  /** an acknowledgement with its gap */
  readonly acknowledgementBytes: number;
}

/**
 * From the start of a transfer to the arrival of its last packet over idle links, in picoseconds.
 * @param ports output ports of its path, `length` of them @param sizeBytes above 0
 */
export function lastArrivalPs(
  fabric: Fabric,
  ports: Int32Array,
  length: number,
  sizeBytes: number,
  { payloadBytes, overheadBytes }: PacketShape,
): number {
  const packets = Math.ceil(sizeBytes / payloadBytes);
  const lastBytes = sizeBytes - (packets - 1) * payloadBytes + overheadBytes;
  const fullBytes = payloadBytes + overheadBytes;
  let latencyPs = 0;
  let fullPs = 0;
  let slowestPs = 0;
  let departedPs = 0;
  for (let hop = 0; hop < length; hop++) {
    const port = ports[hop]!;
    const rateBps = portRateBps(fabric, port);
    latencyPs += portLatencyPs(fabric, port);
    if (packets > 1) {
      const ownPs = Math.round((fullBytes * 8e12) / rateBps);
      fullPs += ownPs;
      if (ownPs > slowestPs) slowestPs = ownPs;
      departedPs = Math.max(departedPs, fullPs + (packets - 2) * slowestPs);
    }
    departedPs += Math.round((lastBytes * 8e12) / rateBps);
  }
  return departedPs + latencyPs;
}

/** Least rate along a path, in bit/s: what its links send at, receivers' speeds included. */
export function narrowestBps(fabric: Fabric, ports: Int32Array, length: number): number {
  let leastBps = Infinity;
  for (let hop = 0; hop < length; hop++) leastBps = Math.min(leastBps, portRateBps(fabric, ports[hop]!));
  return leastBps;
}

/** Latency of a path one way: cables and devices, in picoseconds. */
export function pathLatencyPs(fabric: Fabric, ports: Int32Array, length: number): number {
  let totalPs = 0;
  for (let hop = 0; hop < length; hop++) totalPs += portLatencyPs(fabric, ports[hop]!);
  return totalPs;
}
