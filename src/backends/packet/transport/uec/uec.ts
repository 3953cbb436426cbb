// The transport of the class that new AI clusters ship (Ultra Ethernet 1.0, MRC): packets may come in any order and are
// placed where they belong at once; answers say what has come in order, with a bitmap from there on; only what is lost
// is sent again. A packet is lost if its header comes trimmed (the answer is a NACK), if one that was sent sufficiently
// later has been acknowledged, or if it has been silent for the retransmission timeout. What may be in flight is the
// business of congestion/nscc/ (the sender's window) and credits.ts (the receiver's credits).
// Invariants: firstUnacknowledged <= nextPacket <= packetCount, and so is expectedPacket; a packet is delivered once;
// what is in flight stays within the window, but for the one packet that may always go; packets sent and not
// acknowledged in order are within the range of sent-packets.ts.
// Source: Hoefler et al., arXiv:2508.08906 (selective acknowledgement, losses by trimming, by reordering and by time,
// control in a class of its own); RFC 6298 (the timeout by round trips); docs/models/uec.md says rule by rule what is
// from where and what is guessed. Not modelled: connections that are set up by their first packet, ordered delivery
// (ROD), the loss of an entropy told by the receiver.

import type { SettingValues } from '../../../../base/settings.js';
import type { TransportHost } from '../../nic/nic.js';
import { bytesShift, Kind, kindMask, markBit, PacketWord } from '../../packets.js';
import type { TransportParts } from '../../parts.js';
import type { Transport, WindowControl } from '../../plug-ins.js';
import { PairWord } from '../../queue-pairs.js';
import type { SideColumn } from '../../side-columns.js';
import { ReceivedPackets } from '../received-packets.js';
import { TransportCore } from '../transport-core.js';
import { isTrimmed } from '../../switch/trimming.js';
import { AnswerInterval } from './answer-interval.js';
import { baseRoundTripPs } from './base-round-trip.js';
import { BitmapAnswers } from './bitmap-answers.js';
import { Credits, type CreditSender } from './credits.js';
import { KnownArrivals } from './known-arrivals.js';
import { ReorderWindow } from './reorder-window.js';
import { Sent, SentPackets } from './sent-packets.js';
import { type SilentSenders, SilenceTimer } from './silence-timer.js';
import type { uecSettings } from './uec-settings.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD, sequence: SEQUENCE, port: PORT } = PacketWord;
const {
  nextPacket: NEXT_PACKET,
  firstUnacknowledged: FIRST_UNACKNOWLEDGED,
  packetCount: PACKET_COUNT,
  expectedPacket: EXPECTED_PACKET,
} = PairWord;
const { ack: ACK, nack: NACK, notification: CREDIT } = Kind;
const OUTSTANDING = Sent.outstanding;
/** packets: fewer than the paths of a small fabric reorder */
const leastReorderThreshold = 5;

/** What the transport is made from. */
export type UecParts = Omit<TransportParts, 'nic'> & { readonly nic: TransportHost };
/** The resolved values of its settings. */
export type UecValues = SettingValues<typeof uecSettings>;

export class Uec extends TransportCore implements Transport, CreditSender, SilentSenders {
  readonly readsTrimmed = true;
  /** of everything that is no data: acknowledgements and credits go before all data */
  private readonly controlHead: number;
  private readonly usesWindow: boolean;
  private readonly sent: SentPackets;
  private readonly silence: SilenceTimer;
  private readonly reordering: ReorderWindow;
  /** null: receivers give none */
  private readonly credits: Credits | null;
  /** what has come to the receiver */
  private readonly received: ReceivedPackets;
  /** per pair: its block in `sent`, -1 before its first packet and after its last */
  private readonly block: SideColumn<'int32'>;
  /** per packet: what a data packet carries and its answer brings back */
  private readonly transmission: SideColumn<'int32'>;
  private readonly sentPs: SideColumn<'float64'>;
  private readonly foreseen: SideColumn<'int32'>;
  /** what answers carry besides */
  private readonly answers: BitmapAnswers;
  /** null: every packet is answered */
  private readonly interval: AnswerInterval | null;
  private readonly arrivals: KnownArrivals;
  private readonly path: Int32Array;

