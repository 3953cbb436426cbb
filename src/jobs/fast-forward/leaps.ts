// Leaps over steady stretches of a long phase that is simulated: when nobody will come to anything before a collective
// is over, a window of transfers gives the rate at which all of them send together, and that says what the next stretch
// brings (steady-stretch.ts). At its end the collectives that are not over begin again with what they have left.
// Invariants: a phase leaps once, while all ranks of all collectives have come and none is done; the last quarter of
// what was left is simulated; of what is under way half counts as sent. The rate at which that quarter is sent is held
// against the one that was measured.
// Method: the rate is the slope of a least-squares line through bytes over time, for transfers arrive in waves; each
// collective has it in proportion to its transfers under way, among which ports take turns.
// Not modelled: where in its steps a collective stands when it goes on.

import type { OpenCollective } from '../open-collective.js';
import type { LeapFigures } from './fast-forward-figures.js';
import { steadyStretch } from './steady-stretch.js';

/** a leap is at least so many windows long */
const leastWindows = 3;
const leapShare = 0.75;

/** A collective under way. */
export interface Sending {
  readonly collective: OpenCollective;
  /** bytes that all its transfers carry together, if it begins anew */
  readonly payloadBytes: number;
}

export interface LeapEvents {
  /** What is under way arrives and releases nothing. */
  abandon(collective: OpenCollective): void;
  /** All ranks are done with a collective at a time. */
  over(collective: OpenCollective, endPs: number): void;
  /** It goes on at a time. @param share of its bytes that is left */
  goOn(collective: OpenCollective, atPs: number, share: number): void;
}

/** Bytes that arrive over time, and the line through them. */
class Window {
  count = 0;
  private bytes = 0;
  private sumTime = 0;
  private sumBytes = 0;
  private sumTimeTime = 0;
  private sumTimeBytes = 0;

  constructor(readonly startPs: number) {}

  add(bytes: number, nowPs: number): void {
    const time = nowPs - this.startPs;
    this.bytes += bytes;
    this.count++;
    this.sumTime += time;
    this.sumBytes += this.bytes;
    this.sumTimeTime += time * time;
    this.sumTimeBytes += time * this.bytes;
  }

  /** Bytes per picosecond. */
  get slope(): number {
    const { count, sumTime, sumBytes, sumTimeTime, sumTimeBytes } = this;
    return (count * sumTimeBytes - sumTime * sumBytes) / (count * sumTimeTime - sumTime * sumTime);
  }
}

export class Leaps {
  private count = 0;
  private lengthPs = 0;
  private payloadBytes = 0;
  private largest = 0;
  private window: Window | null = null;
  /** the phase has leapt: bytes that were left, from when on, and the rate until then */
  private leapt: { readonly leftBytes: number; readonly fromPs: number; readonly rate: number } | null = null;

  /** @param windowTransfers transfers in a window */
  constructor(
    private readonly windowTransfers: number,
    private readonly events: LeapEvents,
  ) {}

  figures(): LeapFigures {
    const { count, lengthPs, payloadBytes, largest } = this;
    return { count, lengthNs: lengthPs / 1000, payloadBytes: Math.round(payloadBytes), largestChange: largest };
  }

  /** Somebody has come to something: rates are to be measured anew. */
  interrupt(): void {
    this.window = null;
  }

  /** The phase is over. */
  end(nowPs: number): void {
    const { leapt } = this;
    this.window = null;
    this.leapt = null;
    if (leapt === null) return;
    const rate = leapt.leftBytes / (nowPs - leapt.fromPs);
    this.largest = Math.max(this.largest, Math.abs(rate / leapt.rate - 1));
  }

  /**
   * A transfer of a phase that is simulated has arrived.
   * @param bytesOf all of a collective's transfers, @param sending everything that is under way; null if somebody may
   * come to something
   */
  arrived(
    collective: OpenCollective,
    bytesOf: (collective: OpenCollective) => number,
    sending: () => readonly Sending[] | null,
    nowPs: number,
  ): void {
    if (this.leapt !== null) return;
    this.window ??= new Window(nowPs);
    const { window, windowTransfers } = this;
    window.add(bytesOf(collective) / collective.run!.schedule.moveCount, nowPs);
    // some 64 transfers of a collective arrive at a time, and none may be about to end: it is looked for between two
    // waves
    if (window.count < windowTransfers || window.count % 16 !== 0) return;
    const all = sending();
    if (all !== null) this.leap(window, all, nowPs);
    else if (window.count >= 2 * windowTransfers) this.window = null;
  }

  private leap(window: Window, all: readonly Sending[], nowPs: number): void {
    const rate = window.slope;
    const transfers = all.reduce((sum, { collective }) => sum + collective.run!.underWay, 0);
    const sharers = all.map(({ collective, payloadBytes }) => {
      const { remaining, underWay, schedule } = collective.run!;
      return {
        leftBytes: (Math.max(0, remaining - underWay / 2) * payloadBytes) / schedule.moveCount,
        rate: (rate * underWay) / transfers,
      };
    });
    if (!(rate > 0) || sharers.some((each) => each.rate === 0)) return;
    const { lengthPs, endsPs, leftBytes } = steadyStretch(sharers, leapShare);
    this.window = null;
    if (lengthPs < leastWindows * (nowPs - window.startPs)) return;
    const fromPs = nowPs + Math.round(lengthPs);
    this.count++;
    this.lengthPs += Math.round(lengthPs);
    this.leapt = { leftBytes: leftBytes.reduce((sum, bytes) => sum + bytes, 0), fromPs, rate };
    all.forEach(({ collective, payloadBytes }, i) => {
      this.payloadBytes += sharers[i]!.leftBytes - leftBytes[i]!;
      this.events.abandon(collective);
      if (endsPs[i]! >= 0) this.events.over(collective, nowPs + Math.round(endsPs[i]!));
      else this.events.goOn(collective, fromPs, leftBytes[i]! / payloadBytes);
    });
  }
}
