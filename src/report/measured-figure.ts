// Measured and simulated bus bandwidth over message size, as a chart: both axes double from line to line.
// Invariant: every row is a point of both curves.

import type { ComparedRow } from './figures/collectives.js';
import { formatSizeBytes } from '../base/units.js';
import { axisLabel, chartHeading, chartText, type WholeChart } from './page/chart-frame.js';
import { numberText, short } from './page/figures.js';
import { lightLook } from './page/look.js';

const [width, plotHeight] = [960, 400];
/** measured, simulated */
const colours = [lightLook.text, lightLook.hues[0]!] as const;

/** The chart. @param tables rows of each measured table, sizes ascending or not; at least one row in all */
export function measuredFigure(
  title: string,
  facts: readonly string[],
  tables: readonly (readonly ComparedRow[])[],
): WholeChart {
  const heading = chartHeading(title, facts, width);
  const axis = {
    type: 'log',
    logBase: 2,
    axisLine: { lineStyle: { color: lightLook.line } },
    splitLine: { show: true, lineStyle: { color: lightLook.grid } },
  };
  const bandwidths = tables.flat().flatMap((row) => [row.measuredBusbwGBps, row.simulatedBusbwGBps]);
  const sizes = tables.flat().map(({ sizeBytes }) => sizeBytes);
  return {
    width,
    height: heading.height + plotHeight,
    option: {
      ...chartText(),
      title: heading.titles,
      legend: {
        top: heading.height - 8,
        left: 60,
        itemWidth: 26,
        itemGap: 24,
        data: [{ name: 'measured' }, { name: 'simulated' }],
      },
      grid: { left: 60, right: 30, top: heading.height + 48, bottom: 44 },
      xAxis: {
        ...axis,
        ...between(sizes),
        name: 'message size',
        nameLocation: 'middle',
        nameGap: 28,
        axisLabel: { ...axisLabel(lightLook), formatter: (bytes: number) => formatSizeBytes(Math.round(bytes)) },
      },
      yAxis: {
        ...axis,
        ...between(bandwidths),
        name: 'bus bandwidth (GB/s)',
        nameTextStyle: { color: lightLook.faint, align: 'left' },
        axisLabel: { ...axisLabel(lightLook), formatter: (value: number) => numberText(value) },
      },
      series: tables.flatMap((table) => {
        const rows = [...table].sort((a, b) => a.sizeBytes - b.sizeBytes);
        return ([0, 1] as const).map((kind) => ({
          type: 'line',
          name: ['measured', 'simulated'][kind],
          symbol: 'circle',
          symbolSize: 7,
          itemStyle: { color: colours[kind] },
          lineStyle: { color: colours[kind], width: 2, type: kind === 0 ? 'solid' : 'dashed' },
          data: rows.map((row) => [row.sizeBytes, short(kind === 0 ? row.measuredBusbwGBps : row.simulatedBusbwGBps)]),
        }));
      }),
    },
  };
}

/** The powers of two around values above 0, with a line at each of them as long as there are not too many. */
function between(values: readonly number[]): {
  readonly min: number;
  readonly max: number;
  /** doublings from line to line */
  readonly interval: number;
} {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  let min = 1;
  while (min > least && min > 1e-12) min /= 2;
  while (min * 2 <= least) min *= 2;
  let [max, doublings] = [min * 2, 1];
  for (; max < most; max *= 2) doublings++;
  return { min, max, interval: Math.ceil(doublings / 12) };
}
