// The table of hops that stands in a paths.csv, of Weft and of others.
// Invariants: memory is one piece of rows and one line, whatever the size of the file; the first mistakes are reported
// together, with their lines, and end the reading.

import { grown } from '../base/columns.js';
import { Diagnostics } from '../base/diagnostics.js';
import { asciiOf } from '../formats/byte-lines.js';
import { PathRows } from '../formats/path-rows.js';
import { PathColumns, isPathsHeader, readPathLine } from '../formats/paths-csv-reader.js';
import { hopTable } from '../records/flow-records.js';
import { TablePiece, type TableSource } from '../records/run-tables.js';
import type { TableSchema } from '../records/schema.js';
import { firstLine, linePieces, withoutReturn } from './line-pieces.js';
import type { RunFiles } from './run-files.js';

/** Rows of a piece, at least: one line may make it longer. */
const pieceRows = 32_768;
const newline = 10;

/**
 * The hops of a paths.csv, in its five-column form without `destinationPort`.
 * @throws HostFileError, InputError if its first line is none of a paths.csv
 */
export async function pathsTable(files: RunFiles, path: string, shown: string): Promise<TableSource> {
  const found = await firstLine(files, path);
  if (found === null) return { schema: hopTable, rows: null, file: shown, pieces: async function* () {} };
  const diagnostics = new Diagnostics();
  const columns = PathColumns.ofFirstLine(shown, found.line, found.text, diagnostics);
  diagnostics.throwIfErrors();
  const form = columns!;
  const schema: TableSchema = form.hasDestinationPort
    ? hopTable
    : { name: hopTable.name, columns: hopTable.columns.filter(({ name }) => name !== 'destinationPort') };
  const header = isPathsHeader(found.text) ? found.line : 0;
  return {
    schema,
    rows: null,
    file: shown,
    pieces: (names) => pathPieces({ files, path, shown, form, header }, names),
  };
}

/** A paths.csv: where it is, which columns its lines have, and which line says so; 0: none does. */
interface PathsFile {
  readonly files: RunFiles;
  readonly path: string;
  readonly shown: string;
  readonly form: PathColumns;
  readonly header: number;
}

async function* pathPieces(
  { files, path, shown, form, header }: PathsFile,
  columns: readonly string[],
): AsyncGenerator<TablePiece> {
  const diagnostics = new Diagnostics();
  const piece = new PathPiece(columns);
  const { rows } = piece;
  let line = 0;
  for await (const bytes of linePieces(files, path, () => line)) {
    for (let at = 0; at < bytes.length;) {
      line++;
      const next = form.isOwn && line > header ? rows.scan(bytes, at, bytes.length) : -1;
      if (next >= 0) {
        piece.put();
        at = next;
      } else {
        const end = bytes.indexOf(newline, at);
        const until = end < 0 ? bytes.length : end;
        const text = withoutReturn(asciiOf(bytes, at, until));
        at = until + 1;
        const read = line > header ? readPathLine(shown, line, text, form, diagnostics) : null;
        if (read !== null) {
          rows.take(read);
          piece.put();
        }
        if (diagnostics.full) diagnostics.throwIfErrors();
      }
      if (piece.length >= pieceRows) yield piece.done();
    }
  }
  diagnostics.throwIfErrors();
  if (piece.length > 0) yield piece.done();
}

/** Rows of paths.csv that become a piece. */
class PathPiece {
  readonly rows = new PathRows();
  length = 0;
  private values: Float64Array[];

  /** @param columns of the table of hops, by name */
  constructor(private readonly columns: readonly string[]) {
    this.values = this.room();
  }

  /** Puts the rows of the line. */
  put(): void {
    const { rows, columns, values, length } = this;
    const { count } = rows;
    for (let i = 0; i < columns.length; i++) {
      const column = (values[i] = grown(values[i]!, length + count));
      const own = rows[columns[i] as keyof PathColumnsOfRows];
      if (typeof own === 'number') for (let row = 0; row < count; row++) column[length + row] = own;
      else for (let row = 0; row < count; row++) column[length + row] = own.values[row]!;
    }
    this.length += count;
  }

  done(): TablePiece {
    const { columns, values, length } = this;
    const filled = new Map(columns.map((name, i) => [name, values[i]!.subarray(0, length)]));
    this.values = this.room();
    this.length = 0;
    return new TablePiece(hopTable, length, filled);
  }

  private room(): Float64Array[] {
    return this.columns.map(() => new Float64Array(pieceRows + 64));
  }
}

/** The columns of a table of hops, which have the names of what a line holds. */
type PathColumnsOfRows = Pick<
  PathRows,
  'flowId' | 'source' | 'destination' | 'sourcePort' | 'destinationPort' | 'hop' | 'node' | 'interface'
>;
