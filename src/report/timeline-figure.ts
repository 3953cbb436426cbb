// The timeline of ranks as an SVG picture: a row per rank, a bar for each phase of a micro-batch, in its lower part
// what was waited for meanwhile; waits between phases have the height of a bar, and those for gradients always have it.
// Invariant: a bar begins and ends where its span does, to a tenth of a pixel; of more spans than a picture can show,
// each part of the time shows what took most of it.

import { formatTimePs } from '../base/units.js';
import { lightLook } from './page/look.js';
import { spanColour } from './span-colours.js';
import { fitting, textElement, textWidth } from './svg-text.js';
import { counted } from './text-style.js';
import {
  isBetweenPhases,
  type Span,
  SpanList,
  spanKinds,
  type TimelineRow,
  type TimelineRows,
} from './timeline-rows.js';

const colours = spanKinds.map((kind) => spanColour(kind, lightLook));

const width = 1200;
const leastLeft = 110;
const mostLeft = 260;
const right = 24;
const top = 66;
/** bars in a picture beyond which time is divided into equal parts */
const mostBars = 40_000;
/** bars beyond which none says what it is when pointed at */
const mostTitles = 8000;
const mostTallRows = 24;

/** Where things stand. */
interface Layout {
  readonly left: number;
  readonly x: (timePs: number) => number;
  readonly y: (row: number) => number;
  readonly barHeight: number;
  readonly hasNumbers: boolean;
  readonly hasTitles: boolean;
}

