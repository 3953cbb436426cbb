// The output ports: each sends one packet at a time, of a lane that has one and has the credits for it; lanes take
// turns, and on a lane what is under way goes before what its own node begins. An idle port costs no event: it has one
// only while something waits for the end of a transmission or for credits.
// Invariants: no packet is sent without credits for all of it, so no buffer ever holds more than it has; nothing is
// dropped. A credit goes back when its packet has left the buffer (input-buffer), or as soon as the port that it goes to
// has room for it: for what is accepted and waits (output-queue), or also for what it has sent and no credit is back for
// (output-buffer, the peer's). Packets that wait for room do so in the order in which they came.
// Source: InfiniBand Architecture Specification vol. 1, 7.6 (lanes and their arbitration) and 7.9 (credits). Not
// modelled: weights of the arbitration, the bandwidth inside a switch.

import type { Int32List } from '../../base/columns.js';
import type { Alarm, Alarms } from '../../engine/alarms.js';
import type { EventWheel } from '../../engine/event-wheel.js';
import type { Driver } from '../../execution/network.js';
import type { Fabric } from '../../fabric/fabric.js';
import { portRateBps, portSpeed } from '../../fabric/receive-speed.js';
import type { PacketSampler } from '../../sampling/packet-sampler.js';
import { ChunkWord, type Chunks } from './chunks.js';
import { CreditPools } from './credit-pools.js';
import { LaneQueues } from './lane-queues.js';
import {
  type LineRecords,
  PortReal,
  portRecords,
  PortWord,
  QueueReal,
  queueRecords,
  QueueWord,
} from './line-records.js';
import type { PacketLanes } from './lanes.js';
import type { PortRules } from './link-buffers.js';
import type { PacedTurns } from './paced-turns.js';
import type { PortTallies } from './port-tallies.js';
import { QueueLoads } from './queue-loads.js';
import { SendRings } from './send-rings.js';
import type { Senders } from './senders.js';

const { port: PORT, slot: SLOT, hop: HOP, bytes: BYTES, pool: POOL, next: NEXT } = ChunkWord;
const { waiting: WAITING, turn: TURN, isDown: IS_DOWN, hasEnd: HAS_END, nodeBehind: NODE_BEHIND } = PortWord;
const { busyUntilPs: BUSY_UNTIL, sentBytes: SENT_BYTES, fullPs: FULL_PS, latencyPs: LATENCY } = PortReal;
const { head: HEAD, unaccepted: UNACCEPTED, isStarved: IS_STARVED } = QueueWord;
const { bytes: QUEUE_BYTES, returnPs: RETURN, acceptedBytes: ACCEPTED, looksPs: LOOKS_PS } = QueueReal;

/** What the ports are made of. */
export interface OutputPortParts {
  readonly fabric: Fabric;
  readonly wheel: EventWheel;
  readonly alarms: Alarms;
  readonly chunks: Chunks;
  readonly senders: Senders;
  readonly rules: PortRules;
  readonly packetLanes: PacketLanes;
  /** null: no sender has a rate of its own */
  readonly paced: PacedTurns | null;
  /** null: packets carry no samples */
  readonly sampler: PacketSampler | null;
  /** null: nobody polls counters */
  readonly tallies: PortTallies | null;
  /** whether somebody asks for the loads of queues */
  readonly comparesLoads: boolean;
}

