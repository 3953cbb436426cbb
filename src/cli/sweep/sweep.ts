// `weft sweep`: every combination of the values of some settings, with every seed, on this machine; a row for each run.
// Invariant: everything that was given is checked before anything is created.

import { Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import { readUntil } from '../../report/sweep/until-target.js';
import { Combinations } from '../../scenario/sweep/combinations.js';
import { readSample, refuseRanges, type Sample } from '../../scenario/sweep/sample.js';
import { readSeeds } from '../../scenario/sweep/seed-list.js';
import { scenarioNumbers } from '../../scenario/sweep/scenario-numbers.js';
import { mayBeFormula, type NumberAt, readSweptSettings } from '../../scenario/sweep/swept-setting.js';
import { refuseGiven } from '../../app/routes/unused-options.js';
import type { CommandContext } from '../context.js';
import type { RowQuery } from './query-rows.js';
import { exitCodeHelp } from '../exit-codes.js';
import { declaredCommand, isGiven, oneOf, toggle, repeated, text, value } from '../options/declared-command.js';
import { settingChange, wholeNumberFrom } from '../options/option-values.js';
import { engineOptions, keepRunsOption, processesOption } from '../options/run-options.js';
import { sweepFolderOf } from './sweep-folder-name.js';

/** Seeds that `--until` may use, if it is not said. */
const mostSeeds = '1..1000';

const options = [
  repeated(
    '--set <path=values>',
    'values of a setting, with commas between; may be repeated',
    settingChange('a path and values, such as pfc.enabled=true,false.'),
  ),
  text('--seeds <list>', "such as 1..20 or 1,5,9 (default: the scenario's own seed)"),
  repeated(
    '--sample <words...>',
    'draw values of ranges: latin-hypercube or sobol, and N points;\n(settings + 2) x N combinations, --set buffer=1MiB..4MiB',
  ),
  text(
    '--until <target>',
    "add seeds until a figure is known so well: 'p99 +-2 %'\n(95 % sure; at most --seeds, default: 1..1000)",
  ),
  processesOption('--jobs <count>', 'runs'),
  ...engineOptions,
  keepRunsOption,
  text('-o, --out <dir>', 'folder for the rows (default: NAME.sweep for NAME.yaml);\na sweep that is there goes on'),
  text('--where <condition>', 'print rows of a sweep that is there: "p99 < \'2ms\'"'),
  text('--sort <column>', 'such as p99, or -p99: the largest first'),
  text('--columns <list>', 'which columns of them, with commas between'),
  value('--limit <rows>', 'how many of them (default: 40, with --json all)', wholeNumberFrom(1)),
  toggle('--dry-run', 'run nothing: say how many runs there are, and how long they take'),
  oneOf('--progress <form>', 'on stderr: a line for people, or one of JSON a second', ['people', 'json'], 'people'),
  text('--page <file>', 'write how far it is as a page that loads itself again'),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress but on --page, no warnings, no report'),
] as const;

/** The command for the command line. */
export default declaredCommand({
  name: 'sweep',
  summary: 'a scenario with every combination of settings and seeds',
  description:
    'Simulate a scenario with every combination of the values of some settings, and\nwith every seed: a row for each run, as CSV and Parquet.',
  argument: ['<scenario>', 'scenario file (YAML); folder of a sweep, whose rows are printed'],
  options,
  after: `
Examples:
  weft sweep s.yaml --set pfc.enabled=true,false --seeds 1..20 --jobs 4
  weft sweep s.yaml --set switch.buffer=1MiB,2MiB --set backend=packet,fluid
  weft sweep s.yaml --set 'fabric={file: a.topo},{file: b.topo}' --dry-run
  weft sweep s.sweep --where "p99 < '2ms' and pfc.enabled = 'true'" --sort -p99

Values are split at commas outside brackets, braces and quotes. The first --set
changes slowest, seeds change fastest. A value may follow from other settings:
  --set w.dataParallel='512/(w.tensorParallel*w.pipelineParallel)'
A combination that cannot run is a row with its reason.
Ctrl-C keeps the runs that have ended. The same command again goes on where it
ended, also after a kill; another sweep needs another folder. The files are
described in docs/formats/sweep.md.

${exitCodeHelp}`,
  run: async ({ argument: scenario, options, context }) => {
    const { set, sample: words, seeds, until: given, out, dryRun, jobs, json, quiet, ...others } = options;
    const { where, sort, columns, limit, keepRuns: keepsRuns, progress, page, ...engine } = others;
    const rows = await rowsAt(scenario, { where, sort, columns, limit, json });
    if (rows !== null) {
      const runs = { set, sample: words, seeds, until: given, out, dryRun, jobs, page };
      const [first] = Object.entries(runs).find(([, asked]) => isGiven(asked)) ?? [];
      if (first === undefined) return rows(context);
      throw InputError.about('sweep-rows', scenario, 'rows of a sweep that is there are printed, and nothing is run', {
        got: `--${first === 'dryRun' ? 'dry-run' : first}`,
        wanted: '--where, --sort, --columns, --limit or --json alone',
        hint: 'give the scenario in place of the folder to run something',
      });
    }
    const folder = sweepFolderOf(scenario, out);
    const until = given === undefined ? null : readUntil(given);
    const drawn = seeds ?? (until === null ? undefined : mostSeeds);
    const sample = words.length === 0 ? null : readSample(words);
    const combinations = await combinationsFrom(scenario, { set, sample, seeds: drawn }, context);
    const form = { lines: quiet ? 'none' : progress, page: page ?? null } as const;
    if (dryRun) refuseGiven([['--page', page]], 'a dry run has nothing to show', 'leave it, or --dry-run, out');
    await checkPage(form.page);
    const request = {
      scenario,
      combinations,
      until,
      out: folder,
      jobs,
      json,
      quiet,
      keepsRuns,
      engine,
      progress: form,
    };
    return dryRun
      ? (await import('./dry-sweep.js')).drySweep(request, context)
      : (await import('./run-sweep.js')).runSweep(request, context);
  },
});

/** Refuses a page that could not be written, or would replace another file. @throws InputError, OutputError */
async function checkPage(page: string | null): Promise<void> {
  if (page === null) return;
  const { checkOutputs } = await import('../whole-file.js');
  const [{ standingMark }, { readStandingFile }] = await Promise.all([
    import('../../report/page/standing-page.js'),
    import('../../storage/regular-file.js'),
  ]);
  const there = await readStandingFile(page).catch(() => null);
  await checkOutputs([page], there?.subarray(0, standingMark.length).toString('utf8') === standingMark, false);
}

/**
 * Prints the rows of a sweep, if a path is one's.
 * @returns null: it is a scenario's
 * @throws InputError where rows are asked for that are not there
 */
async function rowsAt(path: string, query: RowQuery): Promise<((context: CommandContext) => Promise<void>) | null> {
  const { queryRows, sweepFolderAt } = await import('./query-rows.js');
  const folder = await sweepFolderAt(path);
  if (folder !== null) return (context) => queryRows(folder, query, context);
  const { json: _, ...asked } = query;
  if (Object.values(asked).some((given) => given !== undefined))
    throw InputError.about('sweep-rows', path, 'this is no folder of a sweep, whose rows could be printed', {
      wanted: 'a folder that weft sweep has written',
      hint: 'sweep first; then give its folder in place of the scenario',
    });
  return null;
}

/** What is swept. @throws InputError */
async function combinationsFrom(
  scenario: string,
  {
    set,
    sample,
    seeds,
  }: { readonly set: readonly string[]; readonly sample: Sample | null; readonly seeds: string | undefined },
  { host }: CommandContext,
): Promise<Combinations> {
  const diagnostics = new Diagnostics();
  // a file that cannot be read is told of when its plan is made
  const numberAt: NumberAt = set.some(mayBeFormula)
    ? await host.readText(scenario).then(
        (read) => scenarioNumbers(read, scenario),
        () => () => null,
      )
    : () => null;
  const settings = readSweptSettings(set, diagnostics, numberAt);
  if (set.length === 0 && seeds === undefined)
    diagnostics.error('sweep-nothing', 'weft sweep', wholeFile, 'nothing is swept', {
      wanted: '--set, --seeds or both',
      hint: '--set pfc.enabled=true,false --seeds 1..20',
    });
  if (seeds !== undefined && settings.some(({ path }) => path === 'seed'))
    diagnostics.error('sweep-seeds', '--seeds', wholeFile, '--seeds and --set seed=… are both given', {
      wanted: 'one of the two',
    });
  if (sample === null) refuseRanges(settings, diagnostics);
  diagnostics.throwIfErrors();
  return new Combinations(settings, seeds === undefined ? null : readSeeds(seeds), sample);
}
