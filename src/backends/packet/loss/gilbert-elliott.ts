// Losses of a channel that is good or bad: before every packet it goes from good to bad or back with fixed
// probabilities; in each state a packet is lost with the probability of that state.
// Invariant: in the long run the share of lost packets is the rate: the channel is bad for the share
// b = (rate - lossInGood) / (lossInBad - lossInGood) of the packets, so it goes bad with badToGood x b / (1 - b). It
// begins in a state drawn by these shares, so that the first packets are lost at that rate, too.
// With loss.badTime it changes by time instead, whatever is sent: it is bad for that long in the mean and good for
// badTime x (1 - b) / b, both exponentially distributed; then b is a share of the time.
// Source: E. N. Gilbert, "Capacity of a Burst-Noise Channel", Bell System Technical Journal 39 (1960); E. O. Elliott,
// "Estimates of Error Rates for Codes on Burst-Noise Channels", same journal 42 (1963).

import { LossCause } from '../../../engine/link-hazards.js';
import { exponential, type RandomStream } from '../../../base/random.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { PacketSettings } from '../settings.js';
import type { LossProcess, LossProcesses, LossProcessParts } from './port-losses.js';

/** Share of the packets that find the channel bad; null if no channel has the rate. */
export function badShare({ rate, lossInGood, lossInBad }: PacketSettings['loss']): number | null {
  if (lossInBad === lossInGood) return rate === lossInGood ? 0 : null;
  const share = (rate - lossInGood) / (lossInBad - lossInGood);
  return share >= 0 && share <= 1 ? share : null;
}

/** The probability to go from good to bad; above 1 if the bad state would have to last longer. */
export function goodToBad(loss: PacketSettings['loss']): number {
  const share = badShare(loss) ?? 1;
  return share === 1 ? 1 : (loss.badToGood * share) / (1 - share);
}

class GilbertElliott implements LossProcess {
  readonly cause = LossCause.channel;
  private readonly random: RandomStream;
  private readonly loss: PacketSettings['loss'];
  private readonly goodToBad: number;
  private isBad: boolean;

  constructor({ random, settings }: LossProcessParts) {
    this.random = random;
    this.loss = settings;
    this.goodToBad = goodToBad(settings);
    this.isBad = random.nextFraction() < (badShare(settings) ?? 1);
  }

  strikes(): boolean {
    const { random, loss, isBad } = this;
    const isLost = random.nextFraction() < (isBad ? loss.lossInBad : loss.lossInGood);
    if (random.nextFraction() < (isBad ? loss.badToGood : this.goodToBad)) this.isBad = !isBad;
    return isLost;
  }
}

/** Sums of both means after which the state is drawn anew: what it was then says nothing any more (exp(-64)). */
const forgetsAfter = 64;

class ChannelOverTime implements LossProcess {
  readonly cause = LossCause.channel;
  private readonly random: RandomStream;
  private readonly loss: PacketSettings['loss'];
  private readonly clock: Clock;
  private readonly meanPs: readonly [goodPs: number, badPs: number];
  /** of the time, in which it is bad */
  private readonly share: number;
  private isBad: boolean;
  private changesPs: number;

  constructor({ random, settings, parts }: LossProcessParts) {
    this.random = random;
    this.loss = settings;
    this.clock = parts.clock;
    const share = badShare(settings) ?? 1;
    this.share = share;
    this.meanPs = [(settings.badTime * (1 - share)) / share, settings.badTime];
    this.isBad = random.nextFraction() < share;
    this.changesPs = this.nextChangePs(0);
  }

  strikes(): boolean {
    const { random, loss, clock, meanPs } = this;
    if (clock.nowPs - this.changesPs > forgetsAfter * (meanPs[0] + meanPs[1])) {
      this.isBad = random.nextFraction() < this.share;
      this.changesPs = this.nextChangePs(clock.nowPs);
    }
    while (this.changesPs <= clock.nowPs) {
      this.isBad = !this.isBad;
      this.changesPs = this.nextChangePs(this.changesPs);
    }
    return random.nextFraction() < (this.isBad ? loss.lossInBad : loss.lossInGood);
  }

  /** What is left of a state does not depend on how long it has lasted. */
  private nextChangePs(fromPs: number): number {
    return fromPs + exponential(this.random) * this.meanPs[this.isBad ? 1 : 0];
  }
}

export const gilbertElliott: LossProcesses = {
  of: (parts) => (parts.settings.badTime > 0 ? new ChannelOverTime(parts) : new GilbertElliott(parts)),
};
