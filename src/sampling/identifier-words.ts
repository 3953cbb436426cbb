// The words y (link-hash.ts) of random identifiers, made some hundred at a time: their tables then stay in the cache.
// Memory: 5 kB.

import { RandomStream } from '../base/random.js';
import { HashedIdentifiers, type IdentifierBits } from './link-hash.js';

const block = 256;

export class IdentifierWords {
  private readonly random: RandomStream;
  private readonly hash: HashedIdentifiers;
  private readonly words = new Int32Array(block);
  private used = block;

  /** @param links the largest link number @param multiplier g @param bits of an identifier */
  constructor(
    seed: number,
    links: number,
    multiplier: number,
    private readonly bits: IdentifierBits,
  ) {
    this.random = new RandomStream(seed, 'sampling: identifiers');
    this.hash = new HashedIdentifiers(links, multiplier, bits);
  }

  /** The word y of another identifier. */
  next(): number {
    if (this.used === block) this.refill();
    return this.words[this.used++]!;
  }

  private refill(): void {
    const drop = 32 - this.bits;
    for (let i = 0; i < block; i++) this.words[i] = this.hash.wordOf(this.random.nextUint32() >>> drop);
    this.used = 0;
  }
}