  constructor(
    private readonly parts: UecParts,
    private readonly values: UecValues,
    private readonly windows: WindowControl,
  ) {
    super(parts);
    const { settings, pairs, columns, tracer } = parts;
    const { packet } = settings;
    this.controlHead = packet.acknowledgement << bytesShift;
    this.usesWindow = values.control === 'nscc' || values.control === 'both';
    const mostPackets = (parts.largestBdpBytes() * values.maximumWindow) / packet.payload;
    this.sent = new SentPackets(Math.min(2 * mostPackets, 1 << 20));
    this.silence = new SilenceTimer({ ...parts, counters: this.counters, senders: this });
    this.credits =
      values.control === 'rccc' || values.control === 'both'
        ? new Credits(parts, this.fullBytes + packet.gap, this)
        : null;
    this.received = new ReceivedPackets(pairs, EXPECTED_PACKET);
    this.block = columns.byPair('int32', -1);
    this.transmission = columns.byPacket('int32');
    this.sentPs = columns.byPacket('float64');
    this.reordering = new ReorderWindow(columns);
    this.foreseen = columns.byPacket('int32');
    this.answers = new BitmapAnswers(columns, this.received);
    const known = new ReceivedPackets(pairs, FIRST_UNACKNOWLEDGED);
    this.arrivals = new KnownArrivals(pairs, known, this.sent, this.answers, this.fullBytes);
    const { acknowledgementInterval } = values;
    this.interval =
      acknowledgementInterval > 0 ? new AnswerInterval(columns, this.received, acknowledgementInterval) : null;
    this.path = new Int32Array(tracer.maxLength);
  }

  get gaveUp(): number {
    return this.silence.gaveUp;
  }

  canSend(pair: number): boolean {
    let block = this.block.values[pair]!;
    if (block < 0) {
      if (this.pairs.slotOf(pair) < 0) return false;
      block = this.open(pair);
    }
    const { sent } = this;
    if (sent.lost(block) === 0) {
      const { words } = this.pairs;
      const at = pair << 4;
      const next = words[at + NEXT_PACKET]!;
      if (next >= words[at + PACKET_COUNT]! || next - words[at + FIRST_UNACKNOWLEDGED]! >= sent.range) return false;
    }
    const inFlight = sent.inFlight(block);
    if (inFlight > 0 && inFlight + this.fullBytes > this.windows.windowOf(pair)) return false;
    if (this.silence.hasGivenUp(pair)) return false;
    return this.credits === null || this.credits.mayTransmit(pair, sent.transmissions(block));
  }

  fill(pair: number, packet: number): void {
    const { sent } = this;
    const { words } = this.pairs;
    const own = pair << 4;
    const block = this.block.values[pair]!;
    let sequence = sent.firstLost(block);
    const isRepeated = sequence >= 0;
    if (!isRepeated) {
      sequence = words[own + NEXT_PACKET]!;
      words[own + NEXT_PACKET] = sequence + 1;
    }
    const bytes = this.writeData(pair, packet, sequence);
    if (isRepeated) this.countRepeated(bytes);
    const { nowPs } = this.clock;
    const transmission = sent.send(block, sequence, bytes, nowPs);
    this.transmission.values[packet] = transmission;
    this.sentPs.values[packet] = nowPs;
    if (this.credits !== null)
      this.foreseen.values[packet] =
        transmission + 1 + sent.lost(block) + words[own + PACKET_COUNT]! - words[own + NEXT_PACKET]!;
    this.interval?.ask(packet, isRepeated || !this.canSend(pair));
    this.silence.watch(pair);
  }

