// Figures as options of Apache ECharts: plain objects, made without the library, so that the page of a report, a
// picture made under Node and a browser application draw the same. Animations are off: what is looked at may be
// printed.
// Source of the options' names: the documentation of ECharts 6.
// Not modelled: what the pointer does (the library's), and tooltips' HTML, since names are not ours: tooltips are
// rendered as text on the canvas or in the picture itself (renderMode richText).

import { shortened } from '../text-style.js';
import {
  axisLabel,
  axisName,
  categoryAxis,
  chartText,
  isNarrow,
  legendOf,
  tooltipOf,
  type ChartFrame,
  type ChartOption,
} from './chart-frame.js';
import {
  axisTitle,
  numberText,
  valueText,
  type Axis,
  type BarFigure,
  type Figure,
  type LineFigure,
} from './figures.js';
import { hueOf, type Look } from './look.js';
import { matrixOption, matrixHeight } from './matrix-option.js';
import { spanOption, spanHeight } from './span-option.js';

/** Space above the drawing that a title takes, in pixels. */
const titleHeight = 34;

/** How high a chart ought to be at a width, in pixels. */
export function chartHeight(figure: Figure, { width, hasTitle }: Pick<ChartFrame, 'width' | 'hasTitle'>): number {
  const title = hasTitle ? titleHeight : 0;
  if (figure.kind === 'matrix') return title + matrixHeight(figure, width);
  if (figure.kind === 'spans') return title + spanHeight(figure, width);
  return title + (isNarrow(width) ? 280 : 340) + 22 * (legendRows(figure, width) - 1);
}

/** The option that draws a figure. */
export function chartOption(figure: Figure, frame: ChartFrame): ChartOption {
  const { look, hasTitle } = frame;
  const top = hasTitle ? titleHeight : 0;
  const textStyle = { color: look.text, fontSize: 15, fontWeight: 600 };
  return {
    ...chartText(look),
    color: look.hues,
    ...(hasTitle ? { title: { text: figure.title, left: 8, top: 6, textStyle } } : {}),
    aria: { enabled: false },
    ...drawing(figure, frame, top),
  };
}

function drawing(figure: Figure, frame: ChartFrame, top: number): ChartOption {
  if (figure.kind === 'lines') return lineOption(figure, frame, top);
  if (figure.kind === 'bars') return barOption(figure, frame, top);
  return figure.kind === 'matrix' ? matrixOption(figure, frame, top) : spanOption(figure, frame, top);
}

/** Rows that the legend takes, as far as can be told without measuring texts. */
function legendRows({ series }: LineFigure | BarFigure, width: number): number {
  if (series.length < 2) return 1;
  const named = series.filter((own) => !('upTo' in own));
  const needed = named.reduce((sum, { name }) => sum + 44 + 6.7 * Math.min(name.length, longestName(width)), 0);
  return Math.max(1, Math.ceil(needed / (width - 20)));
}

function longestName(width: number): number {
  return isNarrow(width) ? 34 : 60;
}

/** What both kinds with two axes have. */
function axes(figure: LineFigure | BarFigure, { look, width, hasTitle }: ChartFrame, top: number): ChartOption {
  const rows = legendRows(figure, width);
  const hasLegend = figure.series.length > 1;
  const cut = longestName(width);
  const named = figure.series.filter((series) => !('upTo' in series)).map(({ name }) => name);
  return {
    grid: {
      left: 12,
      right: isNarrow(width) ? 18 : 28,
      top: top + (hasLegend ? 26 + 22 * rows : 28),
      bottom: 34,
      containLabel: true,
    },
    ...(hasLegend
      ? {
          legend: {
            // the line of a band says what it is
            ...legendOf(look, top, named),
            // without a browser the widths of texts are estimates
            ...(hasTitle ? { itemGap: 22 } : {}),
            icon: 'roundRect',
            formatter: (name: string) => shortened(name, cut),
          },
        }
      : {}),
    tooltip: {
      ...tooltipOf(look, 'axis'),
      axisPointer: { type: figure.kind === 'bars' ? 'shadow' : 'line', lineStyle: { color: look.faint } },
      valueFormatter: (value: unknown) => (typeof value === 'number' ? valueText(value, figure.y) : 'none'),
    },
    yAxis: {
      ...valueAxis(figure.y, look),
      name: axisTitle(figure.y),
      nameLocation: 'end',
      nameGap: 12,
      nameTextStyle: { color: look.faint, align: 'left', padding: [0, 0, 0, -34] },
    },
  };
}

