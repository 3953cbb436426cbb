// Two builds compared in turns: balanced order, ratios that follow from what the speeds are, and refusal of other work.

import { describe, expect, it } from 'vitest';
import { compare, differentWork, orderOf, quantile, type Round, type Side } from '../../bench/paired-ratios.js';
import { ratioHeader, ratioRow } from '../../bench/ratio-table.js';

const sides: readonly Side[] = ['ours', 'commit', 'again'];

describe('the order of runs', () => {
  it('gives every side every place, and the same mean place, in every three rounds', () => {
    for (const first of [0, 3]) {
      const runs = [first, first + 1, first + 2].flatMap((round) => orderOf(round));
      for (const side of sides) {
        const places = runs.flatMap((each, place) => (each === side ? [place] : []));
        expect(places.map((place) => place % 3).sort((a, b) => a - b)).toEqual([0, 1, 2]);
        expect(places.reduce((sum, place) => sum + place) / 3).toBe((runs.length - 1) / 2);
      }
    }
  });

  it('puts each side as often before as behind each other in every six rounds', () => {
    const rounds = Array.from({ length: 6 }, (_, round) => orderOf(round));
    for (const one of sides)
      for (const other of sides.filter((side) => side !== one))
        expect(rounds.filter((order) => order.indexOf(one) < order.indexOf(other))).toHaveLength(3);
  });

  it('goes on in the same way', () => {
    expect([6, 7, 8].map(orderOf)).toEqual([0, 1, 2].map(orderOf));
  });
});

describe('ratios', () => {
  it('are of speeds: half the CPU seconds are a ratio of two, and the commit against itself stays one', () => {
    const { ours, itself, oursCpuSeconds, commitCpuSeconds } = compare([
      { ours: 1, commit: 2, again: 2 },
      { ours: 2, commit: 4, again: 4 },
      { ours: 3, commit: 6, again: 6 },
    ]);
    expect(ours).toEqual({ median: 2, lowerQuartile: 2, upperQuartile: 2, best: 2 });
    expect(itself).toEqual({ median: 1, lowerQuartile: 1, upperQuartile: 1, best: 1 });
    expect([oursCpuSeconds, commitCpuSeconds]).toEqual([2, 4]);
  });

  it('see through a machine that gets slower, and through one round that is disturbed', () => {
    // the same speed of all; every run takes a hundredth longer than the one before; one run is disturbed fivefold
    let place = 0;
    const rounds = Array.from({ length: 12 }, (_, round): Round => {
      const seconds = {} as Record<Side, number>;
      for (const side of orderOf(round)) seconds[side] = 1 + place++ / 100;
      return round === 4 ? { ...seconds, ours: seconds.ours * 5 } : seconds;
    });
    const { ours, itself } = compare(rounds);
    expect(Math.abs(ours.median - 1)).toBeLessThan(0.01);
    expect(Math.abs(itself.median - 1)).toBeLessThan(0.01);
  });

  it('take the best of each side for the ratio in brackets', () => {
    const { ours, itself } = compare([
      { ours: 4, commit: 3, again: 9 },
      { ours: 2, commit: 5, again: 6 },
    ]);
    expect([ours.best, itself.best]).toEqual([3 / 2, 3 / 6]);
  });
});

describe('quantiles', () => {
  it.each([
    [[7], 0.5, 7],
    [[3, 1, 2], 0.5, 2],
    [[4, 1, 3, 2], 0.5, 2.5],
    [[5, 1, 3, 2, 4], 0.25, 2],
    [[10, 0], 0.75, 7.5],
  ])('of %j at %d', (values, share, wanted) => {
    expect(quantile(values, share)).toBe(wanted);
  });
});

describe('work', () => {
  it('is the same, or what differs is named; what one build does not tell is not compared', () => {
    const work = { packetHops: 100, events: 120, flows: 3, warmUpShare: 1 / 16 };
    expect(differentWork(work, work)).toBeNull();
    expect(differentWork({ packetHops: 100 }, { packetHops: 100, events: 120 })).toBeNull();
    expect(differentWork(work, { ...work, events: 121 })).toBe('events 120 here and 121 there');
    expect(differentWork(work, { ...work, packetHops: 1, warmUpShare: 0 })).toBe(
      'packetHops 100 here and 1 there, warmUpShare 0.0625 here and 0 there',
    );
  });
});

it('rows and their header fit 80 columns and stand below each other', () => {
  const ratio = { median: 1.25, lowerQuartile: 0.5, upperQuartile: 1.5, best: 1.75 };
  const row = ratioRow('gpt3-9216-analytical', {
    oursCpuSeconds: 123.456,
    commitCpuSeconds: 654.321,
    ours: ratio,
    itself: { ...ratio, median: 1 },
  });
  expect(row).toBe('gpt3-9216-analytical 123.5  654.3 1.250 (1.75) 0.50-1.50  1.000 (1.75) 0.50-1.50');
  const [first, second] = ratioHeader('9aefcc1').split('\n');
  for (const line of [row, first!, second!]) expect(line.length).toBeLessThanOrEqual(80);
  expect(second!.indexOf('median')).toBe(row.indexOf('1.250'));
  expect(second!.lastIndexOf('median')).toBe(row.indexOf('1.000'));
});
