// Matrices as heat maps of ECharts: cells, a scale of colours, names along both sides.
// Invariant: a cell is square where there is room, never wider than the drawing; the scale says what colours mean.

import {
  axisLabel,
  axisName,
  categoryAxis,
  isNarrow,
  tooltipOf,
  type ChartFrame,
  type ChartOption,
} from './chart-frame.js';
import { numberText, short, valueText, type MatrixFigure } from './figures.js';
import { textWidth } from '../svg-text.js';
import { hueOf, loadClass, loadLimits, loadTexts, type Look } from './look.js';

const largestCell = 34;
/** opacity of the least of a kind */
const faintest = 0.25;
/** of a name of a kind, where they stand one below the other */
const kindHeight = 20;
const below = 84;
/** that the legend of loads takes with its whole texts */
const legendWidth = 530;
/** of loads, in percent, where there is little room */
const shortTexts = [
  '0',
  ...loadLimits.slice(1).map((limit) => `≤${Math.round(100 * limit)}`),
  `>${Math.round(100 * loadLimits.at(-1)!)}`,
];

/** Space for names of rows, in pixels. */
function leftOf({ rows }: MatrixFigure): number {
  return 40 + 6.6 * Math.min(16, Math.max(...rows.names.map((name) => name.length), 1));
}

function cellOf(figure: MatrixFigure, width: number): { readonly across: number; readonly high: number } {
  const across = (width - leftOf(figure) - 24) / Math.max(1, figure.columns.names.length);
  const high = Math.min(largestCell, Math.max(across, 3), Math.max(3, 620 / Math.max(1, figure.rows.names.length)));
  return { across: Math.min(across, Math.max(2.2 * high, 2)), high };
}

/** Whether names of kinds stand one below the other, as there is no room for them beside each other. */
function areKindsBelow({ kinds }: MatrixFigure, width: number): boolean {
  return kinds !== undefined && kinds.names.reduce((sum, name) => sum + textWidth(name, 11) + 36, 60) > width;
}

/** How high a matrix is at a width, in pixels. */
export function matrixHeight(figure: MatrixFigure, width: number): number {
  const more = areKindsBelow(figure, width) ? kindHeight * (figure.kinds!.names.length - 1) : 0;
  return Math.round(26 + Math.max(40, cellOf(figure, width).high * figure.rows.names.length) + below + more);
}

/** A matrix as an option. */
export function matrixOption(figure: MatrixFigure, { look, width }: ChartFrame, top: number): ChartOption {
  const { rows, columns, values, value } = figure;
  const { across, high } = cellOf(figure, width);
  const left = leftOf(figure);
  const [drawnWidth, drawnHeight] = [across * columns.names.length, Math.max(40, high * rows.names.length)];
  const count = columns.names.length;
  const data: Cell[] = [];
  values.forEach((own, i) => {
    if (own !== null) data.push([i % count, Math.floor(i / count), own]);
  });
  return {
    grid: { left, top: top + 12, width: drawnWidth, height: drawnHeight },
    xAxis: {
      ...categoryAxis(columns.names, look),
      ...axisName(columns.name, look, 26),
      axisLabel: axisLabel(look),
    },
    yAxis: {
      ...categoryAxis(rows.names, look),
      ...axisName(rows.name, look, left - 18),
      inverse: true,
      axisLabel: {
        ...axisLabel(look),
        width: left - 34,
        overflow: 'truncate',
        interval: Math.ceil(15 / (drawnHeight / rows.names.length)) - 1,
      },
    },
    tooltip: {
      ...tooltipOf(look, 'item'),
      formatter: ({ value: cell }: { readonly value: readonly [number, number, number, number?] }) =>
        `${rows.names[cell[1]] ?? ''} to ${columns.names[cell[0]] ?? ''}\n${valueText(cell[2], value)}` +
        `${figure.kinds === undefined ? '' : `, most of it ${figure.kinds.names[cell[3]!]!}`}`,
    },
    visualMap: scaleOf(figure, look, data, left, width),
    series: [
      {
        type: 'heatmap',
        data: dataOf(figure, data),
        progressive: 0,
        itemStyle: { borderColor: look.background, borderWidth: high > 7 ? 1 : 0 },
        emphasis: { itemStyle: { borderColor: look.text, borderWidth: 1 } },
      },
    ],
  };
}

type Cell = readonly [x: number, y: number, value: number];

/** Cells with the class that their colour stands for; of kinds the fainter, the less there is of the most. */
function dataOf({ colours, kinds, columns }: MatrixFigure, cells: readonly Cell[]): readonly unknown[] {
  if (colours === 'load') return cells.map(([x, y, own]) => [x, y, own, loadClass(own / 100)]);
  if (kinds === undefined) return cells;
  const most = mostOf(cells);
  return cells.map(([x, y, own]) => ({
    value: [x, y, own, kinds.of[y * columns.names.length + x]!],
    itemStyle: { opacity: short(faintest + (1 - faintest) * (own / most), 3) },
  }));
}

function mostOf(cells: readonly Cell[]): number {
  return cells.reduce((most, [, , own]) => Math.max(most, Math.abs(own)), 0) || 1;
}

/** What colours mean, below the matrix. */
function scaleOf(figure: MatrixFigure, look: Look, data: readonly Cell[], left: number, width: number): ChartOption {
  const { colours, value, kinds } = figure;
  const place = {
    orient: areKindsBelow(figure, width) ? 'vertical' : 'horizontal',
    left: isNarrow(width) ? 8 : left,
    bottom: 6,
    itemGap: 6,
    textStyle: { color: look.faint, fontSize: 11 },
  };
  if (colours === 'load')
    return {
      ...place,
      type: 'piecewise',
      dimension: 3,
      itemWidth: 14,
      itemHeight: 12,
      selectedMode: false,
      ...(width < legendWidth ? { itemWidth: 10, itemGap: 3 } : {}),
      pieces: loadTexts.map((text, index) => ({
        value: index,
        label: width < legendWidth ? shortTexts[index]! : text,
        color: look.load[index]!,
      })),
    };
  if (kinds !== undefined)
    return {
      ...place,
      type: 'piecewise',
      dimension: 3,
      itemWidth: 12,
      itemHeight: 12,
      itemGap: areKindsBelow(figure, width) ? kindHeight - 12 : 16,
      selectedMode: false,
      inverse: areKindsBelow(figure, width),
      pieces: kinds.names.map((name, index) => ({ value: index, label: name, color: hueOf(look, index) })),
    };
  const size = value.most ?? mostOf(data);
  const isSigned = colours === 'signed';
  return {
    ...place,
    type: 'continuous',
    calculable: false,
    dimension: 2,
    min: isSigned ? -size : 0,
    max: size,
    itemWidth: 12,
    itemHeight: Math.min(220, width * 0.4),
    text: [valueText(size, value), isSigned ? valueText(-size, value) : `0 ${value.unit}`],
    formatter: (own: number) => numberText(own),
    inRange: { color: isSigned ? look.signed : look.gray },
  };
}
