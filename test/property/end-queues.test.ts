// The flows of bundles in the order in which they drain, against lists sorted anew every time.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { EndQueues } from '../../src/backends/fluid/end-queues.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`the first flow has the least offset, of equal ones the newest (WEFT_SEED=${seed})`, () => {
  const change = fc.record({
    kind: fc.constantFrom('add', 'add', 'first', 'any'),
    bundle: fc.nat(2),
    offset: fc.integer({ min: -3, max: 3 }),
    which: fc.nat(100),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 80 }), (changes) => {
      const queues = new EndQueues();
      const lists: { slot: number; offset: number; started: number }[][] = [[], [], []];
      const free: number[] = [];
      let slots = 0;
      changes.forEach(({ kind, bundle, offset, which }, started) => {
        const list = lists[bundle]!;
        if (kind === 'add') {
          const slot = free.pop() ?? slots++;
          list.push({ slot, offset, started });
          list.sort((a, b) => a.offset - b.offset || b.started - a.started);
          queues.add(bundle, slot, offset, started);
        } else if (list.length > 0) {
          const [gone] = list.splice(kind === 'first' ? 0 : which % list.length, 1);
          free.push(gone!.slot);
          queues.remove(bundle, gone!.slot);
        }
        lists.forEach((each, number) => expect(queues.first(number)).toBe(each[0]?.slot ?? -1));
      });
      for (const [bundle, list] of lists.entries())
        for (const { slot } of list) {
          expect(queues.first(bundle)).toBe(slot);
          queues.remove(bundle, slot);
        }
    }),
    { seed, numRuns: rounds(300) },
  );
});
