// What flows that a controller does not place put on links, as far as port counters tell: the rate of each port since
// the last poll, less that of the flows that the controller had there, which it takes to send as fast as their NICs.
// Invariant: between polls the estimate stands still; where counters show no more than the controller's own flows may
// send, it is 0. Source: polled port counters as in M. Al-Fares et al., Hedera, NSDI 2010.
// Not modelled: counters of flows. Own flows that are slower than their NICs hide as much of the others.

import type { Fabric } from '../fabric/fabric.js';

/** Less than this share of a link's rate counts as nothing: acknowledgements go by as well. */
const leastShare = 0.05;

export class BackgroundLoad {
  /** by output port, in bit/s */
  readonly rateBps: Float64Array;
  private readonly linkRateBps: Float64Array;
  /**
   * by output port: the rates of own flows, since when, and what they have sent by them since the last poll, in bits
   */
  private readonly ownBps: Float64Array;
  private readonly sincePs: Float64Array;
  private readonly ownBits: Float64Array;

  /** @param clock of the run */
  constructor(
    fabric: Fabric,
    private readonly clock: { readonly nowPs: number },
    readonly intervalPs: number,
  ) {
    this.linkRateBps = Float64Array.from(fabric.portLink, (link) => fabric.linkRateBps[link]!);
    this.rateBps = new Float64Array(fabric.portCount);
    this.ownBps = new Float64Array(fabric.portCount);
    this.sincePs = new Float64Array(fabric.portCount);
    this.ownBits = new Float64Array(fabric.portCount);
  }

  /** A flow of the controller's own comes to a port, or leaves it. @param rateBps of its NIC, negative if it leaves */
  ownChanges(port: number, rateBps: number): void {
    this.countOwn(port, this.clock.nowPs);
    this.ownBps[port]! += rateBps;
  }

  /** Bytes that a port will have carried for others until the next poll, if that goes on. */
  bytesAhead(port: number): number {
    return ((this.rateBps[port]! / 8) * this.intervalPs) / 1e12;
  }

  /** The counters have been read. Parameters as of CentralController.portsPolled. */
  polled(ratesBps: Float64Array, overPs: number): void {
    const { nowPs } = this.clock;
    for (let port = 0; port < ratesBps.length; port++) {
      this.countOwn(port, nowPs);
      const ownBps = overPs === 0 ? this.ownBps[port]! : (this.ownBits[port]! / overPs) * 1e12;
      this.ownBits[port] = 0;
      const otherBps = ratesBps[port]! - Math.min(ownBps, this.linkRateBps[port]!);
      this.rateBps[port] = otherBps < leastShare * this.linkRateBps[port]! ? 0 : otherBps;
    }
  }

  private countOwn(port: number, nowPs: number): void {
    this.ownBits[port]! += (this.ownBps[port]! * (nowPs - this.sincePs[port]!)) / 1e12;
    this.sincePs[port] = nowPs;
  }
}
