// Series in bounded memory say the same as all values would.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinnedSeries } from '../../../src/report/page/binned-series.js';
import { seed } from '../../support/seed.js';

/** Changes of a quantity, with times that do not go back. */
const changes = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 40_000_000 }), fc.integer({ min: 0, max: 1000 })), {
    minLength: 1,
    maxLength: 60,
  })
  .map((list) => {
    let timePs = 0;
    return list.map(([gap, value]) => [(timePs += gap), value] as const);
  });

describe('a series in bins', () => {
  it(`has of each part the most that held in it (seed ${seed})`, () => {
    fc.assert(
      fc.property(changes, (list) => {
        const series = new BinnedSeries(1000);
        for (const [timePs, value] of list) series.add(timePs, value);
        const endPs = list.at(-1)![0];
        const { timesPs, values } = series.points(endPs, 0);
        expect(timesPs.length).toBeLessThanOrEqual(512);
        const binPs = timesPs[1] ?? Infinity;
        timesPs.forEach((from, i) => {
          // the naive way: what holds at its beginning, and every change within
          const before = list.reduce((held, [timePs, value]) => (timePs < from ? value : held), 0);
          const within = list.filter(([timePs]) => timePs >= from && timePs < from + binPs).map(([, value]) => value);
          expect(values[i]).toBe(Math.max(before, ...within));
        });
        expect(series.peak).toBe(Math.max(...list.map(([, value]) => value)));
        // the same two seconds later, from there on
        const late = new BinnedSeries(1000, 2e12);
        for (const [timePs, value] of list) late.add(2e12 + timePs, value);
        expect(late.points(2e12 + endPs, 0)).toEqual({ timesPs, values });
      }),
      { seed },
    );
  });
});
