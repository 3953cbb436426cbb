// The picture of a search: steps where something better was found, with the bound, and a second panel near it.

import { describe, expect, it } from 'vitest';
import { chartDrawer } from '../../src/cli/report/page-program.js';
import { curveNames, searchFigure, type SearchCurve } from '../../src/report/search-figure.js';

const curve: SearchCurve = {
  at: [0, 10_000, 40_000],
  incumbent: [300, 200, 112],
  bound: [110, 110, 110],
  stage: ['start', 'greedy', 'cores'],
  end: 80_000,
};

/** What the chart shows: points by name and panel, and the ranges of its axes. */
interface Shown {
  readonly series: readonly {
    readonly name: string;
    readonly type: string;
    readonly step?: string;
    readonly xAxisIndex: number;
    readonly data: readonly (readonly [number, number])[];
  }[];
  readonly xAxis: readonly { readonly max: number }[];
  readonly yAxis: readonly { readonly min: number; readonly max: number }[];
}

function draw(changes: Partial<SearchCurve> = {}) {
  return searchFigure('title', ['fact'], { ...curve, ...changes }, 'links looked at', 100);
}

function shown(changes: Partial<SearchCurve> = {}): Shown {
  return draw(changes).option as unknown as Shown;
}

function line({ series }: Shown, name: string) {
  return series.find((own) => own.name === name && own.xAxisIndex === 0)!;
}

describe('the picture of a search', () => {
  it('has steps at what was found when, as gaps, up to the end', () => {
    const option = shown();
    // loads of 300, 200 and 112 are gaps of 200, 100 and 12 % to 100
    expect(line(option, curveNames[0])).toMatchObject({
      step: 'end',
      data: [
        [0, 200],
        [10_000, 100],
        [40_000, 12],
        [80_000, 12],
      ],
    });
    expect(line(option, 'greedy').data).toEqual([[10_000, 100]]);
    expect(option.xAxis[0]!.max).toBe(80_000);
    expect(option.yAxis[0]).toMatchObject({ min: 0, max: 200 });
  });

  it('shows what is near the bound again below, unless all of it is near', () => {
    const { yAxis } = shown();
    expect(yAxis).toHaveLength(2);
    expect(yAxis[1]!.min).toBeLessThanOrEqual(10);
    expect(yAxis[1]!.max).toBeGreaterThan(12);
    expect(yAxis[1]!.max).toBeLessThan(40);
    expect(shown({ incumbent: [115, 114, 113] }).yAxis).toHaveLength(1);
  });

  it('has no gaps below 0 on its axes, and a percent at least on the upper one', () => {
    const met = shown({ incumbent: [300, 200, 100], bound: [100, 100, 100] });
    expect(met.yAxis.map(({ min }) => min)).toEqual([0, 0]);
    expect(shown({ incumbent: [100, 100, 100], bound: [100, 100, 100] }).yAxis[0]!.max).toBe(1);
  });

  it('leaves out what was not known yet', () => {
    const late = shown({ incumbent: [Infinity, 200, 112], bound: [0, 0, 110] });
    expect(line(late, curveNames[0]).data).toEqual([
      [10_000, 100],
      [40_000, 12],
      [80_000, 12],
    ]);
    expect(line(late, curveNames[1]).data).toEqual([
      [40_000, 10],
      [80_000, 10],
    ]);
  });

  it.each<[string, Partial<SearchCurve>]>([
    ['it goes on', {}],
    ['nothing was found', { at: [], incumbent: [], bound: [], stage: [], end: 0 }],
    ['the start was the end', { at: [0], incumbent: [110], bound: [110], stage: ['start'], end: 0 }],
    ['it took a moment', { at: [0.0004], incumbent: [110], bound: [110], stage: [''], end: 0.0005 }],
    ['nothing is sent', { incumbent: [0, 0, 0], bound: [0, 0, 0] }],
  ])('is a picture when %s', async (_when, changes) => {
    const { option, width, height } = draw(changes);
    const svg = (await chartDrawer()).drawSvg(option, width, height);
    expect(svg).toMatch(/<\/svg>$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg).toContain('links looked at');
  });
});
