// What a receiver tells its sender of ECN marks, and when: at most once per interval and queue pair; at once, as the
// mark of an answer, or after a delay, as a congestion notification packet (CNP) of its own. A CNP names no packet: its
// sequence is 0.
// Source: InfiniBand Architecture Specification 1.4, annex A17.9 (CNP); Zhu et al., SIGCOMM 2015, section 3.1 (NP, one
// CNP per interval).
// Not modelled: intervals per port or per peer, a priority of CNPs other than that of ACKs.

import { grown } from '../../../base/columns.js';
import { bytesShift, Kind, markBit, queueShift, PacketWord } from '../packets.js';
import type { TransportHost } from '../nic/nic.js';
import type { PairAlarm } from '../pair-alarms.js';
import type { TransportParts } from '../parts.js';
import type { TransportCounters } from '../plug-ins.js';

/** What notifications are made from. */
export type NotificationParts = Pick<
  TransportParts,
  'settings' | 'pairs' | 'packets' | 'records' | 'clock' | 'pairAlarms'
> & { readonly nic: TransportHost };

export class Notifications {
  /** marks are told by packets of their own */
  readonly isDelayed: boolean;
  private readonly intervalPs: number;
  private readonly delayPs: number;
  private readonly head: number;
  /** per pair: when its sender was last told of a mark, or is going to be because of one seen then */
  private seenPs = new Float64Array(0);

  private readonly delay: PairAlarm;

  constructor(
    private readonly parts: NotificationParts,
    private readonly counters: TransportCounters,
  ) {
    const { pairs, pairAlarms } = parts;
    const { packet, queuePair } = parts.settings;
    this.intervalPs = queuePair.notificationInterval;
    this.delayPs = queuePair.notificationDelay;
    this.isDelayed = this.delayPs > 0;
    this.head =
      Kind.notification |
      markBit |
      (queuePair.acknowledgementPriority << queueShift) |
      (packet.notification << bytesShift);
    this.delay = pairAlarms.register('send a notification', (pair) => this.due(pair));
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
  }

  /**
   * A data packet is about to be answered. Records may have moved when this returns: the timer of a notification is one.
   * @returns the mark for its answer
   */
  markFor(packet: number, pair: number): number {
    const isMarked = (this.parts.records.words[(packet << 3) + PacketWord.head]! & markBit) !== 0;
    return isMarked ? this.seen(pair) : 0;
  }

  /** A marked packet has been seen. @returns the mark for its answer; 0 if it is too early, or a packet will tell */
  seen(pair: number): number {
    // a late duplicate: nobody needs to know, and the number may soon be another's
    const { pairs, clock } = this.parts;
    if (pairs.slotOf(pair) < 0) return 0;
    const { nowPs } = clock;
    if (nowPs - this.seenPs[pair]! < this.intervalPs) return 0;
    this.seenPs[pair] = nowPs;
    if (this.isDelayed) {
      this.delay.at(nowPs + this.delayPs, pair);
      return 0;
    }
    this.counters.notifications++;
    pairs.notifications[pair]!++;
    return markBit;
  }

  /** A queue pair has finished: its number begins anew. */
  forget(pair: number): void {
    this.seenPs[pair] = -Infinity;
  }

  /** A delay has ended: sends the notification packet, unless its flow has finished meanwhile. */
  private due(pair: number): void {
    const { pairs, packets, records, nic } = this.parts;
    if (pairs.slotOf(pair) < 0) return;
    const packet = packets.allocate();
    const at = packet << 3;
    const { words } = records;
    words[at + PacketWord.pair] = pair;
    words[at + PacketWord.head] = this.head;
    words[at + PacketWord.sequence] = 0;
    pairs.reference(pair);
    this.counters.notifications++;
    pairs.notifications[pair]!++;
    this.counters.acknowledgementsSent++;
    nic.reply(packet, pair);
  }

  private reserve(capacity: number): void {
    this.seenPs = grown(this.seenPs, capacity, -Infinity);
  }
}
