// What polled counters count on the credit backend: packets and bytes by port and lane, and waits for credits.
// A port waits from when it is free, has packets and no lane has the credits for its first one, until it sends. A lane
// waits from when its free port passes it over for want of credits until credits come back or it sends; if these are
// too few, it is passed over again.
// Invariants: nothing about the run is changed; a port that waits has a lane that waits. Where lanes only count, the
// lane of a packet is that of the map, as for its bytes.

import type { PortTotals } from '../polling/port-poller.js';
import { WaitTimes } from '../polling/wait-times.js';
import type { Fabric } from '../../fabric/fabric.js';

const nobody = -1;

export class PortTallies implements PortTotals {
  readonly portWaits: WaitTimes;
  readonly laneWaits: WaitTimes;
  /** by port x lanes + lane: bytes on the link, packets */
  private readonly bytes: Float64Array;
  private readonly packets: Float64Array;
  /** by port that sent: what has come to its other end */
  private readonly arrivedBytes: Float64Array;
  private readonly arrivedPackets: Float64Array;
  /** by queue: the lane whose packet it waits with; nobody: it does not */
  private readonly held: Int32Array;

  /**
   * @param lanes that are counted @param queues of a port: as many, or one that all of them share
   * @param gapBytes of a packet on the link that are none of its own
   */
  constructor(
    private readonly fabric: Fabric,
    readonly lanes: number,
    private readonly queues: number,
    private readonly gapBytes: number,
  ) {
    const { portCount } = fabric;
    this.portWaits = new WaitTimes(portCount);
    this.laneWaits = new WaitTimes(portCount * lanes);
    this.bytes = new Float64Array(portCount * lanes);
    this.packets = new Float64Array(portCount * lanes);
    this.arrivedBytes = new Float64Array(portCount);
    this.arrivedPackets = new Float64Array(portCount);
    this.held = new Int32Array(portCount * queues).fill(nobody);
  }

  sentBytes(port: number, lane: number): number {
    return this.bytes[port * this.lanes + lane]! - this.sentPackets(port, lane) * this.gapBytes;
  }

  sentPackets(port: number, lane: number): number {
    return this.packets[port * this.lanes + lane]!;
  }

  receivedBytes(port: number): number {
    return this.arrivedBytes[this.fabric.portPeer[port]!]! - this.receivedPackets(port) * this.gapBytes;
  }

  receivedPackets(port: number): number {
    return this.arrivedPackets[this.fabric.portPeer[port]!]!;
  }

  /** A queue of a port sends a packet of a lane. */
  sent(port: number, queue: number, lane: number, bytes: number, nowPs: number): void {
    const index = port * this.lanes + lane;
    this.bytes[index]! += bytes;
    this.packets[index]!++;
    this.portWaits.end(port, nowPs);
    this.goesOn(queue, nowPs);
  }

  /** A packet has come to the other end of the port that sent it. */
  arrived(port: number, bytes: number): void {
    this.arrivedBytes[port]! += bytes;
    this.arrivedPackets[port]!++;
  }

  /** A free port passes over a queue, whose first packet is of a lane, for want of credits. */
  passedOver(port: number, queue: number, lane: number, nowPs: number): void {
    const index = port * this.lanes + lane;
    if (this.held[queue] === index) return;
    this.goesOn(queue, nowPs);
    this.held[queue] = index;
    this.laneWaits.begin(index, nowPs);
  }

  /** A free port has packets and sends nothing. */
  stands(port: number, nowPs: number): void {
    this.portWaits.begin(port, nowPs);
  }

  /** A queue waits for credits no more. */
  goesOn(queue: number, nowPs: number): void {
    const index = this.held[queue]!;
    if (index === nobody) return;
    this.laneWaits.end(index, nowPs);
    this.held[queue] = nobody;
  }

  /** A port has nothing to send any more, or no link to send it on. */
  stops(port: number, nowPs: number): void {
    this.portWaits.end(port, nowPs);
    for (let queue = port * this.queues; queue < (port + 1) * this.queues; queue++) this.goesOn(queue, nowPs);
  }
}
