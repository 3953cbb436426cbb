// Several searches at once: the same one is kept, however fast each of them runs.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { bestSearch, SharedProof, type SearchEnd } from '../../src/optimization/best-search.js';
import type { RouteScore } from '../../src/optimization/route-score.js';
import { seed } from '../support/seed.js';

function score(netMaxLoad: number, l2 = 1): RouteScore {
  return { maxLoad: netMaxLoad, netMaxLoad, linksAboveThreshold: 0, l2, phaseMax: [netMaxLoad] };
}

function end(netMaxLoad: number, provenWork: number | null = null, l2 = 1): SearchEnd {
  return { score: score(netMaxLoad, l2), provenWork };
}

describe('what is kept', () => {
  it.each<[why: string, ends: SearchEnd[], kept: number]>([
    ['the smaller load', [end(3), end(2), end(4)], 1],
    ['the first of equal ones', [end(3), end(2), end(2)], 1],
    ['of equal loads the smaller norm', [end(2, null, 5), end(2, null, 4)], 1],
    ['the proven one', [end(2), end(2, 9)], 1],
    ['the one that was proven with less work', [end(2, 9, 1), end(2, 8, 3), end(2, 8, 2)], 1],
  ])('%s', (_, ends, kept) => {
    expect(bestSearch(ends)).toBe(kept);
  });
});

it(`a proof ends the others, but none that could still be kept (WEFT_SEED=${seed})`, () => {
  for (let trial = 0; trial < 200; trial++) {
    const random = new RandomStream(seed + trial, 'proofs');
    const count = 1 + random.nextBelow(4);
    // the work with which each search would prove its routes, if it may go on so long
    const needed = Array.from({ length: count }, () =>
      random.nextBelow(3) === 0 ? Infinity : 1 + random.nextBelow(20),
    );
    const most = 25;
    const memory = new SharedArrayBuffer(8);
    const searches = needed.map((work, place) => ({
      work: 0,
      needed: work,
      proof: new SharedProof(memory, place),
      proven: null as number | null,
      over: false,
    }));
    while (searches.some(({ over }) => !over)) {
      const own = searches[random.nextBelow(count)]!;
      if (own.over) continue;
      own.work++;
      if (own.work === own.needed) {
        own.proven = own.work;
        own.proof.found(own.work);
      }
      own.over = own.work >= most || own.proof.isLate(own.work);
    }
    const first = Math.min(...needed);
    const kept = bestSearch(searches.map(({ proven }) => end(2, proven)));
    if (first <= most) expect(kept).toBe(needed.indexOf(first));
  }
});

it('a search is late once another has proven with less work, and not because of itself', () => {
  const memory = new SharedArrayBuffer(8);
  const [a, b] = [new SharedProof(memory, 0), new SharedProof(memory, 1)];
  expect([a.isLate(1e9), b.isLate(1e9)]).toEqual([false, false]);
  b.found(100);
  expect([a.isLate(99), a.isLate(100), a.isLate(101), b.isLate(5000)]).toEqual([false, false, true, false]);
  a.found(100);
  expect([b.isLate(99), b.isLate(100), a.isLate(5000)]).toEqual([false, true, false]);
  b.found(200);
  expect(a.isLate(5000)).toBe(false);
});