  receiveData(packet: number, pair: number): void {
    const { counters, credits } = this;
    const { words } = this.records;
    const at = packet << 3;
    const head = words[at + HEAD]!;
    const sequence = words[at + SEQUENCE]!;
    const trimmed = isTrimmed(head);
    counters.dataPacketsDelivered++;
    const isMissing = trimmed ? !this.received.has(pair, sequence) : this.received.record(pair, sequence);
    if (!trimmed) this.countArrival(packet, isMissing);
    if (credits !== null)
      credits.arrived(
        pair,
        this.parts.fabric.portPeer[words[at + PORT]!]!,
        this.transmission.values[packet]!,
        this.foreseen.values[packet]!,
        trimmed && isMissing,
      );
    const { interval } = this;
    if (trimmed && isMissing) interval?.trimmed(pair, sequence);
    if (interval === null || trimmed || interval.isDue(packet, pair, head, head >> bytesShift, isMissing))
      this.answer(packet, pair, sequence, trimmed && isMissing ? NACK : ACK, head & markBit);
    else this.discard(packet, pair);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    this.counters.acknowledgementsDelivered++;
    const block = this.block.values[pair]!;
    if (block >= 0) {
      const { words } = this.records;
      const at = packet << 3;
      const head = words[at + HEAD]!;
      const kind = head & kindMask;
      if (kind === CREDIT) this.credits!.received(pair, words[at + SEQUENCE]!);
      else this.takeAnswer(packet, pair, block, kind, (head & markBit) !== 0);
      if (this.block.values[pair]! >= 0) this.nic.canSendAgain(pair);
    }
    this.discard(packet, pair);
  }

  sendCredit(pair: number, total: number): void {
    const packet = this.packets.allocate();
    const at = packet << 3;
    const { words } = this.records;
    words[at + PacketWord.pair] = pair;
    words[at + HEAD] = CREDIT | this.controlHead;
    words[at + SEQUENCE] = total;
    this.pairs.reference(pair);
    this.counters.acknowledgementsSent++;
    this.nic.reply(packet, pair);
  }

  oldestSentPs(pair: number): number {
    const block = this.block.values[pair]!;
    const oldest = this.sent.oldest(block);
    return oldest < 0 ? Infinity : this.sent.sentAtPs(block, oldest);
  }

  hasMore(pair: number): boolean {
    const { words } = this.pairs;
    const hasNew = words[(pair << 4) + NEXT_PACKET]! < words[(pair << 4) + PACKET_COUNT]!;
    return hasNew || this.sent.lost(this.block.values[pair]!) > 0;
  }

  loseOlderThan(pair: number, timePs: number): void {
    const block = this.block.values[pair]!;
    const { sent } = this;
    for (
      let oldest = sent.oldest(block);
      oldest >= 0 && sent.sentAtPs(block, oldest) <= timePs;
      oldest = sent.oldest(block)
    )
      this.lose(pair, block, oldest);
    this.parts.paths?.timedOut(pair);
    this.nic.canSendAgain(pair);
  }

  transmissionsOf(pair: number): number {
    return this.sent.transmissions(this.block.values[pair]!);
  }

  ask(pair: number): void {
    if (this.credits !== null) this.credits.ask(pair, this.transmissionsOf(pair));
    this.nic.canSendAgain(pair);
  }

  /** The first packet of a queue pair is about to be sent. @returns its block */
  private open(pair: number): number {
    const { pairs, values } = this;
    const { packet } = this.parts.settings;
    const block = this.sent.open();
    this.block.values[pair] = block;
    const lineRateBps = pairs.lineRateBps[pair]!;
    const rttPs = baseRoundTripPs(this.parts, pair, this.path);
    const bdpBytes = (rttPs * lineRateBps) / 8e12;
    const largestBytes = Math.max(this.fullBytes, Math.floor(bdpBytes * values.maximumWindow));
    this.windows.start(pair, rttPs, lineRateBps, largestBytes);
    this.silence.start(pair);
    if (this.credits !== null)
      this.credits.open(
        pair,
        Math.max(1, Math.floor((bdpBytes * values.firstCredit) / (packet.payload + packet.header))),
        Math.ceil(largestBytes / this.fullBytes),
      );
    return block;
  }

