// ConWeave: the edge switch of the sender watches the round trip of the way that a queue pair takes, and moves it to
// another one when an answer is late; the edge switch of the receiver holds back what overtakes on the new way until
// the last packet of the old one is there, so that the receiver sees everything in order.
//
//   epoch      a queue pair's time on a way; its first packet asks for a reply. If that is back by its deadline, the
// next              packet begins another epoch on the same way. If it is late, the queue pair is moved: the packet at
// hand is              the tail of the old way, those that follow (phase 1) take the new one   new way    the first of
// two drawn at random that is not congested: where marked packets came from (a notice), no              queue pair is
// moved to for a while; with none it stays   clear      the reply to a tail; until it is there, or after a long pause,
// a queue pair is not moved again   hold       phase 1 before the tail waits in a queue (reorder-queues.ts) until the
// tail comes, or until it should have
//
// Invariants: a packet of an old epoch, or of phase 0, never waits; a queue pair's packets wait in one queue at a time.
// Replies, clears and notices are packets of queue 0 between the two switches. State is by queue pair alive and by way.
// Source: Song et al., SIGCOMM 2023, section 3; constants as in its simulator. A queue pair is moved to ways alone that
// end at the same switch. Not modelled: bits of headers, tables that overflow, the rate at which a switch makes
// replies.

import { grown } from '../../../base/columns.js';
import { RandomStream } from '../../../base/random.js';
import { valuesOfGroup } from '../../../base/settings.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { Verdict } from '../../../execution/network.js';
import { NodeKind } from '../../../fabric/fabric.js';
import { bytesShift, markBit, type PacketPool, PacketWord } from '../packets.js';
import type { BalancingParts } from '../parts.js';
import { type ControlOwner, held, type HeldReceiver, type PacketHolding, type ReorderState } from '../plug-ins.js';
import type { SideColumn } from '../side-columns.js';
import { conweaveSettings } from './conweave-settings.js';
import { EdgeDecision } from './edge-decision.js';
import { EdgeWays } from './edge-ways.js';
import { type ReorderOwner, ReorderQueues } from './reorder-queues.js';

const { pair: PAIR, head: HEAD, sequence: SEQUENCE } = PacketWord;
const HELD = held;
// what a data packet says
const ASKS = 1;
const TAIL = 2;
const LATER = 4;
// what a control packet says
const REPLY = 0;
const CLEAR = 1;
const NOTICE = 2;

export class Conweave extends EdgeDecision implements PacketHolding, ControlOwner, ReorderOwner {
  /** the output port, queue and packet of which nextOfData has just said held */
  port = -1;
  private heldQueue = -1;
  reroutes = 0;
  private readonly settings;
  private readonly ways: EdgeWays;
  private readonly queues: ReorderQueues;
  private readonly random: RandomStream;
  private readonly clock: Clock;
  private readonly packets: PacketPool;
  private readonly control: BalancingParts['control'];
  private readonly signature: number;
  private readonly controlBytes: number;
  private epochs = 0;
  /** by way: until when no queue pair is moved to it */
  private badUntilPs = new Float64Array(0);
  // the sender's edge, by queue pair: epoch (0: none), phase, whether the answer was there in time; the row of its ways
  // and the one it takes; when its last packet was here, its answer is late, and its tail went
  private readonly epoch: SideColumn<'int32'>;
  private readonly phase: SideColumn<'uint8'>;
  private readonly answered: SideColumn<'uint8'>;
  private readonly rowOf: SideColumn<'int32'>;
  private readonly wayOf: SideColumn<'uint8'>;
  private readonly lastPs: SideColumn<'float64'>;
  private readonly deadlinePs: SideColumn<'float64'>;
  private readonly tailPs: SideColumn<'float64'>;
  // the receiver's edge, by queue pair: epoch, whether its tail has come, its queue (-1: none); when its last packet of
  // phase 0 was sent and its tail (by the clock of the sender's edge), and when the former came (-1: none has)
  private readonly seenEpoch: SideColumn<'int32'>;
  private readonly tailSeen: SideColumn<'uint8'>;
  private readonly queueOf: SideColumn<'int32'>;
  private readonly oldSentPs: SideColumn<'float64'>;
  private readonly oldCamePs: SideColumn<'float64'>;
  private readonly seenTailPs: SideColumn<'float64'>;
  // by packet, as its header would have it; of a control packet what it says, and the queue pair or row
  private readonly packetEpoch: SideColumn<'int32'>;
  private readonly packetFlags: SideColumn<'uint8'>;
  private readonly packetRow: SideColumn<'int32'>;
  private readonly packetWay: SideColumn<'uint8'>;
  private readonly packetSentPs: SideColumn<'float64'>;
  private readonly packetTailPs: SideColumn<'float64'>;

