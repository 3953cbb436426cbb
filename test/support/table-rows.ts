// The rows of a table that a run wrote, as objects by column name.

import type { MemorySink } from '../../src/records/memory-sink.js';
import type { TableSchema } from '../../src/records/schema.js';

export type Row = Readonly<Record<string, number>>;

/** All rows of a table in the order in which they came. */
export function tableRows(sink: MemorySink, table: TableSchema): Row[] {
  const columns = table.columns.map(({ name }, index) => [name, sink.column(table, index)] as const);
  return Array.from({ length: sink.rowCount(table) }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row]!])),
  );
}
