// Spans of time in rows as a chart of ECharts: one custom series per kind, so that the legend has them. Where long names
// find no room beside their rows, on a telephone, they stand above them.
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
import { spanColour } from '../span-colours.js';
import { axisTitle, numberText, valueText, type SpanFigure } from './figures.js';
import { hueOf, type Look } from './look.js';

/** Of a bar, of a row, and of a row with its name above, in pixels. */
const [barHeight, bareRow, namedRow] = [16, 24, 40];
/** Characters of a name that have room beside its row. */
const [mostOnTelephone, mostBeside] = [12, 28];
/** of a character, in pixels */
const characterWidth = 6.6;

function longestName({ rows }: SpanFigure): number {
  return Math.max(1, ...rows.map((name) => name.length));
}

function namesAreAbove(figure: SpanFigure, width: number): boolean {
  return isNarrow(width) && longestName(figure) > mostOnTelephone;
}

/** How high all rows are, in pixels. */
function rowsHeight(figure: SpanFigure, width: number): number {
  return Math.max(3, figure.rows.length) * (namesAreAbove(figure, width) ? namedRow : bareRow);
}

function colourOf(look: Look, colour: SpanFigure['colours'][number]): string {
  return typeof colour === 'number' ? hueOf(look, colour) : spanColour(colour, look);
}

function legendHeight({ kinds }: SpanFigure, width: number): number {
  const needed = kinds.reduce((sum, name) => sum + 44 + 6.7 * name.length, 0);
  return 24 * Math.max(1, Math.ceil(needed / (width - 20)));
}

/** How high the chart is at a width, in pixels. */
export function spanHeight(figure: SpanFigure, width: number): number {
  return legendHeight(figure, width) + rowsHeight(figure, width) + 66;
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
  const isAbove = namesAreAbove(figure, width);
  const beside = Math.max(mostBeside, Math.floor((0.3 * width) / characterWidth));
  const left = isAbove ? 12 : 16 + characterWidth * Math.min(longestName(figure), beside);
  const barTop = isAbove ? -2 : -barHeight / 2;
  return {
    legend: legendOf(look, top, figure.kinds),
    grid: {
      left,
      right: isNarrow(width) ? 18 : 28,
      top: top + legendHeight(figure, width) + 6,
      height: rowsHeight(figure, width),
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
      axisLabel: {
        ...axisLabel(look),
        hideOverlap: false,
        overflow: 'truncate',
        interval: 0,
        ...(isAbove
          ? {
              inside: true,
              margin: 0,
              align: 'left',
              verticalAlign: 'bottom',
              padding: [0, 0, 4, 2],
              width: width - 44,
            }
          : { width: left - 14 }),
      },
    },
    series: figure.kinds.map((name, kind) => ({
      type: 'custom',
      name,
      itemStyle: { color: colourOf(look, figure.colours[kind]!) },
      encode: { x: [1, 2], y: 0 },
      data: spansOf[kind],
      progressive: 0,
      renderItem: (_: unknown, api: ItemApi) => {
        const [from, to] = [api.coord([api.value(1), api.value(0)]), api.coord([api.value(2), api.value(0)])];
        return {
          type: 'rect',
          shape: {
            x: from[0],
            y: from[1]! + barTop,
            width: Math.max(1, to[0]! - from[0]!),
            height: barHeight,
            r: 2,
          },
          style: {
            fill: colourOf(look, figure.colours[kind]!),
            stroke: look.background,
            lineWidth: to[0]! - from[0]! > 4 ? 1 : 0,
          },
        };
      },
    })),
  };
}
