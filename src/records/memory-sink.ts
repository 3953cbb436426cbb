// A sink that keeps every batch: for tests, demonstrations and reports on runs that are known to be small.
// Invariant: never full; the memory is that of the records. Not for runs of unknown size.

import { addTo } from '../base/lists-by-key.js';
import { fail } from '../base/fail.js';
import type { Batch, RecordSink, TableSchema } from './schema.js';

/** Keeps what it is given, table by table. */
export class MemorySink implements RecordSink {
  readonly full = false;
  private readonly tables = new Map<string, Batch[]>();

  put(batch: Batch): void {
    addTo(this.tables, batch.schema.name, batch);
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  /** How many rows of a table it holds. */
  rowCount(schema: TableSchema): number {
    return this.batches(schema).reduce((sum, batch) => sum + batch.rows, 0);
  }

  /** What it holds of a table, in the order in which it came. */
  batches(schema: TableSchema): readonly Batch[] {
    return this.tables.get(schema.name) ?? [];
  }

  /** One column of a table as float64, all its rows in the order in which they came (a copy). */
  column(schema: TableSchema, index: number): Float64Array {
    if (schema.columns[index] === undefined) fail(`table ${schema.name} has no column ${index}`);
    const values = new Float64Array(this.rowCount(schema));
    let offset = 0;
    for (const batch of this.batches(schema)) {
      values.set(batch.columns[index]!.subarray(0, batch.rows), offset);
      offset += batch.rows;
    }
    return values;
  }
}
