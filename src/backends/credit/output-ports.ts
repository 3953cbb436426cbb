// The output ports: each sends one packet at a time, of a lane that has one and has the credits for it; lanes take
// turns, and on a lane what is under way goes before what its own node begins. An idle port costs no event: it has one
// only while something waits for the end of a transmission or for credits.
// Invariants: no packet is sent without credits for all of it, so no buffer ever holds more than it has; nothing is
// dropped. When a credit goes back: credit-returns.ts.
// Source: InfiniBand Architecture Specification vol. 1, 7.6 (lanes and their arbitration) and 7.9 (credits). Not
// modelled: weights of the arbitration, the bandwidth inside a switch.

import type { Int32List } from '../../base/columns.js';
import type { Alarm, Alarms } from '../../engine/alarms.js';
import type { EventWheel } from '../../engine/event-wheel.js';
import type { Driver } from '../../execution/network.js';
import type { Fabric } from '../../fabric/fabric.js';
import { portRateBps, portSpeed } from '../../fabric/receive-speed.js';
import type { Foresight, PacketSampler } from '../../sampling/packet-sampler.js';
import { ChunkState, ChunkWord, type Chunks } from './chunks.js';
import { CreditPools } from './credit-pools.js';
import { CreditReturns } from './credit-returns.js';
import { LaneQueues } from './lane-queues.js';
import type { PacketLanes } from './lanes.js';
import type { PortRules } from './link-buffers.js';
import type { PacedTurns } from './paced-turns.js';
import { PortSpeeds, SpeedReal } from './port-speeds.js';
import type { PortTallies } from './port-tallies.js';
import { QueueFlag, QueueLines, QueueReal, QueueWord } from './queue-lines.js';
import { QueueLoads } from './queue-loads.js';
import { SendRings } from './send-rings.js';
import type { Senders } from './senders.js';

const { port: PORT, slot: SLOT, state: STATE } = ChunkWord;
const { holdsCredits: HOLDS, hops: HOPS, laneShift: LANE_SHIFT, laneMask } = ChunkState;
const { metCongestion: CONGESTED, sampleShift: SAMPLE_SHIFT } = ChunkState;
const LANE = laneMask << LANE_SHIFT;
const { busyUntilPs: BUSY_UNTIL } = QueueReal;
const { head: HEAD, unaccepted: UNACCEPTED, flags: FLAGS } = QueueWord;
const { waitingLanes: WAITING, isDown: IS_DOWN, hasEnd: HAS_END, isStarved: IS_STARVED } = QueueFlag;
const { fullPs: FULL_PS, headerPs: HEADER_PS, latencyPs: LATENCY } = SpeedReal;

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
  /** what it says of packets beforehand */
  readonly foresight: Foresight;
  /** null: nobody polls counters */
  readonly tallies: PortTallies | null;
  /** whether somebody asks for the loads of queues, and for the bytes of ports */
  readonly comparesLoads: boolean;
  readonly countsBytes: boolean;
}

export class OutputPorts {
  readonly credits: CreditPools;
  readonly queues: LaneQueues;
  readonly rings: SendRings;
  /** of all queues (port x lanes + lane) */
  private readonly lines: QueueLines;
  private readonly speeds: PortSpeeds;
  private readonly returns: CreditReturns;
  /** null: nobody asks */
  readonly loads: QueueLoads | null;
  /** times that a port had a packet, was free, and had no credits for it */
  stalls = 0;
  private readonly fabric: Fabric;
  private readonly wheel: EventWheel;
  private readonly chunks: Chunks;
  private readonly senders: Senders;
  private readonly packetLanes: PacketLanes;
  private readonly paced: PacedTurns | null;
  private readonly sampler: PacketSampler | null;
  private readonly tallies: PortTallies | null;
  private readonly foresight: Foresight;
  /** by queue: 1 if it has waited for credits since its host's last packet; only where packets carry samples */
  private readonly hasWaited: Uint8Array;
  /** by port: bytes that it has begun to send; null: nobody asks */
  private readonly sent: Float64Array | null;
  /** by port: the lane whose turn is next */
  private readonly turn: Uint8Array;
  private readonly lanes: number;
  private readonly fullBytes: number;
  private readonly cutsThrough: boolean;
  private readonly acceptsAtOutput: boolean;
  private readonly sharesBuffer: boolean;
  private readonly ends: Alarm;
  private driver!: Driver;
  private readonly left: Alarm;