function lineOption(figure: LineFigure, frame: ChartFrame, top: number): ChartOption {
  const { look } = frame;
  return {
    ...axes(figure, frame, top),
    xAxis: {
      ...valueAxis(figure.x, look),
      ...axisName(axisTitle(figure.x), look),
      splitNumber: isNarrow(frame.width) ? 4 : 8,
      axisPointer: { label: { formatter: ({ value }: { value: number }) => valueText(value, figure.x) } },
    },
    series: figure.series.flatMap((series, index): object[] => {
      const colour = hueOf(look, series.colour);
      const common = {
        type: 'line',
        name: series.name,
        showSymbol: series.x.length === 1 || series.hasPoints === true,
        symbol: 'circle',
        symbolSize: 6,
        itemStyle: { color: colour },
        lineStyle: {
          color: colour,
          width: series.isUnjoined === true ? 0 : 2,
          type: series.isDashed === true ? 'dashed' : 'solid',
        },
        ...(series.isStepped === true ? { step: 'end' } : {}),
        emphasis: { disabled: true },
      };
      const { x, y, upTo } = series;
      const filled = series.isFilled === true ? { areaStyle: { color: colour, opacity: 0.18 } } : {};
      if (upTo === undefined) return [{ ...common, data: points(x, y), ...filled }];
      // a band is its lower edge and, stacked upon it, its height
      const lineStyle = { width: 0, color: colour };
      const edge = { ...common, lineStyle, stack: `band ${index}`, silent: true, tooltip: { show: false } };
      const heights = upTo.map((value, i) => (value === null || y[i] === null ? null : value - y[i]!));
      return [
        { ...edge, name: `${series.name} (from)`, data: points(x, y) },
        { ...edge, areaStyle: { color: colour, opacity: 0.2 }, data: points(x, heights) },
      ];
    }),
  };
}

function points(x: readonly number[], y: readonly (number | null)[]): (readonly [number, number | null])[] {
  return x.map((at, i) => [at, y[i] ?? null] as const);
}

function barOption(figure: BarFigure, frame: ChartFrame, top: number): ChartOption {
  const { look, width } = frame;
  const isMany = figure.x.names.length > 40;
  return {
    ...axes(figure, frame, top),
    xAxis: {
      ...categoryAxis(figure.x.names, look),
      ...axisName(axisTitle(figure.x), look),
      axisLabel: { ...axisLabel(look), fontSize: isNarrow(width) ? 10 : 11 },
    },
    series: figure.series.flatMap(({ name, colour, y, from, to }, index): object[] => [
      {
        type: 'bar',
        name,
        data: y,
        itemStyle: { color: hueOf(look, colour), borderRadius: isMany ? 0 : [2, 2, 0, 0] },
        ...barLayout(isMany),
        emphasis: { disabled: true },
      },
      ...(from === undefined || to === undefined
        ? []
        : [whiskers(from, to, index, figure.series.length, look, barLayout(isMany))]),
    ]),
  };
}

/** Space between bars, which whiskers follow. */
function barLayout(isMany: boolean): { barGap: string; barCategoryGap: string; barMaxWidth: number } {
  return { barGap: '8%', barCategoryGap: isMany ? '12%' : '28%', barMaxWidth: 42 };
}

/** What ECharts hands to whoever draws an item. */
interface ItemApi {
  value(dimension: number): number;
  coord(point: readonly number[]): number[];
  barLayout(options: object): { readonly offsetCenter: number; readonly width: number }[];
}

function stroke(x1: number, y1: number, x2: number, y2: number, { text }: Look): object {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: text, lineWidth: 1.5 } };
}

/** A whisker on each bar of a series. @param index of the series among `count` */
function whiskers(
  from: readonly (number | null)[],
  to: readonly (number | null)[],
  index: number,
  count: number,
  look: Look,
  layout: object,
): object {
  return {
    type: 'custom',
    silent: true,
    z: 5,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data: from.flatMap((low, i) => (low === null || to[i] === null ? [] : [[i, low, to[i]!]])),
    renderItem: (_: unknown, api: ItemApi) => {
      const { offsetCenter, width } = api.barLayout({ ...layout, count })[index]!;
      const [x, low] = api.coord([api.value(0), api.value(1)]) as [number, number];
      const high = api.coord([api.value(0), api.value(2)])[1]!;
      const at = x + offsetCenter;
      const half = Math.min(6, width / 4);
      return {
        type: 'group',
        children: [
          stroke(at, low, at, high, look),
          stroke(at - half, low, at + half, low, look),
          stroke(at - half, high, at + half, high, look),
        ],
      };
    },
  };
}

/** An axis of values, with what its numbers look like. */
function valueAxis(axis: Axis, look: Look): ChartOption {
  return {
    type: axis.isLogarithmic === true ? 'log' : 'value',
    ...withoutAbsent({ logBase: axis.logBase, interval: axis.interval, min: axis.least, max: axis.most }),
    axisLine: { show: true, lineStyle: { color: look.line } },
    axisTick: { show: false },
    axisLabel: { ...axisLabel(look), formatter: (value: number) => numberText(value) },
    splitLine: { lineStyle: { color: look.grid } },
    scale: false,
  };
}

function withoutAbsent(option: ChartOption): ChartOption {
  return Object.fromEntries(Object.entries(option).filter(([, value]) => value !== undefined));
}
