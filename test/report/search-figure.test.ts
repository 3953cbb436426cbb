// The picture of a search: steps where something better was found, with the bound, and a second panel near it.

import { describe, expect, it } from 'vitest';
import { searchFigure, type SearchCurve } from '../../src/report/search-figure.js';

const curve: SearchCurve = {
  at: [0, 10_000, 40_000],
  incumbent: [300, 200, 112],
  bound: [110, 110, 110],
  stage: ['start', 'greedy', 'cores'],
  end: 80_000,
};

function draw(changes: Partial<SearchCurve> = {}): string {
  return searchFigure('title', ['fact'], { ...curve, ...changes }, 'links looked at', 100);
}

/** Corners of the solid lines, one list for each panel. */
function corners(svg: string): { x: number; y: number }[][] {
  return [...svg.matchAll(/<path d="M([^"]+)" fill="none" stroke="#1d5a96"/g)].map(([, d]) => {
    const made: { x: number; y: number }[] = [];
    for (const [, command, value, second] of `M${d}`.matchAll(/([MHV])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
      const last = made.at(-1) ?? { x: 0, y: 0 };
      made.push(
        command === 'M'
          ? { x: Number(value), y: Number(second) }
          : command === 'H'
            ? { x: Number(value), y: last.y }
            : { x: last.x, y: Number(value) },
      );
    }
    return made;
  });
}

/** Places of the labels of an axis by text: those of the first panel. */
function label(svg: string, text: string): { x: number; y: number } {
  const [, x, y] = new RegExp(`<text x="([\\d.]+)" y="([\\d.]+)" font-size="11"[^>]*>${text}</text>`).exec(svg)!;
  return { x: Number(x), y: Number(y) };
}

describe('the picture of a search', () => {
  const svg = draw();

  it('has steps at what was found when, measured by the labels of its axes', () => {
    const [all] = corners(svg);
    expect(all!.map(({ x }) => x)).toEqual([
      label(svg, '0').x,
      label(svg, '10 k').x,
      label(svg, '10 k').x,
      label(svg, '40 k').x,
      label(svg, '40 k').x,
      label(svg, '80 k').x,
    ]);
    // loads of 300 and 200 are gaps of 200 and 100 % to 100; labels stand 4 below their lines
    expect(all!.slice(0, 3).map(({ y }) => y)).toEqual([
      label(svg, '200 %').y - 4,
      label(svg, '200 %').y - 4,
      label(svg, '100 %').y - 4,
    ]);
    const share = (label(svg, '0 %').y - 4 - all!.at(-1)!.y) / (label(svg, '0 %').y - label(svg, '200 %').y);
    expect(share).toBeCloseTo(0.06, 2);
  });

  it('shows what is near the bound again below, unless all of it is near', () => {
    expect(corners(svg)).toHaveLength(2);
    expect(svg.match(/stroke="#b23a10"[^>]*stroke-dasharray="6 3"/g)).toHaveLength(3);
    expect(corners(draw({ incumbent: [115, 114, 113] }))).toHaveLength(1);
  });

  it('has no gaps below 0 on its axes, and a percent at least on the upper one', () => {
    const met = draw({ incumbent: [300, 200, 100], bound: [100, 100, 100] });
    expect(corners(met)).toHaveLength(2);
    expect(met).not.toMatch(/>-[\d.]+ %</);
    expect(label(draw({ incumbent: [100, 100, 100], bound: [100, 100, 100] }), '1 %').y).toBeLessThan(
      label(draw({ incumbent: [100, 100, 100], bound: [100, 100, 100] }), '0 %').y,
    );
  });

  it('leaves out what was not known yet', () => {
    const late = draw({ incumbent: [Infinity, 200, 112], bound: [0, 0, 110] });
    expect(corners(late)[0]).toHaveLength(4);
    expect(late).not.toMatch(/NaN|Infinity/);
  });

  it.each<[string, Partial<SearchCurve>]>([
    ['nothing was found', { at: [], incumbent: [], bound: [], stage: [], end: 0 }],
    ['the start was the end', { at: [0], incumbent: [110], bound: [110], stage: ['start'], end: 0 }],
    ['it took a moment', { at: [0.0004], incumbent: [110], bound: [110], stage: [''], end: 0.0005 }],
    ['nothing is sent', { incumbent: [0, 0, 0], bound: [0, 0, 0] }],
  ])('is a picture when %s', (_when, changes) => {
    const made = draw(changes);
    expect(made).toMatch(/<\/svg>\n$/);
    expect(made).not.toMatch(/NaN|Infinity|undefined/);
  });
});
