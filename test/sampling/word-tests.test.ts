// Packets tested together against one packet and link at a time.
import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { parity } from '../../src/sampling/link-hash.js';
import {
  agreement,
  blocksOf,
  CARRIED,
  congestedAgreement,
  MET_CONGESTION,
  mostWords,
  WordTests,
} from '../../src/sampling/word-tests.js';
import { seed } from '../support/seed.js';

/** Some links below a number: in runs, as the ports of switches are, or scattered. */
function someLinks(random: RandomStream, most: number, isScattered: boolean): Int32Array {
  const links = new Set<number>();
  const wanted = Math.min(most >> 1, 100);
  while (links.size < wanted) {
    const first = random.nextBelow(most);
    for (let i = 0; i < (isScattered ? 1 : 24) && first + i < most; i++) links.add(first + i);
  }
  return Int32Array.from(links).sort();
}

describe(`tests of many packets (WEFT_SEED=${seed})`, () => {
  it.each([27, 63, 1_000, 24_576, 100_000, 33_554_431])(
    'agree with a test of every packet for each link, of up to %i links',
    (most) => {
      const random = new RandomStream(seed, 'packets');
      const tests = new WordTests(most);
      const bits = 32 - Math.clz32(most);
      for (const count of [1, 31, 32, 33, 200, mostWords, mostWords, 7])
        for (const isScattered of [false, true]) {
          const links = someLinks(random, most, isScattered);
          const from = random.nextBelow(5);
          const packets = new Int32Array(from + count);
          const sums = links.map(() => 0);
          const congestedSums = links.map(() => 0);
          for (let packet = from; packet < from + count; packet++) {
            const [word, hash, isCongested] = [
              random.nextUint32() >>> (32 - bits),
              random.nextBelow(2),
              random.nextBelow(3) > 0,
            ];
            packets[packet] = word | (hash === 1 ? CARRIED : 0) | (isCongested ? MET_CONGESTION : 0);
            links.forEach((port, i) => {
              const sign = parity(word & (port + 1)) === hash ? 1 : -1;
              sums[i]! += sign;
              if (isCongested) congestedSums[i]! += sign;
            });
          }
          tests.run(packets, from, count, { links, blocks: blocksOf(links) });
          const found = tests.sums.subarray(0, links.length);
          expect(found.map(agreement)).toEqual(sums);
          expect(found.map(congestedAgreement)).toEqual(congestedSums);
        }
    },
  );

  it.each([0, 1])('hold the sums of all packets that can be, all of them congested, hash %i', (hash) => {
    const tests = new WordTests(1000);
    const packets = new Int32Array(mostWords).fill((hash === 1 ? CARRIED : 0) | MET_CONGESTION);
    const links = Int32Array.from({ length: 64 }, (_, i) => i);
    tests.run(packets, 0, mostWords, { links, blocks: blocksOf(links) });
    // the parity of no bits is 0: a hash of 0 agrees always, one of 1 never
    const expected = hash === 0 ? mostWords : -mostWords;
    for (let i = 0; i < links.length; i++)
      expect([agreement(tests.sums[i]!), congestedAgreement(tests.sums[i]!)]).toEqual([expected, expected]);
  });
});
