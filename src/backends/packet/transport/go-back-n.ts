// Go-back-N: the receiver takes packets in order only. It acknowledges them cumulatively and reports a gap with a NACK,
// on which the sender goes back to the first missing packet. Duplicates are acknowledged again, so a lost
// acknowledgement is repaired.
// Invariant: firstUnacknowledged <= nextPacket <= packetCount; expectedPacket grows, except where the settings go back
// further (restart.ts), and never after the last packet. Packets are numbered as RoCE's PSNs are.
// Source: InfiniBand Architecture Specification 1.4, 9.7 (reliable connections); the NACK interval is SimAI's. A sender
// that makes no progress for the retransmission timeout goes back, too, and gives up after a number of timeouts in a
// row (retransmission-waits.ts). All senders are looked at together, four times in the first of them, so the timers
// cost nothing per packet and a timeout comes up to a quarter of the first late. Options, each in a file of its own:
// coalesced ACKs, notification packets, back to zero.

import { grown } from '../../../base/columns.js';
import type { Alarm } from '../../../engine/alarms.js';
import { HeadBits, Kind, PacketWord } from '../packets.js';
import type { TransportParts } from '../parts.js';
import type { Transport } from '../plug-ins.js';
import { PairWord } from '../queue-pairs.js';
import { AcknowledgementCoalescing, type WaitingAnswers } from './acknowledgement-coalescing.js';
import { type CoreParts, TransportCore } from './transport-core.js';
import { Notifications } from './notifications.js';
import { Restart } from './restart.js';
import { type RetransmissionWaits, retransmissionWaits } from './retransmission-waits.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD, sequence: SEQUENCE } = PacketWord;
const {
  nextPacket: NEXT_PACKET,
  firstUnacknowledged: FIRST_UNACKNOWLEDGED,
  packetCount: PACKET_COUNT,
  windowPackets: WINDOW_PACKETS,
} = PairWord;
const { lastBytes: LAST_BYTES, expectedPacket: EXPECTED_PACKET, slot: SLOT } = PairWord;
const { nack: NACK } = Kind;
const { bytesShift, kindMask, markBit, queueShift } = HeadBits;

/** What go-back-N is made from. */
export type GoBackNParts = CoreParts &
  Pick<TransportParts, 'fabric' | 'alarms' | 'pairAlarms' | 'largestRttPs' | 'mayLosePackets'>;

export class GoBackN extends TransportCore implements Transport, WaitingAnswers {
  private readonly ackHead: number;
  private readonly nackHead: number;
  private readonly nackIntervalPs: number;
  private readonly waits: RetransmissionWaits;
  gaveUp = 0;
  private readonly notifications: Notifications;
  /** null unless settings ask for them */
  private readonly coalescing: AcknowledgementCoalescing | null;
  private readonly restart: Restart | null;
  /** neither of the two: receivers answer every packet and never go back */
  private readonly isPlain: boolean;
  /** a look is scheduled, or none is wanted */
  private isLooking: boolean;
  /** per pair: first unacknowledged packet at the last look, looks since it moved, timeouts since it moved */
  private seenPacket = new Int32Array(0);
  private looks = new Uint32Array(0);
  private retries = new Uint16Array(0);
  /** per pair: picoseconds for which its flow has waited for timeouts */
  private waitedPs = new Float64Array(0);

  private readonly look: Alarm;

  constructor(parts: GoBackNParts) {
    super(parts);
    const { settings, pairs } = parts;
    this.look = parts.alarms.register('look for senders without progress', () => this.lookDue());
    const { packet, queuePair } = settings;
    const rest = (queuePair.acknowledgementPriority << queueShift) | (packet.acknowledgement << bytesShift);
    this.ackHead = Kind.ack | rest;
    this.nackHead = Kind.nack | rest;
    this.nackIntervalPs = queuePair.nackInterval;
    this.waits = retransmissionWaits(parts);
    this.isLooking = this.waits.lookIntervalPs === 0;
    this.notifications = new Notifications(parts, this.counters);
    const { acknowledgementInterval, acknowledgementDelay, goBackTo, chunk } = queuePair;
    this.coalescing =
      acknowledgementInterval === 1
        ? null
        : new AcknowledgementCoalescing(
            parts,
            { interval: acknowledgementInterval, delayPs: acknowledgementDelay },
            this,
          );
    this.restart =
      goBackTo === 'missing-packet'
        ? null
        : new Restart(goBackTo === 'message-start' ? Infinity : Math.ceil(chunk / packet.payload));
    this.isPlain = this.coalescing === null && this.restart === null;
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
  }

