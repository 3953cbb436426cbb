// Losses that know nothing of each other: every packet is lost with the same probability.

import { LossCause } from '../../../engine/link-hazards.js';
import type { RandomStream } from '../../../base/random.js';
import type { LossProcess, LossProcesses, LossProcessParts } from './port-losses.js';

class IndependentLosses implements LossProcess {
  readonly cause = LossCause.single;
  private readonly random: RandomStream;
  private readonly rate: number;

  constructor({ random, rate }: LossProcessParts) {
    this.random = random;
    this.rate = rate;
  }

  strikes(): boolean {
    return this.random.nextFraction() < this.rate;
  }
}

export const independentLosses: LossProcesses = { of: (parts) => new IndependentLosses(parts) };
