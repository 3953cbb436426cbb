// When the controller helps: scenarios under each of its policies beside the same without it.
// Invariant: changes are of this run's own figures without the controller; every scenario has all its columns.

import { formatTimePs } from '../base/units.js';
import { alignedTable } from './aligned-table.js';
import { coloured, wrapped, type TextStyle } from './text-style.js';

/** What a scenario came to under one policy, or without a controller. */
export interface PolicyRun {
  readonly meanNs: number;
  readonly maxNs: number;
  /** of jobs the last one's end; null without jobs */
  readonly jobNs: number | null;
  readonly flowPairs: number;
  readonly assigned: number | null;
  readonly unassigned: number | null;
  readonly cpuSeconds: number;
  /** checks that failed */
  readonly problems: readonly string[];
}

/** A scenario under all policies. */
export interface PolicyRow {
  readonly name: string;
  readonly without: PolicyRun;
  /** in the order of the table's policies */
  readonly runs: readonly PolicyRun[];
}

/** after / before - 1; null if before is 0 */
function changeOf(before: number, after: number): number | null {
  return before === 0 ? null : after / before - 1;
}

function percent(change: number | null): string {
  if (change === null) return '-';
  const text = (100 * change).toFixed(2);
  return `${change > 0 ? '+' : ''}${text === '-0.00' ? '0.00' : text} %`;
}

const figures = [
  { title: 'mean completion time', of: ({ meanNs }: PolicyRun) => meanNs },
  { title: 'longest completion time', of: ({ maxNs }: PolicyRun) => maxNs },
  { title: 'time of the jobs', of: ({ jobNs }: PolicyRun) => jobNs },
] as const;

/** The table for people; ends with a newline. */
export function policyText(policies: readonly string[], rows: readonly PolicyRow[], style: TextStyle): string {
  const lines: string[] = [];
  for (const { title, of } of figures) {
    const known = rows.filter(({ without }) => of(without) !== null);
    if (known.length === 0) continue;
    lines.push(coloured(style, 'bold', `${title}, change by the controller's policy`), '');
    const table: string[][] = [['', 'without', ...policies]];
    for (const { name, without, runs } of known) {
      const row = [name, formatTimePs(Math.round(of(without)! * 1000))];
      for (const run of runs) row.push(percent(changeOf(of(without)!, of(run)!)));
      table.push(row);
    }
    lines.push(...alignedTable(table).map((line) => `  ${line}`), '');
  }
  const pairs: string[][] = [['', 'without', ...policies]];
  for (const { name, without, runs } of rows) {
    const row = [name, `${without.flowPairs}`];
    for (const run of runs) row.push(`${run.flowPairs}`);
    pairs.push(row);
  }
  lines.push(coloured(style, 'bold', 'pairs of flows that shared a link between switches'), '');
  lines.push(...alignedTable(pairs).map((line) => `  ${line}`), '');
  const problems = rows.flatMap(({ name, without, runs }) =>
    [without, ...runs].flatMap((run) => run.problems.map((problem) => `${name}: ${problem}`)),
  );
  for (const problem of new Set(problems)) lines.push(...wrapped(`failed: ${problem}`), '');
  return `${lines.join('\n').trimEnd()}\n`;
}

/** The table as the object of --json. */
export function policyObject(policies: readonly string[], rows: readonly PolicyRow[]): object {
  return {
    policies,
    scenarios: rows.map(({ name, without, runs }) => ({
      name,
      without,
      policies: Object.fromEntries(
        runs.map((run, i) => [
          policies[i]!,
          {
            ...run,
            meanChange: changeOf(without.meanNs, run.meanNs),
            maxChange: changeOf(without.maxNs, run.maxNs),
            jobChange: without.jobNs === null || run.jobNs === null ? null : changeOf(without.jobNs, run.jobNs),
          },
        ]),
      ),
    })),
  };
}
