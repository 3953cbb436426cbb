// A figure in a page: drawn into its place, and saved as a file. The page of a report and the application draw with this.

import type { EChartsType } from 'echarts/core';
import { chartHeight, chartOption } from '#weft/report/page/chart-option.js';
import { figureCsv } from '#weft/report/page/figure-csv.js';
import type { Figure } from '#weft/report/page/figures.js';
import type { Look } from '#weft/report/page/look.js';
import { drawInto, drawSvg } from './charts.js';
import { saveFile } from './save-file.js';

/** width of pictures that are saved, in pixels */
const savedWidth = 960;
/** cells beyond which a matrix is one picture instead of an element per cell */
const mostElements = 1200;

/** What a figure can be saved as. */
export const savedKinds = ['png', 'svg', 'csv'] as const;

/** Draws a figure into an element, which gets its height. @param width in pixels @param isForPaper as elements alone */
export function drawFigure(
  plot: HTMLElement,
  figure: Figure,
  look: Look,
  width: number,
  isForPaper = false,
): EChartsType {
  const frame = { look, width, hasTitle: false };
  const height = chartHeight(figure, frame);
  plot.style.height = `${height}px`;
  const cells = figure.kind === 'matrix' ? figure.values.length : figure.kind === 'spans' ? figure.row.length : 0;
  // a canvas is painted only after the browser has printed
  return drawInto(
    plot,
    chartOption(figure, frame),
    width,
    height,
    cells > mostElements && !isForPaper ? 'canvas' : 'svg',
  );
}

/** Saves a figure as a file of one of `savedKinds`. */
export function saveFigure(figure: Figure, kind: string, look: Look): void {
  const save = (type: string, content: string): void =>
    saveFile(`${figure.id}.${kind}`, new Blob([content], { type: `${type};charset=utf-8` }));
  if (kind === 'csv') {
    save('text/csv', figureCsv(figure));
    return;
  }
  const frame = { look, width: savedWidth, hasTitle: true };
  const height = chartHeight(figure, frame);
  const option = chartOption(figure, frame);
  if (kind === 'svg') {
    save('image/svg+xml', drawSvg(option, savedWidth, height));
    return;
  }
  const place = document.createElement('div');
  const chart = drawInto(place, option, savedWidth, height, 'canvas');
  place.querySelector('canvas')!.toBlob((blob) => {
    chart.dispose();
    if (blob !== null) saveFile(`${figure.id}.png`, blob);
  });
}
