// Long because the state of a port, word by word, is written in one place.
// Transmitters: one per port, with eight queues each. Store and forward, no pre-emption.
// An idle port costs no event: transmission starts inside the arrival and the next arrival is scheduled at once; a
// port-free event exists only while something waits. Invariant: outside a port's turn its waiting bit is set exactly
// while such an event is scheduled; a turn (serve) ends with exactly one of wakeIfSendable, wakeAgain and rest.
// A packet's gap is counted before its arrival, as if it went ahead of the packet (preamble and gap of the frame
// before). A port is an event record, numbered as the port: what it needs to send stands beside its port-free event. A
// queue is 16 bytes. So a packet-hop touches few cache lines.

import { fail } from '../../base/fail.js';
import type { Fabric } from '../../fabric/fabric.js';
import { portLatencyPs } from '../../fabric/forwarding-latency.js';
import { portRateBps, portSpeed } from '../../fabric/receive-speed.js';
import type { EventRecords } from '../../engine/event-records.js';
import type { Alarms } from '../../engine/alarms.js';
import type { EventWheel } from '../../engine/event-wheel.js';
import type { PauseListener } from './plug-ins.js';
import { HeadBits, Kind, PacketWord } from './packets.js';

export const queuesPerPort = 8;

/** Who holds a queue of a port back: each of them has to let it go before it sends again. */
export const PauseHolder = { priorityFlowControl: 0, sourceFlowControl: 1, watchdog: 2 } as const;

// constants of this module fold into the machine code, imported ones do not
const { next: NEXT, port: PORT, pair: PAIR, place: PLACE, head: HEAD } = PacketWord;
const PAUSE = Kind.pause;
const { bytesShift, kindMask, queueShift } = HeadBits;
// words of a port's record beyond those of an event; the time of its event is when it is free
const STATE = 4;
const CLASS = 5;
// the state word: bits of occupied queues, bits of paused queues, waiting, queue served last
const pausedShift = 8;
const waitingBit = 1 << 16;
const servedShift = 17;
const allQueues = 255;

/** The kind of alarm by which a port's transmission has ended and something waits; its id is the port. */
export const portFreeKind = 0;

export interface PortsParts {
  readonly fabric: Fabric;
  readonly wheel: EventWheel;
  readonly alarms: Alarms;
  /** link time of every packet and frame beyond its own bytes; left out: none */
  readonly gapBytes?: number;
  /** from the arrival of a control frame to its effect, in picoseconds; left out: none */
  readonly responsePs?: number;
}

export class Ports {
  readonly count: number;
  /** rate at which each port sends, in bit/s: that of its link, less if the host at the other end receives slowly */
  readonly rateBps: Float64Array;
  /**
   * queue records, queue x ports + port, so that the few queues in use stand close together: int32 first packet, int32
   * last packet, float64 bytes
   */
  private readonly queueWords: Int32Array;
  private readonly queueReals: Float64Array;
  /** by port x 8 + queue: a bit for each of PauseHolder that holds it */
  private readonly holders: Uint8Array;
  /** by port: 1 if a queue of it has been paused since somebody wrote 0; null: nobody asks */
  private pauses: Uint8Array | null = null;
  /** null: nobody wants to hear of pauses */
  private listener: PauseListener | null = null;
  /**
   * 4 x kind of link: its rate in bit/s; its latency in picoseconds, with that of the device at the other end; whole
   * picoseconds that a byte takes, 0 if they are not whole; unused
   */
  private linkClasses: Float64Array;

  private readonly fabric: Fabric;
  private readonly wheel: EventWheel;
  private readonly records: EventRecords;
  /** link time of every packet and frame beyond its own bytes: preamble and inter-frame gap */
  readonly gapBytes: number;
  /** from the arrival of a control frame to its effect, in picoseconds */
  private readonly responsePs: number;

