// What the subcommands of `weft analyze` share of their command lines.

import type { Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { openFiles, openRuns, type RunReader } from '../../storage/run-reader.js';
import { type OptionValues, refuseInputs, text } from '../options/declared-command.js';
import { numberThat } from '../options/option-values.js';
import { type Told, tellUnchecked, tellUnfinished } from '../unfinished-runs.js';

/** A number above 0, or 0. */
export const notNegative = numberThat((number) => number >= 0 && number <= 1e12, 'a number that is not negative.');

/** Files that stand for a run. */
export const fileOptions = [
  text('--fct <file>', 'instead of a run: fct.txt of SimAI, HPCC or ConWeave'),
  text('--paths <file>', 'its paths.csv'),
] as const;

/** A name as a field of a CSV file. */
export function csvField(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

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
      throw InputError.at('analyze-fct', fct, wholeFile, 'this is no fct.txt', {
        wanted: 'sip dip sport dport size_B start_ns fct_ns standalone_ns',
      });
    runs.push(run);
  }
  return runs;
}
