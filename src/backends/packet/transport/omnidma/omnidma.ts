// Long because sender and receiver of one queue pair share its packets, columns and counters.
// OmniDMA: packets are taken out of order, and what is missing is kept and told as adamaps (adamaps.ts), which the
// receiver's RNIC may keep in host memory (adamap-caches.ts). Every data packet is answered by an ACK that carries the
// first packet missing and the mark; holes are told by OmniNACKs, which go before all data (queue 0) and are answered
// before anything new is sent. There is no window unless settings ask for one.
// The sender repeats its last packet as a probe when nothing has come back for a round trip: it brings an ACK, or the
// receiver closes its map and tells what is missing. A receiver that has everything answers what comes late and keeps
// nothing of it.
// Invariants: a flow ends when its receiver has said that it has every packet; each packet is delivered once.
// Source: docs/models/omnidma.md (the peer's README and behaviour, and what is repaired here); the probe: RFC 8985, 7.
// Not modelled: several messages in one queue pair, the layout of host memory.

import type { SettingValues } from '../../../../base/settings.js';
import type { Alarm } from '../../../../engine/alarms.js';
import { RnicDma } from '../../nic/rnic-dma.js';
import { AdamapEvent } from '../../nic/rnic-watcher.js';
import type { TransportHost } from '../../nic/nic.js';
import { HeadBits, Kind, PacketWord } from '../../packets.js';
import type { PairAlarm } from '../../pair-alarms.js';
import type { TransportParts } from '../../parts.js';
import type { PacketLabels, Transport } from '../../plug-ins.js';
import { PairWord } from '../../queue-pairs.js';
import type { SideColumn } from '../../side-columns.js';
import { Notifications } from '../notifications.js';
import { ReceivedPackets } from '../received-packets.js';
import { longestWaitPs } from '../retransmission-waits.js';
import { TransportCore } from '../transport-core.js';
import { AdamapCaches } from './adamap-caches.js';
import { AdamapReceiver } from './adamap-receiver.js';
import { AdamapSender } from './adamap-sender.js';
import { type Arrival, Tier } from './arrivals.js';
import type { omnidmaSettings, rnicSettings } from './omnidma-settings.js';
import { doubledPs, RoundTrips } from './round-trips.js';

// constants of this module fold into the machine code, imported ones do not
const { pair: PAIR, port: PORT, head: HEAD, sequence: SEQUENCE } = PacketWord;
const {
  nextPacket: NEXT_PACKET,
  firstUnacknowledged: FIRST_UNACKNOWLEDGED,
  packetCount: PACKET_COUNT,
  windowPackets: WINDOW_PACKETS,
  expectedPacket: EXPECTED_PACKET,
  slot: SLOT,
} = PairWord;
const { data: DATA, ack: ACK, nack: NACK } = Kind;
const { bytesShift, kindMask, markBit, queueShift } = HeadBits;
const PROBE = Tier.probe;
const FIRST = Tier.first;

/** fields of an OmniNACK besides those of an ACK and its bitmap */
const nackFieldBytes = 22;

/** The settings of OmniDMA itself, resolved. */
export interface OmniDmaSettings {
  readonly omnidma: SettingValues<typeof omnidmaSettings>;
  readonly rnic: SettingValues<typeof rnicSettings>;
}

/** What OmniDMA is made from. */
export type OmniDmaParts = Omit<TransportParts, 'nic'> & { readonly nic: TransportHost };

