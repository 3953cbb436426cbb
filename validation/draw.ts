// Draws from a named random stream: for random fabrics, settings and transfers that a seed and a number bring back.

import { RandomStream } from '#weft/base/random.js';

/** Everything that is drawn for one case. */
export class Draw {
  constructor(private readonly random: RandomStream) {}

  /** from least to most, both included */
  between(least: number, most: number): number {
    return least + this.random.nextBelow(most - least + 1);
  }

  of<T>(list: readonly T[]): T {
    return list[this.random.nextBelow(list.length)]!;
  }

  chance(share: number): boolean {
    return this.random.nextFraction() < share;
  }
}