export class OutputPorts {
  readonly credits: CreditPools;
  readonly queues: LaneQueues;
  readonly rings: SendRings;
  /** of all ports; of all queues (port x lanes + lane) */
  private readonly ports: LineRecords;
  private readonly lines: LineRecords;
  /** null: nobody asks */
  readonly loads: QueueLoads | null;
  /** times that a port had a packet, was free, and had no credits for it */
  stalls = 0;
  private readonly fabric: Fabric;
  private readonly wheel: EventWheel;
  private readonly chunks: Chunks;
  private readonly senders: Senders;
  private readonly rules: PortRules;
  private readonly packetLanes: PacketLanes;
  private readonly paced: PacedTurns | null;
  private readonly sampler: PacketSampler | null;
  private readonly tallies: PortTallies | null;
  /** by queue: 1 if it has waited for credits since its host's last packet; only where packets carry samples */
  private readonly hasWaited: Uint8Array;
  private readonly rateBps: Float64Array;
  /** by port: time of a header */
  private readonly headerPs: Float64Array;
  private readonly lanes: number;
  private readonly fullBytes: number;
  private readonly cutsThrough: boolean;
  private readonly acceptsAtOutput: boolean;
  private readonly sharesBuffer: boolean;
  private readonly ends: Alarm;
  private readonly looks: Alarm;
  private driver!: Driver;
  private readonly left: Alarm;

  constructor(parts: OutputPortParts) {
    const { fabric, wheel, alarms, chunks, rules } = parts;
    this.fabric = fabric;
    this.wheel = wheel;
    this.chunks = chunks;
    this.senders = parts.senders;
    this.rules = rules;
    this.packetLanes = parts.packetLanes;
    this.paced = parts.paced;
    this.sampler = parts.sampler;
    this.tallies = parts.tallies;
    const { portCount } = fabric;
    const { lanes } = rules;
    const queues = portCount * lanes;
    this.lanes = lanes;
    this.fullBytes = rules.fullBytes;
    this.cutsThrough = rules.cutsThrough;
    this.acceptsAtOutput = rules.acceptsAtOutput;
    this.sharesBuffer = rules.sharesBuffer;
    this.ports = portRecords(fabric);
    this.lines = queueRecords(fabric, rules);
    const { words, reals } = this.lines;
    this.loads = parts.comparesLoads ? new QueueLoads(queues) : null;
    this.credits = new CreditPools(this.lines, lanes, rules.bufferBytes, this.loads);
    this.queues = new LaneQueues(chunks.records, this.lines, this.loads);
    this.rings = new SendRings(queues);
    this.rateBps = new Float64Array(portCount);
    this.headerPs = new Float64Array(portCount);
    for (let port = 0; port < portCount; port++) this.setRate(port, portRateBps(fabric, port));
    this.hasWaited = new Uint8Array(parts.sampler === null ? 0 : queues);
    this.ends = alarms.register('a port has sent a packet', (port) => {
      this.ports.words[(port << 4) + HAS_END] = 0;
      this.serve(port);
    });
    this.looks = alarms.register('credits have come back', (queue) => {
      if (wheel.nowPs >= reals[(queue << 3) + LOOKS_PS]!) reals[(queue << 3) + LOOKS_PS] = Infinity;
      words[(queue << 4) + IS_STARVED] = 0;
      if (this.tallies !== null) this.tallies.goesOn(queue, wheel.nowPs);
      if (this.sharesBuffer && words[(queue << 4) + UNACCEPTED]! >= 0) this.accept(queue, wheel.nowPs);
      this.serve(Math.floor(queue / lanes));
    });
    this.left = alarms.register('a queue pair has sent everything', (slot) => this.driver.sent?.(slot, wheel.nowPs));
  }

  attach(driver: Driver): void {
    this.driver = driver;
  }

  /** A queue pair has packets for a lane of its sender's port, and may send one. */
  begin(slot: number): void {
    const port = this.senders.port[slot]!;
    const lane = this.senders.lane[slot]!;
    this.rings.add(port * this.lanes + lane, slot);
    this.ports.words[(port << 4) + WAITING]! |= 1 << lane;
    this.serve(port);
  }

  /** Bytes that a port has begun to send. */
  sentBytes(port: number): number {
    return this.ports.reals[(port << 3) + SENT_BYTES]!;
  }