export class OmniDma extends TransportCore implements Transport {
  gaveUp = 0;
  readonly receiver: AdamapReceiver;
  readonly sender: AdamapSender;
  readonly labels: PacketLabels;
  private readonly received: ReceivedPackets;
  private readonly notifications: Notifications;
  private readonly roundTrips: RoundTrips;
  private readonly ackHead: number;
  private readonly nackHead: number;
  private readonly isWindowed: boolean;
  /** 0: senders wait for ever; below 0: by round trips */
  private readonly timeoutPs: number;
  private readonly longestPs: number;
  private readonly patiencePs: number;
  // by packet: of data when it left, its tier, where its map is, up to which OmniNACK all answers were sent before it;
  // of an ACK `place` is the packet that it answers; of an OmniNACK its tier, number, place, and its map
  private readonly sentPs: SideColumn<'float64'>;
  private readonly tier: SideColumn<'uint8'>;
  private readonly place: SideColumn<'int32'>;
  private readonly number: SideColumn<'int32'>;
  private readonly start: SideColumn<'int32'>;
  private readonly length: SideColumn<'int32'>;
  private readonly bitmap: readonly SideColumn<'int32'>[];
  // by pair, at the sender: when it sent, and heard from its receiver; whether its last packet has arrived; whether its
  // next packet is a probe; probes in a row, and how long it has waited for them
  private readonly lastSentPs: SideColumn<'float64'>;
  private readonly heardPs: SideColumn<'float64'>;
  private readonly hasEnd: SideColumn<'uint8'>;
  private readonly isProbing: SideColumn<'uint8'>;
  private readonly watchedPs: SideColumn<'float64'>;
  private readonly probes: SideColumn<'int32'>;
  private readonly waitedPs: SideColumn<'float64'>;
  private readonly arrival: Arrival = { tier: 0, place: -1, answered: 0, closes: false };

  private readonly watch: PairAlarm;
  private readonly emit: Alarm;

  constructor(
    private readonly parts: OmniDmaParts,
    { omnidma, rnic }: OmniDmaSettings,
  ) {
    super(parts);
    const { settings, columns, pairs, pairAlarms } = parts;
    const { packet, queuePair } = settings;
    this.ackHead = ACK | (queuePair.acknowledgementPriority << queueShift) | (packet.acknowledgement << bytesShift);
    const nackBytes =
      omnidma.nack === 'auto' ? packet.acknowledgement + nackFieldBytes + Math.ceil(omnidma.bitmap / 8) : omnidma.nack;
    this.nackHead = NACK | ((nackBytes as number) << bytesShift);
    this.isWindowed = omnidma.window;
    this.timeoutPs = queuePair.retransmissionTimeout === 'auto' ? -1 : queuePair.retransmissionTimeout;
    this.longestPs = longestWaitPs(parts);
    this.patiencePs = (queuePair.retries + 1) * this.longestPs;
    this.received = new ReceivedPackets(pairs, EXPECTED_PACKET);
    this.notifications = new Notifications(parts, this.counters);
    this.roundTrips = new RoundTrips(columns);
    this.sentPs = columns.byPacket('float64');
    this.tier = columns.byPacket('uint8');
    this.place = columns.byPacket('int32');
    this.number = columns.byPacket('int32');
    this.start = columns.byPacket('int32');
    this.length = columns.byPacket('int32');
    this.labels = {
      tierOf: (packet) => (this.isAnswer(packet) ? this.tier.values[packet]! : 0),
      nackOf: (packet) => (this.isAnswer(packet) ? this.number.values[packet]! + (this.isData(packet) ? 1 : 0) : 0),
      placeOf: (packet) => (this.isAnswer(packet) ? this.place.values[packet]! : -1),
    };
    this.lastSentPs = columns.byPair('float64');
    this.heardPs = columns.byPair('float64');
    this.hasEnd = columns.byPair('uint8');
    this.isProbing = columns.byPair('uint8');
    this.watchedPs = columns.byPair('float64', Infinity);
    this.probes = columns.byPair('int32');
    this.waitedPs = columns.byPair('float64');
    this.watch = pairAlarms.register('OmniDMA sender', (pair) => this.watchDue(pair));
    this.emit = parts.alarms.register('OmniDMA answers', (packet) => this.nic.reply(packet, this.pairOf(packet)));
    const watcher = parts.rnicWatcher;
    const caches = cachesFor(parts, omnidma.bitmap, rnic);
    this.receiver = new AdamapReceiver({
      ...parts,
      bits: omnidma.bitmap,
      activeNack: omnidma.activeNack,
      caches,
      waitPs: omnidma.timeout === 'auto' ? (pair) => this.answerWaitPs(pair) : () => omnidma.timeout as number,
      longestPs: this.longestPs,
      patiencePs: this.patiencePs,
      events: watcher?.events ?? null,
      send: (pair, map, atPs) => this.sendNack(pair, map, atPs),
    });
    this.sender = new AdamapSender(omnidma.bitmap, columns);
    this.bitmap = Array.from({ length: this.sender.pool.words }, () => columns.byPacket('int32'));
    watcher?.observe({ list: this.receiver.list, table: this.receiver.table, caches });
  }

