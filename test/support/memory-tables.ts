// Tables that a run wrote into memory, as whoever reads stored runs sees them.

import type { MemorySink } from '../../src/records/memory-sink.js';
import { type RunTables, TablePiece, type TableSource } from '../../src/records/run-tables.js';
import type { TableSchema } from '../../src/records/schema.js';

/** A run with some of the tables of a sink; every table comes in pieces of `pieceRows`. */
export function memoryTables(sink: MemorySink, schemas: readonly TableSchema[], pieceRows = 1000): RunTables {
  return {
    shown: 'results',
    manifest: null,
    tables: new Map(schemas.map((schema) => [schema.name, tableOf(sink, schema, pieceRows)])),
  };
}

function tableOf(sink: MemorySink, schema: TableSchema, pieceRows: number): TableSource {
  const rows = sink.rowCount(schema);
  return {
    schema,
    rows,
    file: `results/${schema.name}.parquet`,
    async *pieces(columns) {
      for (let from = 0; from < rows; from += pieceRows) {
        const to = Math.min(rows, from + pieceRows);
        await Promise.resolve();
        yield new TablePiece(
          schema,
          to - from,
          new Map(
            columns.map((name) => {
              const index = schema.columns.findIndex((column) => column.name === name);
              const values = sink.column(schema, index).slice(from, to);
              const { categories } = schema.columns[index]!;
              return [name, categories === undefined ? values : Array.from(values, (value) => categories[value]!)];
            }),
          ),
        );
      }
    },
  };
}
