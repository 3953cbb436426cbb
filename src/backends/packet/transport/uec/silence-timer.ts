// The retransmission timeout of senders whose packets each have their own time: a sender whose oldest outstanding
// packet is older than the timeout takes all that are for lost. The timeout follows the round trips that are measured
// (RFC 6298: their mean and four times their mean deviation), is 100 us and three round trips of the network at least,
// and twice as long with every timeout in a row, up to the longest. Before the first measurement it is the derived
// first wait of retransmission-waits.ts. A timeout that is given holds instead, every time.
// One alarm per queue pair is set at a time and looks, when it rings, how old the oldest packet is by then: so it costs
// nothing per packet.
// A sender that has something to send, nothing under way and no credit waits twice as long as the first timeout, and
// then asks by sending one packet.
// Invariants: while a sender has packets outstanding its alarm is set, unless it has given up or timeouts are off; a
// sender gives up after `retries` timeouts in a row, with derived ones when it has waited as long in all as it would
// with the longest.
// Source: RFC 6298, 2 and 5; the least of 100 us: htsim (DEFAULT_UEC_RTO_MIN, known from memory). Guessed: three round
// trips where these are longer. Not modelled: a timer of each packet, as the specification allows
// (the oldest decides for those that were sent with it).

import { grown } from '../../../../base/columns.js';
import type { Clock } from '../../../../engine/event-wheel.js';
import type { PairAlarm } from '../../pair-alarms.js';
import type { TransportParts } from '../../parts.js';
import type { TransportCounters } from '../../plug-ins.js';
import type { QueuePairs } from '../../queue-pairs.js';
import { firstWaitPs, longestWaitPs } from '../retransmission-waits.js';

/** the shortest timeout that is derived: htsim's */
const leastTimeoutPs = 100e6;

/** What the timer knows of senders, and does to them. */
export interface SilentSenders {
  /** When the oldest outstanding packet of a queue pair was sent; Infinity if none is. */
  oldestSentPs(pair: number): number;
  /** Whether a queue pair has something that it might send. */
  hasMore(pair: number): boolean;
  /** Takes for lost what was sent at a time or before, and sends it again. */
  loseOlderThan(pair: number, timePs: number): void;
  /** How often packets of a queue pair have been sent. */
  transmissionsOf(pair: number): number;
  /** A sender has had something to send, nothing under way and no leave for long: it asks for it. */
  ask(pair: number): void;
}

export interface SilenceParts extends Pick<
  TransportParts,
  'fabric' | 'settings' | 'pairs' | 'pairAlarms' | 'clock' | 'largestRttPs' | 'mayLosePackets'
> {
  readonly counters: TransportCounters;
  readonly senders: SilentSenders;
}

export class SilenceTimer {
  /** senders that stopped trying */
  gaveUp = 0;
  /** null: derived; 0: none */
  private readonly givenPs: number | null;
  private readonly leastPs: number;
  private readonly firstPs: number;
  private readonly longestPs: number;
  private readonly retries: number;
  private readonly alarm: PairAlarm;
  /** per pair: an alarm is set; it has given up; timeouts in a row */
  private isSet = new Uint8Array(0);
  private isOver = new Uint8Array(0);
  private inRow = new Uint16Array(0);
  /** per pair: mean round trip (0: none measured), mean deviation; waited for timeouts in all, and in a row */
  private meanPs = new Float64Array(0);
  private deviationPs = new Float64Array(0);
  private waitedPs = new Float64Array(0);
  private rowPs = new Float64Array(0);
  /** per pair: transmissions when it was last found with nothing under way */
  private idleAt = new Int32Array(0);

  private readonly pairs: QueuePairs;
  private readonly clock: Clock;
  private readonly counters: TransportCounters;
  private readonly senders: SilentSenders;

  constructor(parts: SilenceParts) {
    const { pairs, settings } = parts;
    const { retransmissionTimeout, retries } = settings.queuePair;
    this.pairs = pairs;
    this.clock = parts.clock;
    this.counters = parts.counters;
    this.senders = parts.senders;
    this.longestPs = longestWaitPs(parts);
    this.givenPs =
      retransmissionTimeout !== 'auto' ? retransmissionTimeout : parts.mayLosePackets ? null : this.longestPs;
    this.leastPs = Math.max(leastTimeoutPs, 3 * parts.largestRttPs());
    this.firstPs = firstWaitPs(parts);
    this.retries = retries;
    this.alarm = parts.pairAlarms.register('look for a silent sender', (pair) => this.due(pair));
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
  }

