// The heap of times against a plain list that is sorted anew every time.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { TimeHeap } from '../../src/base/time-heap.js';
import { seed } from '../support/seed.js';

it(`keys come out by time, at equal times in the order in which they were set (WEFT_SEED=${seed})`, () => {
  const change = fc.record({
    kind: fc.constantFrom('set', 'set', 'set', 'pop', 'remove'),
    key: fc.nat(120),
    timePs: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 300 }), (changes) => {
      const heap = new TimeHeap();
      let plain: { key: number; timePs: number; order: number }[] = [];
      const pop = (): void => {
        const first = [...plain].sort((a, b) => a.timePs - b.timePs || a.order - b.order)[0]!;
        expect(heap.firstPs).toBe(first.timePs);
        expect(heap.pop()).toBe(first.key);
        plain = plain.filter(({ key }) => key !== first.key);
      };
      changes.forEach(({ kind, key, timePs }, order) => {
        if (kind === 'pop') {
          if (plain.length > 0) pop();
          return;
        }
        plain = plain.filter((entry) => entry.key !== key);
        if (kind === 'remove') heap.remove(key);
        else {
          heap.set(key, timePs);
          plain.push({ key, timePs, order });
        }
        expect(heap.size).toBe(plain.length);
      });
      while (plain.length > 0) pop();
      expect(heap.firstPs).toBe(Infinity);
    }),
    { seed, numRuns: 300 },
  );
});
