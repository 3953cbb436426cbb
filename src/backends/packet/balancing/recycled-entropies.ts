// REPS: entropies that worked are used again. Those of packets that came back acknowledged and unmarked go into a ring
// of a few places for each queue pair, over the oldest; each is used once more, the oldest first. Without a valid one
// the sender explores: it draws at random. After a timeout it freezes: it goes round the ring, valid or not, so that no
// packet explores a path that may be broken; what works still replaces what does not. When the freezing has ended, the
// sender forgets the ring and explores for so many packets as fit twice into it.
// Invariants: valid entropies are at most the places; while frozen with a ring that is not empty nothing is drawn; each
// valid entropy is used once.
// Source: Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation",
// arXiv:2407.21625, algorithm 1 (known from memory: ring of 8, validity, freezing after a timeout); the order of the
// ring, its own head for frozen senders and what happens when freezing ends as the consortium's simulator has it
// (htsim, uec_mp.cpp: ring forgotten, 16 packets of exploring). Not modelled: several entropies in an ACK that answers
// several packets.

import { grown } from '../../../base/columns.js';
import { RandomStream } from '../../../base/random.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { EntropyChoice } from './entropy-paths.js';

/** What recycling is made from. */
export interface RecyclingParts {
  readonly pairs: QueuePairs;
  readonly clock: Clock;
  readonly seed: number;
}

/** int32 words of a queue pair: index `pair << 3 | word` */
const HEAD = 0;
/** places that have been filled */
const STORED = 1;
/** bits of the places whose entropy has not been used since it was put there */
const VALID = 2;
const EXPLORE = 3;
const FROZEN_HEAD = 4;
const IS_FROZEN = 5;
const VALID_COUNT = 6;

export class RecycledEntropies implements EntropyChoice {
  private readonly random: RandomStream;
  private words = new Int32Array(0);
  private thawPs = new Float64Array(0);
  /** queue pair x places + place */
  private entropies = new Uint16Array(0);

  /** @param settings values: how many entropies there are; places of the ring; freezingPs: 0 = never */
  constructor(
    private readonly parts: RecyclingParts,
    private readonly settings: { readonly values: number; readonly places: number; readonly freezingPs: number },
  ) {
    const { pairs, seed } = parts;
    this.random = new RandomStream(seed, 'entropy');
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
    pairs.onAllocate((pair) => {
      this.words.fill(0, pair << 3, (pair + 1) << 3);
    });
  }

  next(pair: number): number {
    const { words } = this;
    const at = pair << 3;
    if (words[at + IS_FROZEN] === 1) this.thawIfDue(pair);
    if (words[at + EXPLORE]! > 0) {
      words[at + EXPLORE]!--;
      return this.explore();
    }
    if (words[at + IS_FROZEN] === 1 && words[at + STORED]! > 0) return this.nextFrozen(pair);
    return words[at + VALID_COUNT]! > 0 ? this.oldest(pair) : this.explore();
  }

  worked(pair: number, entropy: number): void {
    const { words } = this;
    const at = pair << 3;
    const { places } = this.settings;
    if (words[at + IS_FROZEN] === 1) this.thawIfDue(pair);
    const head = words[at + HEAD]!;
    this.entropies[pair * places + head] = entropy;
    if ((words[at + VALID]! & (1 << head)) === 0) {
      words[at + VALID]! |= 1 << head;
      words[at + VALID_COUNT]!++;
    }
    words[at + HEAD] = head + 1 === places ? 0 : head + 1;
    if (words[at + STORED]! < places) words[at + STORED]!++;
  }

  failed(pair: number): void {
    const { words } = this;
    const at = pair << 3;
    const { freezingPs } = this.settings;
    if (freezingPs === 0 || words[at + IS_FROZEN] === 1 || words[at + EXPLORE]! > 0) return;
    words[at + IS_FROZEN] = 1;
    this.thawPs[pair] = this.parts.clock.nowPs + freezingPs;
  }

  /** Valid entropies of a queue pair, oldest first: for probes and tests. */
  validOf(pair: number): number[] {
    const { places } = this.settings;
    const head = this.words[(pair << 3) + HEAD]!;
    return Array.from({ length: places }, (_, i) => (head + i) % places)
      .filter((place) => (this.words[(pair << 3) + VALID]! & (1 << place)) !== 0)
      .map((place) => this.entropies[pair * places + place]!);
  }

  private explore(): number {
    return this.random.nextBelow(this.settings.values);
  }

  private oldest(pair: number): number {
    const { words } = this;
    const at = pair << 3;
    const { places } = this.settings;
    let place = words[at + HEAD]!;
    while ((words[at + VALID]! & (1 << place)) === 0) place = place + 1 === places ? 0 : place + 1;
    this.use(at, place);
    return this.entropies[pair * places + place]!;
  }

  private nextFrozen(pair: number): number {
    const { words } = this;
    const at = pair << 3;
    const place = words[at + FROZEN_HEAD]! % words[at + STORED]!;
    words[at + FROZEN_HEAD] = place + 1;
    this.use(at, place);
    return this.entropies[pair * this.settings.places + place]!;
  }

  private use(at: number, place: number): void {
    const { words } = this;
    if ((words[at + VALID]! & (1 << place)) === 0) return;
    words[at + VALID]! &= ~(1 << place);
    words[at + VALID_COUNT]!--;
  }

  private thawIfDue(pair: number): void {
    if (this.parts.clock.nowPs <= this.thawPs[pair]!) return;
    const at = pair << 3;
    this.words.fill(0, at, at + 8);
    this.words[at + EXPLORE] = 2 * this.settings.places;
  }

  private reserve(capacity: number): void {
    this.words = grown(this.words, capacity << 3);
    this.thawPs = grown(this.thawPs, capacity);
    this.entropies = grown(this.entropies, capacity * this.settings.places);
  }
}