  /** A packet waits for an output port of the node at which it is. */
  enter(record: number, port: number): void {
    const { chunks, packetLanes } = this;
    const lane = packetLanes.isSteady
      ? this.senders.lane[chunks.records.words[(record << 3) + SLOT]!]!
      : packetLanes.next(record, port);
    const queue = port * this.lanes + lane;
    this.queues.add(queue, record);
    if (this.sampler !== null && this.sampler.passes(record, port)) this.sampleAt(this.sampler, record, port, queue);
    if (this.acceptsAtOutput && this.lines.words[(queue << 4) + UNACCEPTED]! < 0) {
      this.lines.words[(queue << 4) + UNACCEPTED] = record;
      this.accept(queue, this.wheel.nowPs);
    }
    this.ports.words[(port << 4) + WAITING]! |= 1 << lane;
    this.serve(port);
  }

  /** A packet is at the end of its way: its buffer is free at once. */
  leave(record: number): void {
    const { nowPs } = this.wheel;
    this.giveBack(record, nowPs, nowPs);
  }

  /** The link of a port has another rate, or is down and sends nothing more; what is on it arrives. */
  linkChanged(port: number, linkBps: number, isUp: boolean): void {
    this.setRate(port, linkBps * portSpeed(this.fabric, port));
    this.ports.words[(port << 4) + IS_DOWN] = isUp ? 0 : 1;
    if (isUp) this.serve(port);
    else if (this.tallies !== null) this.tallies.stops(port, this.wheel.nowPs);
  }

  /** A queue pair does not send by its port any more. @returns whether it had a turn to wait for */
  withdraw(slot: number): boolean {
    const port = this.senders.port[slot]!;
    const lane = this.senders.lane[slot]!;
    const queue = port * this.lanes + lane;
    if (!this.rings.remove(queue, slot)) return false;
    this.settleWaiting(port, lane, queue);
    return true;
  }

  /** Takes the packets of others off a port. @param into receives them, lane by lane in their order */
  takePackets(port: number, into: Int32List): void {
    const { lanes } = this;
    const { words, reals } = this.lines;
    for (let lane = 0; lane < lanes; lane++) {
      const queue = port * lanes + lane;
      while (words[(queue << 4) + HEAD]! >= 0) into.push(this.queues.take(queue));
      reals[(queue << 3) + ACCEPTED] = 0;
      words[(queue << 4) + UNACCEPTED] = -1;
      this.settleWaiting(port, lane, queue);
    }
  }

  /** Whether a lane of a port waits for credits that are not under way. */
  isHeld(queue: number): boolean {
    return this.lines.words[(queue << 4) + IS_STARVED] === 1 && this.credits.nextPs(queue) === Infinity;
  }

  private setRate(port: number, rateBps: number): void {
    this.rateBps[port] = rateBps;
    this.ports.reals[(port << 3) + FULL_PS] = serialisationPs(this.rules.fullBytes, rateBps);
    this.headerPs[port] = serialisationPs(this.rules.headerBytes, rateBps);
  }

  private serve(port: number): void {
    const { words, reals } = this.ports;
    const at = port << 4;
    const waiting = words[at + WAITING]!;
    if (waiting === 0 || words[at + IS_DOWN] === 1) return;
    const { nowPs } = this.wheel;
    if (nowPs < reals[(port << 3) + BUSY_UNTIL]!) {
      this.waitForEnd(port);
      return;
    }
    const { lanes } = this;
    const first = words[at + TURN]!;
    for (let i = 0; i < lanes; i++) {
      const lane = first + i < lanes ? first + i : first + i - lanes;
      if ((waiting & (1 << lane)) === 0) continue;
      const queue = port * lanes + lane;
      if (this.sends(port, lane, queue, nowPs)) {
        words[at + TURN] = lane + 1 === lanes ? 0 : lane + 1;
        if (words[at + WAITING] !== 0) this.waitForEnd(port);
        return;
      }
    }
    if (this.tallies !== null) this.tallies.stands(port, nowPs);
  }

