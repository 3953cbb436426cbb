// Several searches for the same routes with random streams of their own: which of them is kept, and when the others may
// end.
// Invariant: what is kept depends on the work that the searches may do, not on how fast each of them runs: of those
// that prove their routes the one that did with the least work is kept, and another one goes on until it has done as
// much work, so that it could have been sooner.

import { isBetter, type RouteScore } from './route-score.js';

/** What a search came to. */
export interface SearchEnd {
  readonly score: RouteScore;
  /** work after which the routes were proven; null = they are not */
  readonly provenWork: number | null;
}

/** The place of the search that is kept: first proven, else best, the first of equal ones. @param ends at least one */
export function bestSearch(ends: readonly SearchEnd[]): number {
  let best = 0;
  ends.forEach((end, place) => {
    if (isKept(end, ends[best]!)) best = place;
  });
  return best;
}

function isKept({ score, provenWork }: SearchEnd, other: SearchEnd): boolean {
  if (provenWork !== null || other.provenWork !== null)
    return (provenWork ?? Infinity) < (other.provenWork ?? Infinity);
  return isBetter(score, other.score);
}

const mostSearches = 1024n;

/** A proof that searches in several threads know of: the least work that one of them has proven its routes with. */
export class SharedProof {
  private readonly first: BigInt64Array;

  /** @param memory 8 bytes that all threads share, 0 at first @param place of this search among them, below 1024 */
  constructor(
    memory: SharedArrayBuffer,
    private readonly place: number,
  ) {
    this.first = new BigInt64Array(memory);
  }

  /** Tells that the routes of this search are proven. */
  found(work: number): void {
    const own = BigInt(Math.ceil(work)) * mostSearches + BigInt(this.place) + 1n;
    for (let known = Atomics.load(this.first, 0); known === 0n || known > own;) {
      const before = Atomics.compareExchange(this.first, 0, known, own);
      if (before === known) return;
      known = before;
    }
  }

  /** Whether another search has proven its routes with less work than this one has done: it cannot be kept any more. */
  isLate(work: number): boolean {
    const known = Atomics.load(this.first, 0);
    if (known === 0n || (known - 1n) % mostSearches === BigInt(this.place)) return false;
    return BigInt(Math.ceil(work)) * mostSearches + BigInt(this.place) + 1n > known;
  }
}
