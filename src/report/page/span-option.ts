// Spans of time in rows as a chart of ECharts: one custom series per kind, so that the legend has them.
// Invariant: a span is at least a pixel wide, so that short ones are seen.

import {
  axisLabel,
  axisName,
  categoryAxis,
  isNarrow,
  legendOf,
  tooltipOf,
  type ChartFrame,
  type ChartOption,
} from './chart-frame.js';
import { axisTitle, numberText, valueText, type SpanFigure } from './figures.js';
import { hueOf } from './look.js';

const rowHeight = 24;

function legendHeight({ kinds }: SpanFigure, width: number): number {
  const needed = kinds.reduce((sum, name) => sum + 44 + 6.7 * name.length, 0);
  return 24 * Math.max(1, Math.ceil(needed / (width - 20)));
}

/** How high the chart is at a width, in pixels. */
export function spanHeight(figure: SpanFigure, width: number): number {
  return legendHeight(figure, width) + Math.max(3, figure.rows.length) * rowHeight + 66;
}

/** What ECharts hands to whoever draws an item. */
interface ItemApi {
  value(dimension: number): number;
  coord(point: readonly number[]): number[];
}

/** Spans as an option. */
export function spanOption(figure: SpanFigure, { look, width }: ChartFrame, top: number): ChartOption {
  const spansOf = figure.kinds.map(() => [] as (readonly number[])[]);
  figure.row.forEach((row, i) => spansOf[figure.kindOf[i]!]!.push([row, figure.from[i]!, figure.to[i]!, i]));
  const isThin = isNarrow(width);
  const longest = Math.max(1, ...figure.rows.map((name) => name.length));
  const left = 16 + 6.6 * Math.min(longest, isThin ? 12 : 28);
  return {
    legend: legendOf(look, top, figure.kinds),
    grid: {
      left,
      right: isThin ? 18 : 28,
      top: top + legendHeight(figure, width) + 6,
      height: Math.max(3, figure.rows.length) * rowHeight,
    },
    tooltip: {
      ...tooltipOf(look, 'item'),
      formatter: ({ value }: { readonly value: readonly number[] }) =>
        `${figure.text[value[3]!] ?? ''}\n${valueText(value[1]!, figure.x)} to ${valueText(value[2]!, figure.x)}`,
    },
    xAxis: {
      type: 'value',
      min: 0,
      ...axisName(axisTitle(figure.x), look),
      axisLine: { show: true, lineStyle: { color: look.line } },
      axisLabel: { ...axisLabel(look), formatter: (value: number) => numberText(value) },
      splitLine: { lineStyle: { color: look.grid } },
    },
    yAxis: {
      ...categoryAxis(figure.rows, look),
      inverse: true,
      axisLabel: { ...axisLabel(look), hideOverlap: false, width: left - 14, overflow: 'truncate', interval: 0 },
    },
    series: figure.kinds.map((name, kind) => ({
      type: 'custom',
      name,
      itemStyle: { color: hueOf(look, figure.colours[kind]!) },
      encode: { x: [1, 2], y: 0 },
      data: spansOf[kind],
      progressive: 0,
      renderItem: (_: unknown, api: ItemApi) => {
        const [from, to] = [api.coord([api.value(1), api.value(0)]), api.coord([api.value(2), api.value(0)])];
        return {
          type: 'rect',
          shape: { x: from[0], y: from[1]! - 8, width: Math.max(1, to[0]! - from[0]!), height: 16, r: 2 },
          style: {
            fill: hueOf(look, figure.colours[kind]!),
            stroke: look.background,
            lineWidth: to[0]! - from[0]! > 4 ? 1 : 0,
          },
        };
      },
    })),
  };
}
