// Rows of a sweep as Parquet, group by group, so that memory does not grow with the rows.
// Invariants: the same rows give the same bytes; counts are INT64, never DOUBLE; what a run does not have is null.
// Columns with their units stand in the file's metadata under `weft.columns`. Source: parquet-format 2.

import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { printableLines } from '../../base/printable.js';
import type { RowColumn, RowColumnType } from '../../report/sweep/row-columns.js';
import type { RowValue } from '../../report/sweep/run-row.js';
import type { OutputFile } from '../output-file.js';

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Values of a group, and its rows: some megabytes in memory. */
const groupValues = 262_144;
const mostGroupRows = 16_384;

const elements: Readonly<Record<RowColumnType, Pick<Element, 'type' | 'converted_type'>>> = {
  whole: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  word: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

/** Writes rows into one file. */
export class RowParquet {
  private readonly bytes = new ByteWriter();
  private readonly writer: ParquetWriter;
  private readonly staged: (bigint | number | boolean | string | null)[][];
  private readonly groupRows: number;

  constructor(
    private readonly columns: readonly RowColumn[],
    private readonly file: OutputFile,
  ) {
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: [
        { name: 'runs', num_children: columns.length },
        ...columns.map(({ name, type }): Element => ({ name, ...elements[type], repetition_type: 'OPTIONAL' })),
      ],
      kvMetadata: [{ key: 'weft.columns', value: JSON.stringify(columns) }],
      createdBy: 'weft',
    });
    this.staged = columns.map(() => []);
    this.groupRows = Math.max(1, Math.min(mostGroupRows, Math.floor(groupValues / columns.length)));
  }

  put(values: readonly RowValue[]): void {
    values.forEach((value, i) => this.staged[i]!.push(parquetValue(value, this.columns[i]!.type)));
    if (this.staged[0]!.length === this.groupRows) this.writeGroup();
  }

  end(): void {
    if (this.staged[0]!.length > 0) this.writeGroup();
    this.writer.finish();
    this.flush();
  }

  private writeGroup(): void {
    this.writer.write({
      columnData: this.columns.map(({ name }, i) => ({ name, data: this.staged[i]!.splice(0), offsetIndex: false })),
      rowGroupSize: this.groupRows,
    });
    this.flush();
  }

  private flush(): void {
    this.file.append(this.bytes.getBytes().slice());
    this.bytes.index = 0;
  }
}

function parquetValue(value: RowValue, type: RowColumnType): bigint | number | boolean | string | null {
  if (value === null) return null;
  if (type === 'whole') return BigInt(value as number);
  return typeof value === 'string' ? printableLines(value) : value;
}
