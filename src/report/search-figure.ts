// How a search came to its routes: largest load of the best so far and what no routes are below, over work or time.
// Above all of it, below the part next to the bound. The form of Figure 3.4 of Taffet's dissertation (docs/SOURCES.md)
// (objective value as AR gap), with the bound added.
// Invariant: a curve is level between two rows: nothing better was known there.

import { axisLabel, chartHeading, chartText, type WholeChart } from './page/chart-frame.js';
import { numberText, short } from './page/figures.js';
import { lightLook } from './page/look.js';

/** Columns: after how much work or time which largest load was reached, and which bound was known. */
export interface SearchCurve {
  /** work or seconds, ascending */
  readonly at: readonly number[];
  /** Infinity = nothing found yet */
  readonly incumbent: readonly number[];
  readonly bound: readonly number[];
  /** what found it */
  readonly stage: readonly string[];
  /** work or seconds at the end */
  readonly end: number;
}

const [width, panelHeight] = [960, 200];
/** of stages, told apart whatever colours are seen */
const stageColours = [lightLook.text, ...lightLook.hues.slice(1)];
/** points of one curve that get a dot */
const mostDots = 400;
const axisLine = { lineStyle: { color: lightLook.line } };
const splitLine = { show: true, lineStyle: { color: lightLook.grid } };
/** names of the two curves in the legend */
export const curveNames = ['AR gap of the best so far', 'lower bound'] as const;

/**
 * The chart.
 * @param facts lines below the title @param unit what `at` counts: "links looked at", "seconds"
 * @param adaptiveBound loads are shown as gaps to it; above 0
 */
export function searchFigure(
  title: string,
  facts: readonly string[],
  curve: SearchCurve,
  unit: string,
  adaptiveBound: number,
): WholeChart {
  const gap = (load: number): number => short(100 * (load / adaptiveBound - 1), 7);
  const end = Math.max(curve.end, curve.at.at(-1) ?? 0) || 1;
  const found = curve.at.map((_, row) => row).filter((row) => Number.isFinite(curve.incumbent[row]!));
  const known = curve.at.map((_, row) => row).filter((row) => curve.bound[row]! > 0);
  const incumbent = points(curve.at, found, end, (row) => gap(curve.incumbent[row]!));
  const bound = points(curve.at, known, end, (row) => gap(curve.bound[row]!));
  const stages = [...new Set(found.map((row) => curve.stage[row]!))].slice(0, stageColours.length);
  const ranges = rangesOf(incumbent, bound);
  const heading = chartHeading(title, facts, width);
  const top = heading.height + 40;
  const stride = Math.max(1, Math.ceil(found.length / mostDots));
  const dotted = found.filter((_, i) => i % stride === 0 || i + 1 === found.length);
  const series = ranges.flatMap((_, panel): object[] => [
    curveOf(curveNames[0], panel, lightLook.hues[0]!, incumbent, 'solid'),
    curveOf(curveNames[1], panel, lightLook.hues[1]!, bound, 'dashed'),
    ...stages.map((stage, i) => ({
      // points alone
      type: 'line',
      name: stage === '' ? 'found' : stage,
      xAxisIndex: panel,
      yAxisIndex: panel,
      silent: true,
      symbol: 'circle',
      symbolSize: 7,
      lineStyle: { width: 0 },
      itemStyle: { color: stageColours[i] },
      data: dotted
        .filter((row) => curve.stage[row] === stage)
        .map((row) => [curve.at[row]!, gap(curve.incumbent[row]!)]),
    })),
  ]);
  return {
    width,
    height: top + ranges.length * panelHeight + 24,
    option: {
      ...chartText(),
      title: heading.titles,
      legend: { top: heading.height - 6, left: 60, itemWidth: 20, itemGap: 26, textStyle: { color: lightLook.text } },
      ...panels(ranges, top, end, unit),
      series,
    },
  };
}

/** Grid and axes of the panels, one below the other. @param end of the time axis, in `unit` */
function panels(ranges: ReturnType<typeof rangesOf>, top: number, end: number, unit: string): object {
  return {
    grid: ranges.map((_, panel) => ({
      left: 74,
      right: 30,
      top: top + panel * panelHeight,
      height: panelHeight - 46,
    })),
    xAxis: ranges.map((_, panel) => ({
      axisLine,
      splitLine,
      gridIndex: panel,
      type: 'value',
      min: 0,
      max: end,
      axisLabel: { ...axisLabel(lightLook), formatter: amount },
      name: panel + 1 === ranges.length ? unit : '',
      nameLocation: 'middle',
      nameGap: 28,
    })),
    yAxis: ranges.map(({ low, high }, panel) => ({
      axisLine,
      splitLine,
      gridIndex: panel,
      type: 'value',
      min: low,
      max: high,
      splitNumber: 4,
      axisLabel: { ...axisLabel(lightLook), formatter: (value: number) => `${numberText(value)} %` },
    })),
  };
}

/** A curve of steps in a panel. */
function curveOf(
  name: string,
  panel: number,
  color: string,
  data: readonly (readonly [number, number])[],
  type: 'solid' | 'dashed',
): object {
  return {
    type: 'line',
    step: 'end',
    showSymbol: false,
    silent: true,
    name,
    xAxisIndex: panel,
    yAxisIndex: panel,
    lineStyle: { color, width: type === 'solid' ? 2 : 1.5, type },
    itemStyle: { color },
    data,
  };
}

/** Steps up to the end: a value holds until the next row. */
function points(
  at: readonly number[],
  rows: readonly number[],
  end: number,
  valueOf: (row: number) => number,
): (readonly [number, number])[] {
  const list = rows.map((row) => [at[row]!, valueOf(row)] as const);
  const last = list.at(-1);
  return last === undefined || last[0] >= end ? list : [...list, [end, last[1]] as const];
}

/** What the panels show, in percent: all of it; and what is near the bound, unless that is most of it anyway. */
function rangesOf(
  incumbent: readonly (readonly [number, number])[],
  bound: readonly (readonly [number, number])[],
): { readonly low: number; readonly high: number }[] {
  const first = incumbent[0]?.[1] ?? 1;
  const [best, below] = [incumbent.at(-1)?.[1] ?? 0, bound.at(-1)?.[1] ?? 0];
  const least = Math.min(0, ...bound.map(([, value]) => value).filter((value) => value > -100));
  const ranges = [rounded(least, Math.max(first, best, 1))];
  const near = 4 * Math.max(best - below, 0.02 * Math.max(1, best));
  if (below + near < 0.6 * first) ranges.push(rounded(Math.max(least, below - 0.25 * near), below + near));
  return ranges;
}

/** A range from and to whole steps. */
function rounded(low: number, high: number): { readonly low: number; readonly high: number } {
  const step = niceStep((high - low) / 5);
  const from = Math.floor(low / step + 1e-9) * step;
  return { low: short(from, 12), high: short(Math.max(from + step, Math.ceil(high / step - 1e-9) * step), 12) };
}

/** 1,000 -> 1 k, 1,000,000 -> 1 M. */
function amount(value: number): string {
  for (const [factor, letter] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ] as const)
    if (value >= factor) return `${Number((value / factor).toPrecision(3))}${letter}`;
  return String(Number(value.toPrecision(3)));
}

/** The smallest of 1, 2, 5 times a power of ten that is not below. */
function niceStep(value: number): number {
  let decade = 1e-6;
  while (decade * 10 < value) decade *= 10;
  return decade * [1, 2, 5, 10].find((factor) => decade * factor >= value)!;
}
