// Which tables of measurements are of the collective that is simulated, and both beside each other, size by size.
// Invariant: a table that cannot be compared is an error or is named; nothing of the file is dropped silently.

import { Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import { busFactor } from '../../collectives/bus-bandwidth.js';
import type { CollectiveKind } from '../../collectives/schedule.js';
import type { MeasuredTable } from '../../formats/measured-rows.js';
import { readMeasurements } from '../../formats/measurements.js';
import type { CollectiveRow, ComparedRow } from '../../report/figures/collectives.js';
import { comparedSize, timeOfRow } from '../../report/measured-comparison.js';
import { doubtKind } from './measured-cases.js';

/** What is compared with. */
export interface MeasuredFile {
  readonly path: string;
  readonly tables: readonly MeasuredTable[];
  /** every size of them once, ascending */
  readonly sizes: readonly number[];
  readonly warnings: readonly InputError['diagnostics'][number][];
}

/** Whose tables are wanted. */
export interface TimedGroup {
  readonly kind: CollectiveKind;
  /** of the group that is simulated; a table of another number is an error */
  readonly ranks: number;
  /** a row of more bytes is an error */
  readonly largestBytes: number;
}

/**
 * Reads the tables of a collective.
 * @param path what messages call the text
 * @throws InputError
 */
export function tablesOfCollective(
  text: string,
  path: string,
  { kind, ranks, largestBytes }: TimedGroup,
): MeasuredFile {
  const diagnostics = new Diagnostics();
  const measurements = readMeasurements(text, path, diagnostics);
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

/** What of a simulated size is compared. */
type SimulatedSize = Pick<CollectiveRow, 'sizeBytes' | 'timePs' | 'busBandwidth' | 'choice' | 'kind' | 'ranks'>;

/** The rows of every table of which the size was simulated. */
export function comparedTables({ tables }: MeasuredFile, simulated: readonly SimulatedSize[]): ComparedRow[][] {
  const bySize = new Map(simulated.map((row) => [row.sizeBytes, row]));
  return tables.map(({ rows }) =>
    rows.flatMap((row) => {
      const [time, own] = [timeOfRow(row), bySize.get(row.sizeBytes)];
      return time === null || own === undefined ? [] : [comparedSize(time, own, busFactor(own.kind, own.ranks))];
    }),
  );
}