  constructor({ fabric, wheel, alarms, gapBytes = 0, responsePs = 0 }: PortsParts) {
    const { records } = wheel;
    this.fabric = fabric;
    this.wheel = wheel;
    this.records = records;
    this.gapBytes = gapBytes;
    this.responsePs = responsePs;
    // the loop serves a port at once, without asking the table (packet-network.ts)
    const portFree = alarms.register('port free', () => fail('a port that is free is not served'));
    if (portFree.kind !== portFreeKind) fail('ports must register the first kind of alarm');
    const n = fabric.portCount;
    this.count = n;
    const queues = new ArrayBuffer(n * queuesPerPort * 16);
    this.queueWords = new Int32Array(queues);
    this.queueReals = new Float64Array(queues);
    this.holders = new Uint8Array(n * queuesPerPort);
    this.rateBps = Float64Array.from({ length: n }, (_, port) => portRateBps(fabric, port));
    this.linkClasses = new Float64Array(0);
    for (let port = 0; port < n; port++) {
      if (records.allocate() !== port) fail('the ports must have the first event records');
      records.words[(port << 3) + PORT] = ~portFree.codeOf(port);
      records.words[(port << 3) + STATE] = 0;
      records.words[(port << 3) + CLASS] = this.classOf(this.rateBps[port]!, portLatencyPs(fabric, port));
      records.reals[port << 2] = 0;
      for (let queue = 0; queue < queuesPerPort; queue++) this.queueWords[(queue * n + port) << 2] = -1;
    }
  }

  /** Changes the rate of a port's link, from the next packet on. */
  setLinkRate(port: number, linkRateBps: number): void {
    const { words } = this.records;
    const rateBps = linkRateBps * portSpeed(this.fabric, port);
    const at = (port << 3) + CLASS;
    this.rateBps[port] = rateBps;
    words[at] = this.classOf(rateBps, this.linkClasses[(words[at]! << 2) + 1]!);
  }

  /** When the transmission of a packet that has just arrived began, at the present rate of its link, in picoseconds. */
  sentAtPs(packet: number): number {
    const { words, reals } = this.records;
    const at = packet << 3;
    const port = words[at + PORT]!;
    const link = words[(port << 3) + CLASS]! << 2;
    const latencyPs =
      (words[at + HEAD]! & kindMask) >= PAUSE ? this.controlLatencyPs(port) : this.linkClasses[link + 1]!;
    return reals[packet << 2]! - latencyPs - this.transmissionPs(link, words[at + HEAD]! >> bytesShift);
  }

  /**
   * True if a packet of a queue may go out at once: nothing is being sent, nobody is ahead, the queue is not paused.
   */
  mayTransmit(port: number, queue: number): boolean {
    return (
      (this.records.words[(port << 3) + STATE]! & (waitingBit | ((256 << queue) & ~256))) === 0 &&
      this.records.reals[port << 2]! <= this.wheel.nowPs
    );
  }

  /** Nothing is being sent and no port-free event is scheduled. */
  isIdle(port: number): boolean {
    return (
      (this.records.words[(port << 3) + STATE]! & waitingBit) === 0 &&
      this.records.reals[port << 2]! <= this.wheel.nowPs
    );
  }

  /** What time it is. */
  get nowPs(): number {
    return this.wheel.nowPs;
  }

  /** When the transmission in progress ends (or the last one ended), in picoseconds. */
  freeAtPs(port: number): number {
    return this.records.reals[port << 2]!;
  }

  /** The number of a kind of link; few, so they are searched. */
  private classOf(rateBps: number, latencyPs: number): number {
    const classes = this.linkClasses;
    for (let at = 0; at < classes.length; at += 4)
      if (classes[at] === rateBps && classes[at + 1] === latencyPs) return at >> 2;
    const perBytePs = 8e12 / rateBps;
    this.linkClasses = Float64Array.of(...classes, rateBps, latencyPs, Number.isInteger(perBytePs) ? perBytePs : 0, 0);
    return classes.length >> 2;
  }

  /** How long a packet occupies a link, to the nearest picosecond. @param link 4 x its kind */
  private transmissionPs(link: number, sizeBytes: number): number {
    const linkBytes = sizeBytes + this.gapBytes;
    // the same to the bit: a division less
    const perBytePs = this.linkClasses[link + 2]!;
    if (perBytePs !== 0) return linkBytes * perBytePs;
    return Math.floor((linkBytes * 8e12) / this.linkClasses[link]! + 0.5);
  }

  /** Puts a packet on the wire; its arrival at the other end is scheduled. The port must be idle. */
  transmit(port: number, packet: number): void {
    const { words, reals } = this.records;
    const at = packet << 3;
    const link = words[(port << 3) + CLASS]! << 2;
    words[at + PORT] = port;
    const endPs = this.wheel.nowPs + this.transmissionPs(link, words[at + HEAD]! >> bytesShift);
    reals[port << 2] = endPs;
    reals[packet << 2] = endPs + this.linkClasses[link + 1]!;
    this.wheel.schedule(packet);
  }

  /** Asks for a port-free event at the end of the transmission in progress. */
  wakeWhenFree(port: number): void {
    const { words } = this.records;
    const state = words[(port << 3) + STATE]!;
    if ((state & waitingBit) !== 0) return;
    words[(port << 3) + STATE] = state | waitingBit;
    this.wheel.schedule(port);
  }

