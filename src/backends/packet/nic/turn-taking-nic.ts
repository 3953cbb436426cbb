// The sending and receiving end: NIC ports that take turns among their queue pairs, acknowledgements before data. An
// NVSwitch that sends or receives itself is such an end, too; its ports also forward (nvswitches.ts).
// A queue pair is in its NIC's round robin only while it may send (data, window, rate), so a turn costs the same with
// one or 10,000.
// Invariant: a queue pair stands in at most one place: idle, ready (in the ring of its port) or paced (one pace event
// scheduled).
// Source: SimAI's NIC (docs/models/simai.md#hosts). Not modelled: DMA, doorbells, NIC processing time, a limit of queue
// pairs per NIC.

import { type EventRecords } from '../../../engine/event-records.js';
import type { Alarm } from '../../../engine/alarms.js';
import type { Clock } from '../../../engine/event-wheel.js';
import { HeadBits, Kind, type PacketPool, PacketWord } from '../packets.js';
import type { FlowEnds, NicParts } from '../parts.js';
import type { Balancing, PacketTelemetry, PacketWatcher, Transport } from '../plug-ins.js';
import type { Ports } from '../ports.js';
import type { Fabric } from '../../../fabric/fabric.js';
import type { Nic, SendGate } from './nic.js';
import { portWithoutRoute } from '../../../routing/port-without-route.js';
import type { SenderPacing } from './sender-pacing.js';
import { PairReal, PairWord, type QueuePairs, Turn } from '../queue-pairs.js';

// constants of this module fold into the machine code, imported ones do not
const { port: PORT, pair: PAIR, head: HEAD } = PacketWord;
const { turn: TURN, nextReady: NEXT_READY, slot: SLOT, nicPort: NIC_PORT, priority: PRIORITY } = PairWord;
const { nextPacket: NEXT_PACKET, packetCount: PACKET_COUNT } = PairWord;
const { nextSendPs: NEXT_SEND, paceBps: PACE } = PairReal;
const { idle: IDLE, ready: READY, paced: PACED } = Turn;
const DATA = Kind.data;
const PAUSE = Kind.pause;
const { bytesShift, kindMask, queueShift } = HeadBits;
// words of a port's turns
const FIRST = 0;
const LAST = 1;
const SENDER = 2;

export class TurnTakingNic implements Nic {
  private transport!: Transport;
  /**
   * 4 x port: first and last queue pair in its round robin; the queue pair whose packet is being sent, if it may send
   * another, -1 if none; unused
   */
  private readonly turns: Int32Array;

  private readonly fabric: Fabric;
  private readonly ports: Ports;
  private readonly packets: PacketPool;
  private readonly records: EventRecords;
  private readonly pairs: QueuePairs;
  private readonly clock: Clock;
  private readonly balancing: Balancing;
  private readonly telemetry: PacketTelemetry | null;
  private readonly watcher: PacketWatcher | null;
  private readonly flowEnds: FlowEnds;
  /** packets are paced at the rate of their queue pair */
  private readonly rateBound: boolean;
  /** senders with a rate of their own; null: there are none */
  private readonly pacing: SenderPacing | null;
  private readonly pace: Alarm;
  /** null: nobody closes gates */
  private gate: SendGate | null = null;

  constructor(parts: NicParts) {
    const { portCount } = parts.fabric;
    this.fabric = parts.fabric;
    this.ports = parts.ports;
    this.packets = parts.packets;
    this.records = parts.records;
    this.pairs = parts.pairs;
    this.clock = parts.clock;
    this.balancing = parts.balancing;
    this.telemetry = parts.telemetry;
    this.watcher = parts.watcher;
    this.flowEnds = parts.flowEnds;
    this.pacing = parts.pacing;
    this.rateBound = parts.settings.queuePair.rateBound || parts.pacing !== null;
    this.pace = parts.alarms.register('pace a queue pair', (pair) => this.paceDue(pair));
    this.turns = new Int32Array(4 * portCount).fill(-1);
  }

  addGate(gate: SendGate): void {
    const { gate: before } = this;
    this.gate = before === null ? gate : { isOpen: (pair) => before.isOpen(pair) && gate.isOpen(pair) };
  }

