// Tables that stand in text files: fct.txt, paths.csv and the monitors' files, of Weft and of others.
// Invariants: memory is one piece of rows and one line, whatever the size of the file; the first mistakes are reported
// together, with their lines, and end the reading.

import { Diagnostics, InputError, wholeFile } from '../base/diagnostics.js';
import { grown } from '../base/columns.js';
import { nodeOfIpv4 } from '../fabric/addresses.js';
import { asciiOf } from '../formats/byte-lines.js';
import { PathRows } from '../formats/path-rows.js';
import { PathColumns, isPathsHeader, readPathLine } from '../formats/paths-csv-reader.js';
import { readFctLine } from '../formats/simai-fct.js';
import { readMonitorLine, type MonitorFile } from '../formats/simai-monitor-reader.js';
import { flowTable, hopTable } from '../records/flow-records.js';
import type { TableSchema } from '../records/schema.js';
import { TablePiece, type TableSource } from '../records/run-tables.js';
import { linePieces, textLines, withoutReturn } from './text-lines.js';

/** Rows of a piece, at least: one line of paths.csv may make it longer. */
const pieceRows = 32_768;
const newline = 10;

/** Takes the values of a row in the order of the schema's columns. */
type RowSink = (values: readonly number[]) => void;

/** Reads a line; mistakes go to the diagnostics. */
type LineReader = (text: string, line: number, diagnostics: Diagnostics, row: RowSink) => void;

/**
 * The flows of an fct.txt. The format has no numbers of flows: they are those of the lines, from 0. Times are whole
 * nanoseconds in picoseconds.
 * @param shown its name in messages
 */
export function fctTable(path: string, shown: string): TableSource {
  return textSource(flowTable, path, shown, () => {
    let flowId = 0;
    return (text, line, diagnostics, row) => {
      const read = readFctLine(shown, line, text, diagnostics);
      if (read === null) return;
      const source = nodeOfIpv4(read.sourceAddress);
      const destination = nodeOfIpv4(read.destinationAddress);
      if (source < 0 || destination < 0) {
        diagnostics.error('fct-address', shown, { line, column: 1 }, 'an address names no node', {
          got: text,
          wanted: 'addresses of the form 11.x.y.1, such as 0b000801',
        });
        return;
      }
      const startPs = read.startNs * 1000;
      const { sourcePort, destinationPort, sizeBytes, completionNs, standaloneNs } = read;
      const finishPs = startPs + completionNs * 1000;
      row([
        flowId++,
        source,
        destination,
        sourcePort,
        destinationPort,
        sizeBytes,
        startPs,
        finishPs,
        standaloneNs * 1000,
      ]);
    };
  });
}

/**
 * The hops of a paths.csv, in its five-column form without `destinationPort`.
 * @throws HostFileError, InputError if its first line is none of a paths.csv
 */
export async function pathsTable(path: string, shown: string): Promise<TableSource> {
  const found = await firstLine(path);
  if (found === null) return textSource(hopTable, path, shown, () => () => {});
  const diagnostics = new Diagnostics();
  const columns = PathColumns.ofFirstLine(shown, found.line, found.text, diagnostics);
  diagnostics.throwIfErrors();
  const form = columns!;
  const schema: TableSchema = form.hasDestinationPort
    ? hopTable
    : { name: hopTable.name, columns: hopTable.columns.filter(({ name }) => name !== 'destinationPort') };
  const header = isPathsHeader(found.text) ? found.line : 0;
  return { schema, rows: null, file: shown, pieces: (columns) => pathPieces(path, shown, { form, header }, columns) };
}

/** Which columns the lines of a paths.csv have, and which line says so; 0: none does. */
interface PathsForm {
  readonly form: PathColumns;
  readonly header: number;
}

async function* pathPieces(
  path: string,
  shown: string,
  { form, header }: PathsForm,
  columns: readonly string[],
): AsyncGenerator<TablePiece> {
  const diagnostics = new Diagnostics();
  const piece = new PathPiece(columns);
  const { rows } = piece;
  let line = 0;
  for await (const bytes of linePieces(path, () => line)) {
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

/** The table of a monitor's file. */
export function monitorTable(path: string, shown: string, form: MonitorFile): TableSource {
  return textSource(form.table, path, shown, () => (text, line, diagnostics, row) => {
    const values = readMonitorLine(shown, line, text, form, diagnostics);
    if (values !== null) row(values);
  });
}

/** The first line with content of a text file; null if it has none. */
export async function firstLine(path: string): Promise<{ readonly text: string; readonly line: number } | null> {
  for await (const lines of textLines(path)) for (const line of lines) if (line.text.trim() !== '') return line;
  return null;
}

function textSource(schema: TableSchema, path: string, shown: string, reader: () => LineReader): TableSource {
  return {
    schema,
    rows: null,
    file: shown,
    pieces: (columns) => textPieces(schema, path, shown, reader(), columns),
  };
}

async function* textPieces(
  schema: TableSchema,
  path: string,
  shown: string,
  read: LineReader,
  columns: readonly string[],
): AsyncGenerator<TablePiece> {
  const diagnostics = new Diagnostics();
  const places = columns.map((name) => schema.columns.findIndex((column) => column.name === name));
  let values = columns.map((): number[] => []);
  let rows = 0;
  const row: RowSink = (cells) => {
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      const cell = cells[place]!;
      if (cell > Number.MAX_SAFE_INTEGER)
        throw InputError.at('value-too-large', shown, wholeFile, `${columns[i]!} is beyond 2^53`, {
          got: `${cell} ${schema.columns[place]!.unit}`,
        });
      values[i]!.push(cell);
    }
    rows++;
  };
  const piece = (): TablePiece => {
    const filled = new Map<string, Float64Array | readonly string[]>();
    for (const [i, name] of columns.entries()) {
      const words = schema.columns[places[i]!]!.categories;
      filled.set(name, words === undefined ? Float64Array.from(values[i]!) : values[i]!.map((v) => words[v] ?? `${v}`));
    }
    const made = new TablePiece(schema, rows, filled);
    values = columns.map((): number[] => []);
    rows = 0;
    return made;
  };
  for await (const lines of textLines(path)) {
    for (const { text, line } of lines) {
      read(text, line, diagnostics, row);
      if (diagnostics.full) diagnostics.throwIfErrors();
      if (rows >= pieceRows) yield piece();
    }
  }
  diagnostics.throwIfErrors();
  if (rows > 0) yield piece();
}