  canSend(pair: number): boolean {
    const { words } = this.pairs;
    const at = pair << 4;
    const next = words[at + NEXT_PACKET]!;
    if (next < words[at + PACKET_COUNT]! && this.isInWindow(next, at)) return true;
    return this.sender.first(pair) >= 0 || this.isProbing.values[pair] === 1;
  }

  fill(pair: number, packet: number): void {
    const { words } = this.pairs;
    const { sender } = this;
    const own = pair << 4;
    const map = sender.first(pair);
    let sequence = words[own + NEXT_PACKET]!;
    let tier: number = Tier.new;
    if (map >= 0) {
      tier = sender.pool.tier[map]!;
      this.place.values[packet] = sender.pool.place[map]!;
      // the answers to this OmniNACK are under way, those to the ones before it are
      this.number.values[packet] = sender.pool.nack[map]! - 1;
      sequence = sender.take(pair);
    } else {
      this.number.values[packet] = sender.latestNack(pair);
      if (sequence < words[own + PACKET_COUNT]! && this.isInWindow(sequence, own))
        words[own + NEXT_PACKET] = sequence + 1;
      else {
        tier = PROBE;
        sequence--;
      }
    }
    this.isProbing.values[pair] = 0;
    this.tier.values[packet] = tier;
    const bytes = this.writeData(pair, packet, sequence);
    if (tier !== Tier.new) this.countRepeated(bytes);
    const { nowPs } = this.clock;
    this.sentPs.values[packet] = nowPs;
    this.lastSentPs.values[pair] = nowPs;
    if (this.watchedPs.values[pair] === Infinity || words[own + NEXT_PACKET] === words[own + PACKET_COUNT])
      this.watchUntil(pair, nowPs + this.silencePs(pair));
  }

  receiveData(packet: number, pair: number): void {
    const { receiver } = this;
    const { words } = this.pairs;
    const own = pair << 4;
    const sequence = this.records.words[(packet << 3) + SEQUENCE]!;
    const count = words[own + PACKET_COUNT]!;
    this.counters.dataPacketsDelivered++;
    let atPs = this.clock.nowPs;
    if (words[own + EXPECTED_PACKET] === count) this.countArrival(packet, false);
    else {
      this.countArrival(packet, this.received.record(pair, sequence));
      const isAlone = this.tier.values[packet] === Tier.new && receiver.follows(pair, sequence);
      if (!isAlone) this.fillHole(packet, pair, sequence, sequence + 1 === count);
      if (!isAlone || receiver.hasHoles(pair)) {
        receiver.hasPassed(pair, this.number.values[packet]!);
        atPs = receiver.conclude(pair);
      }
    }
    this.reply(packet, pair, atPs);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    const { words } = this.pairs;
    const head = this.records.words[(packet << 3) + HEAD]!;
    const acknowledged = this.records.words[(packet << 3) + SEQUENCE]!;
    const at = pair << 4;
    this.counters.acknowledgementsDelivered++;
    if (words[at + SLOT]! >= 0) {
      const { nowPs } = this.clock;
      if (acknowledged > words[at + FIRST_UNACKNOWLEDGED]!) words[at + FIRST_UNACKNOWLEDGED] = acknowledged;
      this.heardPs.values[pair] = nowPs;
      this.probes.values[pair] = this.waitedPs.values[pair] = 0;
      if (acknowledged === words[at + PACKET_COUNT]) this.finish(pair);
      else {
        const kind = head & kindMask;
        if (kind === NACK) this.takeNack(packet, pair);
        else if (kind === ACK) {
          if (this.place.values[packet]! + 1 === words[at + PACKET_COUNT]) this.hasEnd.values[pair] = 1;
          this.roundTrips.measured(pair, nowPs - this.sentPs.values[packet]!);
          // what was known of round trips when the last packet left may have been little
          if (words[at + NEXT_PACKET] === words[at + PACKET_COUNT]) this.watchUntil(pair, this.probePs(pair));
          this.congestion.acknowledged(pair, head & markBit, packet);
        } else this.congestion.notified(pair);
        this.nic.canSendAgain(pair);
      }
    }
    this.discard(packet, pair);
  }

