// The validation lines as a data file, and what the page says of each check, in its place in docs/models/validation.md.
// Nothing in it depends on the machine or the hour.

import type { Check } from './check.js';
import { csvLine, csvText } from './data-file.js';
import type { Line } from './line.js';

/** A check and what came of it. */
export interface Checked {
  readonly check: Check;
  readonly lines: readonly Line[];
}

const begin = '<!-- validation: begin (written by `npm run validate`) -->';
const end = '<!-- validation: end -->';

const columns = ['check', 'mechanism', 'oracle', 'expected', 'weft', 'difference', 'tolerance', 'verdict'];

/** A line of the data file, without its line end. */
export function rowCsv({ name }: Check, line: Line): string {
  return csvLine(cellsOf(name, line));
}

/** The data file: every line of every check. */
export function tableCsv(all: readonly Checked[]): string {
  return csvText(
    columns,
    all.flatMap(({ check, lines }) => lines.map((line) => cellsOf(check.name, line))),
  );
}

function cellsOf(
  name: string,
  { mechanism, oracle, expected, ours, difference, tolerance, verdict }: Line,
): readonly string[] {
  return [name, mechanism, oracle, expected, ours, difference, tolerance, verdict];
}

/** What is said of a check whatever came of it: heading, what was run, the command. */
export function headMarkdown({ title, about, name }: Check): string {
  return `### ${title}\n\n${about} \`npm run validate -- --only ${name}\``;
}

/** One check: its head, how many lines are ok and how, and the line that is nearest to its tolerance. */
export function checkMarkdown({ check, lines }: Checked): string {
  if (lines.length === 0) return headMarkdown(check);
  const ok = lines.filter(({ verdict }) => verdict === 'ok');
  const exact = ok.filter(({ tolerance }) => tolerance === 'exact');
  const counts = [
    ...(exact.length === 0 ? [] : [`${exact.length} exact`]),
    ...(ok.length === exact.length ? [] : [`${ok.length - exact.length} within tolerances or bounds`]),
    ...lines
      .filter(({ verdict }) => verdict === 'skipped')
      .map(({ mechanism, tolerance }) => `${mechanism}: ${tolerance}`),
    ...lines.filter(({ verdict }) => verdict === 'failed').map(({ mechanism }) => `failed: ${mechanism}`),
  ];
  const sums = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}: ${counts.join(', ')}.`;
  const nearest = ok.reduce<Line | null>((most, line) => (usedShare(line) > usedShare(most) ? line : most), null);
  const told =
    nearest === null
      ? ''
      : ` Nearest to its tolerance of ${nearest.tolerance}: ${nearest.mechanism}, ${nearest.expected} expected, ${nearest.ours} here.`;
  return `${headMarkdown(check)}\n\n${sums}${told}`;
}

/** How much of its tolerance a line uses; 0 where difference and tolerance are not of one unit. */
function usedShare(line: Line | null): number {
  const [, difference, unit] = /^[+-]?([\d.,]+) (.+)$/.exec(line?.difference ?? '') ?? [];
  const [, tolerance, unitOfTolerance] = /^([\d.,]+) (.+)$/.exec(line?.tolerance ?? '') ?? [];
  if (difference === undefined || tolerance === undefined || unit !== unitOfTolerance) return 0;
  return Number(difference.replaceAll(',', '')) / Number(tolerance.replaceAll(',', ''));
}

/** How many lines are ok, skipped and failed, in words. */
export function tally(all: readonly Checked[]): string {
  const lines = all.flatMap((checked) => checked.lines);
  const count = (verdict: Line['verdict']): number => lines.filter((line) => line.verdict === verdict).length;
  return `${lines.length} lines: ${count('ok')} ok, ${count('skipped')} skipped, ${count('failed')} failed`;
}

/** A page with its generated part made anew. @throws Error if the page has no place for it */
export function pageWith(page: string, all: readonly Checked[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no lines ${begin} and ${end}`);
  const parts = [`${tally(all)}.`, ...all.map(checkMarkdown)];
  return `${page.slice(0, from + begin.length)}\n\n${parts.join('\n\n')}\n\n${page.slice(to)}`;
}