  constructor(parts: BalancingParts) {
    super(parts);
    const { columns } = parts;
    this.settings = valuesOfGroup(parts.settings.own, 'conweave', conweaveSettings);
    this.ways = new EdgeWays(parts.tracer, parts.seed);
    this.random = new RandomStream(parts.seed, 'conweave');
    this.clock = parts.clock;
    this.packets = parts.packets;
    this.control = parts.control;
    this.signature = parts.signature;
    this.controlBytes = parts.settings.packet.acknowledgement;
    this.queues = new ReorderQueues(
      parts,
      { bytes: this.settings.reorderBuffer, queuesPerPort: this.settings.reorderQueues },
      this,
    );
    this.epoch = columns.byPair('int32');
    this.phase = columns.byPair('uint8');
    this.answered = columns.byPair('uint8');
    this.rowOf = columns.byPair('int32', -1);
    this.wayOf = columns.byPair('uint8');
    this.lastPs = columns.byPair('float64', -Infinity);
    this.deadlinePs = columns.byPair('float64');
    this.tailPs = columns.byPair('float64');
    this.seenEpoch = columns.byPair('int32');
    this.tailSeen = columns.byPair('uint8');
    this.queueOf = columns.byPair('int32', -1);
    this.oldSentPs = columns.byPair('float64');
    this.oldCamePs = columns.byPair('float64', -1);
    this.seenTailPs = columns.byPair('float64');
    this.packetEpoch = columns.byPacket('int32');
    this.packetFlags = columns.byPacket('uint8');
    this.packetRow = columns.byPacket('int32');
    this.packetWay = columns.byPacket('uint8');
    this.packetSentPs = columns.byPacket('float64');
    this.packetTailPs = columns.byPacket('float64');
  }

  get holding(): PacketHolding {
    return this;
  }

  get owner(): ControlOwner {
    return this;
  }

  get counters(): Readonly<Record<string, number>> {
    const { packets, timeouts, overflows, peakBytes, peakQueues } = this.queues;
    return {
      reroutes: this.reroutes,
      reorderedAtSwitches: packets,
      reorderSwitchPeakBytes: peakBytes,
      reorderSwitchPeakQueues: peakQueues,
      reorderSwitchTimeouts: timeouts,
      reorderSwitchOverflows: overflows,
    };
  }

  get reorder(): ReorderState {
    return this.queues;
  }

  verdicts(): Verdict[] {
    return this.queues.verdicts();
  }

  use(receiver: HeldReceiver): void {
    this.queues.use(receiver);
  }

  override depart(packet: number, pair: number, isReply: boolean): number {
    if (!isReply) this.packetRow.values[packet] = -1;
    return super.depart(packet, pair, isReply);
  }

  protected override nextOfData(packet: number, node: number, destination: number): number {
    if (this.ways.isNew()) this.badUntilPs.fill(-Infinity);
    const egress = super.nextOfData(packet, node, destination);
    if (egress < 0 || this.packetRow.values[packet]! < 0) return egress;
    const { portNode, portPeer, nodeKind } = this.fabric;
    if (portNode[portPeer[egress]!] !== destination || nodeKind[node] !== NodeKind.switch) return egress;
    return this.arrive(packet, node, egress);
  }

