// Records: what a run says, as batches of typed-array columns with a documented schema.
// Invariant: a batch is full (batchRows rows) unless it is the last of its table, so that the digest of a table does
// not depend on how the run was sliced.

import { fail } from '../base/fail.js';

export type ColumnType = 'int32' | 'uint16' | 'uint8' | 'float64';

/** One column: `integer` float64 columns hold whole numbers below 2^53 (picoseconds, bytes, ids). */
export interface ColumnSchema {
  readonly name: string;
  readonly type: ColumnType;
  /** a float64 column that holds whole numbers only */
  readonly integer?: boolean;
  readonly unit: string;
  readonly description: string;
  /**
   * the column holds categories by number: what each is called. Files for people have the words; records and their
   * digest have the numbers
   */
  readonly categories?: Readonly<Record<number, string>>;
}

export interface TableSchema {
  readonly name: string;
  readonly columns: readonly ColumnSchema[];
}

export type RecordColumn = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** Rows of one table. `columns` stand in the schema's order and may be longer than `rows`. */
export interface Batch {
  readonly schema: TableSchema;
  readonly rows: number;
  readonly columns: readonly RecordColumn[];
}

/** Where records go. `put` must copy what it keeps, or take it over: the producer never writes to a batch again. */
export interface RecordSink {
  /** true when the producer should stop and let `drain` run */
  readonly full: boolean;
  put(batch: Batch): void;
  /** Resolves when the sink can take more. */
  drain(): Promise<void>;
}

const batchRows = 4096;

const constructors = { int32: Int32Array, uint16: Uint16Array, uint8: Uint8Array, float64: Float64Array } as const;

/** Fills batches of one table and hands them to a sink. */
export class TableWriter {
  columns: RecordColumn[];
  rows = 0;
  total = 0;

  constructor(
    readonly schema: TableSchema,
    private readonly sink: RecordSink,
  ) {
    this.columns = this.fresh();
  }

  /** Index of the next row; write `columns[c][row]` for every column, then call `commit`. */
  commit(): void {
    this.total++;
    if (++this.rows === batchRows) this.flush();
  }

  /** Hands over what is collected; call it once more when the run has ended. */
  flush(): void {
    if (this.rows > batchRows) fail(`batch of ${this.rows} rows`);
    if (this.rows === 0) return;
    this.sink.put({ schema: this.schema, rows: this.rows, columns: this.columns });
    this.columns = this.fresh();
    this.rows = 0;
  }

  private fresh(): RecordColumn[] {
    return this.schema.columns.map((column) => new constructors[column.type](batchRows));
  }
}