  private waitForEnd(port: number): void {
    const { words, reals } = this.ports;
    if (words[(port << 4) + HAS_END] === 1) return;
    words[(port << 4) + HAS_END] = 1;
    this.ends.at(reals[(port << 3) + BUSY_UNTIL]!, port);
  }

  /** Sends the next packet of a lane if there are credits for it. @returns whether there were */
  private sends(port: number, lane: number, queue: number, nowPs: number): boolean {
    const { queues, rings, senders, chunks, credits } = this;
    const head = this.lines.words[(queue << 4) + HEAD]!;
    if (this.sharesBuffer && this.lines.words[(queue << 4) + UNACCEPTED] === head) this.accept(queue, nowPs);
    const slot = head >= 0 ? -1 : rings.first(queue);
    const bytes = head >= 0 ? chunks.records.words[(head << 3) + BYTES]! : senders.nextBytes(slot);
    if (!credits.take(queue, bytes, nowPs)) {
      this.stalls++;
      this.lines.words[(queue << 4) + IS_STARVED] = 1;
      if (this.sampler !== null) this.hasWaited[queue] = 1;
      if (this.tallies !== null) {
        const counted = head >= 0 ? this.packetLanes.counted(head, port) : this.packetLanes.countedFirst(slot, port);
        this.tallies.passedOver(port, queue, counted, nowPs);
      }
      this.lookAt(queue, credits.nextPs(queue));
      return false;
    }
    if (head >= 0) {
      queues.take(queue);
      if (this.acceptsAtOutput) this.lines.reals[(queue << 3) + ACCEPTED]! -= bytes;
      if (this.acceptsAtOutput && !this.sharesBuffer) this.accept(queue, nowPs);
      this.transmit(head, port, queue, nowPs);
    } else {
      const record = chunks.allocate();
      const at = record << 3;
      const { words } = chunks.records;
      words[at + SLOT] = slot;
      words[at + HOP] = 0;
      words[at + BYTES] = bytes;
      words[at + POOL] = -1;
      chunks.sentPs[record] = nowPs;
      if (chunks.mayOvertake) chunks.number[record] = senders.nextNumber(slot);
      if (this.cutsThrough) chunks.tailPs[record] = nowPs;
      if (this.sampler !== null) {
        this.sampler.departs(record, port, this.hasWaited[queue] === 1 || rings.holdsSeveral(queue));
        this.hasWaited[queue] = 0;
      }
      this.transmit(record, port, queue, nowPs);
      if (!senders.sent(slot)) {
        rings.removeFirst(queue);
        if (this.driver.sent !== undefined) this.left.at(this.endPs(port), slot);
      } else if (this.paced !== null && this.paced.rests(slot, bytes, nowPs, this.endPs(port)))
        rings.removeFirst(queue);
      else rings.turn(queue);
    }
    this.settleWaiting(port, lane, queue);
    return true;
  }

  /** A packet has come to a queue whose port goes into its reservoir: what waits, and what credits there are. */
  private sampleAt(sampler: PacketSampler, record: number, port: number, queue: number): void {
    const atHandBytes = this.credits.atHandBytes(queue, this.wheel.nowPs);
    sampler.congestion(record, port, this.lines.reals[(queue << 3) + QUEUE_BYTES]!, atHandBytes);
  }

  private settleWaiting(port: number, lane: number, queue: number): void {
    if (this.lines.words[(queue << 4) + HEAD]! >= 0 || !this.rings.isEmpty(queue)) return;
    const { words } = this.ports;
    words[(port << 4) + WAITING]! &= ~(1 << lane);
    if (this.tallies === null) return;
    this.tallies.goesOn(queue, this.wheel.nowPs);
    if (words[(port << 4) + WAITING] === 0) this.tallies.stops(port, this.wheel.nowPs);
  }

  /** When the transmission of a port ends, or ended. */
  private endPs(port: number): number {
    return this.ports.reals[(port << 3) + BUSY_UNTIL]!;
  }

