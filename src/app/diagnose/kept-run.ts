// A run in memory as a stored one is read: for whoever simulates and diagnoses at once.

import type { MemorySink } from '../../records/memory-sink.js';
import { TablePiece, type RunTables, type TableSource } from '../../records/run-tables.js';
import type { TableSchema } from '../../records/schema.js';
import type { Plan } from '../../scenario/plan.js';

/** The tables that a sink kept. @param schemas those that are wanted @param pieceRows rows in a piece of a table */
export function keptRun(
  { name, seed }: Pick<Plan, 'name' | 'seed'>,
  sink: MemorySink,
  schemas: readonly TableSchema[],
  pieceRows = 65_536,
): RunTables {
  return {
    shown: name,
    manifest: { seed, scenario: {} },
    tables: new Map(schemas.map((schema) => [schema.name, keptTable(sink, schema, pieceRows)])),
  };
}

function keptTable(sink: MemorySink, schema: TableSchema, pieceRows: number): TableSource {
  const rows = sink.rowCount(schema);
  return {
    schema,
    rows,
    file: `${schema.name}.parquet`,
    pieces: async function* (columns) {
      for (let from = 0; from < rows; from += pieceRows) {
        const to = Math.min(rows, from + pieceRows);
        await Promise.resolve();
        const column = (name: string): Float64Array | readonly string[] => {
          const index = schema.columns.findIndex((own) => own.name === name);
          const values = sink.column(schema, index).slice(from, to);
          const { categories } = schema.columns[index]!;
          return categories === undefined ? values : Array.from(values, (value) => categories[value]!);
        };
        yield new TablePiece(schema, to - from, new Map(columns.map((name) => [name, column(name)])));
      }
    },
  };
}
