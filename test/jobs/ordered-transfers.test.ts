// Transfers put in order: by start, then by number, whatever order they came in, each once.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderedTransfers } from '../../src/jobs/ordered-transfers.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`hands out everything once, in order of start, then of number (WEFT_SEED=${seed})`, () => {
  const ordered = new OrderedTransfers();
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(fc.nat(50), fc.nat(3)), { selector: ([id]) => id }), (given) => {
      for (const [id, startPs] of given) ordered.transfer(id, id + 1, id + 2, id + 3, startPs, id % 3, id % 5);
      const out: number[][] = [];
      const sink = {
        transfer: (...transfer: [number, number, number, number, number, number?, number?]) =>
          out.push(transfer as number[]),
      };
      ordered.handOut(sink);
      const sorted = given.slice().sort(([a, aStart], [b, bStart]) => aStart - bStart || a - b);
      expect(out).toEqual(sorted.map(([id, startPs]) => [id, id + 1, id + 2, id + 3, startPs, id % 3, id % 5]));
      ordered.handOut(sink);
      expect(out.length).toBe(given.length);
    }),
    { seed, numRuns: rounds(100) },
  );
});
