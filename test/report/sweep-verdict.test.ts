// What is said of a sweep follows from the times of its combinations: by hand.

import { describe, expect, it } from 'vitest';
import { SweepRanking } from '../../src/report/sweep/sweep-verdict.js';

/** A run of which flows took so long in the mean, and lost so much. */
const run = (meanNs: number, lostNs = 0): ReadonlyMap<string, unknown> =>
  new Map([
    ['fct.meanNs', meanNs],
    ['lostTime.lostNs', lostNs],
  ]);

/** A run of two jobs, of which the second is the slower. */
const job = (ns: number, meanNs: number): ReadonlyMap<string, unknown> =>
  new Map([...run(meanNs), ['workload.ranks.max', 1000], ['jobs[0].ranks.max', 1000], ['jobs[1].ranks.max', ns]]);

function verdictOf(combinations: Readonly<Record<string, readonly ReadonlyMap<string, unknown>[]>>): string {
  const ranking = new SweepRanking();
  for (const [name, runs] of Object.entries(combinations)) ranking.add(name, runs);
  return ranking.verdict();
}

describe('the verdict on a sweep', () => {
  it('names the best and the worst combination, with what seeds make of it', () => {
    // means 1.0 and 1.5 us; deviations of two runs: 0.1 / sqrt(2) each, so 7.1 % at most; 5 + 7 and 20 + 22 us lost
    expect(
      verdictOf({
        'a=1': [run(1450, 20e3), run(1550, 22e3)],
        'a=2': [run(950, 5e3), run(1050, 7e3)],
        'a=3': [run(1200), run(1200)],
      }),
    ).toBe(
      'Best of 3 combinations: a=2. Flows took in the mean 1us, with the worst, a=1, 1.5us (+50.0 %). ' +
        'Seeds change such times by up to 7.1 % (standard deviation). ' +
        'Sharing links and waiting cost flows 6us, all together, and 21us in the worst.',
    );
  });

  it('says where it may be chance, and where nothing differs', () => {
    expect(verdictOf({ 'a=1': [run(1000), run(1400)], 'a=2': [run(1300), run(1500)] })).toContain('this may be chance');
    expect(verdictOf({ 'a=1': [run(1000)], 'a=2': [run(1300)] })).toContain('One seed alone does not tell');
    expect(verdictOf({ 'a=1': [run(1000), run(1000)], 'a=2': [run(1300), run(1300)] })).toContain(
      'Seeds change nothing',
    );
    expect(verdictOf({ 'a=1': [run(1000)], 'a=2': [run(1004)] })).toBe(
      'No combination of settings makes a difference of more than 0.5 %: flows took in the mean 1us.',
    );
    expect(verdictOf({ 'a=1': [run(1000)], 'a=2': [], 'a=3': [run(0)] })).toBe('');
  });

  it('ranks by jobs where there are some', () => {
    expect(verdictOf({ 'a=1': [job(4000, 10)], 'a=2': [job(3000, 20)] })).toContain(
      'Best of 2 combinations: a=2. The slowest job took 3us, with the worst, a=1, 4us (+33.3 %).',
    );
  });
});
