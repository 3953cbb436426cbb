// weft analyze flows: one line per finished flow with its path, as export_flow_csv.py of the central-controller
// document (docs/SOURCES.md), §8, writes it.

import { flowsCsvPieces, flowsHeader } from '../../app/analysis/flow-figures.js';
import { grouped } from '../../report/text-style.js';
import type { RunReader } from '../../stored-runs/run-reader.js';
import type { CommandContext } from '../context.js';
import { declaredCommand, toggle, refuseInputs, text } from '../options/declared-command.js';
import type { StageProgress } from '../stage-progress.js';
import { forceHelp, writeStreamedFile } from '../whole-file.js';
import { fileOptions, namedRuns, watchedRun, withProgress } from './analyze-options.js';

/** The command `flows`. */
export const flowsCommand = declaredCommand({
  name: 'flows',
  description: 'flows.csv: of every finished flow GPUs, port, spine, time, slowdown',
  argument: ['[run]', 'folder of weft run --out'],
  options: [
    ...fileOptions,
    text('--out <file>', 'write it to this file; without it, print'),
    toggle('--force', forceHelp),
  ],
  after: `
Examples:
  weft analyze flows results --out flows.csv
  weft analyze flows --fct cc/fct.txt --paths cc/paths.csv --out cc/flows.csv

${flowsHeader}
fct_ns and slowdown (over the estimate alone) are completion times; cc_assigned
says whether the controller chose the port. docs/formats/flows-csv.md`,
  run: async ({ argument: path, options: { out, force, ...files }, command, context }) => {
    const runs = await namedRuns(path === undefined ? [] : [path], files, command, context.stderr);
    if (runs.length > 1)
      refuseInputs(command, 'more than one run', `give one of ${runs.map(({ shown }) => shown).join(', ')}`);
    await withProgress(context, (progress) => writeFlows(runs[0]!, out, force, progress, context));
  },
});

/** Writes or prints flows.csv. @throws InputError, HostFileError, OutputError */
async function writeFlows(
  run: RunReader,
  out: string | undefined,
  force: boolean,
  progress: StageProgress,
  { stdout }: CommandContext,
): Promise<void> {
  const pieces = flowsCsvPieces(watchedRun(run, progress));
  if (out === undefined) {
    for await (const piece of pieces) {
      progress.stop();
      stdout.write(piece);
    }
    return;
  }
  let lines = -1;
  const counted = async function* (): AsyncGenerator<string> {
    for await (const piece of pieces) {
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) lines++;
      progress.update(`writing ${out}: ${grouped(lines)} flows`);
      yield piece;
    }
  };
  await writeStreamedFile(out, counted(), force);
  progress.stop();
  stdout.write(`${out}: ${grouped(lines)} flows\n`);
}