  /** Transport and NIC name each other; this closes the circle once. */
  use(transport: Transport): void {
    this.transport = transport;
  }

  /** A data or acknowledgement packet has reached its destination. */
  receive(packet: number): void {
    const at = packet << 3;
    const { words } = this.records;
    const pair = words[at + PAIR]!;
    if ((words[at + HEAD]! & kindMask) === DATA) {
      if (this.watcher !== null) this.watcher.arrived(packet, pair);
      this.transport.receiveData(packet, pair);
    } else this.transport.receiveAcknowledgement(packet, pair);
  }

  /** Sends the next packet of an idle port: a queued acknowledgement, else the next queue pair's data. */
  serve(port: number): void {
    const { ports } = this;
    this.rejoin(port);
    const eligible = ports.sendable(port);
    if (eligible !== 0) {
      const packet = ports.take(port, ports.chooseQueue(port, eligible));
      // frames of one port keep their order only if all of them take the time of frames
      if ((this.records.words[(packet << 3) + HEAD]! & kindMask) >= PAUSE) ports.transmitControl(port, packet);
      else ports.transmit(port, packet);
    } else if (!this.sendData(port)) {
      ports.rest(port);
      return;
    }
    if (this.wantsTurn(port)) ports.wakeAgain(port);
    else ports.wakeIfSendable(port);
  }

  /**
   * The packet sent last has left a port: its queue pair goes to the end of the ring, behind those that became ready
   * meanwhile.
   */
  rejoin(port: number): void {
    const at = (port << 2) + SENDER;
    const pair = this.turns[at]!;
    if (pair < 0) return;
    this.turns[at] = -1;
    this.appendToRing(pair, port);
  }

  /** Sends the next queue pair's data by a port with nothing on the wire. @returns false if none may send */
  sendData(port: number): boolean {
    const pair = this.takeTurn(port);
    if (pair < 0) return false;
    this.send(pair, port);
    return true;
  }

  /** True if a queue pair waits for its turn at a port. */
  wantsTurn(port: number): boolean {
    const at = port << 2;
    // below 0 only if both are
    return (this.turns[at + FIRST]! & this.turns[at + SENDER]!) >= 0;
  }

  /** The queue pair's rate allows its next packet. */
  private paceDue(pair: number): void {
    this.pairs.setIdle(pair);
    if (this.pairs.slotOf(pair) >= 0) this.canSendAgain(pair);
  }

  /** A paused queue of a port may send again. */
  resume(port: number): void {
    if (this.wantsTurn(port) || this.ports.sendable(port) !== 0) this.kick(port);
  }

  reply(packet: number, pair: number): void {
    const { ports } = this;
    const routed = this.balancing.depart(packet, pair, true);
    const port = routed >= 0 ? routed : this.replyPortWithoutRoute(pair);
    const { words } = this.records;
    const at = packet << 3;
    if (ports.mayTransmit(port, (words[at + HEAD]! >> queueShift) & 7)) {
      if (this.telemetry !== null) this.telemetry.passed(port, (words[at + HEAD]! >> bytesShift) + ports.gapBytes);
      ports.transmit(port, packet);
    } else {
      words[at + PORT] = port;
      ports.append(port, packet);
      if (ports.freeAtPs(port) > this.clock.nowPs) ports.wakeWhenFree(port);
    }
  }

  private replyPortWithoutRoute(pair: number): number {
    const { source, destination } = this.pairs;
    return portWithoutRoute(this.fabric, destination[pair]!, source[pair]!);
  }

  canSendAgain(pair: number): void {
    const { words } = this.pairs;
    if (words[(pair << 4) + TURN] !== IDLE || !this.maySend(pair)) return;
    const port = words[(pair << 4) + NIC_PORT]!;
    if (this.queueUp(pair, port)) this.kick(port);
  }

  finished(pair: number): void {
    this.flowEnds.flowFinished(pair);
  }

  /** Queue pairs may have moved to other ports of their hosts: all take their turns anew. */
  regroup(): void {
    const { pairs } = this;
    this.turns.fill(-1);
    for (let pair = 0; pair < pairs.count; pair++) if (pairs.words[(pair << 4) + TURN] === READY) pairs.setIdle(pair);
    for (let pair = 0; pair < pairs.count; pair++) if (pairs.slotOf(pair) >= 0) this.canSendAgain(pair);
  }

