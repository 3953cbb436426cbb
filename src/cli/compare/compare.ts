// weft compare RUN RUN [RUN ...]: what changed from one stored run, or group of runs, to another.

import { compareStoredRuns } from '../../app/analysis/compare-runs.js';
import { groupComparisonText } from '../../report/run-comparison-text.js';
import { toldRuns, watchedRun, withProgress } from '../analyze/analyze-options.js';
import { declaredCommand, toggle, text, value } from '../options/declared-command.js';
import { numberThat } from '../options/option-values.js';
import { printResult } from '../terminal.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

/** The command for the command line. */
export default declaredCommand({
  name: 'compare',
  description: 'runs beside each other: which flows changed, by how much, and if that is chance',
  argument: ['<runs...>', 'folders of weft run --out, or fct.txt of others; the first is the baseline'],
  options: [
    value('--threshold <percent>', 'a flow has changed if its time differs by more', percentFrom, 0.01),
    text('--csv <file>', 'write every flow with both times'),
    toggle('--force', forceHelp),
    toggle('--json', 'print one JSON object'),
  ],
  after: `
Examples:
  weft compare without with
  weft compare results/packet results/fluid --csv changes.csv
  weft compare seed-1 seed-2 seed-3 other-1 other-2 other-3

Runs that differ in nothing but their seed are one group. With several seeds in
both groups each figure has a p: how likely such a difference is by chance.
docs/models/comparison.md`,
  run: async ({ argument: paths, options: { threshold, csv, force, json }, context }) => {
    const comparison = await withProgress(context, async (progress) =>
      compareStoredRuns(
        (await toldRuns(paths, context.stderr)).map((run) => watchedRun(run, progress)),
        threshold,
        (what) => progress.update(what),
      ),
    );
    if (csv !== undefined) await writeWholeFile(csv, comparison.csv.join(''), force);
    printResult(context, json, comparison.result, (style) => groupComparisonText(comparison.result, style));
  },
});

function percentFrom(given: string): number {
  const percent = numberThat((number) => number >= 0 && number <= 1000, 'a number of percent, such as 1.');
  return percent(given.replace(/\s*%$/, '')) / 100;
}
