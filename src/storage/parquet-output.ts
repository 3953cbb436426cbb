// One table as a Parquet file, written row group by row group so that memory does not grow with the table.
// Invariant: the same batches give the same bytes; whole-number columns are INT64 (or INT32), never DOUBLE; columns of
// categories are strings in a dictionary. Source: parquet-format 2. The schema with units and descriptions stands in
// the file's key-value metadata under `weft.table`.

import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { fail } from '../base/fail.js';
import type { Batch, ColumnSchema, RecordColumn, TableSchema } from '../records/schema.js';
import type { OutputFile } from './output-file.js';
import type { TableOutput } from './table-output.js';

/** Rows per row group: at 9 columns about 2 MB in memory. */
const groupRows = 32_768;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type StagedColumn = BigInt64Array | Float64Array | Int32Array | string[];

/** Writes the batches of one table as Parquet. */
export class ParquetOutput implements TableOutput {
  private readonly bytes = new ByteWriter();
  private readonly writer: ParquetWriter;
  private readonly staged: StagedColumn[];
  private rows = 0;

  constructor(
    private readonly table: TableSchema,
    private readonly file: OutputFile,
  ) {
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: [{ name: table.name, num_children: table.columns.length }, ...table.columns.map(schemaElement)],
      kvMetadata: [{ key: 'weft.table', value: JSON.stringify(table) }],
      createdBy: 'weft',
    });
    this.staged = table.columns.map(stagingColumn);
  }

  put(batch: Batch): void {
    for (let from = 0; from < batch.rows;) {
      const count = Math.min(batch.rows - from, groupRows - this.rows);
      for (const [i, column] of this.staged.entries())
        stage(column, this.table.columns[i]!, this.rows, batch.columns[i]!, from, count);
      this.rows += count;
      from += count;
      if (this.rows === groupRows) this.writeGroup();
    }
  }

  end(): void {
    if (this.rows > 0) this.writeGroup();
    this.writer.finish();
    this.flush();
  }

  private writeGroup(): void {
    const columnData = this.table.columns.map((column, i) => {
      const staged = this.staged[i]!;
      const data = Array.isArray(staged) ? staged.slice(0, this.rows) : staged.subarray(0, this.rows);
      const source = { name: column.name, data, offsetIndex: false };
      // ids, times and sizes are close to their neighbours: differences are half the size of the values
      return isWhole(column) ? { ...source, encoding: 'DELTA_BINARY_PACKED' as const } : source;
    });
    this.writer.write({ columnData, rowGroupSize: groupRows });
    this.rows = 0;
    this.flush();
  }

  private flush(): void {
    this.file.append(this.bytes.getBytes().slice());
    this.bytes.index = 0;
  }
}

function isWhole(column: ColumnSchema): boolean {
  return column.type === 'float64' && column.integer === true;
}

function schemaElement(column: ColumnSchema): SchemaElement {
  const { name } = column;
  if (column.categories !== undefined)
    return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' };
  switch (column.type) {
    case 'float64':
      return { name, type: isWhole(column) ? 'INT64' : 'DOUBLE', repetition_type: 'REQUIRED' };
    case 'int32':
      return { name, type: 'INT32', repetition_type: 'REQUIRED' };
    case 'uint16':
      return { name, type: 'INT32', converted_type: 'UINT_16', repetition_type: 'REQUIRED' };
    case 'uint8':
      return { name, type: 'INT32', converted_type: 'UINT_8', repetition_type: 'REQUIRED' };
  }
}

function stagingColumn(column: ColumnSchema): StagedColumn {
  if (column.categories !== undefined) return Array.from({ length: groupRows }, () => '');
  if (isWhole(column)) return new BigInt64Array(groupRows);
  return column.type === 'float64' ? new Float64Array(groupRows) : new Int32Array(groupRows);
}

function stage(
  into: StagedColumn,
  { name, categories }: ColumnSchema,
  at: number,
  column: RecordColumn,
  from: number,
  count: number,
): void {
  if (into instanceof BigInt64Array) {
    for (let i = 0; i < count; i++) into[at + i] = BigInt(column[from + i]!);
  } else if (Array.isArray(into)) {
    for (let i = 0; i < count; i++)
      into[at + i] = categories?.[column[from + i]!] ?? fail(`column ${name} has no category ${column[from + i]!}`);
  } else {
    into.set(column.subarray(from, from + count), at);
  }
}
