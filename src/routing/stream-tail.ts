// What a transfer takes beyond the time in which its bits pass the slowest link: its last packet crosses the other
// links, every cable and device takes its latency, and an acknowledgement comes back. With full packets, alone on idle
// links, the two together are the time of the packets to the picosecond (docs/models/engine.md, store and forward).
// Not modelled: a packet before the last that is held up by a slower link behind the slowest one's place; queues.

import type { Fabric } from '../fabric/fabric.js';
import { portLatencyPs } from '../fabric/forwarding-latency.js';
import { portRateBps } from '../fabric/receive-speed.js';

/**
 * From the end of the last packet's transmission at the slowest link to its arrival: all other links serialise it, too.
 * @param packetBytes with header and gap
 */
export function lastPacketPs(fabric: Fabric, ports: Int32Array, length: number, packetBytes: number): number {
  let totalPs = 0;
  let longestPs = 0;
  for (let hop = 0; hop < length; hop++) {
    const port = ports[hop]!;
    const serialisationPs = Math.round((packetBytes * 8e12) / portRateBps(fabric, port));
    totalPs += serialisationPs + portLatencyPs(fabric, port);
    if (serialisationPs > longestPs) longestPs = serialisationPs;
  }
  return totalPs - longestPs;
}

/** An acknowledgement's way over idle links. @param ports of its path @param acknowledgementBytes with its gap */
export function acknowledgementPs(
  fabric: Fabric,
  ports: Int32Array,
  length: number,
  acknowledgementBytes: number,
): number {
  let totalPs = 0;
  for (let hop = 0; hop < length; hop++) {
    const port = ports[hop]!;
    totalPs += Math.round((acknowledgementBytes * 8e12) / portRateBps(fabric, port)) + portLatencyPs(fabric, port);
  }
  return totalPs;
}
