// Transmitters: one per port, with eight queues each. Store and forward, no pre-emption.
// An idle port costs no event: transmission starts inside the arrival and the next arrival is scheduled at once; a port-free event
// exists only while something waits. Invariant: the waiting bit is set exactly while such an event is scheduled.
// A port is a 32-byte record and a queue a 16-byte one, so that a packet-hop touches few cache lines.

import type { Fabric } from '../../fabric/fabric.js';
import { type EventRecords, Word } from './event-records.js';
import { Event, eventBits as importedEventBits } from './events.js';
import type { EventWheel } from './event-wheel.js';
import { queueShift as importedQueueShift } from './packets.js';

export const queuesPerPort = 8;

// constants of this module fold into the machine code, imported ones do not
const { next: NEXT, port: PORT, bytes: BYTES, head: HEAD } = Word;
const eventBits = importedEventBits;
const queueShift = importedQueueShift;
const portFree = Event.portFree;
// a port's record: float64 free time, ps per byte, latency; int32 state
const FREE_AT = 0;
const PS_PER_BYTE = 1;
const LATENCY = 2;
const STATE = 6;
// the state word: bits of occupied queues, bits of paused queues, waiting, queue served last
const pausedShift = 8;
const waitingBit = 1 << 16;
const servedShift = 17;
const allQueues = 255;

export class Ports {
  readonly count: number;
  /** rate of each port's link in bit/s */
  readonly rateBps: Float64Array;
  private readonly reals: Float64Array;
  private readonly words: Int32Array;
  /** queue records, port x 8 + queue: int32 first packet, int32 last packet, float64 bytes */
  private readonly queueWords: Int32Array;
  private readonly queueReals: Float64Array;

  constructor(
    fabric: Fabric,
    private readonly wheel: EventWheel,
    private readonly records: EventRecords,
  ) {
    const n = fabric.portCount;
    this.count = n;
    const buffer = new ArrayBuffer(n * 32);
    this.reals = new Float64Array(buffer);
    this.words = new Int32Array(buffer);
    const queues = new ArrayBuffer(n * queuesPerPort * 16);
    this.queueWords = new Int32Array(queues);
    this.queueReals = new Float64Array(queues);
    this.rateBps = Float64Array.from({ length: n }, (_, port) => fabric.linkRateBps[fabric.portLink[port]!]!);
    for (let port = 0; port < n; port++) {
      this.reals[port * 4 + PS_PER_BYTE] = 8e12 / this.rateBps[port]!;
      this.reals[port * 4 + LATENCY] = fabric.linkLatencyPs[fabric.portLink[port]!]!;
      for (let queue = 0; queue < queuesPerPort; queue++) this.queueWords[(port * queuesPerPort + queue) * 4] = -1;
    }
  }

  /** True if a packet of a queue may go out at once: nothing is being sent, nobody is ahead, the queue is not paused. */
  mayTransmit(port: number, queue: number, nowPs: number): boolean {
    return (this.words[(port << 3) + STATE]! & (waitingBit | ((256 << queue) & ~256))) === 0 && this.reals[port << 2]! <= nowPs;
  }

  /** Nothing is being sent and no port-free event is scheduled. */
  isIdle(port: number, nowPs: number): boolean {
    return (this.words[(port << 3) + STATE]! & waitingBit) === 0 && this.reals[port << 2]! <= nowPs;
  }

  /** When the transmission in progress ends (or the last one ended), in picoseconds. */
  freeAtPs(port: number): number {
    return this.reals[port << 2]!;
  }

  /** Puts a packet on the wire; its arrival at the other end is scheduled. The port must be idle. */
  transmit(port: number, packet: number, nowPs: number): void {
    const { words } = this.records;
    const { reals } = this;
    const at = packet << 4;
    const own = port << 2;
    words[at + PORT] = port;
    const endPs = nowPs + Math.floor(words[at + BYTES]! * reals[own + PS_PER_BYTE]! + 0.5);
    reals[own + FREE_AT] = endPs;
    this.wheel.schedule(endPs + reals[own + LATENCY]!, packet);
  }

  /** Asks for a port-free event at the end of the transmission in progress. */
  wakeWhenFree(port: number): void {
    const state = this.words[(port << 3) + STATE]!;
    if ((state & waitingBit) !== 0) return;
    this.words[(port << 3) + STATE] = state | waitingBit;
    this.wheel.push(this.reals[port << 2]!, (port << eventBits) | portFree);
  }

  /** The port-free event has come. */
  woken(port: number): void {
    this.words[(port << 3) + STATE]! &= ~waitingBit;
  }

  /** Appends a packet to the queue that its head word names. */
  append(port: number, packet: number): void {
    const { words } = this.records;
    const { queueWords, queueReals } = this;
    const at = packet << 4;
    const queue = (words[at + HEAD]! >> queueShift) & 7;
    const index = (port << 3) + queue;
    words[at + NEXT] = -1;
    const first = index << 2;
    if (queueWords[first]! < 0) queueWords[first] = packet;
    else words[(queueWords[first + 1]! << 4) + NEXT] = packet;
    queueWords[first + 1] = packet;
    queueReals[(index << 1) + 1]! += words[at + BYTES]!;
    this.words[(port << 3) + STATE]! |= 1 << queue;
  }

  /** Removes the first packet of a queue that holds one. */
  take(port: number, queue: number): number {
    const { words } = this.records;
    const { queueWords, queueReals } = this;
    const index = (port << 3) + queue;
    const packet = queueWords[index << 2]!;
    const at = packet << 4;
    const next = words[at + NEXT]!;
    queueWords[index << 2] = next;
    if (next < 0) this.words[(port << 3) + STATE]! &= ~(1 << queue);
    queueReals[(index << 1) + 1]! -= words[at + BYTES]!;
    return packet;
  }

  /** Bytes that wait in a queue. */
  queueBytes(port: number, queue: number): number {
    return this.queueReals[(((port << 3) + queue) << 1) + 1]!;
  }

  /** Bits of the queues that hold packets and may send: queue 0 is never paused. */
  sendable(port: number): number {
    const state = this.words[(port << 3) + STATE]!;
    return state & allQueues & (~(state >> pausedShift) | 1);
  }

  /** Bits of the queues that the other end has paused. */
  pausedQueues(port: number): number {
    return (this.words[(port << 3) + STATE]! >> pausedShift) & allQueues;
  }

  setPaused(port: number, queue: number, isPaused: boolean): void {
    if (isPaused) this.words[(port << 3) + STATE]! |= 256 << queue;
    else this.words[(port << 3) + STATE]! &= ~(256 << queue);
  }

  /**
   * Chooses the next queue: 0 before all others, then round robin over 1..7.
   * @param eligible a non-zero result of `sendable`
   */
  chooseQueue(port: number, eligible: number): number {
    if ((eligible & (eligible - 1)) === 0) return 31 - Math.clz32(eligible);
    if ((eligible & 1) !== 0) return 0;
    const state = this.words[(port << 3) + STATE]!;
    const after = eligible & (-2 << ((state >> servedShift) & 7));
    const candidates = after !== 0 ? after : eligible;
    const queue = 31 - Math.clz32(candidates & -candidates);
    this.words[(port << 3) + STATE] = (state & ~(7 << servedShift)) | (queue << servedShift);
    return queue;
  }

  /** Sends a link-local control frame, which rides in queue 0: before all data, behind what is on the wire. */
  sendControl(port: number, frame: number, nowPs: number): void {
    if (this.isIdle(port, nowPs)) this.transmit(port, frame, nowPs);
    else {
      this.append(port, frame);
      this.wakeWhenFree(port);
    }
  }
}
