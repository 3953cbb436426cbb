// weft analyze fct and weft analyze ports: distributions of completion times, and of source ports.

import { completionOf, csvField, portsOf } from '../../app/analysis/flow-figures.js';
import { completionText, sourcePortText } from '../../report/completion-text.js';
import type { RunReader } from '../../stored-runs/run-reader.js';
import type { CommandContext } from '../context.js';
import { declaredCommand, toggle, text } from '../options/declared-command.js';
import { printResult } from '../terminal.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';
import { fileOptions, namedRuns, watchedRun, withProgress } from './analyze-options.js';

/** The command `fct`. */
export const fctCommand = declaredCommand({
  name: 'fct',
  description: 'completion times: percentiles by size and by switches, CDF',
  argument: ['[runs...]', 'folders of weft run --out'],
  options: [
    ...fileOptions,
    text('--cc <file>', "fct.txt with the controller, as plot_fct_cdf.py's"),
    text('--nocc <file>', 'the same without it'),
    text('--csv <file>', 'write the cumulative distributions: run,share,fct_ns'),
    toggle('--force', forceHelp),
    toggle('--json', 'print one JSON object, with the cumulative distribution'),
  ],
  after: '\nExamples:\n  weft analyze fct with without --csv cdf.csv\n  weft analyze fct --fct fct.txt --json',
  run: async ({ argument: paths, options: { cc, nocc, csv, force, json, ...files }, command, context }) => {
    const named = [...paths, ...[cc, nocc].filter((file) => file !== undefined)];
    const runs = await ofEach(await namedRuns(named, files, command, context.stderr), completionOf, context);
    if (csv !== undefined)
      await writeWholeFile(
        csv,
        `run,share,fct_ns\n${runs.flatMap(({ run, cdf }) => cdf.map(({ share, value }) => `${csvField(run)},${share},${value}\n`)).join('')}`,
        force,
      );
    printResult(context, json, { runs }, (style) => completionText(runs, style));
  },
});

/** The command `ports`. */
export const portsCommand = declaredCommand({
  name: 'ports',
  description: 'source ports that the controller chose, and how deep it searched',
  argument: ['[runs...]', 'folders of weft run --out'],
  options: [...fileOptions, toggle('--json', 'print one JSON object')],
  after: '\nExamples:\n  weft analyze ports results --json\n  weft analyze ports --fct cc/fct.txt',
  run: async ({ argument: paths, options: { json, ...files }, command, context }) => {
    const runs = await ofEach(await namedRuns(paths, files, command, context.stderr), portsOf, context);
    printResult(context, json, { runs }, (style) => sourcePortText(runs, style));
  },
});

/** One run after the other, with progress. */
function ofEach<T>(
  runs: readonly RunReader[],
  analyse: (run: RunReader) => Promise<T>,
  context: CommandContext,
): Promise<T[]> {
  return withProgress(context, async (progress) => {
    const analysed: T[] = [];
    for (const run of runs) analysed.push(await analyse(watchedRun(run, progress)));
    return analysed;
  });
}