  canSend(pair: number): boolean {
    const { words } = this.pairs;
    const at = pair << 4;
    const next = words[at + NEXT_PACKET]!;
    return next < words[at + PACKET_COUNT]! && next - words[at + FIRST_UNACKNOWLEDGED]! < words[at + WINDOW_PACKETS]!;
  }

  fill(pair: number, packet: number): void {
    const { words } = this.pairs;
    const at = (pair << 4) + NEXT_PACKET;
    const next = words[at]!;
    this.writeData(pair, packet, next);
    words[at] = next + 1;
    if (!this.isLooking) this.lookLater();
  }

  receiveData(packet: number, pair: number): void {
    const { pairs, counters } = this;
    const sequence = this.records.words[(packet << 3) + SEQUENCE]!;
    const expectedAt = (pair << 4) + EXPECTED_PACKET;
    const expected = pairs.words[expectedAt]!;
    counters.dataPacketsDelivered++;
    if (!this.isPlain) this.receiveWithOptions(packet, pair, sequence);
    else if (sequence <= expected) {
      if (sequence === expected) pairs.words[expectedAt] = expected + 1;
      this.countArrival(packet, sequence === expected);
      this.reply(packet, pair, this.ackHead);
    } else if (this.mayReport(pair, expected)) {
      this.noteReport(pair, expected);
      this.reply(packet, pair, this.nackHead);
    } else this.discard(packet, pair);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    const { words } = this.pairs;
    const head = this.records.words[(packet << 3) + HEAD]!;
    const acknowledged = this.records.words[(packet << 3) + SEQUENCE]!;
    const at = pair << 4;
    this.counters.acknowledgementsDelivered++;
    if (words[at + SLOT]! >= 0) {
      if (acknowledged > words[at + FIRST_UNACKNOWLEDGED]!) words[at + FIRST_UNACKNOWLEDGED] = acknowledged;
      // a NACK that was repeated for the same gap had gone back behind what has arrived since
      if (acknowledged > words[at + NEXT_PACKET]!) this.skipTo(pair, acknowledged);
      if (acknowledged === words[at + PACKET_COUNT]) {
        this.seenPacket[pair] = -1;
        this.retries[pair] = 0;
        this.waitedPs[pair] = 0;
        this.notifications.forget(pair);
        if (this.restart !== null) this.restart.forget(pair);
        this.nic.finished(pair);
      } else {
        const kind = head & kindMask;
        if (kind === NACK) this.goBack(pair);
        if (kind <= NACK) this.congestion.acknowledged(pair, head & markBit, packet);
        else this.congestion.notified(pair);
        this.nic.canSendAgain(pair);
      }
    }
    this.discard(packet, pair);
  }

  private lookDue(): void {
    const { pairs } = this;
    const { looks } = this.waits;
    let isAnyWaiting = false;
    for (let pair = 0; pair < pairs.count; pair++) {
      const { words } = pairs;
      const at = pair << 4;
      const first = words[at + FIRST_UNACKNOWLEDGED]!;
      if (words[at + SLOT]! < 0 || words[at + NEXT_PACKET] === first) this.looks[pair] = 0;
      else if (this.restart !== null && this.restart.hasGivenUp(pair)) this.looks[pair] = 0;
      else if (this.seenPacket[pair] !== first) {
        this.seenPacket[pair] = first;
        this.looks[pair] = 0;
        if (this.restart === null || this.restart.isProgress(pair, first)) this.retries[pair] = 0;
        isAnyWaiting = true;
      } else if (this.retries[pair]! < looks.length) {
        isAnyWaiting = true;
        if (++this.looks[pair]! >= looks[this.retries[pair]!]!) this.timeOut(pair);
      }
    }
    // nobody waits, or all have given up: the next packet that is sent starts the looks again
    this.isLooking = false;
    if (isAnyWaiting) this.lookLater();
  }

  private reserve(capacity: number): void {
    this.seenPacket = grown(this.seenPacket, capacity, -1);
    this.restart?.reserve(capacity);
    this.looks = grown(this.looks, capacity);
    this.retries = grown(this.retries, capacity);
    this.waitedPs = grown(this.waitedPs, capacity);
  }

  private lookLater(): void {
    this.isLooking = true;
    this.look.at(this.clock.nowPs + this.waits.lookIntervalPs, 0);
  }

