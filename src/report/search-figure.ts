// How a search came to its routes: largest load of the best so far and what no routes are below, over work or time.
// Above all of it, below the part next to the bound. The form of Figure 3.4 of Taffet's dissertation (docs/SOURCES.md)
// (objective value as AR gap), with the bound added.
// Invariant: a curve is level between two rows: nothing better was known there.

import { coordinate, fitting, textElement, textWidth } from './svg-text.js';

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

const width = 960;
const margin = { left: 74, right: 24 };
const plotHeight = 170;
const plotWidth = width - margin.left - margin.right;
/** of Okabe and Ito: told apart whatever colours are seen */
const stageColours = ['#000000', '#e69f00', '#56b4e9', '#009e73', '#cc79a7', '#d55e00', '#0072b2', '#8c8c8c'];
const [incumbentColour, boundColour] = ['#1d5a96', '#b23a10'];
/** points of one curve that get a dot */
const mostDots = 400;

/**
 * The figure as SVG.
 * @param facts lines below the title @param unit what `at` counts: "links looked at", "seconds"
 * @param adaptiveBound loads are shown as gaps to it; above 0
 */
export function searchFigure(
  title: string,
  facts: readonly string[],
  curve: SearchCurve,
  unit: string,
  adaptiveBound: number,
): string {
  const gap = (load: number): number => 100 * (load / adaptiveBound - 1);
  const rows = curve.at.map((_, row) => row).filter((row) => Number.isFinite(curve.incumbent[row]!));
  const elements = [textElement(margin.left, 26, fitting(title, plotWidth, 16), { size: 16, bold: true })];
  facts.forEach((fact, i) =>
    elements.push(textElement(margin.left, 44 + 15 * i, fitting(fact, plotWidth, 12), { colour: '#555555' })),
  );
  let y = 48 + 15 * facts.length;
  const stages = [...new Set(rows.map((row) => curve.stage[row]!))].slice(0, stageColours.length);
  elements.push(...legend(stages, y));
  y += 30;
  const end = Math.max(curve.end, curve.at.at(-1) ?? 0) || 1;
  const x = (at: number): number => margin.left + (plotWidth * at) / end;
  const last = {
    incumbent: rows.length > 0 ? gap(curve.incumbent[rows.at(-1)!]!) : 0,
    bound: gap(curve.bound.at(-1) ?? adaptiveBound),
  };
  const first = rows.length > 0 ? gap(curve.incumbent[rows[0]!]!) : 1;
  const least = Math.min(0, ...curve.bound.map(gap).filter((own) => own > -100));
  const ranges = [{ low: least, high: Math.max(first, last.incumbent, 1) }];
  const near = 4 * Math.max(last.incumbent - last.bound, 0.02 * Math.max(1, last.incumbent));
  if (last.bound + near < 0.6 * first)
    ranges.push({ low: Math.max(least, last.bound - 0.25 * near), high: last.bound + near });
  for (const [panel, range] of ranges.entries()) {
    elements.push(...plot(curve, rows, stages, { x, end, gap, range, top: y, clip: `panel${panel}` }));
    y += plotHeight + 34;
  }
  elements.push(textElement(margin.left + plotWidth / 2, y, unit, { anchor: 'middle', colour: '#555555' }));
  y += 18;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${y}" fill="#ffffff"/>`,
    ...elements,
    '</svg>',
  ].join('\n')}\n`;
}

interface Plot {
  readonly x: (at: number) => number;
  /** where the axis ends */
  readonly end: number;
  readonly gap: (load: number) => number;
  /** gaps in percent */
  readonly range: { readonly low: number; readonly high: number };
  readonly top: number;
  readonly clip: string;
}

function plot(
  curve: SearchCurve,
  rows: readonly number[],
  stages: readonly string[],
  { x, end, gap, range, top, clip }: Plot,
): string[] {
  const step = niceStep((range.high - range.low) / 5);
  const low = Math.floor(range.low / step + 1e-9) * step;
  const high = Math.max(low + step, Math.ceil(range.high / step - 1e-9) * step);
  const y = (value: number): number => top + plotHeight * (1 - (value - low) / (high - low));
  const elements = [
    `<clipPath id="${clip}"><rect x="${margin.left}" y="${coordinate(top - 3)}" width="${plotWidth + 4}" height="${plotHeight + 6}"/></clipPath>`,
  ];
  for (let tick = low; tick <= high + step / 2; tick += step) {
    elements.push(
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${coordinate(y(tick))}" y2="${coordinate(y(tick))}" stroke="#e4e4e4"/>`,
      textElement(margin.left - 6, y(tick) + 4, `${Number(tick.toPrecision(4))} %`, {
        size: 11,
        colour: '#555555',
        anchor: 'end',
      }),
    );
  }
  const tickStep = niceStep(end / 8);
  for (let tick = 0; tick <= end * (1 + 1e-9); tick += tickStep) {
    elements.push(
      `<line x1="${coordinate(x(tick))}" x2="${coordinate(x(tick))}" y1="${top}" y2="${top + plotHeight}" stroke="#e4e4e4"/>`,
      textElement(x(tick), top + plotHeight + 15, amount(tick), { size: 11, colour: '#555555', anchor: 'middle' }),
    );
  }
  const points = (values: readonly number[], of: readonly number[]): string => {
    let path = '';
    for (const [i, row] of of.entries())
      path += `${i === 0 ? `M${coordinate(x(curve.at[row]!))} ` : `H${coordinate(x(curve.at[row]!))}V`}${coordinate(y(gap(values[row]!)))}`;
    return path === '' ? '' : `${path}H${coordinate(x(end))}`;
  };
  const every = curve.at.map((_, row) => row).filter((row) => curve.bound[row]! > 0);
  elements.push(
    `<g clip-path="url(#${clip})"><path d="${points(curve.bound, every)}" fill="none" stroke="${boundColour}" stroke-width="1.5" stroke-dasharray="6 3"/>`,
    `<path d="${points(curve.incumbent, rows)}" fill="none" stroke="${incumbentColour}" stroke-width="2"/>`,
  );
  const stride = Math.max(1, Math.ceil(rows.length / mostDots));
  for (const [i, row] of rows.entries()) {
    if (i % stride !== 0 && i + 1 < rows.length) continue;
    elements.push(
      `<circle cx="${coordinate(x(curve.at[row]!))}" cy="${coordinate(y(gap(curve.incumbent[row]!)))}" r="3" fill="${stageColours[Math.max(0, stages.indexOf(curve.stage[row]!))]}"/>`,
    );
  }
  elements.push('</g>');
  return elements;
}

function legend(stages: readonly string[], y: number): string[] {
  const elements: string[] = [];
  let at = margin.left;
  const put = (mark: (x: number) => string, text: string): void => {
    elements.push(mark(at), textElement(at + 26, y + 10, text));
    at += 40 + textWidth(text, 12);
  };
  put(
    (x) =>
      `<line x1="${coordinate(x)}" x2="${coordinate(x + 22)}" y1="${y + 6}" y2="${y + 6}" stroke="${incumbentColour}" stroke-width="2"/>`,
    'AR gap of the best so far',
  );
  put(
    (x) =>
      `<line x1="${coordinate(x)}" x2="${coordinate(x + 22)}" y1="${y + 6}" y2="${y + 6}" stroke="${boundColour}" stroke-width="1.5" stroke-dasharray="6 3"/>`,
    'lower bound',
  );
  stages.forEach((stage, i) => {
    if (stage !== '')
      put((x) => `<circle cx="${coordinate(x + 16)}" cy="${y + 6}" r="3" fill="${stageColours[i]}"/>`, stage);
  });
  return elements;
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
