// `weft collective --compare`: which tables of a file of measurements are of the collective that is simulated, and what
// is printed of both.
// Invariant: a table that cannot be compared is an error or is named; nothing of the file is dropped silently.

import type { CollectiveRow, ComparedRow } from '../../report/figures/collectives.js';
import { doubtKind } from '../../app/calibrate/measured-cases.js';
import { Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { busFactor } from '../../collectives/bus-bandwidth.js';
import type { CollectiveKind } from '../../collectives/schedule.js';
import type { MeasuredTable } from '../../formats/measured-rows.js';
import { readMeasurements } from '../../formats/measurements.js';
import {
  comparedSize,
  comparisonFooter,
  comparisonHeader,
  comparisonLine,
  comparisonObject,
  timeOfRow,
} from '../../report/measured-comparison.js';
import { measuredFigure } from '../../report/measured-figure.js';
import type { WholeChart } from '../../report/page/chart-frame.js';
import { type OptionFile, optionFileText } from '../options/option-file.js';

const comparedFile: OptionFile = {
  option: '--compare',
  called: 'the file of measurements',
  wanted: 'what nccl-tests, weft collective or NCCL Inspector wrote',
};

/** What is compared with. */
export interface MeasuredFile {
  readonly path: string;
  readonly tables: readonly MeasuredTable[];
  /** every size of them once, ascending */
  readonly sizes: readonly number[];
  readonly warnings: readonly InputError['diagnostics'][number][];
}

/**
 * Reads the tables of a collective.
 * @param ranks of the group that is simulated; a table of another number is an error
 * @throws InputError
 */
export async function measuredFile(
  path: string,
  kind: CollectiveKind,
  ranks: number,
  largestBytes: number,
  host: Host,
): Promise<MeasuredFile> {
  const diagnostics = new Diagnostics();
  const measurements = readMeasurements(await optionFileText(path, host, comparedFile), path, diagnostics);
  diagnostics.throwIfErrors();
  const all = measurements!.collectives;
  const tables = all.filter((table) => (table.test === null ? true : table.kind === kind));
  if (tables.length === 0)
    throw InputError.at('measured-kind', path, all[0] ?? wholeFile, `the file has no table of ${kind}`, {
      got: all.length === 0 ? 'transfers of perftest' : [...new Set(all.map(({ test }) => test))].join(', '),
      wanted: `a table of ${kind}`,
    });
  for (const table of all.filter((own) => !tables.includes(own)))
    diagnostics.warning('measured-kind', path, table, `a table of ${table.test}, which is not compared with ${kind}`);
  for (const table of tables)
    if (table.ranks !== null && table.ranks !== ranks)
      diagnostics.error('measured-ranks', path, table, `the table is of ${table.ranks} ranks, the group has ${ranks}`, {
        hint: 'choose the ranks that were measured with --ranks, or a fabric of their number',
      });
  for (const table of tables.filter(({ test, ranks: own }) => test === null || own === null))
    doubtKind(path, table, kind, ranks, diagnostics);
  const sizes = new Set<number>();
  for (const row of tables.flatMap((table) => table.rows)) {
    if (timeOfRow(row) === null)
      diagnostics.warning('measured-nothing', path, row, 'a row without bytes or without a time is not compared');
    else if (row.sizeBytes > largestBytes)
      diagnostics.error('measured-size', path, row, 'a size out of range', {
        got: `${row.sizeBytes} B`,
        wanted: `at most ${largestBytes} B`,
      });
    else sizes.add(row.sizeBytes);
  }
  diagnostics.throwIfErrors();
  if (sizes.size === 0) throw InputError.about('measured-nothing', path, 'no row of the file has bytes and a time');
  return { path, tables, sizes: [...sizes].sort((a, b) => a - b), warnings: diagnostics.warnings };
}

/** The rows of every table of which the size was simulated. */
export function comparedTables({ tables }: MeasuredFile, simulated: readonly CollectiveRow[]): ComparedRow[][] {
  const bySize = new Map(simulated.map((row) => [row.sizeBytes, row]));
  return tables.map(({ rows }) =>
    rows.flatMap((row) => {
      const [time, own] = [timeOfRow(row), bySize.get(row.sizeBytes)];
      return time === null || own === undefined ? [] : [comparedSize(time, own, busFactor(own.kind, own.ranks))];
    }),
  );
}

/** The tables as text. */
export function measuredComparisonText(
  { path, tables }: MeasuredFile,
  compared: readonly (readonly ComparedRow[])[],
): string {
  const several = compared.length > 1;
  const parts = compared.map((rows, i) => {
    const { line, servers } = tables[i]!;
    const where = `# ${path}:${line}${servers === null ? '' : `, measured on ${servers} servers`}\n`;
    return `${where}${comparisonHeader()}${rows.map(comparisonLine).join('')}${comparisonFooter(rows)}`;
  });
  return `${parts.join('#\n')}${several ? `#\n# all ${compared.length} tables\n${comparisonFooter(compared.flat())}` : ''}`;
}

/** The tables for --json. */
export function comparisonJson(
  { path, tables }: MeasuredFile,
  compared: readonly (readonly ComparedRow[])[],
): Record<string, unknown> {
  return {
    file: path,
    tables: compared.map((rows, i) => {
      const { line, ranks, servers } = tables[i]!;
      return { line, ranks, servers, ...comparisonObject(rows) };
    }),
    errors: comparisonObject(compared.flat())['errors'],
  };
}

/** The plot; null if no size was simulated. */
export function comparisonFigure(
  title: string,
  { path }: MeasuredFile,
  compared: readonly (readonly ComparedRow[])[],
): WholeChart | null {
  const filled = compared.filter((rows) => rows.length > 0);
  return filled.length === 0 ? null : measuredFigure(title, [`measured: ${path}`], filled);
}