  /**
   * An idle port is served without a port-free event, as if one had come: what asks for the next one meanwhile gets it
   * at the end of the turn.
   */
  beginTurn(port: number): void {
    this.records.words[(port << 3) + STATE]! |= waitingBit;
  }

  /** At the end of a turn: the next port-free event, if something may go then. The last one, if any, has come. */
  wakeIfSendable(port: number): void {
    const { words } = this.records;
    const state = words[(port << 3) + STATE]!;
    if ((state & allQueues & (~(state >> pausedShift) | 1)) === 0) words[(port << 3) + STATE] = state & ~waitingBit;
    else this.wakeAgain(port);
  }

  /** At the end of a turn: the next port-free event. The last one, if any, has come. */
  wakeAgain(port: number): void {
    this.records.words[(port << 3) + STATE]! |= waitingBit;
    this.wheel.schedule(port);
  }

  /** At the end of a turn: nothing to do until somebody asks. */
  rest(port: number): void {
    this.records.words[(port << 3) + STATE]! &= ~waitingBit;
  }

  /** Appends a packet to the queue that its head word names. */
  append(port: number, packet: number): void {
    const { words } = this.records;
    const { queueWords, queueReals } = this;
    const at = packet << 3;
    const queue = (words[at + HEAD]! >> queueShift) & 7;
    const index = queue * this.count + port;
    words[at + NEXT] = -1;
    const first = index << 2;
    if (queueWords[first]! < 0) queueWords[first] = packet;
    else words[(queueWords[first + 1]! << 3) + NEXT] = packet;
    queueWords[first + 1] = packet;
    queueReals[(index << 1) + 1]! += words[at + HEAD]! >> bytesShift;
    this.records.words[(port << 3) + STATE]! |= 1 << queue;
  }

  /** Removes the first packet of a queue that holds one. */
  take(port: number, queue: number): number {
    const { words } = this.records;
    const { queueWords, queueReals } = this;
    const index = queue * this.count + port;
    const packet = queueWords[index << 2]!;
    const at = packet << 3;
    const next = words[at + NEXT]!;
    queueWords[index << 2] = next;
    if (next < 0) this.records.words[(port << 3) + STATE]! &= ~(1 << queue);
    queueReals[(index << 1) + 1]! -= words[at + HEAD]! >> bytesShift;
    return packet;
  }

  /** Calls back with every packet of a queue, first to last: for checks, not for the hot path. */
  forEachQueued(port: number, queue: number, look: (packet: number) => void): void {
    const { words } = this.records;
    const at = (queue * this.count + port) << 2;
    for (let packet = this.queueWords[at]!; packet >= 0; packet = words[(packet << 3) + NEXT]!) look(packet);
  }

  /** Bytes that wait in a queue. */
  queueBytes(port: number, queue: number): number {
    return this.queueReals[((queue * this.count + port) << 1) + 1]!;
  }

  /** Bytes that a port has still to put on its link: all that wait, and what is left of the packet being sent. */
  backlogBytes(port: number): number {
    const restPs = this.records.reals[port << 2]! - this.wheel.nowPs;
    let bytes = restPs > 0 ? (restPs * this.rateBps[port]!) / 8e12 : 0;
    for (let left = this.records.words[(port << 3) + STATE]! & allQueues; left !== 0; left &= left - 1)
      bytes += this.queueReals[(((31 - Math.clz32(left & -left)) * this.count + port) << 1) + 1]!;
    return bytes;
  }

  /** Bits of the queues that hold packets. */
  occupiedQueues(port: number): number {
    return this.records.words[(port << 3) + STATE]! & allQueues;
  }

  /** Bits of the queues that hold packets and may send: queue 0 is never paused. */
  sendable(port: number): number {
    const state = this.records.words[(port << 3) + STATE]!;
    return state & allQueues & (~(state >> pausedShift) | 1);
  }

  /** Bits of the queues that the other end has paused. */
  pausedQueues(port: number): number {
    return (this.records.words[(port << 3) + STATE]! >> pausedShift) & allQueues;
  }

  /** @param holder on whose behalf (PauseHolder); the queue stays paused while another one holds it */
  setPaused(port: number, queue: number, isPaused: boolean, holder: number = PauseHolder.priorityFlowControl): void {
    const isHeard = this.listener !== null && holder === PauseHolder.priorityFlowControl;
    if (isHeard && this.listener!.paused(port, queue, isPaused) && isPaused) return;
    this.hold(port, queue, isPaused, holder);
  }

