// Reads the text files of SimAI's and HPCC's monitors: what simai-monitors.ts writes, and the same from others.
// A header is skipped; fields are separated by commas or blanks. Nanoseconds become picoseconds.
// Invariant: each line with content becomes one row or one diagnostic. Not known from these files: lengths of
// intervals, numbers of flows, kinds of nodes but in pfc.txt.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import type { ColumnSchema, TableSchema } from '../records/schema.js';
import { bandwidthTable, notificationTable, pfcEventTable, queueTable, rateTable } from '../records/probe-records.js';

/** A file of a monitor: its table without the columns that it does not have, in the order of its fields. */
export interface MonitorFile {
  readonly table: TableSchema;
  /** what a field is multiplied by, by column */
  readonly factors: readonly number[];
}

function monitor(
  table: TableSchema,
  columns: readonly (readonly [name: string, factor: number] | string)[],
): MonitorFile {
  const named = columns.map((column) => (typeof column === 'string' ? ([column, 1] as const) : column));
  const schema = (name: string): ColumnSchema => table.columns.find((known) => known.name === name)!;
  return {
    table: { name: table.name, columns: named.map(([name]) => schema(name)) },
    factors: named.map(([, factor]) => factor),
  };
}

const pair = ['source', 'destination', 'sourcePort', 'destinationPort', 'sizeBytes'] as const;

/** The monitors' files by the name of their table. */
export const monitorFiles: readonly MonitorFile[] = [
  monitor(queueTable, [['timePs', 1000], 'node', 'interface', 'priority', 'queueBytes', 'portBytes']),
  monitor(bandwidthTable, [['timePs', 1000], 'node', 'interface', ['rateBps', 1e9]]),
  monitor(rateTable, [['timePs', 1000], ...pair, 'rateBps']),
  monitor(notificationTable, [['timePs', 1000], ...pair, 'notifications']),
  monitor(pfcEventTable, [['timePs', 1000], 'node', 'nodeKind', 'interface', 'isPause']),
];

/**
 * Reads a line of a monitor's file.
 * @returns its values in the order of the columns; null for a blank line, a header, and, with a diagnostic, for one
 * that cannot be read
 */
export function readMonitorLine(
  file: string,
  line: number,
  text: string,
  { table, factors }: MonitorFile,
  diagnostics: Diagnostics,
): readonly number[] | null {
  const problems = new FileProblems(file, diagnostics);
  const content = text.trim();
  if (content === '' || (line === 1 && /^[a-z]/i.test(content))) return null;
  const words = content.split(/\s*,\s*|\s+/);
  if (words.length !== factors.length) {
    problems.error('monitor-fields', { line, column: 1 }, 'wrong number of fields', {
      got: `${words.length} fields`,
      wanted: table.columns.map((column) => column.name).join(', '),
    });
    return null;
  }
  const values: number[] = [];
  for (const [i, word] of words.entries()) {
    const value = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word) ? Number(word) * factors[i]! : NaN;
    if (value <= Number.MAX_SAFE_INTEGER) {
      values.push(value);
      continue;
    }
    problems.error('monitor-value', { line, column: 1 }, `${table.columns[i]!.name} cannot be read`, {
      got: word,
      wanted: 'a number that is not negative',
    });
    return null;
  }
  return values;
}