  /** The way of a packet at the sender's edge, and what its header says. */
  protected decide(packet: number, pair: number, first: number): number {
    const { nowPs } = this.clock;
    const { ways } = this;
    const node = this.fabric.portNode[this.tracer.routes.setPorts[first]!]!;
    const row = ways.rowOf(node, this.pairs.destination[pair]!);
    this.reserve();
    let flags = 0;
    let way = this.wayOf.values[pair]!;
    const isNew = this.epoch.values[pair] === 0 || this.rowOf.values[pair] !== row;
    if (isNew || nowPs - this.lastPs.values[pair]! > this.settings.expiryTime) {
      way = this.otherWay(row, -1, -1) ?? (isNew ? this.anyWay(row) : way);
      this.begin(pair, row, way);
      flags = ASKS;
    } else if (this.answered.values[pair] === 1) {
      this.begin(pair, row, way);
      flags = ASKS;
    } else if (this.phase.values[pair] === 1) flags = LATER;
    else if (nowPs > this.deadlinePs.values[pair]!) {
      const other = this.otherWay(row, way, ways.lastSwitches.values[ways.placeOf(row) + way]!);
      if (other !== null) {
        this.reroutes++;
        this.wayOf.values[pair] = other;
        this.phase.values[pair] = 1;
        this.tailPs.values[pair] = nowPs;
        flags = TAIL;
      }
    }
    this.lastPs.values[pair] = nowPs;
    this.packetEpoch.values[packet] = this.epoch.values[pair]!;
    this.packetFlags.values[packet] = flags;
    this.packetRow.values[packet] = row;
    this.packetWay.values[packet] = way;
    this.packetSentPs.values[packet] = nowPs;
    this.packetTailPs.values[packet] = this.tailPs.values[pair]!;
    return ways.numbers.values[ways.placeOf(row) + way]!;
  }

  private begin(pair: number, row: number, way: number): void {
    const { ways } = this;
    this.epoch.values[pair] = ++this.epochs;
    this.phase.values[pair] = 0;
    this.answered.values[pair] = 0;
    this.rowOf.values[pair] = row;
    this.wayOf.values[pair] = way;
    this.deadlinePs.values[pair] =
      this.clock.nowPs + 2 * ways.latenciesPs.values[ways.placeOf(row) + way]! + this.settings.replyTime;
  }

  /** One of two ways drawn at random: the first that is another one, not congested, and ends where it should. */
  private otherWay(row: number, than: number, lastSwitch: number): number | null {
    const { ways } = this;
    const place = ways.placeOf(row);
    const all = ways.counts.values[row - ways.firstRow]!;
    for (let draw = 0; draw < 2; draw++) {
      const way = this.random.nextBelow(all);
      if (
        way !== than &&
        this.badUntilPs[place + way]! <= this.clock.nowPs &&
        (lastSwitch < 0 || ways.lastSwitches.values[place + way] === lastSwitch)
      )
        return way;
    }
    return null;
  }

  private anyWay(row: number): number {
    return this.random.nextBelow(this.ways.counts.values[row - this.ways.firstRow]!);
  }

  /** A packet is at its receiver's edge. @returns its output port, or held */
  private arrive(packet: number, node: number, egress: number): number {
    const row = this.packetRow.values[packet]!;
    if (this.ways.placeOf(row) < 0) return egress;
    const sender = this.ways.switches.values[row - this.ways.firstRow]!;
    // the choice was among parallel links of this very switch
    if (sender === node) return egress;
    const { words } = this.records;
    const at = packet << 3;
    const pair = words[at + PAIR]!;
    const head = words[at + HEAD]!;
    if ((head & markBit) !== 0) this.tell(node, sender, NOTICE, row, this.packetWay.values[packet]!);
    const epoch = this.packetEpoch.values[packet]!;
    if (epoch < this.seenEpoch.values[pair]!) return egress;
    if (epoch > this.seenEpoch.values[pair]!) this.enter(pair, epoch);
    const flags = this.packetFlags.values[packet]!;
    if ((flags & LATER) !== 0) return this.later(packet, pair, egress, head >> bytesShift);
    const sentPs = this.packetSentPs.values[packet]!;
    const queue = this.queueOf.values[pair]!;
    this.oldSentPs.values[pair] = sentPs;
    this.oldCamePs.values[pair] = this.clock.nowPs;
    if (flags === ASKS) this.tell(node, sender, REPLY, pair, epoch);
    else if (flags === TAIL) {
      this.tailSeen.values[pair] = 1;
      this.tell(node, sender, CLEAR, pair, epoch);
      // behind this packet
      if (queue >= 0) this.queues.setDue(queue, this.clock.nowPs);
    } else if (queue >= 0 && this.tailSeen.values[pair] === 0) this.queues.setDue(queue, this.expectedTailPs(pair));
    return egress;
  }