/** The picture. @param title what is shown @param timeline all of it: its `end` was called */
export function timelineSvg(title: string, timeline: TimelineRows): string {
  const { rows, endPs, ranksBeyond } = timeline;
  const isLarge = timeline.phases.count + timeline.waits.count > mostBars;
  const [phases, waits] = isLarge
    ? [binned(timeline.phases, rows.length, endPs), binned(timeline.waits, rows.length, endPs)]
    : [timeline.phases, timeline.waits];
  const isTall = rows.length <= mostTallRows;
  const [barHeight, gap] = isTall ? [22, 6] : [11, 2];
  const height = top + rows.length * (barHeight + gap) + 46;
  const order = rowOrder(rows);
  const names = rowNames(timeline);
  const left = Math.min(mostLeft, Math.max(leastLeft, ...names.map((name) => Math.ceil(textWidth(name, 12)) + 16)));
  const layout: Layout = {
    left,
    x: (timePs) => left + (endPs > 0 ? timePs / endPs : 0) * (width - left - right),
    y: (row) => top + order[row]! * (barHeight + gap),
    barHeight,
    hasNumbers: isTall && !isLarge,
    hasTitles: phases.count + waits.count <= mostTitles,
  };
  const notes = [
    ...(isLarge ? ['each part of the time shows what took most of it'] : []),
    ...(ranksBeyond > 0 ? [`${counted(ranksBeyond, 'more rank')} not shown`] : []),
    ...(timeline.phases.beyond + timeline.waits.beyond > 0 ? ['the end is not shown'] : []),
  ];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ` +
      `${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    textElement(left, 24, title, { size: 16, bold: true }),
    ...(notes.length > 0
      ? [textElement(width - right, 24, notes.join('; '), { anchor: 'end', colour: '#777777' })]
      : []),
    ...legend(timeline.timesPs, left),
    ...names.map((name, row) => textElement(left - 8, layout.y(row) + barHeight / 2 + 4, name, { anchor: 'end' })),
    ...axis(endPs, layout.x, height - 40),
    ...bars(phases, null, layout),
    ...bars(waits, isWithin(waits, phases, rows.length), layout),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** What each row is called: its rank, behind the name of its job if several run. */
function rowNames({ rows, jobs }: TimelineRows): string[] {
  return rows.map(({ job, rank }) => {
    const end = `rank ${rank}`;
    if (jobs.length < 2) return end;
    const room = mostLeft - 16 - textWidth(`, ${end}`, 12);
    return `${fitting(jobs[job]?.name ?? `job ${job}`, room, 12)}, ${end}`;
  });
}

/** Places of the rows from the top: by job, then by rank. */
function rowOrder(rows: readonly TimelineRow[]): Int32Array {
  const sorted = rows.map((_, row) => row);
  sorted.sort((a, b) => rows[a]!.job - rows[b]!.job || rows[a]!.rank - rows[b]!.rank);
  const order = new Int32Array(rows.length);
  for (const [place, row] of sorted.entries()) order[row] = place;
  return order;
}

/** The kinds that occur, with their share of the time of all ranks. */
function legend(timesPs: Float64Array, left: number): string[] {
  const total = timesPs.reduce((sum, time) => sum + time, 0);
  const parts: string[] = [];
  let at = left;
  for (const [i, name] of spanKinds.entries()) {
    if (timesPs[i] === 0) continue;
    const text = `${name} ${((100 * timesPs[i]!) / total).toFixed(1)} %`;
    parts.push(
      `<rect x="${at.toFixed(1)}" y="38" width="12" height="12" fill="${colours[i]}"/>`,
      `<text x="${(at + 17).toFixed(1)}" y="48" fill="#222222">${text}</text>`,
    );
    at += 34 + text.length * 6.3;
  }
  return parts;
}

/** Ticks at round times. */
function axis(endPs: number, x: (timePs: number) => number, at: number): string[] {
  if (endPs === 0) return [];
  const step = tickPs(endPs);
  const parts: string[] = [];
  for (let timePs = 0; timePs <= endPs; timePs += step) {
    const place = x(timePs).toFixed(1);
    parts.push(
      `<line x1="${place}" x2="${place}" y1="${top - 6}" y2="${at}" stroke="#dddddd"/>`,
      `<text x="${place}" y="${at + 16}" text-anchor="middle" fill="#555555">${timePs === 0 ? '0' : formatTimePs(timePs)}</text>`,
    );
  }
  return parts;
}

/** From tick to tick: the smallest of 1, 2, 5, 10, 20, ... ps that gives at most ten in a time. */
export function tickPs(endPs: number): number {
  for (let decade = 1; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (endPs / (decade * factor) <= 10) return decade * factor;
  }
}

/** @param isLow 1: in the lower part of the row alone; null: none is */
function bars(
  { count, row, kind, microBatch, iteration, startPs, finishPs }: SpanList,
  isLow: Uint8Array | null,
  layout: Layout,
): string[] {
  const { x, y, barHeight } = layout;
  const parts: string[] = [];
  for (let i = 0; i < count; i++) {
    const [start, finish, colour] = [startPs.values[i]!, finishPs.values[i]!, kind.values[i]!];
    const [from, to, batch] = [x(start), x(finish), microBatch.values[i]!];
    const round = iteration.values[i]!;
    const what = `${spanKinds[colour]!}${batch >= 0 ? `, micro-batch ${batch}` : ''}${round >= 0 ? `, iteration ${round}` : ''}`;
    const title = layout.hasTitles
      ? `><title>${what}: ${formatTimePs(start)} to ${formatTimePs(finish)} (${formatTimePs(finish - start)})</title></rect>`
      : '/>';
    const low = isLow?.[i] === 1 ? Math.round(barHeight * 0.6) : 0;
    parts.push(
      `<rect x="${from.toFixed(1)}" y="${y(row.values[i]!) + low}" ` +
        `width="${Math.max(0.1, to - from).toFixed(1)}" height="${barHeight - low}" ` +
        `fill="${colours[colour]}"${title}`,
    );
    if (layout.hasNumbers && batch >= 0 && to - from >= 7 * String(batch).length + 4) {
      parts.push(
        `<text x="${((from + to) / 2).toFixed(1)}" y="${y(row.values[i]!) + barHeight * 0.5}" ` +
          `text-anchor="middle" font-size="11" fill="#ffffff" pointer-events="none">${batch}</text>`,
      );
    }
  }
  return parts;
}

/**
 * Which waits lie within a phase of their row; those between phases never do. Both lists are in order of time, row by
 * row.
 */
function isWithin(waits: SpanList, phases: SpanList, rows: number): Uint8Array {
  const ofRow: number[][] = Array.from({ length: rows }, () => []);
  for (let i = 0; i < phases.count; i++) ofRow[phases.row.values[i]!]!.push(i);
  const next = new Int32Array(rows);
  const within = new Uint8Array(waits.count);
  for (let i = 0; i < waits.count; i++) {
    const row = waits.row.values[i]!;
    const own = ofRow[row]!;
    while (next[row]! < own.length && phases.finishPs.values[own[next[row]!]!]! <= waits.startPs.values[i]!)
      next[row]!++;
    const phase = own[next[row]!];
    const begins = phase === undefined ? Infinity : phases.startPs.values[phase]!;
    if (begins <= waits.startPs.values[i]! && !isBetweenPhases(waits.kind.values[i]!)) within[i] = 1;
  }
  return within;
}

/**
 * The spans of equal parts of the time, each of the kind that took most of the part, if any took half of it; parts that
 * are alike become one.
 */
function binned({ count, row, kind, startPs, finishPs }: SpanList, rows: number, endPs: number): SpanList {
  const bins = Math.max(1, Math.floor(mostBars / 2 / rows));
  const kinds = spanKinds.length;
  const times = new Float64Array(rows * bins * kinds);
  const binPs = endPs / bins;
  const binOf = (timePs: number): number => Math.min(bins - 1, Math.floor(timePs / binPs));
  for (let i = 0; i < count; i++) {
    const [start, finish] = [startPs.values[i]!, finishPs.values[i]!];
    for (let bin = binOf(start); bin <= binOf(finish); bin++) {
      const at = (row.values[i]! * bins + bin) * kinds + kind.values[i]!;
      times[at] = times[at]! + Math.max(0, Math.min(finish, (bin + 1) * binPs) - Math.max(start, bin * binPs));
    }
  }
  const made = new SpanList();
  for (let line = 0; line < rows; line++) {
    let span: Span | null = null;
    for (let bin = 0; bin <= bins; bin++) {
      const first = (line * bins + bin) * kinds;
      const most = bin === bins ? -1 : largest(times.subarray(first, first + kinds), binPs / 2);
      const [startPs, finishPs] = [bin * binPs, (bin + 1) * binPs];
      if (span !== null && span.kind === most) span.finishPs = finishPs;
      else {
        if (span !== null) made.add(span);
        span = most < 0 ? null : { row: line, kind: most, microBatch: -1, iteration: -1, startPs, finishPs };
      }
    }
  }
  return made;
}

/** The index of the largest time, the first of equal ones; -1 if all together are less than `leastPs`. */
function largest(times: Float64Array, leastPs: number): number {
  let best = 0;
  let sum = 0;
  for (const [i, time] of times.entries()) {
    sum += time;
    if (time > times[best]!) best = i;
  }
  return sum < leastPs ? -1 : best;
}
