// Entropies at random: every packet takes one of the values, all with the same chance, whatever became of those before
// (oblivious packet spraying). Invariant: the stream of random numbers is its own.

import { RandomStream } from '../../../base/random.js';
import type { EntropyChoice } from './entropy-paths.js';

export class RandomEntropies implements EntropyChoice {
  private readonly random: RandomStream;

  constructor(
    seed: number,
    private readonly values: number,
  ) {
    this.random = new RandomStream(seed, 'entropy');
  }

  next(): number {
    return this.random.nextBelow(this.values);
  }
}
