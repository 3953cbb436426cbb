// Ideal and least completion time of a flow whose bytes go over several paths at once: no path is faster than alone,
// and no link carries the bytes of all paths that cross it faster than its rate allows. So parts on disjoint paths
// still share their NIC; of a host with two NICs they may not. Invariant: with one path this is what
// routing/base-delay.ts says of it.

import { grown } from '../base/columns.js';
import type { Fabric } from '../fabric/fabric.js';
import { portLatencyPs } from '../fabric/forwarding-latency.js';
import { idealCompletionPs, leastCompletionPs, type PathDelay } from '../routing/base-delay.js';

export class FlowBounds {
  idealPs = 0;
  leastPs = 0;

  /** output ports that the flow uses so far */
  private ports = new Int32Array(64);
  private portsUsed = 0;
  /**
   * by output port: payload that crosses it, least round trip of the paths that do, least latency up to it and from it
   * to the last ACK
   */
  private readonly bytes: Float64Array;
  private readonly roundTripPs: Float64Array;
  private readonly beforePs: Float64Array;
  private readonly afterPs: Float64Array;
  private readonly link: PathDelay = { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 };

  /** @param payloadBytes of a data packet @param overheadBytes what it takes of a link besides: header and gap */
  constructor(
    private readonly fabric: Fabric,
    private readonly payloadBytes: number,
    private readonly overheadBytes: number,
  ) {
    this.bytes = new Float64Array(fabric.portCount);
    this.roundTripPs = new Float64Array(fabric.portCount);
    this.beforePs = new Float64Array(fabric.portCount);
    this.afterPs = new Float64Array(fabric.portCount);
  }

  /** Begins with another flow. */
  clear(): void {
    for (let i = 0; i < this.portsUsed; i++) this.bytes[this.ports[i]!] = 0;
    this.portsUsed = 0;
    this.idealPs = this.leastPs = 0;
  }

  /** A flow of one part: what the path says, in place of clear, add and finish. */
  only(delay: PathDelay, returnLatencyPs: number, sizeBytes: number): void {
    this.idealPs = idealCompletionPs(delay, sizeBytes, this.payloadBytes, this.overheadBytes);
    this.leastPs = Math.max(
      0,
      leastCompletionPs(delay, returnLatencyPs, sizeBytes, this.payloadBytes, this.overheadBytes),
    );
  }

  /**
   * A part of the flow.
   * @param path output ports, `length` of them @param delay of the path @param returnLatencyPs propagation of the way
   * of its ACKs
   */
  add(path: Int32Array, length: number, delay: PathDelay, returnLatencyPs: number, sizeBytes: number): void {
    const { fabric, payloadBytes, overheadBytes } = this;
    this.raise(
      idealCompletionPs(delay, sizeBytes, payloadBytes, overheadBytes),
      leastCompletionPs(delay, returnLatencyPs, sizeBytes, payloadBytes, overheadBytes),
    );
    let beforePs = 0;
    for (let i = 0; i < length; i++) {
      const port = path[i]!;
      this.use(port);
      this.bytes[port]! += sizeBytes;
      this.roundTripPs[port] = Math.min(this.roundTripPs[port]!, delay.roundTripPs);
      this.beforePs[port] = Math.min(this.beforePs[port]!, beforePs);
      this.afterPs[port] = Math.min(this.afterPs[port]!, delay.latencyPs - beforePs + returnLatencyPs);
      beforePs += portLatencyPs(fabric, port);
    }
  }

  /** All parts are known: what their links need for all of them. */
  finish(): void {
    const { fabric, link, payloadBytes, overheadBytes } = this;
    for (let i = 0; i < this.portsUsed; i++) {
      const port = this.ports[i]!;
      link.roundTripPs = this.roundTripPs[port]!;
      link.latencyPs = this.beforePs[port]! + this.afterPs[port]!;
      link.bottleneckBps = fabric.linkRateBps[fabric.portLink[port]!]!;
      const sizeBytes = this.bytes[port]!;
      this.raise(
        idealCompletionPs(link, sizeBytes, payloadBytes, overheadBytes),
        leastCompletionPs(link, 0, sizeBytes, payloadBytes, overheadBytes),
      );
    }
  }

  private raise(idealPs: number, leastPs: number): void {
    this.idealPs = Math.max(this.idealPs, idealPs);
    this.leastPs = Math.max(this.leastPs, leastPs);
  }

  private use(port: number): void {
    if (this.bytes[port] !== 0) return;
    if (this.portsUsed === this.ports.length) this.ports = grown(this.ports, this.portsUsed * 2);
    this.ports[this.portsUsed++] = port;
    this.roundTripPs[port] = this.beforePs[port] = this.afterPs[port] = Infinity;
  }
}