  /** A sender begins. */
  start(pair: number): void {
    this.isOver[pair] = this.inRow[pair] = 0;
    this.idleAt[pair] = -1;
    this.meanPs[pair] = this.deviationPs[pair] = this.waitedPs[pair] = this.rowPs[pair] = 0;
  }

  /** A packet is being sent. */
  watch(pair: number): void {
    if (this.isSet[pair] === 0 && this.givenPs !== 0) this.set(pair, this.clock.nowPs + this.timeoutPs(pair));
  }

  /** Something has arrived that had not been known to. */
  heard(pair: number): void {
    this.inRow[pair] = this.rowPs[pair] = 0;
  }

  /** A round trip has been measured. */
  measured(pair: number, rttPs: number): void {
    if (this.givenPs !== null) return;
    const mean = this.meanPs[pair]!;
    if (mean === 0) {
      this.meanPs[pair] = rttPs;
      this.deviationPs[pair] = rttPs / 2;
    } else {
      this.deviationPs[pair]! += (Math.abs(rttPs - mean) - this.deviationPs[pair]!) / 4;
      this.meanPs[pair] = mean + (rttPs - mean) / 8;
    }
  }

  /** Whether a sender has stopped trying. */
  hasGivenUp(pair: number): boolean {
    return this.isOver[pair] === 1;
  }

  /** The timeout of a queue pair now, in picoseconds. */
  timeoutPs(pair: number): number {
    if (this.givenPs !== null) return this.givenPs;
    const mean = this.meanPs[pair]!;
    const once = mean === 0 ? this.firstPs : Math.max(this.leastPs, mean + 4 * this.deviationPs[pair]!);
    return Math.ceil(Math.min(this.longestPs, once * (1 << Math.min(30, this.inRow[pair]!))));
  }

  private due(pair: number): void {
    this.isSet[pair] = 0;
    if (this.pairs.slotOf(pair) < 0 || this.isOver[pair] === 1) return;
    const { senders, clock } = this;
    const oldestPs = senders.oldestSentPs(pair);
    const timeoutPs = this.timeoutPs(pair);
    if (oldestPs === Infinity) {
      if (!senders.hasMore(pair)) return;
      this.set(pair, clock.nowPs + this.firstPs);
      const transmissions = senders.transmissionsOf(pair);
      if (this.idleAt[pair] === transmissions) senders.ask(pair);
      this.idleAt[pair] = transmissions;
      return;
    }
    if (oldestPs + timeoutPs > clock.nowPs) {
      this.set(pair, oldestPs + timeoutPs);
      return;
    }
    this.timeOut(pair, oldestPs, timeoutPs);
    if (this.isSet[pair] === 0 && this.isOver[pair] === 0) this.set(pair, clock.nowPs + this.timeoutPs(pair));
  }

  private timeOut(pair: number, oldestPs: number, timeoutPs: number): void {
    const { counters, senders, clock } = this;
    const waitPs = clock.nowPs - oldestPs;
    counters.timeouts++;
    counters.timeoutWaitPs += waitPs;
    this.waitedPs[pair]! += waitPs;
    this.rowPs[pair]! += waitPs;
    if (this.waitedPs[pair]! > counters.longestTimeoutWaitPs) counters.longestTimeoutWaitPs = this.waitedPs[pair]!;
    const isOver =
      this.givenPs === null
        ? this.rowPs[pair]! >= (this.retries + 1) * this.longestPs
        : this.inRow[pair]! >= this.retries;
    if (isOver) {
      this.isOver[pair] = 1;
      this.gaveUp++;
      return;
    }
    this.inRow[pair]!++;
    senders.loseOlderThan(pair, clock.nowPs - timeoutPs);
  }

  private set(pair: number, timePs: number): void {
    this.isSet[pair] = 1;
    this.alarm.at(timePs, pair);
  }

  private reserve(capacity: number): void {
    this.isSet = grown(this.isSet, capacity);
    this.isOver = grown(this.isOver, capacity);
    this.inRow = grown(this.inRow, capacity);
    this.meanPs = grown(this.meanPs, capacity);
    this.deviationPs = grown(this.deviationPs, capacity);
    this.waitedPs = grown(this.waitedPs, capacity);
    this.rowPs = grown(this.rowPs, capacity);
    this.idleAt = grown(this.idleAt, capacity);
  }
}
