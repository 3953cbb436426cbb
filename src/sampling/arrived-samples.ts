// Samples that have arrived, noted in the order in which they came and counted many at a time: what counts them reaches all
// over tables that push the simulation out of the cache, and a loop waits for the tables of several packets at once.
// Invariants: a sample is counted by the routes that were in force when it came; after `count` none waits. Memory: 6 MB at most.

import { grown } from '../base/columns.js';
import type { BitTests } from './bit-tests.js';
import { Carried, carriedBit } from './carried-sample.js';
import type { IdentifierWords } from './identifier-words.js';
import type { NamedLinks } from './named-links.js';

/** Words of a sample that has arrived. */
const Word = { pair: 0, source: 1, destination: 2, label: 3, hops: 4, carried: 5 } as const;
const width = 6;
/** samples that are noted before they are counted, and for how many there is room at first */
const most = 1 << 18;
const firstRoom = 1 << 12;
const { metCongestion: CONGESTED, hash: HASH, placeShift, placeMask, valueShift } = Carried;

/** What counts samples: links by name, or tests of one bit. */
export type SampleCounter =
  | { readonly named: NamedLinks }
  | { readonly tests: BitTests; readonly identifiers: IdentifierWords };

export class ArrivedSamples {
  private words = new Int32Array(firstRoom * width);
  private waiting = 0;
  private readonly tests: BitTests | null;
  /** whether packets carry their link by name where one bit is wanted: they are hashed when they are counted */
  private hashesHere = false;

  constructor(private readonly counter: SampleCounter) {
    this.tests = 'tests' in counter ? counter.tests : null;
  }

  /** From now on samples name their links, whatever the variant. */
  nameLinks(): void {
    this.hashesHere = this.tests !== null;
  }

  /**
   * A sample has arrived.
   * @param pair its queue pair, which has one source and destination at a time @param label of its kind of traffic
   * @param hops its hop count @param carried what it carried (carried-sample.ts)
   */
  add(pair: number, source: number, destination: number, label: number, hops: number, carried: number): void {
    if (this.waiting === most || this.tests?.isBehind === true) this.count();
    const at = this.waiting++ * width;
    if (at === this.words.length) this.words = grown(this.words, 2 * at);
    const { words } = this;
    words[at] = pair;
    words[at + Word.source] = source;
    words[at + Word.destination] = destination;
    words[at + Word.label] = label;
    words[at + Word.hops] = hops;
    words[at + Word.carried] = carried;
  }

  /** Counts those that wait. */
  count(): void {
    if ('named' in this.counter) this.name(this.counter.named);
    else this.test(this.counter.tests, this.counter.identifiers);
    this.waiting = 0;
  }

  /** Counts all, and what counters have summed goes into the tallies. */
  flush(): void {
    this.count();
    if ('named' in this.counter) this.counter.named.flush();
    else this.counter.tests.flush();
  }

  private name(named: NamedLinks): void {
    const { words } = this;
    const end = this.waiting * width;
    for (let at = 0; at < end; at += width) {
      const carried = words[at + Word.carried]!;
      const place = (carried >>> placeShift) & placeMask;
      const isCongested = (carried & CONGESTED) !== 0;
      const label = words[at + Word.label]!;
      named.add(words[at]!, label, words[at + Word.hops]!, place, carried >>> valueShift, isCongested);
    }
  }

  private test(tests: BitTests, identifiers: IdentifierWords): void {
    const { words, hashesHere } = this;
    const end = this.waiting * width;
    for (let at = 0; at < end; at += width) {
      let carried = words[at + Word.carried]!;
      const isCongested = (carried & CONGESTED) !== 0;
      if (hashesHere) carried = carriedBit(identifiers.next(), carried >>> valueShift, isCongested);
      tests.add(
        words[at]!,
        words[at + Word.source]!,
        words[at + Word.destination]!,
        carried >>> valueShift,
        (carried & HASH) === 0 ? 0 : 1,
        words[at + Word.hops]!,
        isCongested,
        words[at + Word.label]!,
      );
    }
    tests.follow();
  }
}
