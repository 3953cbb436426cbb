// ACK coalescing at the receiver: packets in order wait for an ACK that answers several of them, but never longer than
// a delay. The newest packet that waits is kept, so that it becomes the ACK, with its telemetry, if the delay ends
// first; the others are released.
// Invariants: fewer packets wait than the interval; nothing waits once a queue pair is complete; at most one timer runs
// per queue pair.
// Source: InfiniBand Architecture Specification 1.4, 9.7.5 (a responder may answer several requests with one ACK).
// Not modelled: ACK requests by the sender, ACKs that ride on data.

import { grown } from '../../../base/columns.js';
import { Kind, markBit, PacketWord } from '../packets.js';
import type { PairAlarm } from '../pair-alarms.js';
import type { TransportParts } from '../parts.js';

const { head: HEAD } = PacketWord;

/** What coalescing is made from. */
export type CoalescingParts = Pick<TransportParts, 'pairs' | 'packets' | 'records' | 'clock' | 'pairAlarms'>;

/** Who answers packets that have waited. */
export interface WaitingAnswers {
  /** A packet has waited long enough for its ACK: it has its mark in an otherwise empty head. */
  answerWaiting(packet: number, pair: number): void;
}

export class AcknowledgementCoalescing {
  /**
   * per pair: packets that wait for their ACK, the newest of them, the mark of any of them, and when the oldest arrived
   */
  private waiting = new Int32Array(0);
  private newest = new Int32Array(0);
  private mark = new Uint8Array(0);
  private sincePs = new Float64Array(0);
  private isTimed = new Uint8Array(0);

  private readonly interval: number;
  private readonly delayPs: number;
  private readonly timer: PairAlarm;

  /**
   * @param limits interval: packets per ACK; delayPs: longest wait of a packet for its ACK
   * @param answers takes packets that have waited long enough
   */
  constructor(
    private readonly parts: CoalescingParts,
    limits: { readonly interval: number; readonly delayPs: number },
    answers: WaitingAnswers,
  ) {
    const { pairs, pairAlarms } = parts;
    this.interval = limits.interval;
    this.delayPs = limits.delayPs;
    this.timer = pairAlarms.register('acknowledge what waits', (pair) => {
      const packet = this.due(pair);
      if (packet >= 0) answers.answerWaiting(packet, pair);
    });
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
  }

  /** A packet in order has come that may wait. @returns true if it does: it is no longer the caller's */
  withhold(packet: number, pair: number): boolean {
    const waiting = this.waiting[pair]!;
    if (waiting + 1 >= this.interval) return false;
    const { nowPs } = this.parts.clock;
    if (waiting === 0) {
      this.sincePs[pair] = nowPs;
      if (this.isTimed[pair] === 0) this.time(pair, nowPs + this.delayPs);
    } else this.release(pair);
    const { words } = this.parts.records;
    const at = (packet << 3) + HEAD;
    this.mark[pair]! |= words[at]! & markBit;
    words[at] = Kind.none;
    this.newest[pair] = packet;
    this.waiting[pair] = waiting + 1;
    return true;
  }

  /** Another packet is being answered, for those that wait as well. @returns the mark that they add to the answer */
  settle(pair: number): number {
    if (this.waiting[pair] === 0) return 0;
    this.release(pair);
    return this.clear(pair);
  }

  /**
   * The timer has run out.
   * @returns the packet to answer, its mark in an otherwise empty head; -1 if none has waited long enough
   */
  private due(pair: number): number {
    this.isTimed[pair] = 0;
    if (this.waiting[pair] === 0) return -1;
    const duePs = this.sincePs[pair]! + this.delayPs;
    if (duePs > this.parts.clock.nowPs) {
      this.time(pair, duePs);
      return -1;
    }
    const packet = this.newest[pair]!;
    this.parts.records.words[(packet << 3) + HEAD] = this.clear(pair);
    return packet;
  }

  private reserve(capacity: number): void {
    this.waiting = grown(this.waiting, capacity);
    this.newest = grown(this.newest, capacity);
    this.mark = grown(this.mark, capacity);
    this.sincePs = grown(this.sincePs, capacity);
    this.isTimed = grown(this.isTimed, capacity);
  }

  private clear(pair: number): number {
    const mark = this.mark[pair]!;
    this.mark[pair] = this.waiting[pair] = 0;
    return mark;
  }

  private release(pair: number): void {
    this.parts.packets.release(this.newest[pair]!);
    this.parts.pairs.unreference(pair);
  }

  private time(pair: number, timePs: number): void {
    this.isTimed[pair] = 1;
    this.timer.at(timePs, pair);
  }
}
