// A run in memory as a stored one is read: for whoever simulates and diagnoses at once.

import { MemorySink } from '../../records/memory-sink.js';
import { TablePiece, type RunTables, type TableSource } from '../../records/run-tables.js';
import type { TableSchema } from '../../records/schema.js';
import type { Plan } from '../../scenario/plan.js';

/** The tables that a sink kept. @param schemas those that are wanted */
export function keptRun(plan: Plan, sink: MemorySink, schemas: readonly TableSchema[]): RunTables {
  return {
    shown: plan.name,
    manifest: { seed: plan.seed, scenario: {} },
    tables: new Map(schemas.map((schema) => [schema.name, keptTable(sink, schema)])),
  };
}

function keptTable(sink: MemorySink, schema: TableSchema): TableSource {
  return {
    schema,
    rows: sink.rowCount(schema),
    file: `${schema.name}.parquet`,
    pieces: async function* (columns) {
      const wanted = columns.map((name) => [name, schema.columns.findIndex((own) => own.name === name)] as const);
      yield new TablePiece(
        schema,
        sink.rowCount(schema),
        new Map(
          wanted.map(([name, index]) => {
            const values = sink.column(schema, index);
            const { categories } = schema.columns[index]!;
            return [name, categories === undefined ? values : Array.from(values, (value) => categories[value]!)];
          }),
        ),
      );
    },
  };
}
