// What the subcommands of `weft analyze` share of their command lines.

import { InvalidArgumentError, type Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { openFiles, openRuns, type RunReader } from '../../storage/run-reader.js';
import { tellUnchecked, tellUnfinished } from '../unfinished-runs.js';
import { ExitCode } from '../exit-codes.js';

/** A number above 0, or 0. @throws InvalidArgumentError */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0 || value > 1e12)
    throw new InvalidArgumentError('Give a number that is not negative.');
  return value;
}

/** Ends the command: its inputs do not fit together. @throws CommanderError */
export function refuseInputs(command: Command, message: string, hint: string): never {
  return command.error(`error: ${message}\n  hint:   ${hint}`, { code: 'weft.inputs', exitCode: ExitCode.badInput });
}

/** Files that stand for a run. */
export interface FileOptions {
  readonly fct?: string;
  readonly paths?: string;
}

/** Adds `--fct` and `--paths`. */
export function addFileOptions(command: Command): Command {
  return command
    .option('--fct <file>', 'instead of a run: fct.txt of SimAI, HPCC or ConWeave')
    .option('--paths <file>', 'its paths.csv');
}

/** The runs that a command line names: folders, or one of single files. @throws InputError, HostFileError */
export async function namedRuns(
  paths: readonly string[],
  { fct, paths: pathsFile }: FileOptions,
  command: Command,
  stderr: { write(text: string): unknown },
): Promise<RunReader[]> {
  const files = [fct, pathsFile].filter((file) => file !== undefined);
  if (paths.length === 0 && files.length === 0)
    refuseInputs(command, 'nothing to analyse', 'give folders of runs, or --fct FILE');
  if (fct === undefined && pathsFile !== undefined)
    refuseInputs(command, '--paths needs --fct', 'paths alone have no times');
  const runs: RunReader[] = [];
  for (const path of paths) runs.push(...(await openRuns(path)));
  tellUnfinished(stderr, runs);
  tellUnchecked(stderr, runs);
  if (fct !== undefined) {
    const run = await openFiles(files, fct);
    if (!run.tables.has('flows'))
      throw InputError.at('analyze-fct', fct, wholeFile, 'this is no fct.txt', {
        wanted: 'sip dip sport dport size_B start_ns fct_ns standalone_ns',
      });
    runs.push(run);
  }
  return runs;
}
