// The output ports: each sends one packet at a time, of a lane that has one and has the credits for it; lanes take
// turns, and on a lane what is under way goes before what its own node begins. An idle port costs no event: it has one
// only while something waits for the end of a transmission or for credits.
// Invariants: no packet is sent without credits for all of it, so no buffer ever holds more than it has; nothing is
// dropped. A credit goes back when its packet has left the buffer (input-buffer), or as soon as the queue that it goes
// into has room for it (output-queue, the peer's: packets that wait for room do so in the order in which they came).
// Source: InfiniBand Architecture Specification vol. 1, 7.6 (lanes and their arbitration) and 7.9 (credits). Not
// modelled: weights of the arbitration, the bandwidth inside a switch.

import type { Int32List } from '../../base/columns.js';
import type { Alarm, Alarms } from '../../engine/alarms.js';
import type { EventWheel } from '../../engine/event-wheel.js';
import type { Driver } from '../../execution/network.js';
import type { Fabric } from '../../fabric/fabric.js';
import { portLatencyPs } from '../../fabric/forwarding-latency.js';
import { portRateBps, portSpeed } from '../../fabric/receive-speed.js';
import type { PacketSampler } from '../../sampling/packet-sampler.js';
import { ChunkWord, type Chunks } from './chunks.js';
import { CreditPools } from './credit-pools.js';
import { LaneQueues } from './lane-queues.js';
import type { PacketLanes } from './lanes.js';
import type { CreditRound } from './link-buffers.js';
import type { PacedTurns } from './paced-turns.js';
import type { PortTallies } from './port-tallies.js';
import { SendRings } from './send-rings.js';
import type { Senders } from './senders.js';

const { port: PORT, slot: SLOT, hop: HOP, bytes: BYTES, pool: POOL } = ChunkWord;

/** Stands for a lane where a packet has another one at every port. */
export const anyLane = -1;

/** What the ports go by. */
export interface PortRules extends CreditRound {
  readonly lanes: number;
  /** by port: of each lane, at the far end of its link */
  readonly bufferBytes: Float64Array;
}

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
}

