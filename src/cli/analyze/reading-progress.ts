// How far a command is that reads stored runs: rows by file as they are read, then what is made of them.
// Invariants: what is read is the same with and without; nothing is written before its time (stage-progress.ts), and
// the line is off the screen before anything else is written.
// Not covered: what goes on within one step of counting or comparing.

import { grouped } from '../../report/text-style.js';
import type { RunReader } from '../../storage/run-reader.js';
import type { TablePiece, TableSource } from '../../storage/table-piece.js';
import type { CommandContext } from '../context.js';
import { StageProgress } from '../stage-progress.js';

/** Carries work out with a line of progress on stderr, which goes in any case. @throws what the work throws */
export async function withProgress<T>(
  { host, stderr }: Pick<CommandContext, 'host' | 'stderr'>,
  work: (progress: StageProgress) => Promise<T>,
): Promise<T> {
  const progress = new StageProgress(stderr, () => host.wallMs());
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** The same run; reading its tables is told. */
export function watchedRun(run: RunReader, progress: StageProgress): RunReader {
  return { ...run, tables: new Map([...run.tables].map(([name, table]) => [name, watchedTable(table, progress)])) };
}

function watchedTable(table: TableSource, progress: StageProgress): TableSource {
  return { ...table, pieces: (columns) => watchedPieces(table, columns, progress) };
}

async function* watchedPieces(
  table: TableSource,
  columns: readonly string[],
  progress: StageProgress,
): AsyncGenerator<TablePiece> {
  const all = table.rows === null ? '' : ` of ${grouped(table.rows)}`;
  let rows = 0;
  for await (const piece of table.pieces(columns)) {
    rows += piece.rows;
    progress.update(`reading ${table.file}: ${grouped(rows)}${all} rows`);
    yield piece;
  }
}