  /** Puts a packet on the link of a port. */
  private transmit(record: number, port: number, queue: number, nowPs: number): void {
    const { chunks, cutsThrough } = this;
    const { reals: own } = this.ports;
    const line = port << 3;
    const at = record << 3;
    const bytes = chunks.records.words[at + BYTES]!;
    const ownPs = bytes === this.fullBytes ? own[line + FULL_PS]! : serialisationPs(bytes, this.rateBps[port]!);
    let endPs = nowPs + ownPs;
    // what comes in slower than it could go out ends when it is in
    if (cutsThrough && chunks.tailPs[record]! > endPs) endPs = chunks.tailPs[record]!;
    own[line + BUSY_UNTIL] = endPs;
    own[line + SENT_BYTES]! += bytes;
    if (this.tallies !== null) this.tallies.sent(port, queue, this.packetLanes.counted(record, port), bytes, nowPs);
    this.giveBack(record, endPs, nowPs);
    // an alarm for credits may have replaced the columns
    const { words, reals } = chunks.records;
    words[at + POOL] = queue;
    words[at + PORT] = port;
    words[at + NEXT] = this.ports.words[(port << 4) + NODE_BEHIND]!;
    let arrivesPs = endPs + own[line + LATENCY]!;
    if (cutsThrough) {
      chunks.tailPs[record] = arrivesPs;
      if (!this.senders.endsBehind(port, words[at + SLOT]!))
        arrivesPs = nowPs + Math.min(ownPs, this.headerPs[port]!) + own[line + LATENCY]!;
    }
    reals[at >> 1] = arrivesPs;
    this.wheel.schedule(record);
  }

  /** Accepts packets of a queue in their order, as far as there is room. */
  private accept(queue: number, nowPs: number): void {
    const { words, reals } = this.lines;
    const accepted = (queue << 3) + ACCEPTED;
    const unaccepted = (queue << 4) + UNACCEPTED;
    const room = this.sharesBuffer
      ? this.credits.atHandBytes(queue, nowPs)
      : this.rules.bufferBytes[Math.floor(queue / this.lanes)]!;
    for (let record = words[unaccepted]!; record >= 0; record = words[unaccepted]!) {
      const bytes = reals[accepted]! < room ? this.chunks.records.words[(record << 3) + BYTES]! : 1; // if full, no look
      if (reals[accepted]! + bytes > room) {
        if (this.sharesBuffer) this.lookAt(queue, this.credits.nextPs(queue));
        return;
      }
      reals[accepted]! += bytes;
      words[unaccepted] = this.chunks.records.words[(record << 3) + NEXT]!;
      this.giveBack(record, nowPs, nowPs);
    }
  }

  /** What a packet holds goes back to whoever sent it, from a time on. */
  private giveBack(record: number, fromPs: number, nowPs: number): void {
    const { words } = this.chunks.records;
    const pool = words[(record << 3) + POOL]!;
    if (pool < 0) return;
    words[(record << 3) + POOL] = -1;
    const atPs = fromPs + this.lines.reals[(pool << 3) + RETURN]!;
    this.credits.giveBack(pool, words[(record << 3) + BYTES]!, atPs, nowPs);
    if (this.lines.words[(pool << 4) + IS_STARVED] === 1) this.lookAt(pool, atPs);
    else if (this.sharesBuffer && this.lines.words[(pool << 4) + UNACCEPTED]! >= 0) this.accept(pool, nowPs);
  }

  /** A queue that waits for credits looks for them at a time, if it would not have earlier. */
  private lookAt(queue: number, atPs: number): void {
    const { reals } = this.lines;
    if (atPs >= reals[(queue << 3) + LOOKS_PS]!) return;
    reals[(queue << 3) + LOOKS_PS] = atPs;
    this.looks.at(atPs, queue);
  }
}

function serialisationPs(bytes: number, rateBps: number): number {
  return Math.round((bytes * 8e12) / rateBps);
}
