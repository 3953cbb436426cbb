// The timeline of ranks as an SVG picture: a row per rank, a coloured bar for what it does, the bubble of the pipeline in light grey.
// Invariant: a bar begins and ends where its span does, to a tenth of a pixel; of more spans than a picture can show, each bar of a row of bars
// shows what took most of its time.

import { formatTimePs } from '../base/units.js';
import { spanKinds, type TimelineRow, type TimelineRows, type TimelineSpans } from './timeline-rows.js';
import { counted } from './text-style.js';

const colours = ['#3b74b4', '#3f9b5f', '#93cf93', '#6b7f8f', '#d94f4f', '#f0902f', '#9d6bb3', '#8d6a55', '#e3c02c', '#5c5650', '#e4e4e4'] as const;
/** kinds on which the number of the micro-batch can be read */
const numbered = 3;

const width = 1200;
const left = 110;
const right = 24;
const top = 66;
const plotWidth = width - left - right;
/** bars in a picture beyond which time is divided into equal parts */
const mostBars = 40_000;
/** bars beyond which none says what it is when pointed at */
const mostTitles = 8000;
const mostTallRows = 24;

/** The picture. @param title what is shown */
export function timelineSvg(title: string, timeline: TimelineRows): string {
  const { rows, spans: all, ranksBeyond, spansBeyond } = timeline.spans();
  const order = rowOrder(rows);
  const endPs = all.finishPs.reduce((most, time) => Math.max(most, time), 0);
  const spans = all.count > mostBars ? binned(all, rows.length, endPs) : all;
  const isTall = rows.length <= mostTallRows;
  const [barHeight, gap] = isTall ? [22, 6] : [11, 2];
  const height = top + rows.length * (barHeight + gap) + 46;
  const x = (timePs: number): number => left + (endPs > 0 ? timePs / endPs : 0) * plotWidth;
  const y = (row: number): number => top + order[row]! * (barHeight + gap);
  const notes = [...(spans === all ? [] : ['each bar shows what took most of its time']), ...(ranksBeyond > 0 ? [`${counted(ranksBeyond, 'more rank')} not shown`] : []), ...(spansBeyond > 0 ? ['the end is not shown'] : [])];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${left}" y="24" font-size="16" font-weight="bold" fill="#222222">${escaped(title)}</text>`,
    ...(notes.length > 0 ? [`<text x="${width - right}" y="24" text-anchor="end" fill="#777777">${escaped(notes.join('; '))}</text>`] : []),
    ...legend(all),
    ...rows.map(({ job, rank }, row) => `<text x="${left - 8}" y="${y(row) + barHeight / 2 + 4}" text-anchor="end" fill="#222222">${rows.some((other) => other.job !== rows[0]!.job) ? `job ${job}, ` : ''}rank ${rank}</text>`),
    ...axis(endPs, x, height - 40),
    ...bars(spans, x, y, barHeight, isTall),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** Places of the rows from the top: by job, then by rank. */
function rowOrder(rows: readonly TimelineRow[]): Int32Array {
  const sorted = rows.map((_, row) => row);
  sorted.sort((a, b) => rows[a]!.job - rows[b]!.job || rows[a]!.rank - rows[b]!.rank);
  const order = new Int32Array(rows.length);
  for (const [place, row] of sorted.entries()) order[row] = place;
  return order;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** The kinds that occur, with their share of the time of all rows. */
function legend({ count, kind, startPs, finishPs }: TimelineSpans): string[] {
  const times = new Float64Array(spanKinds.length);
  for (let i = 0; i < count; i++) times[kind[i]!] = times[kind[i]!]! + finishPs[i]! - startPs[i]!;
  const total = times.reduce((sum, time) => sum + time, 0);
  const parts: string[] = [];
  let at = left;
  for (const [i, name] of spanKinds.entries()) {
    if (times[i] === 0) continue;
    const text = `${name} ${((100 * times[i]!) / total).toFixed(1)} %`;
    parts.push(`<rect x="${at}" y="38" width="12" height="12" fill="${colours[i]}"/>`, `<text x="${at + 17}" y="48" fill="#222222">${text}</text>`);
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
    parts.push(`<line x1="${place}" x2="${place}" y1="${top - 6}" y2="${at}" stroke="#dddddd"/>`, `<text x="${place}" y="${at + 16}" text-anchor="middle" fill="#555555">${timePs === 0 ? '0' : formatTimePs(timePs)}</text>`);
  }
  return parts;
}

/** The smallest of 1, 2, 5, 10, 20, ... that gives at most ten ticks. */
function tickPs(endPs: number): number {
  for (let decade = 1; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (endPs / (decade * factor) <= 10) return decade * factor;
  }
}

function bars({ count, row, kind, microBatch, iteration, startPs, finishPs }: TimelineSpans, x: (timePs: number) => number, y: (row: number) => number, height: number, isTall: boolean): string[] {
  const parts: string[] = [];
  for (let i = 0; i < count; i++) {
    const from = x(startPs[i]!);
    const length = x(finishPs[i]!) - from;
    const hasBatch = microBatch[i]! >= 0;
    const what = `${spanKinds[kind[i]!]!}${hasBatch ? `, micro-batch ${microBatch[i]!}, iteration ${iteration[i]!}` : ''}`;
    const title = count > mostTitles ? '/>' : `><title>${what}: ${formatTimePs(startPs[i]!)} to ${formatTimePs(finishPs[i]!)} (${formatTimePs(finishPs[i]! - startPs[i]!)})</title></rect>`;
    parts.push(`<rect x="${from.toFixed(1)}" y="${y(row[i]!)}" width="${Math.max(0.1, length).toFixed(1)}" height="${height}" fill="${colours[kind[i]!]}"${title}`);
    if (isTall && hasBatch && kind[i]! < numbered && length >= 7 * String(microBatch[i]!).length + 4) {
      parts.push(`<text x="${(from + length / 2).toFixed(1)}" y="${y(row[i]!) + height / 2 + 4}" text-anchor="middle" font-size="11" fill="${kind[i] === 2 ? '#222222' : '#ffffff'}" pointer-events="none">${microBatch[i]!}</text>`);
    }
  }
  return parts;
}

/** The spans of equal parts of the time, each of the kind that took most of the part; parts that are alike become one. */
function binned({ count, row, kind, startPs, finishPs }: TimelineSpans, rows: number, endPs: number): TimelineSpans {
  const bins = Math.max(1, Math.floor(mostBars / rows));
  const kinds = spanKinds.length;
  const times = new Float64Array(rows * bins * kinds);
  const binPs = endPs / bins;
  for (let i = 0; i < count; i++) {
    const last = Math.min(bins - 1, Math.floor(finishPs[i]! / binPs));
    for (let bin = Math.min(bins - 1, Math.floor(startPs[i]! / binPs)); bin <= last; bin++) {
      const at = (row[i]! * bins + bin) * kinds + kind[i]!;
      times[at] = times[at]! + Math.max(0, Math.min(finishPs[i]!, (bin + 1) * binPs) - Math.max(startPs[i]!, bin * binPs));
    }
  }
  const made: { row: number; kind: number; startPs: number; finishPs: number }[] = [];
  for (let line = 0; line < rows; line++) {
    let before = -1;
    for (let bin = 0; bin < bins; bin++) {
      const most = largest(times.subarray((line * bins + bin) * kinds, (line * bins + bin + 1) * kinds));
      if (most >= 0 && most === before) made[made.length - 1]!.finishPs = (bin + 1) * binPs;
      else if (most >= 0) made.push({ row: line, kind: most, startPs: bin * binPs, finishPs: (bin + 1) * binPs });
      before = most;
    }
  }
  const none = new Int32Array(made.length).fill(-1);
  return { count: made.length, row: Int32Array.from(made, (bar) => bar.row), kind: Int32Array.from(made, (bar) => bar.kind), microBatch: none, iteration: none, startPs: Float64Array.from(made, (bar) => bar.startPs), finishPs: Float64Array.from(made, (bar) => bar.finishPs) };
}

/** The index of the largest time, the first of equal ones; -1 if all are zero. */
function largest(times: Float64Array): number {
  let best = -1;
  for (const [i, time] of times.entries()) if (time > 0 && (best < 0 || time > times[best]!)) best = i;
  return best;
}
