// NSCC, the sender's window by queueing delay and marks. With B the line rate, R the round trip of the pair without
// queues, T the round trip of the network, d the queueing delay of an acknowledged packet (its round trip - R), t the
// delay aimed at, M a full packet, a = B T / (100 Gb/s x 12 us), and W the window, all in bytes and seconds:
//   not marked, d <  t   proportional increase:  I <- I + 4 M a (t - d) / 12 us x acknowledged bytes
//                        fast increase instead, once a whole window came back with d < 1 us:  W <- W + a / 4 x them
//   not marked, d >= t   fair increase:  I <- I + 5 M a x acknowledged bytes
//   marked,     d >= t   multiplicative decrease, once per R, if the mean delay m is above t:
//                        W <- W max(1/2, 1 - 0.8 (m - t) / m)
//   marked,     d <  t   nothing: another path is the remedy
//   every 8 M acknowledged or T:  W <- W + I / W, I <- 0, and W <- W + 0.15 M a once per T
//   trimmed packet       W <- W - its bytes; the mean takes it for a delay of T
//   lost packet          W <- W - its bytes
//   quick adapt, once per R + t: after trimmed packets, a loss, or with a delay above 4 t, if less than an eighth of
// the                        largest window came back in that time:  W <- what came back; what is in flight says no
// more   m <- m + (s - m) / 80, with s = d, but R / 4 if d >= t without a mark (below 5 R: one slow path among many)
// Invariant: M <= W <= largest window.
// Source: Hoefler et al., "Ultra Ethernet's Design Principles and Architectural Innovations", arXiv:2508.08906 (the
// four cases, quick adapt); Bonato et al., "SMaRTT-REPS", arXiv:2404.01630 (the equations); constants, the mean and the
// order of the rules as the consortium's simulator has them (htsim, uec.cpp), read through the "NSCC Deep Dive" of D.
// Singh. The text of UEC 1.0 itself was not at hand: docs/models/uec.md says what is guessed.
// Not modelled: the receiver's wish for a smaller window (rcv_cwnd_pend), pacing, windows that several flows share.

import { grown } from '../../../../base/columns.js';
import type { TransportParts } from '../../parts.js';
import type { WindowControl } from '../../plug-ins.js';

/** of one queue pair: index `pair << 4 | value` */
export const Nscc = {
  window: 0,
  largestWindow: 1,
  baseRttPs: 2,
  meanDelayPs: 3,
  /** I */
  increase: 4,
  /** acknowledged since the last adjustment, and since the quick adapt's look */
  received: 5,
  achieved: 6,
  lastPeriodPs: 7,
  lastDecreasePs: 8,
  nextAdaptPs: 9,
  /** bytes of what was in flight at a quick adapt, and what of them came back */
  toIgnore: 10,
  ignored: 11,
  /** bytes that came back without delay, one after the other; whether fast increase is on */
  undelayed: 12,
  isFast: 13,
  /** packets were trimmed since the last quick adapt */
  isTriggered: 14,
  /** a */
  scale: 15,
} as const;

// constants of this module fold into the machine code
const {
  window: WINDOW,
  largestWindow: LARGEST,
  baseRttPs: BASE,
  meanDelayPs: MEAN,
  increase: INCREASE,
  received: RECEIVED,
  achieved: ACHIEVED,
  lastPeriodPs: LAST_PERIOD,
  lastDecreasePs: LAST_DECREASE,
  nextAdaptPs: NEXT_ADAPT,
  toIgnore: TO_IGNORE,
  ignored: IGNORED,
  undelayed: UNDELAYED,
  isFast: IS_FAST,
  isTriggered: IS_TRIGGERED,
  scale: SCALE,
} = Nscc;

/** the network for which the constants are meant */
const referenceRttPs = 12e6;
const referenceBdpBytes = 150_000;
const undelayedPs = 1e6;
const meanGain = 0.0125;
const decreaseGain = 0.8;

/** What does not change in a run. */
export interface NsccSettings {
  /** t, in picoseconds */
  readonly targetPs: number;
  /** T, in picoseconds */
  readonly networkRttPs: number;
  /** M */
  readonly packetBytes: number;
}

export class NsccWindows implements WindowControl {
  /** by queue pair, as Nscc says */
  values = new Float64Array(0);

  constructor(private readonly settings: NsccSettings) {}

  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void {
    this.values = grown(this.values, capacity << 4);
  }

  start(pair: number, baseRttPs: number, lineRateBps: number, largestWindowBytes: number): void {
    const { values, settings } = this;
    const at = pair << 4;
    values.fill(0, at, at + 16);
    const largest = Math.max(largestWindowBytes, settings.packetBytes);
    values[at + WINDOW] = values[at + LARGEST] = largest;
    values[at + BASE] = baseRttPs;
    values[at + LAST_DECREASE] = -Infinity;
    values[at + SCALE] = (lineRateBps * settings.networkRttPs) / 8e12 / referenceBdpBytes;
  }

  windowOf(pair: number): number {
    return this.values[pair << 4]!;
  }

  largestWindowOf(pair: number): number {
    return this.values[(pair << 4) + LARGEST]!;
  }

