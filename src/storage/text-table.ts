// Tables that stand in text files: fct.txt and the monitors' files, of Weft and of others (paths.csv:
// stored-runs/paths-table.ts).
// Invariants: memory is one piece of rows and one line, whatever the size of the file; the first mistakes are reported
// together, with their lines, and end the reading.

import { Diagnostics, InputError, wholeFile } from '../base/diagnostics.js';
import { nodeOfIpv4 } from '../fabric/addresses.js';
import { readFctLine } from '../formats/simai-fct.js';
import { readMonitorLine, type MonitorFile } from '../formats/simai-monitor-reader.js';
import { flowTable } from '../records/flow-records.js';
import type { TableSchema } from '../records/schema.js';
import { TablePiece, type TableSource } from '../records/run-tables.js';
import { textLines } from './text-lines.js';

/** Rows of a piece. */
const pieceRows = 32_768;

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

/** The table of a monitor's file. */
export function monitorTable(path: string, shown: string, form: MonitorFile): TableSource {
  return textSource(form.table, path, shown, () => (text, line, diagnostics, row) => {
    const values = readMonitorLine(shown, line, text, form, diagnostics);
    if (values !== null) row(values);
  });
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