  private timeOut(pair: number): void {
    const { counters } = this;
    const waitPs = this.looks[pair]! * this.waits.lookIntervalPs;
    this.looks[pair] = 0;
    if (++this.retries[pair]! >= this.waits.looks.length) {
      this.gaveUp++;
      return;
    }
    counters.timeouts++;
    counters.timeoutWaitPs += waitPs;
    this.waitedPs[pair]! += waitPs;
    counters.longestTimeoutWaitPs = Math.max(counters.longestTimeoutWaitPs, this.waitedPs[pair]!);
    this.goBack(pair);
    this.nic.canSendAgain(pair);
  }

  private goBack(pair: number): void {
    const { words } = this.pairs;
    const at = pair << 4;
    const { restart } = this;
    const missing = words[at + FIRST_UNACKNOWLEDGED]!;
    const first = restart === null ? missing : restart.startOf(missing);
    const next = words[at + NEXT_PACKET]!;
    if (restart !== null) {
      const verdict = restart.goesBack(pair, missing, next - first, words[at + PACKET_COUNT]!);
      if (verdict === 'gives-up') this.gaveUp++;
      if (verdict !== 'back') return;
    }
    const short = next > first && next === words[at + PACKET_COUNT] ? this.fullBytes - words[at + LAST_BYTES]! : 0;
    this.counters.retransmittedPackets += next - first;
    this.counters.retransmittedBytes += (next - first) * (this.fullBytes - this.headerBytes) - short;
    words[at + FIRST_UNACKNOWLEDGED] = words[at + NEXT_PACKET] = first;
  }

  /** What the sender went back for has arrived meanwhile: it is not sent again. */
  private skipTo(pair: number, packet: number): void {
    const { words } = this.pairs;
    const at = (pair << 4) + NEXT_PACKET;
    this.counters.retransmittedPackets -= packet - words[at]!;
    words[at] = packet;
  }

  /** Turns a data packet into its acknowledgement: next expected packet, the mark echoed. */
  private reply(packet: number, pair: number, head: number): void {
    this.writeAnswer(packet, pair, head | this.notifications.markFor(packet, pair));
    this.nic.reply(packet, pair);
  }

  /** The receiver's part if ACKs are coalesced or it goes back: one more case each than receiveData. */
  private receiveWithOptions(packet: number, pair: number, sequence: number): void {
    const { pairs, restart } = this;
    const own = pair << 4;
    const count = pairs.words[own + PACKET_COUNT]!;
    let expected = pairs.words[own + EXPECTED_PACKET]!;
    // the sender has gone back to the start by itself: what has arrived since then is void, unless it was the end
    if (restart !== null && sequence < expected && expected < count && sequence === restart.startOf(expected))
      expected = sequence;
    if (sequence === expected) {
      pairs.words[own + EXPECTED_PACKET] = expected + 1;
      if (restart === null || restart.isFirstDelivery(pair, expected)) this.countArrival(packet, true);
      if (expected + 1 < count && this.mayWait(packet, pair)) return;
      this.answer(packet, pair, this.ackHead);
    } else if (sequence < expected) {
      this.countArrival(packet, false);
      this.answer(packet, pair, this.ackHead);
    } else if (this.mayReport(pair, expected)) {
      if (restart !== null) expected = pairs.words[own + EXPECTED_PACKET] = restart.startOf(expected);
      this.noteReport(pair, expected);
      this.answer(packet, pair, this.nackHead);
    } else this.discard(packet, pair);
  }

  /** A packet has waited long enough for its ACK. */
  answerWaiting(packet: number, pair: number): void {
    this.reply(packet, pair, this.ackHead);
  }

  /** Keeps a packet in order back for a later ACK, if it may wait. */
  private mayWait(packet: number, pair: number): boolean {
    const { coalescing, notifications } = this;
    if (coalescing === null) return false;
    const { words } = this.records;
    const at = (packet << 3) + HEAD;
    // a CNP does not wait with the ACK
    if (notifications.isDelayed && (words[at]! & markBit) !== 0) {
      words[at]! &= ~markBit;
      notifications.seen(pair);
    }
    return coalescing.withhold(packet, pair);
  }

  /** Answers a packet, and with it those that wait. */
  private answer(packet: number, pair: number, head: number): void {
    if (this.coalescing !== null) this.records.words[(packet << 3) + HEAD]! |= this.coalescing.settle(pair);
    this.reply(packet, pair, head);
  }

  /** Whether a gap before a packet is new, or was reported long enough ago. */
  private mayReport(pair: number, expected: number): boolean {
    return (
      this.pairs.nackPacket[pair] !== expected || this.clock.nowPs - this.pairs.nackPs[pair]! >= this.nackIntervalPs
    );
  }

  private noteReport(pair: number, expected: number): void {
    this.pairs.nackPacket[pair] = expected;
    this.pairs.nackPs[pair] = this.clock.nowPs;
  }
}
