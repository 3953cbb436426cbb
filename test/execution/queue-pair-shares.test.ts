// How a transfer is spread over queue pairs, against packets dealt out one by one.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { queuePairCount, queuePairShare } from '../../src/execution/queue-pair-shares.js';
import { seed } from '../support/seed.js';

function shares(sizeBytes: number, payloadBytes: number, most: number): number[] {
  const count = queuePairCount(sizeBytes, payloadBytes, most);
  return Array.from({ length: count }, (_, index) => queuePairShare(sizeBytes, payloadBytes, count, index));
}

it('splits by hand', () => {
  expect(shares(10_000, 1000, 4)).toEqual([3000, 3000, 2000, 2000]);
  expect(shares(9001, 1000, 4)).toEqual([3000, 3000, 2000, 1001]);
  expect(shares(8000, 1000, 4)).toEqual([2000, 2000, 2000, 2000]);
  expect(shares(2500, 1000, 64)).toEqual([1000, 1000, 500]);
  expect(shares(1, 9000, 64)).toEqual([1]);
  expect(shares(2 ** 38, 9000, 1)).toEqual([2 ** 38]);
});

it(`shares out every byte, in as many packets as before, evenly (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 2 ** 38 })),
      fc.integer({ min: 256, max: 65_535 }),
      fc.integer({ min: 1, max: 64 }),
      (sizeBytes, payloadBytes, most) => {
        const parts = shares(sizeBytes, payloadBytes, most);
        const packets = parts.map((bytes) => Math.ceil(bytes / payloadBytes));
        expect(parts.reduce((sum, bytes) => sum + bytes, 0)).toBe(sizeBytes);
        expect(packets.reduce((sum, count) => sum + count, 0)).toBe(Math.ceil(sizeBytes / payloadBytes));
        expect(Math.min(...parts)).toBeGreaterThan(0);
        expect(Math.max(...packets) - Math.min(...packets)).toBeLessThanOrEqual(1);
        for (const bytes of parts.slice(0, -1)) expect(bytes % payloadBytes).toBe(0);
        expect(parts.length).toBe(Math.min(most, Math.ceil(sizeBytes / payloadBytes)));
      },
    ),
    { seed, numRuns: 500 },
  );
});
