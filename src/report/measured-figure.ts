// Measured and simulated bus bandwidth over message size, as SVG: both axes double from line to line.
// Invariant: every row is a point of both curves; between two powers of two an axis is linear, so that no logarithm is
// needed, which engines round differently.

import { formatSizeBytes } from '../base/units.js';
import type { ComparedRow } from './measured-comparison.js';
import { coordinate, fitting, textElement } from './svg-text.js';

const width = 960;
const margin = { left: 74, right: 24 };
const plotHeight = 360;
const plotWidth = width - margin.left - margin.right;
/** of Okabe and Ito */
const [measuredColour, simulatedColour] = ['#000000', '#0072b2'];

/** The figure as SVG. @param tables rows of each measured table, sizes ascending or not; at least one row in all */
export function measuredFigure(
  title: string,
  facts: readonly string[],
  tables: readonly (readonly ComparedRow[])[],
): string {
  const rows = tables.flat();
  const sizes = rows.map(({ sizeBytes }) => doublings(sizeBytes));
  const bandwidths = rows.flatMap((row) => [row.measuredBusbwGBps, row.simulatedBusbwGBps]).map(doublings);
  const [left, right] = range(sizes);
  const [low, high] = range(bandwidths);
  const top = 76 + 15 * facts.length;
  const x = (sizeBytes: number): number => margin.left + (plotWidth * (doublings(sizeBytes) - left)) / (right - left);
  const y = (busbw: number): number => top + plotHeight * (1 - (doublings(busbw) - low) / (high - low));
  const elements = [
    textElement(margin.left, 26, fitting(title, plotWidth, 16), { size: 16, bold: true }),
    ...facts.map((fact, i) =>
      textElement(margin.left, 44 + 15 * i, fitting(fact, plotWidth, 12), { colour: '#555555' }),
    ),
    ...legend(56 + 15 * facts.length),
  ];
  for (let power = left; power <= right; power++) {
    const at = coordinate(x(doubled(power)));
    elements.push(`<line x1="${at}" x2="${at}" y1="${top}" y2="${top + plotHeight}" stroke="#e4e4e4"/>`);
    if ((power - left) % Math.ceil((right - left + 1) / 12) === 0)
      elements.push(
        textElement(x(doubled(power)), top + plotHeight + 15, power < 0 ? '' : formatSizeBytes(doubled(power)), {
          size: 11,
          colour: '#555555',
          anchor: 'middle',
        }),
      );
  }
  for (let power = low; power <= high; power++) {
    const at = y(doubled(power));
    elements.push(
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${coordinate(at)}" y2="${coordinate(at)}" stroke="#e4e4e4"/>`,
      textElement(margin.left - 6, at + 4, String(doubled(power)), { size: 11, colour: '#555555', anchor: 'end' }),
    );
  }
  for (const table of tables) {
    const ordered = [...table].sort((a, b) => a.sizeBytes - b.sizeBytes);
    elements.push(
      ...curve(ordered, (row) => row.measuredBusbwGBps, measuredColour, '', x, y),
      ...curve(ordered, (row) => row.simulatedBusbwGBps, simulatedColour, ' stroke-dasharray="6 3"', x, y),
    );
  }
  const bottom = top + plotHeight + 34;
  elements.push(
    textElement(margin.left + plotWidth / 2, bottom, 'bus bandwidth in GB/s over message size', {
      anchor: 'middle',
      colour: '#555555',
    }),
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 18}" viewBox="0 0 ${width} ${bottom + 18}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${bottom + 18}" fill="#ffffff"/>`,
    ...elements,
    '</svg>',
  ].join('\n')}\n`;
}

function curve(
  rows: readonly ComparedRow[],
  valueOf: (row: ComparedRow) => number,
  colour: string,
  dashes: string,
  x: (sizeBytes: number) => number,
  y: (busbw: number) => number,
): string[] {
  const points = rows.map((row) => [coordinate(x(row.sizeBytes)), coordinate(y(valueOf(row)))] as const);
  return [
    `<path d="M${points.map(([px, py]) => `${px} ${py}`).join('L')}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`,
    ...points.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${colour}"/>`),
  ];
}

function legend(y: number): string[] {
  return [
    ['measured', measuredColour, ''],
    ['simulated', simulatedColour, ' stroke-dasharray="6 3"'],
  ].flatMap(([text, colour, dashes], i) => [
    `<line x1="${margin.left + 120 * i}" x2="${margin.left + 120 * i + 22}" y1="${y}" y2="${y}" stroke="${colour!}" stroke-width="2"${dashes!}/>`,
    textElement(margin.left + 120 * i + 28, y + 4, text!),
  ]);
}

/** Whole numbers around all values, at least one apart. */
function range(values: readonly number[]): readonly [low: number, high: number] {
  const low = Math.floor(Math.min(...values));
  return [low, Math.max(low + 1, Math.ceil(Math.max(...values)))];
}

/** 1 doubled so often, or halved: exact. */
function doubled(times: number): number {
  let value = 1;
  for (let i = 0; i < Math.abs(times); i++) value = times > 0 ? value * 2 : value / 2;
  return value;
}

/** How often 1 doubles to a value above 0: a whole number at powers of two, linear between them. */
function doublings(value: number): number {
  let power = 0;
  let rest = value;
  for (; rest >= 2 && power < 1100; power++) rest /= 2;
  for (; rest < 1 && power > -1100; power--) rest *= 2;
  return power + rest - 1;
}