  /** Turns a data packet into its answer. */
  private answer(packet: number, pair: number, sequence: number, kind: number, mark: number): void {
    this.answers.write(packet, pair, sequence);
    this.writeAnswer(packet, pair, kind | mark | this.controlHead);
    if (mark !== 0) {
      this.counters.notifications++;
      this.pairs.notifications[pair]!++;
    }
    this.nic.reply(packet, pair);
  }

  /** An ACK or a NACK has reached the sender of a flow that has not finished. */
  private takeAnswer(packet: number, pair: number, block: number, kind: number, isMarked: boolean): void {
    const { sent, windows, clock, silence } = this;
    const { words } = this.pairs;
    const own = pair << 4;
    const first = words[own + FIRST_UNACKNOWLEDGED]!;
    const answered = this.answers.sequenceOf(packet);
    const transmission = this.transmission.values[packet]!;
    const nowPs = clock.nowPs;
    const bytes = this.arrivals.learn(pair, block, this.records.words[(packet << 3) + SEQUENCE]!, packet);
    const firstNow = words[own + FIRST_UNACKNOWLEDGED]!;
    for (let sequence = first; sequence < firstNow; sequence++) sent.pass(block, sequence);
    if (bytes > 0) silence.heard(pair);
    if (firstNow === words[own + PACKET_COUNT]) {
      sent.close(block);
      this.block.values[pair] = -1;
      this.nic.finished(pair);
      return;
    }
    if (kind === ACK) {
      const sentPs = this.sentPs.values[packet]!;
      const rttPs = nowPs - sentPs;
      silence.measured(pair, rttPs);
      this.reordering.acknowledged(pair, sentPs, rttPs);
      if (this.usesWindow) windows.acknowledged(pair, bytes, rttPs, isMarked, sent.inFlight(block), nowPs);
      this.loseOvertaken(pair, block, sent.noteAcknowledged(block, transmission));
    } else if (
      answered >= firstNow &&
      sent.stateOf(block, answered) === OUTSTANDING &&
      sent.transmissionOf(block, answered) === transmission
    ) {
      const lostBytes = this.arrivals.bytesOf(pair, answered);
      sent.lose(block, answered, lostBytes);
      silence.heard(pair);
      if (this.usesWindow) windows.trimmed(pair, lostBytes, sent.inFlight(block), nowPs);
    }
  }

  /** Takes for lost what was sent sufficiently long before a transmission that has been acknowledged. */
  private loseOvertaken(pair: number, block: number, highest: number): void {
    const { sent } = this;
    const { reorderThreshold } = this.values;
    let oldest = sent.oldest(block);
    if (oldest < 0) return;
    const limit = highest - (reorderThreshold === 'auto' ? this.windowPackets(pair) : reorderThreshold);
    const limitPs = reorderThreshold === 'auto' ? this.reordering.overtakenPs(pair) : Infinity;
    for (
      ;
      oldest >= 0 && sent.transmissionOf(block, oldest) <= limit && sent.sentAtPs(block, oldest) < limitPs;
      oldest = sent.oldest(block)
    )
      this.lose(pair, block, oldest);
  }

  /** Packets of 1.5 windows, of the largest window at most. */
  private windowPackets(pair: number): number {
    const { windows } = this;
    const windowBytes = Math.min(1.5 * windows.windowOf(pair), windows.largestWindowOf(pair));
    return Math.max(leastReorderThreshold, Math.ceil(windowBytes / this.fullBytes));
  }

  private lose(pair: number, block: number, sequence: number): void {
    const bytes = this.arrivals.bytesOf(pair, sequence);
    this.sent.lose(block, sequence, bytes);
    if (this.usesWindow) this.windows.lost(pair, bytes);
  }
}
