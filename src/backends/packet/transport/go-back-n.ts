// Go-back-N: the receiver takes packets in order only. It acknowledges every packet cumulatively and reports a gap with a NACK, on which
// the sender goes back to the first missing byte. Duplicates are acknowledged again, so a lost acknowledgement is repaired.
// Invariant: firstUnacknowledged <= nextByte <= size, expectedByte grows by whole packets.
// Source: InfiniBand Architecture Specification 1.4, 9.7 (reliable connections); the NACK interval is SimAI's.
// Not modelled: retransmission timeouts (a lost last packet stays lost and the run says so), coalesced acknowledgements.

import { type EventRecords, Real, Word } from '../event-records.js';
import type { Clock } from '../event-wheel.js';
import { Kind, kindMask as importedKindMask, markBit as importedMarkBit, type PacketPool, queueShift as importedQueueShift } from '../packets.js';
import type { CongestionControl, Transport, TransportHost } from '../plug-ins.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { PacketSettings } from '../settings.js';

// constants of this module fold into the machine code, imported ones do not
const { bytes: BYTES, head: HEAD } = Word;
const { sequence: SEQUENCE } = Real;
const { data: DATA, nack: NACK } = Kind;
const kindMask = importedKindMask;
const markBit = importedMarkBit;
const queueShift = importedQueueShift;

/** Totals of a run. */
export interface TransportCounters {
  payloadBytesDelivered: number;
  retransmittedBytes: number;
  dataPacketsSent: number;
  dataPacketsDelivered: number;
  acknowledgementsSent: number;
  acknowledgementsDelivered: number;
}

export class GoBackN implements Transport {
  readonly counters: TransportCounters = { payloadBytesDelivered: -0, retransmittedBytes: -0, dataPacketsSent: 0, dataPacketsDelivered: 0, acknowledgementsSent: 0, acknowledgementsDelivered: 0 };
  private readonly payloadBytes: number;
  private readonly headerBytes: number;
  private readonly acknowledgementBytes: number;
  private readonly ackHead: number;
  private readonly nackHead: number;
  private readonly nackIntervalPs: number;

  constructor(
    settings: PacketSettings,
    private readonly pairs: QueuePairs,
    private readonly packets: PacketPool,
    private readonly records: EventRecords,
    private readonly congestion: CongestionControl,
    private readonly host: TransportHost,
    private readonly clock: Clock,
  ) {
    const { packet, queuePair } = settings;
    this.payloadBytes = packet.payload;
    this.headerBytes = packet.header;
    this.acknowledgementBytes = packet.acknowledgement;
    this.ackHead = Kind.ack | (queuePair.acknowledgementPriority << queueShift);
    this.nackHead = Kind.nack | (queuePair.acknowledgementPriority << queueShift);
    this.nackIntervalPs = queuePair.nackInterval;
  }

  canSend(pair: number): boolean {
    const { pairs } = this;
    const next = pairs.nextByte[pair]!;
    return next < pairs.sizeBytes[pair]! && next - pairs.firstUnacknowledged[pair]! < pairs.windowNowBytes[pair]!;
  }

  fill(pair: number, packet: number): void {
    const { pairs } = this;
    const { words, reals } = this.records;
    const next = pairs.nextByte[pair]!;
    const left = pairs.sizeBytes[pair]! - next;
    const payload = left < this.payloadBytes ? left : this.payloadBytes;
    const at = packet << 4;
    words[at + BYTES] = payload + this.headerBytes;
    words[at + HEAD] = DATA | (pairs.priority[pair]! << queueShift);
    reals[(packet << 3) + SEQUENCE] = next;
    pairs.nextByte[pair] = next + payload;
    this.counters.dataPacketsSent++;
  }

  receiveData(packet: number, pair: number): void {
    const { pairs, counters } = this;
    const { words, reals } = this.records;
    const at = packet << 4;
    const sequence = reals[(packet << 3) + SEQUENCE]!;
    const expected = pairs.expectedByte[pair]!;
    counters.dataPacketsDelivered++;
    if (sequence <= expected) {
      if (sequence === expected) {
        const payload = words[at + BYTES]! - this.headerBytes;
        pairs.expectedByte[pair] = expected + payload;
        counters.payloadBytesDelivered += payload;
      }
      this.reply(packet, pair, this.ackHead);
    } else if (pairs.nackByte[pair] !== expected || this.clock.nowPs - pairs.nackPs[pair]! >= this.nackIntervalPs) {
      pairs.nackByte[pair] = expected;
      pairs.nackPs[pair] = this.clock.nowPs;
      this.reply(packet, pair, this.nackHead);
    } else this.discard(packet, pair);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    const { pairs } = this;
    const head = this.records.words[(packet << 4) + HEAD]!;
    const acknowledged = this.records.reals[(packet << 3) + SEQUENCE]!;
    this.counters.acknowledgementsDelivered++;
    if (pairs.slot[pair]! >= 0) {
      if (acknowledged > pairs.firstUnacknowledged[pair]!) pairs.firstUnacknowledged[pair] = acknowledged;
      if (acknowledged >= pairs.sizeBytes[pair]!) {
        this.host.finished(pair);
      } else {
        if ((head & kindMask) === NACK) this.goBack(pair);
        this.congestion.acknowledged(pair, head & markBit);
        this.host.canSendAgain(pair);
      }
    }
    this.discard(packet, pair);
  }

  private goBack(pair: number): void {
    const { pairs } = this;
    const first = pairs.firstUnacknowledged[pair]!;
    this.counters.retransmittedBytes += pairs.nextByte[pair]! - first;
    pairs.nextByte[pair] = first;
  }

  /** Turns a data packet into its acknowledgement: next expected byte, the mark echoed. */
  private reply(packet: number, pair: number, head: number): void {
    const { words, reals } = this.records;
    const at = packet << 4;
    words[at + HEAD] = head | (words[at + HEAD]! & markBit);
    words[at + BYTES] = this.acknowledgementBytes;
    reals[(packet << 3) + SEQUENCE] = this.pairs.expectedByte[pair]!;
    this.counters.acknowledgementsSent++;
    this.host.reply(packet, pair);
  }

  private discard(packet: number, pair: number): void {
    this.packets.release(packet);
    this.pairs.unreference(pair);
  }
}