  constructor(parts: OutputPortParts) {
    const { fabric, wheel, alarms, chunks, rules } = parts;
    this.fabric = fabric;
    this.wheel = wheel;
    this.chunks = chunks;
    this.senders = parts.senders;
    this.packetLanes = parts.packetLanes;
    this.paced = parts.paced;
    this.sampler = parts.sampler;
    this.tallies = parts.tallies;
    this.foresight = parts.foresight;
    const { portCount } = fabric;
    const { lanes } = rules;
    const queues = portCount * lanes;
    this.lanes = lanes;
    this.fullBytes = rules.fullBytes;
    this.cutsThrough = rules.cutsThrough;
    this.acceptsAtOutput = rules.acceptsAtOutput;
    this.sharesBuffer = rules.sharesBuffer;
    this.lines = new QueueLines(queues);
    this.speeds = new PortSpeeds(fabric, rules);
    for (let port = 0; port < portCount; port++) this.speeds.setRate(port, portRateBps(fabric, port));
    this.loads = parts.comparesLoads ? new QueueLoads(queues) : null;
    this.credits = new CreditPools(this.lines, lanes, rules.bufferBytes, this.loads);
    const countsWaiting = parts.sampler !== null && !rules.acceptsAtOutput;
    this.queues = new LaneQueues(chunks, this.lines, this.loads, countsWaiting);
    this.rings = new SendRings(queues);
    this.sent = parts.countsBytes ? new Float64Array(portCount) : null;
    this.turn = new Uint8Array(portCount);
    this.hasWaited = new Uint8Array(parts.sampler === null ? 0 : queues);
    const { words } = this.lines;
    this.ends = alarms.register('a port has sent a packet', (port) => {
      words[((port * lanes) << 4) + FLAGS]! &= ~HAS_END;
      this.serve(port);
    });
    const looks = alarms.register('credits have come back', (queue) => {
      this.returns.looked(queue, wheel.nowPs);
      if (this.tallies !== null) this.tallies.goesOn(queue, wheel.nowPs);
      if (this.sharesBuffer && words[(queue << 4) + UNACCEPTED]! >= 0) this.returns.accept(queue, wheel.nowPs);
      this.serve(lanes === 1 ? queue : Math.floor(queue / lanes));
    });
    this.returns = new CreditReturns({
      rules,
      chunks,
      looks,
      lines: this.lines,
      speeds: this.speeds,
      credits: this.credits,
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
    this.lines.words[((port * this.lanes) << 4) + FLAGS]! |= 1 << lane;
    this.serve(port);
  }

  /** Bytes that a port has begun to send, where somebody asks for them. */
  sentBytes(port: number): number {
    return this.sent![port]!;
  }

  /** A packet waits for an output port of the node at which it is. */
  enter(record: number, port: number): void {
    const { chunks, packetLanes } = this;
    const lane =
      this.lanes === 1
        ? 0
        : packetLanes.isSteady
          ? this.senders.lane[chunks.records.words[(record << 3) + SLOT]!]!
          : packetLanes.next(record, port);
    const queue = port * this.lanes + lane;
    this.queues.add(queue, record);
    const { words } = this.lines;
    if (this.acceptsAtOutput && words[(queue << 4) + UNACCEPTED]! < 0) {
      words[(queue << 4) + UNACCEPTED] = record;
      this.returns.accept(queue, this.wheel.nowPs);
    }
    if (this.sampler !== null) {
      const state = chunks.records.words[(record << 3) + STATE]!;
      if (this.foresight === 'none') this.ask(this.sampler, record, port, queue);
      else if (state >>> SAMPLE_SHIFT === (state & HOPS) + 1) this.sample(this.sampler, record, port, queue);
    }
    words[((port * this.lanes) << 4) + FLAGS]! |= 1 << lane;
    this.serve(port);
  }

  /** A packet is at the end of its way: its buffer is free at once. */
  leave(record: number): void {
    const { nowPs } = this.wheel;
    this.returns.giveBack(record, this.chunks.bytes(record), nowPs, nowPs);
  }

  /** The link of a port has another rate, or is down and sends nothing more; what is on it arrives. */
  linkChanged(port: number, linkBps: number, isUp: boolean): void {
    this.speeds.setRate(port, linkBps * portSpeed(this.fabric, port));
    const at = ((port * this.lanes) << 4) + FLAGS;
    if (isUp) this.lines.words[at]! &= ~IS_DOWN;
    else this.lines.words[at]! |= IS_DOWN;
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
    const { words } = this.lines;
    for (let lane = 0; lane < lanes; lane++) {
      const queue = port * lanes + lane;
      while (words[(queue << 4) + HEAD]! >= 0) into.push(this.queues.take(queue));
      this.returns.forget(queue);
      this.settleWaiting(port, lane, queue);
    }
  }

  /** Whether a lane of a port waits for credits that are not under way. */
  isHeld(queue: number): boolean {
    return (this.lines.words[(queue << 4) + FLAGS]! & IS_STARVED) !== 0 && this.credits.nextPs(queue) === Infinity;
  }

  private serve(port: number): void {
    const { lanes } = this;
    const { words, reals } = this.lines;
    const line = port * lanes;
    const flags = words[(line << 4) + FLAGS]!;
    if ((flags & WAITING) === 0 || (flags & IS_DOWN) !== 0) return;
    const { nowPs } = this.wheel;
    if (nowPs < reals[(line << 3) + BUSY_UNTIL]!) {
      this.waitForEnd(port, line);
      return;
    }
    const first = lanes === 1 ? 0 : this.turn[port]!;
    for (let i = 0; i < lanes; i++) {
      const lane = first + i < lanes ? first + i : first + i - lanes;
      if ((flags & (1 << lane)) === 0) continue;
      if (this.sends(port, lane, line + lane, nowPs)) {
        if (lanes > 1) this.turn[port] = lane + 1 === lanes ? 0 : lane + 1;
        if ((words[(line << 4) + FLAGS]! & WAITING) !== 0) this.waitForEnd(port, line);
        return;
      }
    }
    if (this.tallies !== null) this.tallies.stands(port, nowPs);
  }

  /** @param line the port's lane 0 */
  private waitForEnd(port: number, line: number): void {
    const { words, reals } = this.lines;
    if ((words[(line << 4) + FLAGS]! & HAS_END) !== 0) return;
    words[(line << 4) + FLAGS]! |= HAS_END;
    this.ends.at(reals[(line << 3) + BUSY_UNTIL]!, port);
  }

  /** Sends the next packet of a lane if there are credits for it. @returns whether there were */
  private sends(port: number, lane: number, queue: number, nowPs: number): boolean {
    const { chunks, returns } = this;
    const { words } = this.lines;
    const head = words[(queue << 4) + HEAD]!;
    if (this.sharesBuffer && head >= 0 && words[(queue << 4) + UNACCEPTED] === head) returns.accept(queue, nowPs);
    const slot = head >= 0 ? -1 : this.rings.first(queue);
    const bytes = head >= 0 ? chunks.bytes(head) : this.senders.nextBytes(slot);
    if (!this.credits.take(queue, bytes, nowPs)) {
      this.starves(port, queue, head, slot);
      return false;
    }
    if (head >= 0) {
      this.queues.take(queue);
      if (this.acceptsAtOutput) returns.sent(queue, bytes, nowPs);
      this.transmit(head, port, lane, bytes, nowPs);
    } else this.sendsFirst(slot, port, lane, bytes, nowPs);
    this.settleWaiting(port, lane, queue);
    return true;
  }

  /** A free port has no credits for the first packet of a queue, or of a queue pair that begins there. */
  private starves(port: number, queue: number, head: number, slot: number): void {
    this.stalls++;
    if (this.sampler !== null) this.hasWaited[queue] = 1;
    if (this.tallies !== null) {
      const counted = head >= 0 ? this.packetLanes.counted(head, port) : this.packetLanes.countedFirst(slot, port);
      this.tallies.passedOver(port, queue, counted, this.wheel.nowPs);
    }
    this.returns.starves(queue);
  }

  /** Sends the next packet of a queue pair that begins here. */
  private sendsFirst(slot: number, port: number, lane: number, bytes: number, nowPs: number): void {
    const { chunks, senders, rings } = this;
    const queue = port * this.lanes + lane;
    const record = chunks.begin(slot, bytes, nowPs);
    if (chunks.mayOvertake) chunks.number[record] = senders.nextNumber(slot);
    if (this.cutsThrough) chunks.tailPs[record] = nowPs;
    if (this.sampler !== null) this.sampleFirst(this.sampler, record, slot, port, queue);
    this.transmit(record, port, lane, bytes, nowPs);
    if (!senders.sent(slot)) {
      rings.removeFirst(queue);
      if (this.driver.sent !== undefined) this.left.at(this.endPs(port), slot);
    } else if (this.paced !== null && this.paced.rests(slot, bytes, nowPs, this.endPs(port))) rings.removeFirst(queue);
    else rings.turn(queue);
  }

  /** A packet leaves the host of its queue pair. */
  private sampleFirst(sampler: PacketSampler, record: number, slot: number, port: number, queue: number): void {
    const wasHeld = this.hasWaited[queue] === 1 || this.rings.holdsSeveral(queue);
    this.hasWaited[queue] = 0;
    if (this.foresight === 'kept') {
      const link = sampler.keptLink(port, this.senders.links[slot]!);
      this.noteLink(record, link);
      if (link === 1 && sampler.isHeldCongested(wasHeld))
        this.chunks.records.words[(record << 3) + STATE]! |= CONGESTED;
      return;
    }
    const next = sampler.departs(record, port, wasHeld);
    if (this.foresight === 'next') this.noteLink(record, next);
  }

  /** A packet has come to a queue: its sampler says whether its reservoir takes the port. */
  private ask(sampler: PacketSampler, record: number, port: number, queue: number): void {
    if (sampler.passes(record, port)) sampler.congestion(record, port, this.isCongested(sampler, queue));
  }

  /** A packet has come to the queue of a port that its reservoir takes, as was foreseen. */
  private sample(sampler: PacketSampler, record: number, port: number, queue: number): void {
    const { words } = this.chunks.records;
    const at = (record << 3) + STATE;
    const isCongested = this.isCongested(sampler, queue);
    if (this.foresight === 'next') this.noteLink(record, sampler.takes(record, port, words[at]! & HOPS, isCongested));
    else if (isCongested) words[at]! |= CONGESTED;
  }

  private isCongested(sampler: PacketSampler, queue: number): boolean {
    return this.queues.holdsMore(queue, sampler.limitBytes(this.credits.atHandBytes(queue, this.wheel.nowPs)));
  }

  /** Notes in a packet which link its reservoir takes next, or keeps. */
  private noteLink(record: number, link: number): void {
    const { words } = this.chunks.records;
    const at = (record << 3) + STATE;
    words[at] = (words[at]! & ((1 << SAMPLE_SHIFT) - 1)) | (link << SAMPLE_SHIFT);
  }

  private settleWaiting(port: number, lane: number, queue: number): void {
    const { words } = this.lines;
    if (words[(queue << 4) + HEAD]! >= 0 || !this.rings.isEmpty(queue)) return;
    const at = ((port * this.lanes) << 4) + FLAGS;
    words[at]! &= ~(1 << lane);
    if (this.tallies === null) return;
    this.tallies.goesOn(queue, this.wheel.nowPs);
    if ((words[at]! & WAITING) === 0) this.tallies.stops(port, this.wheel.nowPs);
  }

  /** When the transmission of a port ends, or ended. */
  private endPs(port: number): number {
    return this.lines.reals[((port * this.lanes) << 3) + BUSY_UNTIL]!;
  }

  /** Puts a packet on the link of a port. */
  private transmit(record: number, port: number, lane: number, bytes: number, nowPs: number): void {
    const { chunks, cutsThrough, speeds, lanes } = this;
    const speed = speeds.at(port);
    const queue = port * lanes + lane;
    const ownPs = bytes === this.fullBytes ? speeds.reals[speed + FULL_PS]! : speeds.serialisationPs(port, bytes);
    let endPs = nowPs + ownPs;
    // what comes in slower than it could go out ends when it is in
    if (cutsThrough && chunks.tailPs[record]! > endPs) endPs = chunks.tailPs[record]!;
    this.lines.reals[((port * lanes) << 3) + BUSY_UNTIL] = endPs;
    if (this.sent !== null) this.sent[port]! += bytes;
    if (this.tallies !== null) this.tallies.sent(port, queue, this.packetLanes.counted(record, port), bytes, nowPs);
    this.returns.giveBack(record, bytes, endPs, nowPs);
    // an alarm for credits may have replaced the columns
    const { words, reals } = chunks.records;
    const at = record << 3;
    words[at + STATE] = (words[at + STATE]! & ~LANE) | HOLDS | (lane << LANE_SHIFT);
    words[at + PORT] = port;
    const latencyPs = speeds.reals[speed + LATENCY]!;
    let arrivesPs = endPs + latencyPs;
    if (cutsThrough) {
      chunks.tailPs[record] = arrivesPs;
      if (!this.senders.endsBehind(port, words[at + SLOT]!))
        arrivesPs = nowPs + Math.min(ownPs, speeds.reals[speed + HEADER_PS]!) + latencyPs;
    }
    reals[at >> 1] = arrivesPs;
    this.wheel.schedule(record);
  }
}
