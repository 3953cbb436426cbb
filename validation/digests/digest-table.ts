// The comparison of two builds in words: a row per group, then every case that changed, then names.

import type { Row, Verdict } from './compare-outcomes.js';
import { type Expectation, isChange, reasonOf } from './expected.js';
import type { NameChanges } from './names.js';

const mostDetails = 6;
const digits = 16;

const columns: readonly (readonly [title: string, counts: (row: Row) => boolean])[] = [
  ['cases', () => true],
  ['equal', ({ verdict }) => verdict === 'equal'],
  ['refused', ({ verdict }) => verdict === 'refused by both'],
  ['differ', ({ verdict }) => verdict === 'differs'],
  ['fail here', ({ verdict }) => verdict === 'fails here'],
  ['fail there', ({ verdict }) => verdict === 'fails there'],
  ['fail both', ({ verdict }) => verdict === 'fails on both'],
];

/** How many cases of each group came to what. */
export function summaryTable(rows: readonly Row[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const line = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(9)}${cells.map((cell, i) => cell.padStart(columns[i]![0].length + 2)).join('')}`;
  const counted = (some: readonly Row[]): string[] => columns.map(([, counts]) => String(some.filter(counts).length));
  return [
    line(
      '',
      columns.map(([title]) => title),
    ),
    ...groups.map((group) => line(group, counted(rows.filter((row) => row.group === group)))),
    line('all', counted(rows)),
  ].join('\n');
}

/** One case with both digests, and what differs. */
export function rowText(row: Row, expectations: readonly Expectation[]): string {
  const { verdict, name, was, is, details } = row;
  const lines = [`${verdictText(verdict)}  ${name}`];
  const [there, here] = [was, is].map((digest) => digest.slice(0, digits) || 'none');
  lines.push(there === here ? `    ${there}` : `    ${there} there, ${here} here`);
  lines.push(...details.slice(0, mostDetails).map((detail) => `    ${detail}`));
  if (details.length > mostDetails) lines.push(`    and ${details.length - mostDetails} more`);
  if (isChange(row)) {
    const reason = reasonOf(row, expectations);
    lines.push(reason === null ? '    NOT EXPECTED' : `    expected: ${reason}`);
  }
  return lines.join('\n');
}

function verdictText(verdict: Verdict): string {
  return verdict === 'equal' ? 'equal  ' : verdict;
}

/** Names that came, went or changed; one line if none. */
export function namesText(title: string, { added, removed, renamed }: NameChanges): string {
  if (added.length + removed.length + renamed.length === 0) return `${title}: the same names`;
  return [
    `${title}: ${added.length} added, ${removed.length} removed, ${renamed.length} renamed`,
    ...removed.map((name) => `  - ${name}`),
    ...renamed.map((name) => `  ~ ${name}`),
    ...added.map((name) => `  + ${name}`),
  ].join('\n');
}