  private maySend(pair: number): boolean {
    return this.transport.canSend(pair) && (this.gate === null || this.gate.isOpen(pair));
  }

  private kick(port: number): void {
    if (this.ports.isIdle(port)) {
      this.ports.beginTurn(port);
      this.serve(port);
    } else this.ports.wakeWhenFree(port);
  }

  private send(pair: number, port: number): void {
    const { pairs, packets } = this;
    const packet = packets.allocate();
    const at = packet << 3;
    this.records.words[at + PAIR] = pair;
    pairs.reference(pair);
    this.transport.fill(pair, packet);
    this.balancing.depart(packet, pair, false);
    if (this.telemetry !== null) {
      this.telemetry.departed(packet);
      this.telemetry.passed(port, (this.records.words[at + HEAD]! >> bytesShift) + this.ports.gapBytes);
    }
    if (this.watcher !== null) this.watcher.departed(packet, port);
    this.ports.transmit(port, packet);
    if (this.rateBound) {
      const { reals } = pairs;
      reals[(pair << 3) + NEXT_SEND] =
        this.clock.nowPs +
        Math.floor(
          (((this.records.words[at + HEAD]! >> bytesShift) + this.ports.gapBytes) * 8e12) / reals[(pair << 3) + PACE]! +
            0.5,
        );
      if (this.pacing !== null) reals[(pair << 3) + NEXT_SEND]! += this.pacing.gapAfter(pair);
    }
    if (this.maySend(pair) && this.mayQueueUp(pair, port)) this.turns[(port << 2) + SENDER] = pair;
    if (this.flowEnds.tellsSent && pairs.words[(pair << 4) + NEXT_PACKET] === pairs.words[(pair << 4) + PACKET_COUNT])
      this.flowEnds.flowSent(pair);
  }

  /** Puts an idle queue pair that may send into the ring (true), or to sleep (false). */
  private queueUp(pair: number, port: number): boolean {
    if (!this.mayQueueUp(pair, port)) return false;
    this.appendToRing(pair, port);
    return true;
  }

  /**
   * Marks an idle queue pair that may send as ready (true), or puts it to sleep until its rate allows the next packet
   * (false).
   */
  private mayQueueUp(pair: number, port: number): boolean {
    const { pairs } = this;
    const nextPs = pairs.reals[(pair << 3) + NEXT_SEND]!;
    if (nextPs > this.clock.nowPs && nextPs > this.ports.freeAtPs(port)) {
      pairs.words[(pair << 4) + TURN] = PACED;
      this.pace.at(nextPs, pair);
      return false;
    }
    pairs.words[(pair << 4) + TURN] = READY;
    return true;
  }

  private appendToRing(pair: number, port: number): void {
    const { turns } = this;
    const { words } = this.pairs;
    const at = port << 2;
    words[(pair << 4) + NEXT_READY] = -1;
    if (turns[at + FIRST]! < 0) turns[at + FIRST] = pair;
    else words[(turns[at + LAST]! << 4) + NEXT_READY] = pair;
    turns[at + LAST] = pair;
  }

  /** Takes the next queue pair out of a port's ring that may send and is not paused; -1 if there is none. */
  private takeTurn(port: number): number {
    const { pairs, turns } = this;
    const paused = this.ports.pausedQueues(port);
    const first = (port << 2) + FIRST;
    const last = turns[(port << 2) + LAST]!;
    for (let pair = turns[first]!; pair >= 0; pair = turns[first]!) {
      const wasLast = pair === last;
      const { words } = pairs;
      turns[first] = words[(pair << 4) + NEXT_READY]!;
      if (words[(pair << 4) + SLOT]! < 0 || !this.maySend(pair)) pairs.setIdle(pair);
      else if ((paused & (1 << words[(pair << 4) + PRIORITY]!)) === 0) {
        words[(pair << 4) + TURN] = IDLE;
        return pair;
      } else this.appendToRing(pair, port);
      if (wasLast) break;
    }
    return -1;
  }
}
