// Runs beside each other as text and JSON: what `weft compare` says.

import { formatSizeBytes, formatTimePs } from '../base/units.js';
import type { FigureChange, FlowChanges } from '../measurement/run-comparison.js';
import { alignedTable } from './aligned-table.js';
import {
  changePercentText,
  coloured,
  counted,
  grouped,
  indented,
  percentText,
  type TextStyle,
  wrapped,
} from './text-style.js';

/** A flow whose time changed, as it is shown. */
export interface ShownChange {
  readonly flowId: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  readonly beforeNs: number;
  readonly afterNs: number;
}

/** A group of runs beside the first group. */
export interface ComparedGroup {
  /** which is faster, by how much, and why */
  readonly verdict: string;
  readonly runs: readonly string[];
  readonly seeds: readonly number[];
  /** settings that differ: path, before, after */
  readonly settings: readonly (readonly [path: string, before: string, after: string])[];
  readonly figures: readonly ({ readonly name: string; readonly unit: 'ns' | 'ratio' } & FigureChange)[];
  /** of the first runs of both groups that have the same seed, or else of their first runs */
  readonly flowsOf: readonly [before: string, after: string];
  readonly flows: Omit<FlowChanges, 'changed'>;
  readonly largest: readonly ShownChange[];
}

export interface GroupComparison {
  readonly baseline: { readonly runs: readonly string[]; readonly seeds: readonly number[] };
  readonly threshold: number;
  readonly groups: readonly ComparedGroup[];
}

/** differences with a smaller p are called significant */
const significantP = 0.05;

const mostSettings = 12;

/** The comparison for people; ends with a newline. */
export function groupComparisonText({ baseline, groups, threshold }: GroupComparison, style: TextStyle): string {
  const lines: string[] = [];
  for (const group of groups) {
    lines.push(coloured(style, 'bold', `${listed(group.runs)} beside ${listed(baseline.runs)}`));
    lines.push(...wrapped(group.verdict), '');
    for (const [path, before, after] of group.settings.slice(0, mostSettings))
      lines.push(...indented(`${path}: ${before} -> ${after}`));
    if (group.settings.length > mostSettings)
      lines.push(`  ... and ${group.settings.length - mostSettings} more settings`);
    if (group.settings.length > 0) lines.push('');
    const rows = [
      ['', 'before', 'after', 'change', 'p'],
      ...group.figures.map((figure) => [
        figure.name,
        valueText(figure.before, figure.unit),
        valueText(figure.after, figure.unit),
        changePercentText(figure.change),
        figure.test === null ? (figure.spread === 'none' ? 'exact' : '-') : pText(figure),
      ]),
    ];
    lines.push(...alignedTable(rows), '', ...seedNote(group.figures), '');
    lines.push(...flowLinesOf(group, threshold), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function listed(runs: readonly string[]): string {
  return runs.length <= 2 ? runs.join(' and ') : `${runs[0]!} and ${counted(runs.length - 1, 'more run')}`;
}

function valueText(value: number, unit: 'ns' | 'ratio'): string {
  return unit === 'ns' ? formatTimePs(Math.round(value * 1000)) : `${value.toFixed(3)}x`;
}

function pText({ test }: FigureChange): string {
  const { p } = test!;
  return `${p < 0.001 ? '<0.001' : p.toFixed(3)}${p < significantP ? ' *' : ''}`;
}

/** What the column p means, and why it may be empty or cannot be small. */
function seedNote(figures: readonly FigureChange[]): string[] {
  const tested = figures.find(({ test }) => test !== null);
  if (tested === undefined)
    return indented(
      figures.some(({ spread }) => spread === 'none')
        ? 'p: exact, since runs with other seeds are the same here: the difference is no chance'
        : 'p: not known, since a group has one run: run both with several seeds to tell chance from change',
    );
  const how =
    tested.test!.test === 'mann-whitney'
      ? 'Mann and Whitney over runs'
      : 'Wilcoxon over pairs of runs with the same seed';
  if (tested.leastP! >= significantP)
    return indented(`p: ${how}; with so few runs it cannot be below ${tested.leastP!.toFixed(3)}: add seeds`);
  return indented(`p: ${how}; * below ${significantP}`);
}

function flowLinesOf({ flows, flowsOf, largest }: ComparedGroup, threshold: number): string[] {
  const { matched, faster, slower, onlyBefore, onlyAfter, meanChange, medianChange } = flows;
  const [before, after] = flowsOf;
  const lines = indented(
    `flow by flow, ${after} beside ${before}: of ${grouped(matched)} flows ${grouped(faster)} took at least ` +
      `${percentText(threshold)} less time and ${grouped(slower)} more; mean ${changePercentText(meanChange)}, ` +
      `median ${changePercentText(medianChange)}`,
  );
  if (onlyBefore + onlyAfter > 0)
    lines.push(...indented(`without a partner: ${grouped(onlyBefore)} before, ${grouped(onlyAfter)} after`));
  if (largest.length === 0) return lines;
  const rows = [
    ['largest changes', 'size', 'before', 'after', 'change'],
    ...largest.map(({ flowId, source, destination, sizeBytes, beforeNs, afterNs }) => [
      `flow ${flowId}: ${source} -> ${destination}`,
      formatSizeBytes(sizeBytes),
      formatTimePs(Math.round(beforeNs * 1000)),
      formatTimePs(Math.round(afterNs * 1000)),
      changePercentText(beforeNs > 0 ? afterNs / beforeNs - 1 : null),
    ]),
  ];
  return [...lines, '', ...alignedTable(rows)];
}
