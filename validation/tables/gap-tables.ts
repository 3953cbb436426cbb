// The tables of docs/models/static-routes.md in Markdown: measured gaps and CPU times, with the printed ones in
// brackets.

import type { Measured } from './measure-routes.js';
import type { PrintedGaps } from './printed-gaps.js';

/** What the four algorithms made of a pattern of the dissertation. */
export interface PatternRow {
  readonly printed: PrintedGaps;
  readonly ftree: Measured;
  readonly random: Measured;
  readonly afar: Measured;
  readonly weft: Measured;
}

/** Partitioned Binary beside ours on a small fabric. */
export interface SmallRow {
  readonly pattern: string;
  readonly partitioned: Measured & { readonly steps: number; readonly optimalSteps: number };
  readonly weft: Measured;
}

/** Traffic that the dissertation's tables do not have. */
export interface FurtherRow {
  readonly traffic: string;
  readonly ftree: Measured;
  readonly weft: Measured;
}

const labelOf = ({ pattern, same }: PrintedGaps): string => (same ? pattern : `*${pattern}*`);

/** Table 3.3's form: AR gaps in percent, printed ones in brackets. */
export function gapsMarkdown(rows: readonly PatternRow[]): string {
  return tableText(
    ['pattern', 'ftree', 'random', 'AFAR', 'Weft (Combined)'],
    rows.map(({ printed, ftree, random, afar, weft }) => [
      labelOf(printed),
      beside(ftree, printed.ftree),
      beside(random, printed.random),
      beside(afar, printed.afar),
      `${percent(weft.evaluation.arGap)}${weft.evaluation.provenOptimal ? ', proven' : ''} (${printed.combined.toFixed(2)})`,
    ]),
  );
}

/** Table 3.2's form: what the optimizer reached and what bounds it. */
export function boundsMarkdown(rows: readonly PatternRow[]): string {
  return tableText(
    ['pattern', 'Weft', 'lower bound', 'Basic MCF', 'Part. Bin.', 'Combined', 'static bound'],
    rows.map(({ printed, weft }) => [
      labelOf(printed),
      percent(weft.evaluation.arGap),
      percent(boundGap(weft)),
      printed.basicMcf === null ? '-' : printed.basicMcf.toFixed(2),
      printed.partitionedBinary.toFixed(2),
      printed.combined.toFixed(2),
      printedBound(printed.bound),
    ]),
  );
}

/** Net gaps in percent and CPU seconds of each algorithm. */
export function costsMarkdown(rows: readonly PatternRow[]): string {
  return tableText(
    ['pattern', 'ftree', 'random', 'AFAR', 'Weft'],
    rows.map(({ printed, ftree, random, afar, weft }) => [
      labelOf(printed),
      ...[ftree, random, afar, weft].map(netAndSeconds),
    ]),
  );
}

/** Partitioned Binary and ours: gaps in percent and CPU seconds. */
export function smallMarkdown(rows: readonly SmallRow[]): string {
  return tableText(
    ['pattern', 'lower bound', 'Part. Bin.', 'sub-problems to the optimum', 'CPU s', 'Weft', 'CPU s'],
    rows.map(({ pattern, partitioned, weft }) => [
      pattern,
      percent(boundGap(weft)),
      percent(partitioned.evaluation.arGap),
      `${partitioned.optimalSteps} of ${partitioned.steps}`,
      partitioned.cpuSeconds.toFixed(1),
      `${percent(weft.evaluation.arGap)}${weft.evaluation.provenOptimal ? ', proven' : ''}`,
      weft.cpuSeconds.toFixed(2),
    ]),
  );
}

/** Loads of ftree and ours, bound and CPU seconds: rows of one name together, from the least to the most. */
export function furtherMarkdown(rows: readonly FurtherRow[]): string {
  return tableText(
    ['traffic', 'ftree: load', 'Weft: load', 'lower bound', 'CPU s'],
    [...new Set(rows.map(({ traffic }) => traffic))].map((traffic) => {
      const own = rows.filter((row) => row.traffic === traffic);
      const proven = own.filter(({ weft }) => weft.evaluation.provenOptimal).length;
      const all = own.length === 1 ? '' : ` ${proven} of ${own.length}`;
      return [
        traffic,
        range(own.map(({ ftree }) => short(ftree.evaluation.maxLoad))),
        `${range(own.map(({ weft }) => short(weft.evaluation.maxLoad)))}${proven > 0 ? `, proven${all}` : ''}`,
        range(own.map(({ weft }) => short(weft.evaluation.lowerBound))),
        range(own.map(({ weft }) => weft.cpuSeconds.toFixed(2))),
      ];
    }),
  );
}

/** One figure, or the least and the most of several. */
function range(figures: readonly string[]): string {
  const sorted = [...figures].sort((a, b) => Number(a) - Number(b));
  return sorted.length === 1 ? sorted[0]! : `${sorted[0]} to ${sorted.at(-1)}`;
}

/** The page with one of its tables made anew. @throws Error if the page has no place for it */
export function pageWithTable(page: string, name: string, markdown: string): string {
  const begin = `<!-- ${name}: npm run tables -->\n\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf('\n<!-- end -->', from);
  if (from === -1 || to === -1) throw new Error(`the page has no place for the table ${name}`);
  return `${page.slice(0, from + begin.length)}${markdown}${page.slice(to)}`;
}

/** A table in Markdown. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function beside({ evaluation: { arGap } }: Measured, printed: number): string {
  return `${percent(arGap)} (${printed.toFixed(2)})`;
}

/** What the lower bound is above the adaptive one. */
function boundGap({ evaluation: { lowerBound, adaptiveBound } }: Measured): number {
  return adaptiveBound === 0 ? 0 : (lowerBound - adaptiveBound) / adaptiveBound;
}

function printedBound([least, known]: readonly [number, number]): string {
  if (least === known) return known.toFixed(2);
  return least === 0 ? `<= ${known.toFixed(2)}` : `${least.toFixed(2)} to ${known.toFixed(2)}`;
}

function netAndSeconds({ evaluation: { netGap }, cpuSeconds }: Measured): string {
  return `${percent(netGap)}, ${cpuSeconds.toFixed(2)} s`;
}

/** A share in percent, without a minus before zero. */
function percent(share: number): string {
  return Math.abs(100 * share).toFixed(2);
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
