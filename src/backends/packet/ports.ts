// Transmitters: one per port, with eight queues each. Store and forward, no pre-emption.
// An idle port costs no event: transmission starts inside the arrival and the next arrival is scheduled at once; a port-free event
// exists only while something waits. Invariant: `waiting` is set exactly while such an event is scheduled.

import type { Fabric } from '../../fabric/fabric.js';
import { Event, eventBits } from './events.js';
import type { EventWheel } from './event-wheel.js';
import { Kind, kindMask, type PacketPool, queueShift, Word } from './packets.js';

export const queuesPerPort = 8;

export class Ports {
  /** when the running transmission of each port ends */
  readonly freeAtPs: Float64Array;
  /** 1 while a port-free event is scheduled */
  readonly waiting: Uint8Array;
  /** bit q: queue q holds packets */
  readonly occupied: Uint8Array;
  /** bit q: queue q is paused by the other end */
  readonly paused: Uint8Array;
  /** queue served last, for the round robin over queues 1..7 */
  readonly served: Uint8Array;
  readonly head: Int32Array;
  readonly tail: Int32Array;
  /** bytes of each queue: port x 8 + queue */
  readonly queueBytes: Float64Array;
  readonly psPerByte: Float64Array;
  readonly latencyPs: Float64Array;
  /** rate of each port's link in bit/s */
  readonly rateBps: Float64Array;

  constructor(
    fabric: Fabric,
    private readonly wheel: EventWheel,
    private readonly packets: PacketPool,
  ) {
    const n = fabric.portCount;
    this.freeAtPs = new Float64Array(n);
    this.waiting = new Uint8Array(n);
    this.occupied = new Uint8Array(n);
    this.paused = new Uint8Array(n);
    this.served = new Uint8Array(n);
    this.head = new Int32Array(n * queuesPerPort).fill(-1);
    this.tail = new Int32Array(n * queuesPerPort).fill(-1);
    this.queueBytes = new Float64Array(n * queuesPerPort);
    this.rateBps = Float64Array.from({ length: n }, (_, port) => fabric.linkRateBps[fabric.portLink[port]!]!);
    this.psPerByte = this.rateBps.map((rateBps) => 8e12 / rateBps);
    this.latencyPs = Float64Array.from({ length: n }, (_, port) => fabric.linkLatencyPs[fabric.portLink[port]!]!);
  }

  /** True if a packet may go out at once: nothing is being sent and nobody is ahead. */
  isIdle(port: number, nowPs: number): boolean {
    return this.freeAtPs[port]! <= nowPs && this.waiting[port] === 0;
  }

  /** Puts a packet on the wire; its arrival at the other end is scheduled. The port must be idle. */
  transmit(port: number, packet: number, nowPs: number): void {
    const { words } = this.packets;
    const at = packet << 3;
    words[at + Word.port] = port;
    const endPs = nowPs + Math.floor(words[at + Word.bytes]! * this.psPerByte[port]! + 0.5);
    this.freeAtPs[port] = endPs;
    this.wheel.push(endPs + this.latencyPs[port]!, (packet << eventBits) | Event.arrival);
  }

  /** Asks for a port-free event at the end of the running transmission. */
  wakeWhenFree(port: number): void {
    if (this.waiting[port] !== 0) return;
    this.waiting[port] = 1;
    this.wheel.push(this.freeAtPs[port]!, (port << eventBits) | Event.portFree);
  }

  /** Appends a packet to the queue that its head word names. */
  append(port: number, packet: number): void {
    const { words } = this.packets;
    const at = packet << 3;
    const queue = (words[at + Word.head]! >> queueShift) & 7;
    const index = port * queuesPerPort + queue;
    words[at + Word.next] = -1;
    if (this.head[index]! < 0) this.head[index] = packet;
    else words[(this.tail[index]! << 3) + Word.next] = packet;
    this.tail[index] = packet;
    this.queueBytes[index]! += words[at + Word.bytes]!;
    this.occupied[port]! |= 1 << queue;
  }

  /** Removes the first packet of a queue that holds one. */
  take(port: number, queue: number): number {
    const { words } = this.packets;
    const index = port * queuesPerPort + queue;
    const packet = this.head[index]!;
    const at = packet << 3;
    const next = words[at + Word.next]!;
    this.head[index] = next;
    if (next < 0) this.occupied[port]! &= ~(1 << queue);
    this.queueBytes[index]! -= words[at + Word.bytes]!;
    return packet;
  }

  /** Bits of the queues that hold packets and may send: queue 0 is never paused. */
  sendable(port: number): number {
    return this.occupied[port]! & (~this.paused[port]! | 1);
  }

  /**
   * Chooses the next queue: 0 before all others, then round robin over 1..7.
   * @param eligible a non-zero result of `sendable`
   */
  chooseQueue(port: number, eligible: number): number {
    if ((eligible & 1) !== 0) return 0;
    if ((eligible & (eligible - 1)) === 0) return 31 - Math.clz32(eligible);
    const after = eligible & (-2 << this.served[port]!);
    const candidates = after !== 0 ? after : eligible;
    const queue = 31 - Math.clz32(candidates & -candidates);
    this.served[port] = queue;
    return queue;
  }

  /** Sends a link-local control frame: before all data, behind what is on the wire. */
  sendControl(port: number, frame: number, nowPs: number): void {
    if (this.isIdle(port, nowPs)) this.transmit(port, frame, nowPs);
    else {
      this.append(port, frame);
      if (this.freeAtPs[port]! > nowPs) this.wakeWhenFree(port);
    }
  }

  /** True if the packet is a link-local control frame. */
  isControl(packet: number): boolean {
    return (this.packets.words[(packet << 3) + Word.head]! & kindMask) >= Kind.pause;
  }
}
