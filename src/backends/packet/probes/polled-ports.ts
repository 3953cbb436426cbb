// What polled counters count on the packet backend: transmitters that also count how long packets wait because queues
// are paused (by whatever flow control, or the watchdog), and what comes in.
// A priority waits while it is paused and has packets, or queue pairs of a host that may send; a port while that is so
// of all that it has to send, and it sends nothing. Both from the end of a transmission under way on.
// Invariants: nothing about the run is changed; a port that waits has a priority that waits. Not counted: flows that are
// held back at their host by themselves (gates of the NIC), queue pairs without window or pace.

import type { Fabric } from '../../../fabric/fabric.js';
import { NodeKind } from '../../../fabric/fabric.js';
import type { EventRecords } from '../../../engine/event-records.js';
import type { PortTotals } from '../../polling/port-poller.js';
import { WaitTimes } from '../../polling/wait-times.js';
import type { TurnTakingNic } from '../nic/turn-taking-nic.js';
import { HeadBits, PacketWord } from '../packets.js';
import { type PortsParts, queuesPerPort } from '../ports.js';
import { MeteredPorts, type PortCounters, QueueValue } from './port-counters.js';

const { head: HEAD } = PacketWord;
const { bytesShift } = HeadBits;

/** Sizes and priorities that the counters depend on. */
export interface PolledSettings {
  readonly packet: { readonly pauseFrame: number };
  readonly queuePair: { readonly priority: number };
}

export class PolledPorts extends MeteredPorts implements PortTotals {
  readonly lanes = queuesPerPort;
  readonly portWaits: WaitTimes;
  readonly laneWaits: WaitTimes;
  private readonly inFabric: Fabric;
  private readonly inRecords: EventRecords;
  private readonly frameBytes: number;
  /** the queue of what queue pairs send, as a bit */
  private readonly dataBit: number;
  /** by port: 1 if a queue pair waits for its turn there */
  private readonly offers: Uint8Array;
  /** by port: a bit for each priority that waits */
  private readonly held: Uint8Array;
  /** 2 x port: bytes and packets that have come in by it */
  private readonly received: Float64Array;
  /** null: it is not made yet */
  private nic: Pick<TurnTakingNic, 'wantsTurn'> | null = null;

  constructor(
    parts: PortsParts,
    private readonly counted: PortCounters,
    settings: PolledSettings,
  ) {
    super(parts, counted);
    const { fabric } = parts;
    this.inFabric = fabric;
    this.inRecords = parts.wheel.records;
    this.frameBytes = settings.packet.pauseFrame;
    this.dataBit = 1 << settings.queuePair.priority;
    this.portWaits = new WaitTimes(fabric.portCount);
    this.laneWaits = new WaitTimes(fabric.portCount * queuesPerPort);
    this.offers = new Uint8Array(fabric.portCount);
    this.held = new Uint8Array(fabric.portCount);
    this.received = new Float64Array(2 * fabric.portCount);
  }

  /** Ports and NIC name each other; this closes the circle once. */
  useNic(nic: Pick<TurnTakingNic, 'wantsTurn'>): void {
    this.nic = nic;
  }

  sentBytes(port: number, lane: number): number {
    return this.counted.queues[this.at(port, lane) + QueueValue.bytesSent]! - this.frames(port, lane) * this.frameBytes;
  }

  sentPackets(port: number, lane: number): number {
    return this.counted.queues[this.at(port, lane) + QueueValue.packetsSent]! - this.frames(port, lane);
  }

  receivedBytes(port: number): number {
    return this.received[2 * port]!;
  }

  receivedPackets(port: number): number {
    return this.received[2 * port + 1]!;
  }

  /** A packet has come in by a port, whole. */
  arrived(packet: number, port: number): void {
    this.received[2 * port]! += this.inRecords.words[(packet << 3) + HEAD]! >> bytesShift;
    this.received[2 * port + 1]!++;
  }

  override transmit(port: number, packet: number): void {
    super.transmit(port, packet);
    this.sends(port);
  }

  override transmitControl(port: number, frame: number): void {
    super.transmitControl(port, frame);
    this.sends(port);
  }

  override append(port: number, packet: number): void {
    super.append(port, packet);
    this.settle(port);
  }

  override take(port: number, queue: number): number {
    const packet = super.take(port, queue);
    this.settle(port);
    return packet;
  }

  override hold(port: number, queue: number, isPaused: boolean, holder: number): void {
    super.hold(port, queue, isPaused, holder);
    this.settleEnd(port);
  }

  override rest(port: number): void {
    super.rest(port);
    this.settleEnd(port);
  }

  private at(port: number, lane: number): number {
    return (port * queuesPerPort + lane) << 2;
  }

  /** PFC frames among what a queue has sent: all of them ride in queue 0. */
  private frames(port: number, lane: number): number {
    if (lane !== 0) return 0;
    let frames = 0;
    for (let index = port * queuesPerPort; index < (port + 1) * queuesPerPort; index++)
      frames += this.counted.pausesSent[index]! + this.counted.resumesSent[index]!;
    return frames;
  }

  /** The port sends: if it waits all the same, it does so again from the end of that on. */
  private sends(port: number): void {
    if (!this.portWaits.waits(port)) return;
    this.portWaits.end(port, this.nowPs);
    this.portWaits.begin(port, this.freeAtPs(port));
  }

  /** What queue pairs have for a port may have changed, too. */
  private settleEnd(port: number): void {
    if (this.inFabric.nodeKind[this.inFabric.portNode[port]!] !== NodeKind.switch)
      this.offers[port] = this.nic!.wantsTurn(port) ? 1 : 0;
    this.settle(port);
  }

  /** Pauses or packets of a port may have changed. */
  private settle(port: number): void {
    const paused = this.pausedQueues(port) & ~1;
    const before = this.held[port]!;
    if ((paused | before) === 0) return;
    const present = this.occupiedQueues(port) | (this.offers[port] === 1 ? this.dataBit : 0);
    const held = present & paused;
    const { nowPs } = this;
    const fromPs = Math.max(nowPs, this.freeAtPs(port));
    for (let changed = held ^ before; changed !== 0; changed &= changed - 1) {
      const queue = 31 - Math.clz32(changed & -changed);
      const index = port * queuesPerPort + queue;
      if (((held >> queue) & 1) === 1) this.laneWaits.begin(index, fromPs);
      else this.laneWaits.end(index, nowPs);
    }
    this.held[port] = held;
    if (held !== 0 && held === present) this.portWaits.begin(port, fromPs);
    else this.portWaits.end(port, nowPs);
  }
}