  private isData(packet: number): boolean {
    return (this.records.words[(packet << 3) + HEAD]! & kindMask) === DATA;
  }

  /** True for an OmniNACK, and for data that one asked for. */
  private isAnswer(packet: number): boolean {
    const kind = this.records.words[(packet << 3) + HEAD]! & kindMask;
    const tier = this.tier.values[packet]!;
    return kind === NACK || (kind === DATA && tier !== Tier.new && tier !== PROBE);
  }

  private isInWindow(next: number, at: number): boolean {
    const { words } = this.pairs;
    return !this.isWindowed || next - words[at + FIRST_UNACKNOWLEDGED]! < words[at + WINDOW_PACKETS]!;
  }

  /** A packet has come that does not simply follow the last one. */
  private fillHole(packet: number, pair: number, sequence: number, isLast: boolean): void {
    const { arrival } = this;
    const tier = this.tier.values[packet]!;
    arrival.tier = tier;
    arrival.place = this.place.values[packet]!;
    arrival.answered = tier >= FIRST && tier !== PROBE ? this.number.values[packet]! + 1 : 0;
    arrival.closes = isLast || tier === PROBE;
    this.receiver.arrived(pair, sequence, arrival);
  }

  /** Turns a data packet into its acknowledgement, which leaves when maps that it asked for are there. */
  private reply(packet: number, pair: number, atPs: number): void {
    this.place.values[packet] = this.records.words[(packet << 3) + SEQUENCE]!;
    this.writeAnswer(packet, pair, this.ackHead | this.notifications.markFor(packet, pair));
    this.leave(packet, pair, atPs);
  }

  /** Sends an OmniNACK of a map. */
  private sendNack(pair: number, map: number, atPs: number): void {
    const { pool } = this.receiver;
    const packet = this.packets.allocate();
    const at = packet << 3;
    const { words } = this.records;
    words[at + PAIR] = pair;
    words[at + PORT] = 0;
    this.tier.values[packet] = pool.tier[map]!;
    this.place.values[packet] = map;
    this.number.values[packet] = pool.nack[map]!;
    this.start.values[packet] = pool.start[map]!;
    this.length.values[packet] = pool.length[map]!;
    for (let word = 0; word < pool.words; word++)
      this.bitmap[word]!.values[packet] = pool.bitmap[map * pool.words + word]!;
    this.pairs.reference(pair);
    this.writeAnswer(packet, pair, this.nackHead);
    this.leave(packet, pair, atPs);
  }

  private leave(packet: number, pair: number, atPs: number): void {
    if (atPs > this.clock.nowPs) this.emit.at(atPs, packet);
    else this.nic.reply(packet, pair);
  }

  private pairOf(packet: number): number {
    return this.records.words[(packet << 3) + PAIR]!;
  }

  /** What an OmniNACK says is missing is sent again. */
  private takeNack(packet: number, pair: number): void {
    const { sender } = this;
    const { pool } = sender;
    const map = sender.make(this.start.values[packet]!, this.length.values[packet]!);
    pool.tier[map] = this.tier.values[packet]!;
    pool.place[map] = this.place.values[packet]!;
    pool.nack[map] = this.number.values[packet]!;
    for (let word = 0; word < pool.words; word++)
      pool.bitmap[map * pool.words + word] = this.bitmap[word]!.values[packet]!;
    this.parts.rnicWatcher?.events?.happened(AdamapEvent.expanded, pair, pool, map);
    sender.add(pair, map);
  }

  private finish(pair: number): void {
    this.receiver.finished(pair);
    this.sender.clear(pair);
    this.notifications.forget(pair);
    this.nic.finished(pair);
  }

  /**
   * How long a receiver waits for the answer to an OmniNACK: data bring their sender's round trips, answers its own.
   */
  private answerWaitPs(pair: number): number {
    return Math.max(this.withMargin(pair), Math.ceil(this.receiver.answers.boundPs(pair)));
  }

