// Rows of a stored table as they are read: some columns of some thousands of rows.
// Invariant: numbers are exact (whole ones below 2^53), categories are words; every column has the rows of the piece.

import { fail } from '../base/fail.js';
import type { TableSchema } from '../records/schema.js';

/** Rows of one table, in the order of its file. Arrays may be kept: a piece is never written to again. */
export class TablePiece {
  constructor(
    private readonly schema: TableSchema,
    readonly rows: number,
    private readonly columns: ReadonlyMap<string, Float64Array | readonly string[]>,
  ) {}

  /** A column of numbers, in the unit of its schema. Fails for one that was not asked for, or that holds words. */
  numbers(name: string): Float64Array {
    const column = this.columns.get(name);
    return column instanceof Float64Array ? column : fail(`no numbers ${this.schema.name}.${name} were read`);
  }

  /** A column of categories. Fails for one that was not asked for, or that holds numbers. */
  words(name: string): readonly string[] {
    const column = this.columns.get(name);
    return column === undefined || column instanceof Float64Array
      ? fail(`no words ${this.schema.name}.${name} were read`)
      : column;
  }
}

/** A table that can be read again and again; each reading opens its file anew. */
export interface TableSource {
  /** its columns: those that the file has, with units and descriptions */
  readonly schema: TableSchema;
  /** rows of the whole table; null where only reading tells */
  readonly rows: number | null;
  /** path of the file that the rows come from, as people write it */
  readonly file: string;
  /** @param columns of the schema @throws HostFileError, InputError */
  pieces(columns: readonly string[]): AsyncGenerator<TablePiece>;
}