  acknowledged(
    pair: number,
    bytes: number,
    rttPs: number,
    isMarked: boolean,
    inFlightBytes: number,
    nowPs: number,
  ): void {
    const { values } = this;
    const { targetPs, networkRttPs, packetBytes } = this.settings;
    const at = pair << 4;
    const base = values[at + BASE]!;
    const delayPs = rttPs > base ? rttPs - base : 0;
    values[at + ACHIEVED]! += bytes;
    values[at + RECEIVED]! += bytes;
    values[at + IGNORED]! += bytes;
    this.average(at, delayPs, isMarked);
    if (this.adapts(at, isMarked, values[at + MEAN]!, inFlightBytes, false, nowPs)) return;
    if (isMarked) {
      values[at + IS_FAST] = values[at + UNDELAYED] = 0;
      if (delayPs >= targetPs) this.decrease(at, nowPs);
    } else if (delayPs >= targetPs) {
      values[at + IS_FAST] = values[at + UNDELAYED] = 0;
      values[at + INCREASE]! += 5 * packetBytes * values[at + SCALE]! * bytes;
    } else if (!this.increasesFast(at, bytes, delayPs))
      values[at + INCREASE]! += (4 * packetBytes * values[at + SCALE]! * bytes * (targetPs - delayPs)) / referenceRttPs;
    const isPeriod = nowPs - values[at + LAST_PERIOD]! >= networkRttPs;
    if (isPeriod || values[at + RECEIVED]! > 8 * packetBytes) {
      values[at + WINDOW]! += values[at + INCREASE]! / values[at + WINDOW]!;
      values[at + INCREASE] = values[at + RECEIVED] = 0;
      if (isPeriod) {
        values[at + WINDOW]! += 0.15 * packetBytes * values[at + SCALE]!;
        values[at + LAST_PERIOD] = nowPs;
      }
    }
    this.bound(at);
  }

  trimmed(pair: number, bytes: number, inFlightBytes: number, nowPs: number): void {
    const { values } = this;
    const at = pair << 4;
    values[at + IGNORED]! += bytes;
    this.average(at, this.settings.networkRttPs, true);
    values[at + IS_TRIGGERED] = 1;
    if (this.adapts(at, true, values[at + MEAN]!, inFlightBytes, true, nowPs)) return;
    values[at + WINDOW]! -= bytes;
    this.bound(at);
  }

  lost(pair: number, bytes: number): void {
    const at = pair << 4;
    this.values[at + WINDOW]! -= bytes;
    this.bound(at);
  }

  private average(at: number, delayPs: number, isMarked: boolean): void {
    const { values } = this;
    const base = values[at + BASE]!;
    const isDoubted = !isMarked && delayPs >= this.settings.targetPs && delayPs <= 5 * base;
    values[at + MEAN]! += meanGain * ((isDoubted ? base / 4 : delayPs) - values[at + MEAN]!);
  }

  /** Looks whether the window is far above what comes back. @returns true if this answer says nothing more */
  private adapts(
    at: number,
    isMarked: boolean,
    delayPs: number,
    inFlightBytes: number,
    isLoss: boolean,
    nowPs: number,
  ): boolean {
    const { values } = this;
    const { targetPs, packetBytes } = this.settings;
    if (isMarked && values[at + IGNORED]! < values[at + TO_IGNORE]!) return true;
    if (nowPs <= values[at + NEXT_ADAPT]!) return false;
    const isFirst = values[at + NEXT_ADAPT] === 0;
    const achieved = values[at + ACHIEVED]!;
    const isOver =
      !isFirst &&
      (isLoss || values[at + IS_TRIGGERED] === 1 || delayPs > 4 * targetPs) &&
      achieved < values[at + LARGEST]! / 8;
    if (isOver) {
      values[at + WINDOW] = Math.max(packetBytes, Math.min(achieved, values[at + WINDOW]!));
      values[at + TO_IGNORE] = inFlightBytes;
      values[at + IGNORED] = values[at + IS_TRIGGERED] = values[at + INCREASE] = 0;
    }
    values[at + ACHIEVED] = 0;
    values[at + NEXT_ADAPT] = nowPs + values[at + BASE]! + targetPs;
    return isOver;
  }

  private increasesFast(at: number, bytes: number, delayPs: number): boolean {
    const { values } = this;
    if (delayPs >= undelayedPs) {
      values[at + IS_FAST] = values[at + UNDELAYED] = 0;
      return false;
    }
    values[at + UNDELAYED]! += bytes;
    if (values[at + IS_FAST] === 0 && values[at + UNDELAYED]! <= values[at + WINDOW]!) return false;
    values[at + IS_FAST] = 1;
    values[at + WINDOW]! += (bytes * values[at + SCALE]!) / 4;
    return true;
  }

  private decrease(at: number, nowPs: number): void {
    const { values } = this;
    const { targetPs } = this.settings;
    const mean = values[at + MEAN]!;
    if (mean <= targetPs || nowPs - values[at + LAST_DECREASE]! <= values[at + BASE]!) return;
    values[at + WINDOW]! *= Math.max(0.5, 1 - (decreaseGain * (mean - targetPs)) / mean);
    values[at + LAST_DECREASE] = nowPs;
  }

  private bound(at: number): void {
    const { values } = this;
    if (values[at + WINDOW]! > values[at + LARGEST]!) values[at + WINDOW] = values[at + LARGEST]!;
    if (values[at + WINDOW]! < this.settings.packetBytes) values[at + WINDOW] = this.settings.packetBytes;
  }
}

/** NSCC for the queue pairs of a network. @param targetDelay t in picoseconds; auto: by the largest round trip */
export function nsccFor(
  parts: Pick<TransportParts, 'pairs' | 'settings' | 'switchesTrim' | 'largestRttPs'>,
  targetDelay: number | 'auto',
): NsccWindows {
  const { pairs, settings, switchesTrim } = parts;
  const networkRttPs = parts.largestRttPs();
  const windows = new NsccWindows({
    targetPs: targetDelay === 'auto' ? Math.round(networkRttPs * (switchesTrim ? 0.75 : 1)) : targetDelay,
    networkRttPs,
    packetBytes: settings.packet.payload + settings.packet.header,
  });
  windows.reserve(pairs.capacity);
  pairs.onGrow((capacity) => windows.reserve(capacity));
  return windows;
}
