// A table that stands in a Parquet file of Weft's, read row group by row group.
// Invariants: memory is the columns asked for of one row group (32,768 rows in Weft's files; more than 2^20 are
// refused) and the file's footer; whole numbers come exact or the file is refused.
// Not covered: nested columns, nulls, codecs other than Snappy (Weft writes none of them).

import { parquetMetadataAsync, parquetScan, type AsyncBuffer, type FileMetaData } from 'hyparquet';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import type { ColumnSchema, TableSchema } from '../records/schema.js';
import { tableSchemaOf } from './stored-manifest.js';
import { TablePiece, type TableSource } from '../records/run-tables.js';
import type { RunFiles } from './run-files.js';

const mostGroupRows = 2 ** 20;

/**
 * The table of a Parquet file.
 * @param shown its name in messages
 * @throws HostFileError, and InputError if it is no Parquet file of Weft's
 */
export async function parquetTable(files: RunFiles, path: string, shown: string): Promise<TableSource> {
  const { schema, rows } = await withFile(files, path, shown, async (file) => {
    const metadata = await parquetMetadataAsync(file);
    const described = metadata.key_value_metadata?.find(({ key }) => key === 'weft.table')?.value;
    const table = described === undefined ? null : tableSchemaOf(parseJson(described));
    if (table === null) throw unreadable(shown, 'it does not say which table of Weft it holds');
    requireSound(metadata, table, shown);
    return { schema: table, rows: Number(metadata.num_rows) };
  });
  return { schema, rows, file: shown, pieces: (columns) => parquetPieces({ files, path, shown, schema }, columns) };
}

interface ParquetFile {
  readonly files: RunFiles;
  readonly path: string;
  readonly shown: string;
  readonly schema: TableSchema;
}

async function* parquetPieces(
  { files, path, shown, schema }: ParquetFile,
  columns: readonly string[],
): AsyncGenerator<TablePiece> {
  const opened = await openFile(files, path);
  try {
    const metadata = await guarded(shown, () => parquetMetadataAsync(opened.file));
    requireSound(metadata, schema, shown);
    const scan = await guarded(shown, () => parquetScan({ file: opened.file, metadata, columns: [...columns] }));
    for (const { rowStart, rowEnd } of scan.ranges) {
      const read = new Map<string, Float64Array | readonly string[]>();
      for (const name of columns) {
        const data = await guarded(shown, () => scan.readColumn({ column: name, rowStart, rowEnd }));
        const column = schema.columns.find((known) => known.name === name)!;
        read.set(name, columnOf(data, column, rowEnd - rowStart, shown));
      }
      yield new TablePiece(schema, rowEnd - rowStart, read);
    }
  } finally {
    await opened.close();
  }
}

function columnOf(
  data: ArrayLike<unknown>,
  { name, categories, integer, type }: ColumnSchema,
  rows: number,
  shown: string,
): Float64Array | readonly string[] {
  if (data.length !== rows) throw unreadable(shown, `column ${name} has ${data.length} of ${rows} rows`);
  if (categories !== undefined) {
    const words: string[] = [];
    for (let i = 0; i < rows; i++) {
      const word = data[i];
      if (typeof word !== 'string') throw unreadable(shown, `column ${name} holds no words`);
      words.push(word);
    }
    return words;
  }
  const whole = integer === true || type !== 'float64';
  const numbers = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const cell = data[i];
    if (typeof cell !== 'number' && typeof cell !== 'bigint')
      throw unreadable(shown, `column ${name} holds no numbers`);
    const number = Number(cell);
    if (whole && !Number.isSafeInteger(number)) throw unreadable(shown, `column ${name} has a number beyond 2^53`);
    numbers[i] = number;
  }
  return numbers;
}

/** Refuses what would take more memory than Weft's own files, and files without the columns that they claim. */
function requireSound(metadata: FileMetaData, table: TableSchema, shown: string): void {
  for (const { num_rows: rows } of metadata.row_groups)
    if (rows < 0 || rows > mostGroupRows) throw unreadable(shown, `a row group has ${rows} rows`);
  const names = new Set(metadata.schema.slice(1).map(({ name }) => name));
  for (const { name } of table.columns) if (!names.has(name)) throw unreadable(shown, `column ${name} is missing`);
}

interface OpenedParquet {
  readonly file: AsyncBuffer;
  close(): Promise<void>;
}

async function openFile(files: RunFiles, path: string): Promise<OpenedParquet> {
  const own = await files.open(path);
  const { sizeBytes } = own;
  const slice = async (start: number, end = sizeBytes): Promise<ArrayBuffer> => {
    const from = start < 0 ? Math.max(sizeBytes + start, 0) : start;
    return (await own.read(from, Math.max(from, Math.min(end, sizeBytes)))).buffer;
  };
  return { file: { byteLength: sizeBytes, slice }, close: () => own.close() };
}

async function withFile<T>(
  files: RunFiles,
  path: string,
  shown: string,
  use: (file: AsyncBuffer) => Promise<T>,
): Promise<T> {
  const opened = await openFile(files, path);
  try {
    return await guarded(shown, () => use(opened.file));
  } finally {
    await opened.close();
  }
}

/** Whatever the library cannot read is a bad file, not a bug. */
async function guarded<T>(shown: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof HostFileError || error instanceof InputError) throw error;
    const message = String((error as Error).message);
    // what the engine says of the library's own code, or the library of a value that is none, tells nobody anything
    const isOfEngine = error instanceof TypeError || error instanceof RangeError || /\bundefined\b/.test(message);
    throw unreadable(shown, isOfEngine ? 'its parts do not fit together' : message);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unreadable(shown: string, why: string): InputError {
  return InputError.at('parquet-file', shown, wholeFile, `this Parquet file cannot be read: ${why}`, {
    wanted: 'a file that weft run --out has written whole',
  });
}