  /** The first packet of an epoch has come: what waits of the one before goes first. */
  private enter(pair: number, epoch: number): void {
    const queue = this.queueOf.values[pair]!;
    if (queue >= 0) this.letOut(pair, queue);
    this.seenEpoch.values[pair] = epoch;
    this.tailSeen.values[pair] = 0;
    this.oldCamePs.values[pair] = -1;
  }

  /** A packet of phase 1: it waits if its queue pair's tail has not come, or others wait before it. */
  private later(packet: number, pair: number, egress: number, bytes: number): number {
    let queue = this.queueOf.values[pair]!;
    if (queue < 0) {
      if (this.tailSeen.values[pair] === 1) return egress;
      queue = this.queues.open(pair, egress, bytes);
      if (queue < 0) return egress;
      this.queueOf.values[pair] = queue;
      this.seenTailPs.values[pair] = this.packetTailPs.values[packet]!;
      const { unknownTime, tailTime } = this.settings;
      this.queues.setDue(
        queue,
        this.oldCamePs.values[pair]! >= 0 ? this.expectedTailPs(pair) : this.clock.nowPs + unknownTime + tailTime,
      );
    } else if (!this.queues.hasRoom(queue, bytes)) {
      this.queueOf.values[pair] = -1;
      return egress;
    }
    this.port = egress;
    this.heldQueue = queue;
    return HELD;
  }

  keep(packet: number): void {
    this.queues.append(this.heldQueue, packet);
  }

  /**
   * When the tail should be here: as long behind the last packet of phase 0 as it was sent behind it, and some more.
   */
  private expectedTailPs(pair: number): number {
    return (
      this.oldCamePs.values[pair]! +
      (this.seenTailPs.values[pair]! - this.oldSentPs.values[pair]!) +
      this.settings.tailTime
    );
  }

  private letOut(pair: number, queue: number): void {
    this.queueOf.values[pair] = -1;
    this.queues.release(queue);
  }

  /** Its tail is there, or did not come. */
  timeIsUp(pair: number): void {
    this.queueOf.values[pair] = -1;
    if (this.tailSeen.values[pair] === 1) return;
    this.queues.timeouts++;
    this.tailSeen.values[pair] = 1;
  }

  /** Sends a control packet from one edge switch to the other. */
  private tell(from: number, to: number, says: number, about: number, number: number): void {
    const packet = this.control.make(this.signature, to, this.controlBytes);
    this.records.words[(packet << 3) + SEQUENCE] = number;
    this.packetFlags.values[packet] = says;
    this.packetRow.values[packet] = about;
    this.control.send(packet, from);
  }

  received(packet: number): void {
    const says = this.packetFlags.values[packet]!;
    const about = this.packetRow.values[packet]!;
    const number = this.records.words[(packet << 3) + SEQUENCE]!;
    this.packets.release(packet);
    if (says === NOTICE) {
      const place = this.ways.placeOf(about);
      if (place >= 0) this.badUntilPs[place + number] = this.clock.nowPs + this.settings.avoidTime;
      return;
    }
    // epochs have numbers of their own: that of a queue pair that is no more is nobody's
    if (this.epoch.values[about] !== number) return;
    if (says === CLEAR ? this.phase.values[about] === 1 : this.clock.nowPs <= this.deadlinePs.values[about]!)
      this.answered.values[about] = 1;
  }

  lost(packet: number): void {
    this.packets.release(packet);
  }

  private reserve(): void {
    const places = this.ways.numbers.length;
    if (places > this.badUntilPs.length)
      this.badUntilPs = grown(this.badUntilPs, Math.max(places, 2 * this.badUntilPs.length), -Infinity);
  }
}
