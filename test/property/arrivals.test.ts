// Arrivals of flows that have drained, in queues by what comes after their last bits, against one sorted list.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Arrivals } from '../../src/backends/fluid/arrivals.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`flows arrive by time, then by place, however many tails there are (WEFT_SEED=${seed})`, () => {
  const step = fc.record({ afterPs: fc.nat(40), tail: fc.nat(400), takes: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 700 }), fc.constantFrom(1, 7, 400), (steps, tails) => {
      const arrivals = new Arrivals();
      const wanted: (readonly [timePs: number, place: number, slot: number])[] = [];
      let nowPs = 0;
      const take = (): void => {
        wanted.sort(([a, i], [b, j]) => a - b || i - j);
        const [timePs, place, slot] = wanted.shift()!;
        expect([arrivals.firstPs, arrivals.firstPlace]).toEqual([timePs, place]);
        expect(arrivals.take()).toBe(slot);
        nowPs = Math.max(nowPs, timePs);
      };
      for (const [slot, { afterPs, tail, takes }] of steps.entries()) {
        nowPs += afterPs;
        // what has arrived by now comes first
        while (wanted.some(([timePs]) => timePs < nowPs)) take();
        const tailPs = 100 * (tail % tails) + 0.5 * (tail % 2);
        arrivals.add(slot, nowPs, tailPs, slot);
        wanted.push([nowPs + tailPs, slot, slot]);
        for (let i = 0; i < takes && wanted.length > 0; i++) take();
      }
      while (wanted.length > 0) take();
      expect(arrivals.firstPs).toBe(Infinity);
    }),
    { seed, numRuns: rounds(100) },
  );
});
