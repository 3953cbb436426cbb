// What a receiver tells its sender of ECN marks, and when: at most once per interval and queue pair; at once, as the
// mark of an answer, or after a delay, as a congestion notification packet (CNP) of its own. A CNP names no packet: its
// sequence is 0.
// Source: InfiniBand Architecture Specification 1.4, annex A17.9 (CNP); Zhu et al., SIGCOMM 2015, section 3.1 (NP, one
// CNP per interval).
// Not modelled: intervals per port or per peer, a priority of CNPs other than that of ACKs.

import { grown } from '../../../base/columns.js';
import { type EventRecords, Word } from '../event-records.js';
import type { Clock } from '../event-wheel.js';
import { bytesShift, Kind, markBit, type PacketPool, queueShift } from '../packets.js';
import type { TransportCounters, TransportHost } from '../plug-ins.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { PacketSettings } from '../settings.js';

export class Notifications {
  /** marks are told by packets of their own */
  readonly isDelayed: boolean;
  private readonly intervalPs: number;
  private readonly delayPs: number;
  private readonly head: number;
  /** per pair: when its sender was last told of a mark, or is going to be because of one seen then */
  private seenPs = new Float64Array(0);

  constructor(
    { packet, queuePair }: PacketSettings,
    private readonly counters: TransportCounters,
    private readonly pairs: QueuePairs,
    private readonly packets: PacketPool,
    private readonly records: EventRecords,
    private readonly host: TransportHost,
    private readonly clock: Clock,
  ) {
    this.intervalPs = queuePair.notificationInterval;
    this.delayPs = queuePair.notificationDelay;
    this.isDelayed = this.delayPs > 0;
    this.head =
      Kind.notification |
      markBit |
      (queuePair.acknowledgementPriority << queueShift) |
      (packet.notification << bytesShift);
  }

  /** A marked packet has been seen. @returns the mark for its answer; 0 if it is too early, or a packet will tell */
  seen(pair: number): number {
    // a late duplicate: nobody needs to know, and the number may soon be another's
    if (this.pairs.slotOf(pair) < 0) return 0;
    const { nowPs } = this.clock;
    if (nowPs - this.seenPs[pair]! < this.intervalPs) return 0;
    this.seenPs[pair] = nowPs;
    if (this.isDelayed) {
      this.host.notifyAt(pair, nowPs + this.delayPs);
      return 0;
    }
    this.counters.notifications++;
    this.pairs.notifications[pair]!++;
    return markBit;
  }

  /** A delay has ended: sends the notification packet, unless its flow has finished meanwhile. */
  due(pair: number): void {
    if (this.pairs.slotOf(pair) < 0) return;
    const packet = this.packets.allocate();
    const at = packet << 3;
    const { words } = this.records;
    words[at + Word.pair] = pair;
    words[at + Word.head] = this.head;
    words[at + Word.sequence] = 0;
    this.pairs.reference(pair);
    this.counters.notifications++;
    this.pairs.notifications[pair]!++;
    this.counters.acknowledgementsSent++;
    this.host.reply(packet, pair);
  }

  /** A queue pair has finished: its number begins anew. */
  forget(pair: number): void {
    this.seenPs[pair] = -Infinity;
  }

  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void {
    this.seenPs = grown(this.seenPs, capacity, -Infinity);
  }
}