  /** How long a sender waits for a sign of what it sent last. */
  private silencePs(pair: number): number {
    const waitPs = this.timeoutPs >= 0 ? this.timeoutPs : this.withMargin(pair);
    return doubledPs(waitPs, this.probes.values[pair]!, this.longestPs);
  }

  private withMargin(pair: number): number {
    const { mayLosePackets, largestRttPs } = this.parts;
    if (!mayLosePackets) return this.longestPs;
    const boundPs = this.roundTrips.boundPs(pair);
    return Math.ceil(boundPs < 0 ? 3 * largestRttPs() + unmeasuredPs : boundPs * (9 / 8) + leastMarginPs);
  }

  /** When a sender with nothing left to send repeats its last packet. */
  private probePs(pair: number): number {
    const waitPs = this.silencePs(pair);
    // the receiver that has the last packet asks for the others itself; what is sent again may come late by their
    // number
    const patience = this.hasEnd.values[pair] === 1 ? 3 : 1;
    const afterSentPs = this.lastSentPs.values[pair]! + patience * waitPs;
    return Math.max(afterSentPs, this.heardPs.values[pair]! + Math.ceil(waitPs / 8));
  }

  /**
   * Has a sender looked at by a time. A look that was set for much later rings all the same, and is no look any more.
   */
  private watchUntil(pair: number, atPs: number): void {
    const watched = this.watchedPs.values;
    const { nowPs } = this.clock;
    if (this.timeoutPs === 0 || watched[pair]! - nowPs <= (atPs - nowPs) * (9 / 8)) return;
    watched[pair] = atPs;
    this.watch.at(atPs, pair);
  }

  /** Looks at a sender: has it waited long enough to repeat its last packet as a probe? */
  private watchDue(pair: number): void {
    const { nowPs } = this.clock;
    if (this.pairs.slotOf(pair) < 0 || this.watchedPs.values[pair] !== nowPs) return;
    this.watchedPs.values[pair] = Infinity;
    const duePs = this.canSend(pair) ? nowPs + this.silencePs(pair) : this.probePs(pair);
    if (duePs > nowPs) {
      this.watchUntil(pair, duePs);
      return;
    }
    const sincePs = this.lastSentPs.values[pair]!;
    const { counters } = this;
    const { retries } = this.parts.settings.queuePair;
    const waited = (this.waitedPs.values[pair]! += nowPs - sincePs);
    const tries = ++this.probes.values[pair]!;
    if (this.timeoutPs > 0 ? tries > retries : waited > this.patiencePs) {
      this.gaveUp++;
      return;
    }
    counters.timeouts++;
    counters.timeoutWaitPs += nowPs - sincePs;
    counters.longestTimeoutWaitPs = Math.max(counters.longestTimeoutWaitPs, waited);
    this.isProbing.values[pair] = 1;
    this.watchUntil(pair, nowPs + this.silencePs(pair));
    this.nic.canSendAgain(pair);
  }
}

/** before any round trip was measured: three of the largest and this, as the peer's senders wait */
const unmeasuredPs = 200e6;
/** on top of a bound of the round trip and an eighth of it */
const leastMarginPs = 1e6;

/** The caches of an RNIC with a model of its DMA; null without one. */
function cachesFor(parts: OmniDmaParts, bits: number, rnic: OmniDmaSettings['rnic']): AdamapCaches | null {
  const { fabric, clock, pairs, columns } = parts;
  if (rnic.dma === 'off') return null;
  const dma = new RnicDma({
    variant: rnic.dma,
    bandwidthBps: rnic.dmaBandwidth,
    latencyPs: rnic.dmaLatency,
    tlpPayloadBytes: rnic.tlpPayload,
    tlpOverheadBytes: rnic.tlpOverhead,
    nodeCount: fabric.nodeCount,
    clock,
    watcher: parts.rnicWatcher?.operations ?? null,
  });
  return new AdamapCaches({ pairs, columns, dma, bits, listCache: rnic.listCache, tableCache: rnic.tableCache });
}
