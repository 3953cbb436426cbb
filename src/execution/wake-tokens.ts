// What a driver wants to be told when wakes come: tokens by number of the wake; numbers of wakes that have come are
// given out again, so that they can be keys of a heap of times. Invariant: two wakes that are due have different
// numbers.

import { grown } from '../base/columns.js';

export class WakeTokens {
  private tokens = new Float64Array(64);
  private readonly free: number[] = [];
  private count = 0;

  /** Keeps the token of a wake. @returns the wake's number */
  keep(token: number): number {
    const wake = this.free.pop() ?? this.count++;
    if (wake >= this.tokens.length) this.tokens = grown(this.tokens, 2 * wake);
    this.tokens[wake] = token;
    return wake;
  }

  /** A wake has come. @returns its token */
  take(wake: number): number {
    this.free.push(wake);
    return this.tokens[wake]!;
  }
}
