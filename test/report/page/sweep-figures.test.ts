// What a report says of a sweep: means and ranges over seeds by hand, and differences that are none are not called so.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holm } from '../../../src/measurement/holm-correction.js';
import { SweepFigures } from '../../../src/report/page/sweep-figures.js';
import type { SettingOfColumn, SweepRow } from '../../../src/report/sweep/row-columns.js';
import { seed } from '../../support/seed.js';

const buffer: SettingOfColumn = {
  path: 'switch.buffer',
  values: ['1MiB', '2MiB'],
  kind: 'quantity',
  numbers: [2 ** 20, 2 ** 21],
  unit: 'B',
};
const backend: SettingOfColumn = {
  path: 'backend',
  values: ['packet', 'fluid'],
  kind: 'word',
  numbers: null,
  unit: null,
};

function row(run: number, choices: readonly number[], seedOfRun: number, meanNs: number): SweepRow {
  return {
    run,
    choices,
    values: [],
    seed: seedOfRun,
    outcome: 'finished',
    error: null,
    figures: new Map<string, number>([
      ['fct.meanNs', meanNs],
      ['flows', 8],
    ]),
    checks: new Map(),
    verdict: 'passed',
    failedChecks: null,
    digest: null,
  };
}

/** Every combination with seeds 1 to n; the figure by a function. */
function sweepOf(seeds: number, meanNs: (choices: readonly number[], seedOfRun: number) => number): SweepFigures {
  const sweep = new SweepFigures([buffer, backend]);
  let run = 0;
  for (const choices of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ])
    for (let own = 1; own <= seeds; own++) sweep.add(row(run++, choices, own, meanNs(choices, own)));
  return sweep;
}

describe('charts of a sweep', () => {
  it('have the mean over seeds and the range, and leave out what does not vary', () => {
    const charts = sweepOf(3, ([size, kind], own) => 1000 * (1 + size!) + 100 * kind! + own).charts();
    expect(charts.map(({ id }) => id)).toEqual(['over-fct-meanns']);
    const [chart] = charts;
    if (chart?.kind !== 'lines') throw new Error('no lines');
    expect(chart.x).toMatchObject({ name: 'switch.buffer', unit: 'MiB' });
    const line = (name: string) => chart.series.find((series) => series.name === name)!;
    // 1001, 1002, 1003 ns, and 2001, 2002, 2003
    expect(line('backend packet')).toMatchObject({ x: [1, 2], y: [1.002, 2.002] });
    expect(line('backend fluid: least to most')).toMatchObject({ y: [1.101, 2.101], upTo: [1.103, 2.103] });
  });

  it('say which lines are left out', () => {
    const names = Array.from({ length: 14 }, (_, i) => `b${i}`);
    const sweep = new SweepFigures([buffer, { ...backend, values: names }]);
    let run = 0;
    for (const choice of names.keys())
      for (const size of [0, 1]) sweep.add(row(run++, [size, choice], 1, 1000 + 10 * choice + size));
    const [chart] = sweep.charts();
    if (chart?.kind !== 'lines') throw new Error('no lines');
    expect(chart.series.filter(({ name }) => !name.includes(':')).map(({ name }) => name)).toEqual(
      names.slice(0, 8).map((name) => `backend ${name}`),
    );
    expect(chart.note).toContain(
      'Only the first 8 are drawn; not backend b8; backend b9; backend b10; backend b11; and 2 more. runs.csv has all.',
    );
  });

  it('are bars with whiskers where no setting is a number', () => {
    const sweep = new SweepFigures([backend]);
    for (const [run, choice, own, value] of [
      [0, 0, 1, 1000],
      [1, 0, 2, 3000],
      [2, 1, 1, 5000],
    ] as const)
      sweep.add(row(run, [choice], own, value));
    const [chart] = sweep.charts();
    expect(chart).toMatchObject({
      kind: 'bars',
      x: { names: ['packet', 'fluid'] },
      series: [{ y: [2, 5], from: [1, 5], to: [3, 5] }],
    });
  });
});

describe('differences of a sweep', () => {
  it('are found where every pair changes, beside the seeds', () => {
    const { rows, names } = sweepOf(8, ([size], own) => 1000 + 500 * size! + 10 * own).differences(5);
    expect(names).toEqual(['Mean completion']);
    const [bySize, byBackend] = rows;
    // 16 pairs, all in one direction: 2 / 2^16, twice after Holm
    expect(bySize).toMatchObject({ setting: 'switch.buffer', value: '2MiB', first: '1MiB' });
    expect(bySize!.effects[0]).toMatchObject({ pairs: 16, change: 500 });
    expect(bySize!.effects[0]!.p).toBeCloseTo((2 * 2) / 2 ** 16, 10);
    expect(byBackend!.effects[0]).toMatchObject({ p: 1, change: 0 });
  });

  it('are not claimed with five pairs or fewer', () => {
    const sweep = new SweepFigures([backend]);
    for (const choice of [0, 1])
      for (let own = 1; own <= 5; own++) sweep.add(row(0, [choice], own, 1000 * (1 + choice)));
    // 2 / 2^5 is more than 5 %
    expect(sweep.differences(5).rows[0]!.effects[0]!.p).toBeCloseTo(0.0625, 10);
  });

  it('are of pairs alone: a seed that one side lacks does not count', () => {
    const sweep = new SweepFigures([backend]);
    sweep.add(row(0, [0], 1, 1000));
    sweep.add(row(1, [0], 2, 9000));
    sweep.add(row(2, [1], 1, 2000));
    sweep.add({ ...row(3, [1], 2, 0), outcome: 'failed', error: 'no memory\nmore', verdict: 'failed' });
    expect(sweep.differences(5).rows[0]!.effects[0]).toMatchObject({ pairs: 1, changePercent: 100 });
    expect([...sweep.errors]).toEqual([['no memory', 1]]);
    expect(sweep.failed).toBe(1);
  });
});

describe("Holm's correction", () => {
  it('is that of the textbook', () => {
    const corrected = holm([0.01, 0.04, 0.03, 0.005]);
    [0.03, 0.06, 0.06, 0.02].forEach((value, i) => expect(corrected[i]).toBeCloseTo(value, 12));
  });

  it(`makes no probability smaller and keeps their order (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (list) => {
        const corrected = holm(list);
        list.forEach((p, i) => {
          expect(corrected[i]!).toBeGreaterThanOrEqual(p);
        });
        const order = list.map((_, i) => i).sort((a, b) => list[a]! - list[b]!);
        for (let i = 1; i < order.length; i++)
          expect(corrected[order[i]!]!).toBeGreaterThanOrEqual(corrected[order[i - 1]!]!);
      }),
      { seed },
    );
  });
});
