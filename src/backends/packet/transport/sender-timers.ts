// Retransmission timeouts of senders that have a timer each, with two waits: a short one while few packets are in
// flight, where a needless retransmission costs little, and a long one else. A timer runs from the last progress, from
// the packet that was sent when nothing was in flight, or from where its owner restarts it.
// Invariants: a sender with something in flight has an alarm no later than its timeout; one that has gone by because
// the timeout has moved is set anew, one that was overtaken by an earlier one is ignored.
// Source: Mittal et al., SIGCOMM 2018, sections 3.1 (RTO_low, RTO_high) and 4.1 (how long); doubling: RFC 6298, 5.5.
// Lengths: retransmission-waits.ts.
// Not modelled: round trips that are measured.

import { fail } from '../../../base/fail.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { PairAlarm } from '../pair-alarms.js';
import type { TransportParts } from '../parts.js';
import type { TransportCounters } from '../plug-ins.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { SideColumn } from '../side-columns.js';
import { type SenderWaits, senderWaits } from './retransmission-waits.js';

/** What timers are made from. */
export type SenderTimerParts = Pick<
  TransportParts,
  'fabric' | 'settings' | 'pairs' | 'columns' | 'clock' | 'pairAlarms' | 'mayLosePackets' | 'largestRttPs'
>;

/** Whose timers they are. */
export interface TimedSender {
  /** Packets of a queue pair that were sent and are not known to be there. */
  inFlight(pair: number): number;
  /** Nothing was acknowledged in time: what is missing goes again. */
  timedOut(pair: number): void;
}

/** The short wait (`auto`: derived), and the packets in flight from which on the long one holds. */
export interface ShortWait {
  readonly lowTimeout: number | 'auto';
  readonly fewPackets: number;
}

export class SenderTimers {
  /** senders that stopped trying */
  gaveUp = 0;
  private readonly waits: SenderWaits;
  private readonly fewPackets: number;
  /** per pair: since when its timer runs; when its alarm is due, Infinity if it has none; timeouts in a row */
  private readonly sincePs: SideColumn<'float64'>;
  private readonly duePs: SideColumn<'float64'>;
  private readonly timeouts: SideColumn<'uint16'>;
  /** per pair: picoseconds in which nothing moved, before the timeouts in a row */
  private readonly waitedPs: SideColumn<'float64'>;
  private readonly alarm: PairAlarm;
  private readonly pairs: QueuePairs;
  private readonly clock: Clock;

  constructor(
    parts: SenderTimerParts,
    { lowTimeout, fewPackets }: ShortWait,
    private readonly counters: TransportCounters,
    private readonly sender: TimedSender,
  ) {
    const { columns, pairAlarms } = parts;
    this.pairs = parts.pairs;
    this.clock = parts.clock;
    this.waits = senderWaits(parts, lowTimeout);
    this.fewPackets = fewPackets;
    this.sincePs = columns.byPair('float64');
    this.duePs = columns.byPair('float64', Infinity);
    this.timeouts = columns.byPair('uint16');
    this.waitedPs = columns.byPair('float64');
    this.alarm = pairAlarms.register('retransmission timeout', (pair) => this.ring(pair));
  }

  /** A packet is sent. @param restarts the timer runs from now on: nothing was in flight before */
  sent(pair: number, restarts: boolean): void {
    if (restarts) this.sincePs.values[pair] = this.clock.nowPs;
    if (this.duePs.values[pair] === Infinity) this.set(pair);
  }

  /** More is acknowledged than before. */
  progressed(pair: number): void {
    this.sincePs.values[pair] = this.clock.nowPs;
    this.timeouts.values[pair] = 0;
    this.waitedPs.values[pair] = 0;
    // it had given up
    if (this.duePs.values[pair] === Infinity && this.sender.inFlight(pair) > 0) this.set(pair);
  }

  /** What is missing is sent again now. */
  restarted(pair: number): void {
    this.sincePs.values[pair] = this.clock.nowPs;
  }

  /** Fewer packets may be in flight than before: the short wait may hold from now on. */
  shortened(pair: number): void {
    const inFlight = this.sender.inFlight(pair);
    if (inFlight > 0 && inFlight < this.fewPackets) this.set(pair);
  }

  /** Sees to it that an alarm rings no later than the timeout. */
  private set(pair: number): void {
    // a wait may be over before it is asked for: a sender that gave up sends again
    const duePs = Math.max(this.timeoutPs(pair), this.clock.nowPs);
    if (!(duePs < this.duePs.values[pair]!)) return;
    this.duePs.values[pair] = duePs;
    this.alarm.at(duePs, pair);
  }

  /** When the sender's time is up, as it is now; Infinity if it waits for ever. */
  private timeoutPs(pair: number): number {
    const { lowPs, highPs, longestPs, isDoubled } = this.waits;
    const wait = this.sender.inFlight(pair) < this.fewPackets ? lowPs : highPs;
    const doubled = isDoubled ? Math.min(wait * (1 << Math.min(this.timeouts.values[pair]!, 30)), longestPs) : wait;
    return this.sincePs.values[pair]! + doubled;
  }

  private ring(pair: number): void {
    const { nowPs } = this.clock;
    if (this.duePs.values[pair] !== nowPs) return;
    this.duePs.values[pair] = Infinity;
    if (this.pairs.slotOf(pair) < 0 || this.sender.inFlight(pair) === 0) return;
    if (this.timeoutPs(pair) > nowPs) this.set(pair);
    else this.timeOut(pair);
  }

  private timeOut(pair: number): void {
    const { counters } = this;
    const { nowPs } = this.clock;
    const waitPs = nowPs - this.sincePs.values[pair]!;
    if (waitPs <= 0) fail(`a timeout of queue pair ${pair} after ${waitPs} ps`);
    const inARow = ++this.timeouts.values[pair]!;
    this.waitedPs.values[pair]! += waitPs;
    this.sincePs.values[pair] = nowPs;
    if (inARow > this.waits.mostTimeouts || this.waitedPs.values[pair]! >= this.waits.patiencePs) {
      // its alarm is not set again
      this.gaveUp++;
      return;
    }
    counters.timeouts++;
    counters.timeoutWaitPs += waitPs;
    counters.longestTimeoutWaitPs = Math.max(counters.longestTimeoutWaitPs, this.waitedPs.values[pair]!);
    this.set(pair);
    this.sender.timedOut(pair);
  }
}
