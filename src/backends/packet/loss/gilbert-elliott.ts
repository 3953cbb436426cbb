// Losses of a channel that is good or bad: before every packet it goes from good to bad or back with fixed
// probabilities; in each state a packet is lost with the probability of that state.
// Invariant: in the long run the share of lost packets is the rate: the channel is bad for the share
// b = (rate - lossInGood) / (lossInBad - lossInGood) of the packets, so it goes bad with badToGood x b / (1 - b). It
// begins in a state drawn by these shares, so that the first packets are lost at that rate, too.
// Source: E. N. Gilbert, "Capacity of a Burst-Noise Channel", Bell System Technical Journal 39 (1960); E. O. Elliott,
// "Estimates of Error Rates for Codes on Burst-Noise Channels", same journal 42 (1963).

import { LossCause } from '../../../engine/link-hazards.js';
import type { RandomStream } from '../../../base/random.js';
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

export const gilbertElliott: LossProcesses = { of: (parts) => new GilbertElliott(parts) };