export class OutputPorts {
  readonly credits: CreditPools;
  readonly queues: LaneQueues;
  readonly rings: SendRings;
  /** by port: bytes that it has begun to send */
  readonly sentBytes: Float64Array;
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
  private readonly busyUntilPs: Float64Array;
  private readonly rateBps: Float64Array;
  private readonly latencyPs: Float64Array;
  private readonly returnPs: Float64Array;
  /** by port: time of a full packet, of a header */
  private readonly fullPs: Float64Array;
  private readonly headerPs: Float64Array;
  private readonly isDown: Uint8Array;
  /** by port: a bit for each lane that has something to send; the lane whose turn is next */
  private readonly waiting: Uint16Array;
  private readonly turn: Uint8Array;
  /** by port: 1 while the end of its transmission has an event */
  private readonly hasEnd: Uint8Array;
  /** by queue: 1 while it waits for credits; when it looks for them next */
  private readonly isStarved: Uint8Array;
  private readonly looksPs: Float64Array;
  /** by queue: bytes that have been accepted, the first packet that has not; only where outputs accept */
  private readonly acceptedBytes: Float64Array;
  private readonly unaccepted: Int32Array;
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
    this.credits = new CreditPools(
      Float64Array.from({ length: queues }, (_, queue) => rules.bufferBytes[Math.floor(queue / lanes)]!),
    );
    this.queues = new LaneQueues(chunks.records, queues);
    this.rings = new SendRings(queues);
    this.sentBytes = new Float64Array(portCount);
    this.busyUntilPs = new Float64Array(portCount);
    this.rateBps = Float64Array.from(fabric.portLink, (_, port) => portRateBps(fabric, port));
    this.latencyPs = Float64Array.from(fabric.portLink, (_, port) => portLatencyPs(fabric, port));
    this.returnPs = Float64Array.from(fabric.portLink, (link) => fabric.linkLatencyPs[link]! + rules.returnLatencyPs);
    this.fullPs = this.rateBps.map((rateBps) => serialisationPs(rules.fullBytes, rateBps));
    this.headerPs = this.rateBps.map((rateBps) => serialisationPs(rules.headerBytes, rateBps));
    this.isDown = new Uint8Array(portCount);
    this.waiting = new Uint16Array(portCount);
    this.turn = new Uint8Array(portCount);
    this.hasEnd = new Uint8Array(portCount);
    this.isStarved = new Uint8Array(queues);
    this.hasWaited = new Uint8Array(parts.sampler === null ? 0 : queues);
    this.looksPs = new Float64Array(queues).fill(Infinity);
    this.acceptedBytes = new Float64Array(rules.acceptsAtOutput ? queues : 0);
    this.unaccepted = new Int32Array(rules.acceptsAtOutput ? queues : 0).fill(-1);
    this.ends = alarms.register('a port has sent a packet', (port) => {
      this.hasEnd[port] = 0;
      this.serve(port);
    });
    this.looks = alarms.register('credits have come back', (queue) => {
      if (wheel.nowPs >= this.looksPs[queue]!) this.looksPs[queue] = Infinity;
      this.isStarved[queue] = 0;
      if (this.tallies !== null) this.tallies.goesOn(queue, wheel.nowPs);
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
    this.rings.add(port * this.rules.lanes + lane, slot);
    this.waiting[port]! |= 1 << lane;
    this.serve(port);
  }

  /** A packet waits for an output port of the node at which it is. */
  enter(record: number, port: number): void {
    const { rules, chunks, packetLanes } = this;
    const lane = packetLanes.isSteady
      ? this.senders.lane[chunks.records.words[(record << 3) + SLOT]!]!
      : packetLanes.next(record, port);
    const queue = port * rules.lanes + lane;
    this.queues.add(queue, record);
    if (this.sampler !== null && this.sampler.passes(record, port)) this.sampleAt(this.sampler, record, port, queue);
    if (rules.acceptsAtOutput && this.unaccepted[queue]! < 0) {
      this.unaccepted[queue] = record;
      this.accept(queue);
    }
    this.waiting[port]! |= 1 << lane;
    this.serve(port);
  }

  /** A packet is at the end of its way: its buffer is free at once. */
  leave(record: number): void {
    this.giveBack(record, this.wheel.nowPs);
  }

  /** The link of a port has another rate, or is down and sends nothing more; what is on it arrives. */
  linkChanged(port: number, linkBps: number, isUp: boolean): void {
    const { rules } = this;
    const rateBps = linkBps * portSpeed(this.fabric, port);
    this.rateBps[port] = rateBps;
    this.fullPs[port] = serialisationPs(rules.fullBytes, rateBps);
    this.headerPs[port] = serialisationPs(rules.headerBytes, rateBps);
    this.isDown[port] = isUp ? 0 : 1;
    if (isUp) this.serve(port);
    else if (this.tallies !== null) this.tallies.stops(port, this.wheel.nowPs);
  }

  /** A queue pair does not send by its port any more. @returns whether it had a turn to wait for */
  withdraw(slot: number): boolean {
    const port = this.senders.port[slot]!;
    const lane = this.senders.lane[slot]!;
    const queue = port * this.rules.lanes + lane;
    if (!this.rings.remove(queue, slot)) return false;
    this.settleWaiting(port, lane, queue);
    return true;
  }

  /** Takes the packets of others off a port. @param into receives them, lane by lane in their order */
  takePackets(port: number, into: Int32List): void {
    const { lanes, acceptsAtOutput } = this.rules;
    for (let lane = 0; lane < lanes; lane++) {
      const queue = port * lanes + lane;
      while (this.queues.head[queue]! >= 0) into.push(this.queues.take(queue));
      if (acceptsAtOutput) {
        this.acceptedBytes[queue] = 0;
        this.unaccepted[queue] = -1;
      }
      this.settleWaiting(port, lane, queue);
    }
  }

  /**
   * Bytes that wait for a lane of a port, and bytes of its credits that are in use; {@link anyLane}: for all of them.
   */
  loadBytes(port: number, lane: number): number {
    const { lanes } = this.rules;
    if (lane === anyLane) {
      let bytes = 0;
      for (let own = 0; own < lanes; own++) bytes += this.loadBytes(port, own);
      return bytes;
    }
    const queue = port * lanes + lane;
    return this.queues.bytes[queue]! + this.credits.inUse(queue, this.wheel.nowPs);
  }

  /** Whether a lane of a port waits for credits that are not under way. */
  isHeld(queue: number): boolean {
    return this.isStarved[queue] === 1 && this.credits.nextPs(queue) === Infinity;
  }

  private serve(port: number): void {
    const waiting = this.waiting[port]!;
    if (waiting === 0 || this.isDown[port] === 1) return;
    const { nowPs } = this.wheel;
    if (nowPs < this.busyUntilPs[port]!) {
      this.waitForEnd(port);
      return;
    }
    const { lanes } = this.rules;
    const first = this.turn[port]!;
    for (let i = 0; i < lanes; i++) {
      const lane = first + i < lanes ? first + i : first + i - lanes;
      if ((waiting & (1 << lane)) === 0) continue;
      const queue = port * lanes + lane;
      if (this.sends(port, lane, queue, nowPs)) {
        this.turn[port] = lane + 1 === lanes ? 0 : lane + 1;
        if (this.waiting[port] !== 0) this.waitForEnd(port);
        return;
      }
    }
    if (this.tallies !== null) this.tallies.stands(port, nowPs);
  }

  private waitForEnd(port: number): void {
    if (this.hasEnd[port] === 1) return;
    this.hasEnd[port] = 1;
    this.ends.at(this.busyUntilPs[port]!, port);
  }

  /** Sends the next packet of a lane if there are credits for it. @returns whether there were */
  private sends(port: number, lane: number, queue: number, nowPs: number): boolean {
    const { queues, rings, senders, chunks, credits } = this;
    const head = queues.head[queue]!;
    const slot = head >= 0 ? -1 : rings.first(queue);
    const bytes = head >= 0 ? chunks.records.words[(head << 3) + BYTES]! : senders.nextBytes(slot);
    if (!credits.take(queue, bytes, nowPs)) {
      this.stalls++;
      this.isStarved[queue] = 1;
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
      if (this.rules.acceptsAtOutput) {
        this.acceptedBytes[queue]! -= bytes;
        this.accept(queue);
      }
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
      chunks.tailPs[record] = nowPs;
      if (this.sampler !== null) {
        this.sampler.departs(record, port, this.hasWaited[queue] === 1 || rings.holdsSeveral(queue));
        this.hasWaited[queue] = 0;
      }
      this.transmit(record, port, queue, nowPs);
      if (!senders.sent(slot)) {
        rings.removeFirst(queue);
        if (this.driver.sent !== undefined) this.left.at(this.busyUntilPs[port]!, slot);
      } else if (this.paced !== null && this.paced.rests(slot, bytes, nowPs, this.busyUntilPs[port]!))
        rings.removeFirst(queue);
      else rings.turn(queue);
    }
    this.settleWaiting(port, lane, queue);
    return true;
  }

  /** A packet has come to a queue whose port goes into its reservoir: what waits, and what credits there are. */
  private sampleAt(sampler: PacketSampler, record: number, port: number, queue: number): void {
    const { credits } = this;
    credits.take(queue, 0, this.wheel.nowPs);
    sampler.congestion(record, port, this.queues.bytes[queue]!, credits.atHand[queue]!);
  }

  private settleWaiting(port: number, lane: number, queue: number): void {
    if (this.queues.head[queue]! >= 0 || !this.rings.isEmpty(queue)) return;
    this.waiting[port]! &= ~(1 << lane);
    if (this.tallies === null) return;
    this.tallies.goesOn(queue, this.wheel.nowPs);
    if (this.waiting[port] === 0) this.tallies.stops(port, this.wheel.nowPs);
  }

  /** Puts a packet on the link of a port. */
  private transmit(record: number, port: number, queue: number, nowPs: number): void {
    const { chunks, rules, wheel } = this;
    const at = record << 3;
    const bytes = chunks.records.words[at + BYTES]!;
    const ownPs = bytes === rules.fullBytes ? this.fullPs[port]! : serialisationPs(bytes, this.rateBps[port]!);
    let endPs = nowPs + ownPs;
    // what comes in slower than it could go out ends when it is in
    if (chunks.tailPs[record]! > endPs) endPs = chunks.tailPs[record]!;
    this.busyUntilPs[port] = endPs;
    this.sentBytes[port]! += bytes;
    if (this.tallies !== null) this.tallies.sent(port, queue, this.packetLanes.counted(record, port), bytes, nowPs);
    this.giveBack(record, endPs);
    // an alarm for credits may have replaced the columns
    const { words, reals } = chunks.records;
    words[at + POOL] = queue;
    words[at + PORT] = port;
    const tailPs = endPs + this.latencyPs[port]!;
    chunks.tailPs[record] = tailPs;
    const headPs = nowPs + Math.min(ownPs, this.headerPs[port]!) + this.latencyPs[port]!;
    const cuts = rules.cutsThrough && !this.senders.endsBehind(port, words[at + SLOT]!);
    reals[record << 2] = cuts ? headPs : tailPs;
    wheel.schedule(record);
  }

  /** Accepts packets of a queue in their order, as far as there is room. */
  private accept(queue: number): void {
    const { records } = this.chunks;
    const roomBytes = this.credits.bufferBytes[queue]!;
    let record = this.unaccepted[queue]!;
    while (record >= 0) {
      const bytes = records.words[(record << 3) + BYTES]!;
      if (this.acceptedBytes[queue]! > 0 && this.acceptedBytes[queue]! + bytes > roomBytes) break;
      this.acceptedBytes[queue]! += bytes;
      this.giveBack(record, this.wheel.nowPs);
      record = records.words[(record << 3) + ChunkWord.next]!;
    }
    this.unaccepted[queue] = record;
  }

  /** What a packet holds goes back to whoever sent it, from a time on. */
  private giveBack(record: number, fromPs: number): void {
    const { words } = this.chunks.records;
    const pool = words[(record << 3) + POOL]!;
    if (pool < 0) return;
    words[(record << 3) + POOL] = -1;
    const atPs = fromPs + this.returnPs[Math.floor(pool / this.rules.lanes)]!;
    this.credits.giveBack(pool, words[(record << 3) + BYTES]!, atPs);
    if (this.isStarved[pool] === 1) this.lookAt(pool, atPs);
  }

  /** A queue that waits for credits looks for them at a time, if it would not have earlier. */
  private lookAt(queue: number, atPs: number): void {
    if (atPs >= this.looksPs[queue]!) return;
    this.looksPs[queue] = atPs;
    this.looks.at(atPs, queue);
  }
}

function serialisationPs(bytes: number, rateBps: number): number {
  return Math.round((bytes * 8e12) / rateBps);
}
