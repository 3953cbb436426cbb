// What a comparison decides: differences beyond the band alone.

import { describe, expect, it } from 'vitest';
import type { ErrorBand } from '../../src/report/band-classes.js';
import { decidedOf, type JudgedFabric, verdictText } from '../../src/report/fabric-verdict.js';

const band = { class: 'any', rows: 20, medianPercent: 4, p90Percent: 10, worstPercent: 30, source: '' } as ErrorBand;

function rows(...own: [name: string, slower: number, cost: number | null][]): JudgedFabric[] {
  const shape = { gpusPerServer: 1, hasServerLinks: false };
  return own.map(([name, slower, cost]) => ({ name, slower, crossing: 1, hasLoads: true, bill: { cost }, shape }));
}

describe('what is decided', () => {
  it('is what lies outside the band', () => {
    expect(decidedOf([0, 0.09, 0.11], band)).toEqual([false, false, true]);
    expect(decidedOf([0.2, 0, 0.11], band)).toEqual([true, true, true]);
    expect(decidedOf([0, 5], 'nobody measured')).toEqual([false, false]);
    expect(decidedOf([0], band)).toEqual([false]);
  });

  it('is said with the cheapest of those that are too close', () => {
    const text = verdictText(rows(['a', 0, 300], ['b', 0.05, 200], ['c', 0.5, 100]), band);
    expect(text).toMatch(/^Too close to call between a and b: .* Of these b costs least: 200 of up to 300\./);
    expect(text).toMatch(/1 fabric is slower by more than the band: c \(\+50 %\)\.$/);
    expect(verdictText(rows(['a', 0.2, null], ['b', 0, null]), band)).toMatch(/^b is the fastest\./);
    // no price, no cheapest
    expect(verdictText(rows(['a', 0, null], ['b', 0.01, 1]), band)).not.toMatch(/costs/);
    expect(verdictText(rows(['a', 0, 1], ['b', 3, 1]), null)).toMatch(/^Too close to call: no error band is known/);
  });

  it('names servers without NVLink first, and a job that says nothing', () => {
    const [bare, full] = rows(['bare', 3, 1], ['full', 0, 1]);
    const own = [
      { ...bare!, shape: { ...bare!.shape, gpusPerServer: 8, hasServerLinks: false } },
      { ...full!, shape: { ...full!.shape, gpusPerServer: 8, hasServerLinks: true } },
    ];
    expect(verdictText(own, band)).toMatch(/^Servers of bare have no NVLink/);
    const inside = Array.from(own, (row) => Object.assign({}, row, { crossing: 0 }));
    expect(verdictText(inside, band)).toMatch(/No byte of this job leaves its leaf/);
    // where nobody counted, nothing is said of it
    const uncounted = Array.from(inside, (row) => Object.assign({}, row, { hasLoads: false }));
    expect(verdictText(uncounted, band)).not.toMatch(/No byte/);
  });
});
