// What is said of runs beside each other follows from their times, from the error band and from the time that flows
// lost: by hand.

import { describe, expect, it } from 'vitest';
import { outcomesVerdict, type ComparedOutcome } from '../../src/report/outcome-comparison.js';
import { storedOutcome } from '../../src/report/page/stored-outcome.js';

function outcome(name: string, flowPs: number, more: Partial<ComparedOutcome> = {}): ComparedOutcome {
  return {
    name,
    isFinished: true,
    jobPs: null,
    isCollective: false,
    flowPs,
    lostPs: new Map(),
    bandPercent: null,
    ...more,
  };
}
const lost = (routes: number, unshared = 0) => ({ lostPs: new Map(Object.entries({ routes, unshared })) });

describe('the verdict on runs beside each other', () => {
  it('says which is faster, by how much, and because of what', () => {
    expect(outcomesVerdict([outcome('a', 3e9, lost(8e9, 1e9)), outcome('b', 2e9, lost(2e9, 1e9))])).toBe(
      '"b" is faster. Flows took 2ms in the mean, those of "a" 3ms (+50.0 %); no error band is known of such times. ' +
        'Why: flows of "a" lost 8ms, all together, because flows met although other ways were free; those of "b" 2ms.',
    );
  });

  it('does not blame links where flows lost no more', () => {
    const verdict = outcomesVerdict([outcome('a', 3e9, lost(2e9)), outcome('b', 2e9, lost(2e9))]);
    expect(verdict).toContain('Waiting for links does not explain it');
    expect(verdict).not.toContain('Why:');
  });

  it('compares jobs by the error band of such times', () => {
    const job = (name: string, jobPs: number) => outcome(name, 1e9, { jobPs, bandPercent: 20 });
    expect(outcomesVerdict([job('a', 119e9), job('b', 100e9)])).toMatch(
      /^Too close to call: "b" is faster\. The slowest job took 100ms, that of "a" 119ms \(\+19\.0 %\), inside the error band of 20\.0 %\./,
    );
    expect(outcomesVerdict([job('a', 121e9), job('b', 100e9)])).toMatch(
      /^"b" is faster\. .* \(\+21\.0 %\), outside the error band of 20\.0 %\./,
    );
    const collective = (name: string, jobPs: number) => ({ ...job(name, jobPs), isCollective: true });
    expect(outcomesVerdict([collective('a', 121e9), collective('b', 100e9)])).toContain('The collective took 100ms');
    // one of them has no job: flows are all that both have
    expect(outcomesVerdict([job('a', 121e9), outcome('b', 2e9)])).toContain(
      'Flows took 1ms in the mean, those of "b" 2ms',
    );
  });

  it('names ties, what lies between, and what did not finish', () => {
    const all = [
      outcome('a', 2e9),
      outcome('b', 1.004e9),
      outcome('c', 1e9),
      outcome('d', 1.5e9),
      outcome('e', 9e9, { isFinished: false }),
    ];
    const verdict = outcomesVerdict(all);
    expect(verdict).toMatch(/^"c" and "b" are the fastest\. .*those of "a" 2ms \(\+100\.0 %\)/);
    expect(verdict).toContain('Between them: "d" (+50.0 %).');
    expect(verdict).toMatch(/"e" did not finish: not compared\.$/);
    expect(outcomesVerdict(all.slice(1, 3))).toBe('No difference: flows took 1ms in the mean (within 0.5 %).');
    expect(outcomesVerdict([all[0]!, all[4]!])).toBe(
      '"e" did not finish: not compared. There are no two times to compare.',
    );
    expect(outcomesVerdict(all.slice(0, 1))).toBe('');
  });

  it('takes of a summary what it says, and of anything else nothing', () => {
    expect(
      storedOutcome('a', {
        outcome: 'finished',
        jobs: [{ ranks: { max: 5 } }, { totalNs: 7 }],
        fct: { meanNs: 3 },
        lostTime: { causes: [{ cause: 'routes', lostNs: 2 }] },
        errorBand: { p90Percent: 12 },
      }),
    ).toEqual({
      name: 'a',
      isFinished: true,
      jobPs: 7000,
      isCollective: false,
      flowPs: 3000,
      lostPs: new Map([['routes', 2000]]),
      bandPercent: 12,
    });
    expect(storedOutcome('a', { collective: { timeUs: 4, errorBand: { p90Percent: 9 } } })).toMatchObject({
      jobPs: 4e6,
      isCollective: true,
      bandPercent: 9,
    });
    expect(storedOutcome('a', null)).toEqual(outcome('a', 0, { flowPs: null }));
    expect(storedOutcome('a', { outcome: 'blocked' }).isFinished).toBe(false);
  });
});
