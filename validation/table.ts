// The validation table as Markdown, and its place in docs/models/validation.md. Nothing in it depends on the machine or
// the hour.

import type { Check } from './check.js';
import type { Line } from './line.js';

/** A check and what came of it. */
export interface Checked {
  readonly check: Check;
  readonly lines: readonly Line[];
}

const begin = '<!-- validation: begin (written by `npm run validate`) -->';
const end = '<!-- validation: end -->';

/** A row of the table. */
export function rowMarkdown({ mechanism, oracle, expected, ours, difference, tolerance, verdict }: Line): string {
  const cells = [
    mechanism,
    oracle,
    expected,
    ours,
    difference,
    verdict === 'skipped' ? `skipped: ${tolerance}` : tolerance === '' ? verdict : `${tolerance}: ${verdict}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** One check: heading, what was run, table. */
export function checkMarkdown({ check, lines }: Checked): string {
  return [
    `### ${check.title}`,
    '',
    `${check.about} \`npm run validate -- --only ${check.name}\``,
    '',
    '| mechanism | oracle | expected | Weft | difference | tolerance: verdict |',
    '|---|---|---|---|---|---|',
    ...lines.map(rowMarkdown),
  ].join('\n');
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
