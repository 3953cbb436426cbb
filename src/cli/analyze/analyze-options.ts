// What commands share that read stored runs: files that stand for a run, who is told what of runs that are not whole,
// and how far reading is.
// Invariant: what is read is the same with progress and without; the line is off the screen before anything else is
// written. Not covered: what goes on within one step of counting or comparing.

import type { Command } from 'commander';
import { InputError } from '../../base/diagnostics.js';
import { grouped } from '../../report/text-style.js';
import { openFiles, openRuns } from '../../storage/run-reader.js';
import { type RunReader } from '../../stored-runs/run-reader.js';
import type { TablePiece, TableSource } from '../../records/run-tables.js';
import type { CommandContext } from '../context.js';
import { type OptionValues, refuseInputs, text } from '../options/declared-command.js';
import { numberThat } from '../options/option-values.js';
import { StageProgress } from '../stage-progress.js';

/** A number above 0, or 0. */
export const notNegative = numberThat((number) => number >= 0 && number <= 1e12, 'a number that is not negative.');

/** Files that stand for a run. */
export const fileOptions = [
  text('--fct <file>', 'instead of a run: fct.txt of SimAI, HPCC or ConWeave'),
  text('--paths <file>', 'its paths.csv'),
] as const;

/** Opens runs; whoever looks at them is told which are not whole. @throws InputError, HostFileError */
export async function toldRuns(paths: readonly string[], stderr: Told): Promise<RunReader[]> {
  const runs: RunReader[] = [];
  for (const path of paths) runs.push(...(await openRuns(path)));
  tellUnfinished(stderr, runs);
  tellUnchecked(stderr, runs);
  return runs;
}

/** The runs that a command line names: folders, or one of single files. @throws InputError, HostFileError */
export async function namedRuns(
  paths: readonly string[],
  { fct, paths: pathsFile }: OptionValues<typeof fileOptions>,
  command: Command,
  stderr: Told,
): Promise<RunReader[]> {
  const files = [fct, pathsFile].filter((file) => file !== undefined);
  if (paths.length === 0 && files.length === 0)
    refuseInputs(command, 'nothing to analyse', 'give folders of runs, or --fct FILE');
  if (fct === undefined && pathsFile !== undefined)
    refuseInputs(command, '--paths needs --fct', 'paths alone have no times');
  const runs = await toldRuns(paths, stderr);
  if (fct !== undefined) {
    const run = await openFiles(files, fct);
    if (!run.tables.has('flows'))
      throw InputError.about('analyze-fct', fct, 'this is no fct.txt', {
        wanted: 'sip dip sport dport size_B start_ns fct_ns standalone_ns',
      });
    runs.push(run);
  }
  return runs;
}

/** Standard error. */
export interface Told {
  write(text: string): unknown;
}

/** Says on standard error which of some runs were stopped or blocked: their tables hold the flows that had finished. */
function tellUnfinished(stderr: Told, runs: readonly RunReader[]): void {
  for (const { shown, manifest } of runs) {
    const outcome = manifest?.outcome ?? '';
    if (outcome === 'ended')
      stderr.write(`${shown}: note: this run ended at its stopTime; unfinished flows stand in unfinished.parquet\n`);
    else if (outcome !== '' && outcome !== 'finished')
      stderr.write(`${shown}: warning: this run was ${outcome}\n  found: only the flows that had finished then\n`);
  }
}

/** Says which folders hold no digests of their files. */
export function tellUnchecked(stderr: Told, runs: readonly RunReader[]): void {
  for (const { shown, manifest } of runs)
    if (manifest !== null && manifest.digests === null)
      stderr.write(
        `${shown}: note: its manifest has no digests of its files, so a change in them is not seen\n` +
          '  hint:   an older weft wrote it; run it again to have them\n',
      );
}

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
