// The tables of a stored run, and their rows as they are read: some columns of some thousands of rows.
// Invariant: numbers are exact (whole ones below 2^53), categories are words; every column has the rows of the piece.

import { InputError } from '../base/diagnostics.js';
import { fail } from '../base/fail.js';
import type { TableSchema } from './schema.js';

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

/** A run whose tables can be read. */
export interface RunTables {
  /** the folder or file as the user wrote it */
  readonly shown: string;
  /** what it ran with, every setting resolved; null for files of others */
  readonly manifest: { readonly seed: number; readonly scenario: Readonly<Record<string, unknown>> } | null;
  /** the object of summary.json; null or left out: there is none */
  readonly summary?: Readonly<Record<string, unknown>> | null;
  /** the tables that can be read, by name; their columns may be fewer in files of others */
  readonly tables: ReadonlyMap<string, TableSource>;
}

/** Who can open stored runs by the names of their folders. */
export interface RunHost {
  /** left out: nobody can, and files of text have to do @throws HostFileError, InputError */
  readonly openRun?: (folder: string) => Promise<RunTables>;
}

/**
 * Whole columns of a table, for what needs all rows at once (percentiles, joins): 8 bytes per value.
 * @param mostRows more are refused
 * @throws HostFileError, InputError
 */
export async function wholeColumns(
  table: TableSource,
  columns: readonly string[],
  mostRows = 100e6,
): Promise<Map<string, Float64Array>> {
  const pieces: TablePiece[] = [];
  let rows = 0;
  for await (const piece of table.pieces(columns)) {
    rows += piece.rows;
    if (rows > mostRows)
      throw InputError.about('too-many-rows', table.file, `this table has more than ${mostRows} rows`);
    pieces.push(piece);
  }
  const whole = new Map<string, Float64Array>();
  for (const name of columns) {
    const values = new Float64Array(rows);
    let at = 0;
    for (const piece of pieces) {
      values.set(piece.numbers(name), at);
      at += piece.rows;
    }
    whole.set(name, values);
  }
  return whole;
}

/**
 * A table of a run that a command cannot do without.
 * @throws InputError that says what is missing and how to have it
 */
export function requireTable(run: RunTables, name: string, hint: string): TableSource {
  const table = run.tables.get(name);
  if (table !== undefined) return table;
  throw InputError.about('run-table', run.shown, `this run has no table ${name}`, {
    got: [...run.tables.keys()].join(', ') || 'no tables',
    hint,
  });
}