  /** The same without a word to who hears of pauses. */
  hold(port: number, queue: number, isPaused: boolean, holder: number): void {
    const index = port * queuesPerPort + queue;
    const before = this.holders[index]!;
    const holders = isPaused ? before | (1 << holder) : before & ~(1 << holder);
    this.holders[index] = holders;
    if (isPaused && this.pauses !== null) this.pauses[port] = 1;
    if (holders !== 0) this.records.words[(port << 3) + STATE]! |= 256 << queue;
    else this.records.words[(port << 3) + STATE]! &= ~(256 << queue);
  }

  /** Who is told of pauses from now on. */
  watchPauses(listener: PauseListener): void {
    this.listener = listener;
  }

  /** @returns by port 1 as soon as a queue of it is paused, until its owner writes 0 */
  rememberPauses(): Uint8Array {
    return (this.pauses ??= new Uint8Array(this.count));
  }

  /** Whether somebody (PauseHolder) holds a queue of a port back. */
  isHeldBy(port: number, queue: number, holder: number): boolean {
    return (this.holders[port * queuesPerPort + queue]! & (1 << holder)) !== 0;
  }

  /**
   * Chooses the next queue: 0 before all others, then round robin over 1..7.
   * @param eligible a non-zero result of `sendable`
   */
  chooseQueue(port: number, eligible: number): number {
    if ((eligible & (eligible - 1)) === 0) return 31 - Math.clz32(eligible);
    if ((eligible & 1) !== 0) return 0;
    const state = this.records.words[(port << 3) + STATE]!;
    const after = eligible & (-2 << ((state >> servedShift) & 7));
    const candidates = after !== 0 ? after : eligible;
    const queue = 31 - Math.clz32(candidates & -candidates);
    this.records.words[(port << 3) + STATE] = (state & ~(7 << servedShift)) | (queue << servedShift);
    return queue;
  }

  /**
   * Sends a link-local control frame, which rides in queue 0: before everything but earlier control frames, behind what
   * is on the wire.
   */
  sendControl(port: number, frame: number): void {
    if (this.isIdle(port)) this.transmitControl(port, frame);
    else {
      this.insertControl(port, frame);
      this.wakeWhenFree(port);
    }
  }

  /**
   * Puts a control frame on the wire. The MAC at the other end takes it: it acts after the cable and the response time.
   */
  transmitControl(port: number, frame: number): void {
    const { words, reals } = this.records;
    words[(frame << 3) + PORT] = port;
    const link = words[(port << 3) + CLASS]! << 2;
    const endPs = this.wheel.nowPs + this.transmissionPs(link, words[(frame << 3) + HEAD]! >> bytesShift);
    reals[port << 2] = endPs;
    reals[frame << 2] = endPs + this.controlLatencyPs(port);
    this.wheel.schedule(frame);
  }

  /**
   * The frame for a queue (its place word) that still waits at a port, of the flow control with a signature; -1 if
   * there is none.
   */
  waitingControl(port: number, queue: number, signature: number): number {
    const { words } = this.records;
    let frame = this.queueWords[port << 2]!;
    while (frame >= 0 && (words[(frame << 3) + HEAD]! & kindMask) >= PAUSE) {
      if (words[(frame << 3) + PLACE] === queue && words[(frame << 3) + PAIR] === signature) return frame;
      frame = words[(frame << 3) + NEXT]!;
    }
    return -1;
  }

  private controlLatencyPs(port: number): number {
    return this.fabric.linkLatencyPs[this.fabric.portLink[port]!]! + this.responsePs;
  }

  /** Queues a control frame in queue 0, behind other control frames and before acknowledgements. */
  protected insertControl(port: number, frame: number): void {
    const { words } = this.records;
    const { queueWords, queueReals } = this;
    const first = port << 2;
    let before = -1;
    let after = queueWords[first]!;
    while (after >= 0 && (words[(after << 3) + HEAD]! & kindMask) >= PAUSE) {
      before = after;
      after = words[(after << 3) + NEXT]!;
    }
    words[(frame << 3) + NEXT] = after;
    if (before < 0) queueWords[first] = frame;
    else words[(before << 3) + NEXT] = frame;
    if (after < 0) queueWords[first + 1] = frame;
    queueReals[(port << 1) + 1]! += words[(frame << 3) + HEAD]! >> bytesShift;
    words[(port << 3) + STATE]! |= 1;
  }
}
