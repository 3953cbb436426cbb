// `weft run`, of a scenario or of SimAI's own inputs: reads them, simulates, writes the results meanwhile, says what
// came of it.
// Invariant: the scenario is read and checked, and the folder for the results looked at, before anything is created.

import type { Progress, RunSummary } from '../../app/run-progress.js';
import { backendNames } from '../../backends/catalogue.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { Stopped } from '../../base/host.js';
import { aloneFigures, aloneText } from '../../report/alone-text.js';
import { summaryObject } from '../../report/figures/run.js';
import type { RunLabel } from '../../report/run-figures.js';
import { runSucceeded } from '../../report/run-figures.js';
import { runReport } from '../../report/run-report.js';
import type { StoredRun } from '../../storage/run-directory.js';
import { topSettings } from '../../scenario/form/schema.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { ProgressDisplay } from '../progress.js';
import { profileHelp, profileSetting } from '../options/profile-option.js';
import { declaredCommand, isGiven, toggle, repeated, text, value } from '../options/declared-command.js';
import { settingChange, wordsAmong } from '../options/option-values.js';
import { settingOption } from '../options/setting-options.js';
import { engineOptions, engineOptionsOf, keepRunsOption, reportHelp, workersOption } from '../options/run-options.js';
import { analyticalFrom, analyticalOptions } from './analytical-options.js';
import { withFailureWarning } from './failure-warning.js';
import { inputOptions, inputsFrom } from './run-inputs.js';
import { planOf, foldersFor, labelOf, runPlan, type RunRequest, sourceOf, stoppedResults } from './run-plan.js';
import { terminalStyle } from '../terminal.js';

export type { RunRequest } from './run-plan.js';

/** All backends, the one with the most detail last: the others are compared with it. */
const coarseToFine = backendNames.reduceRight((list, name) => (list === '' ? name : `${list},${name}`), '');

const options = [
  text('-o, --out <dir>', 'write the results into this folder (an earlier run in it is replaced)'),
  repeated(
    '--set <path=value>',
    'change a setting of the scenario; may be repeated',
    settingChange('a path and a value, such as controller.enabled=false.'),
  ),
  text('--profile <name|file>', `of collectives, instead of the scenario's: ${profileHelp}`),
  settingOption('--seed <number>', topSettings.seed, "seed of all random decisions, instead of the scenario's"),
  text('--seeds <list>', 'run with each of these seeds, such as 1..20, and write a row\nfor each, as weft sweep does'),
  ...engineOptions,
  keepRunsOption,
  value(
    '--backend <list>',
    `${backendNames.join(', ')}: one instead of the scenario's; several (${coarseToFine}) are compared in one table`,
    wordsAmong(backendNames, 'backend', 'give one or several of '),
  ),
  workersOption('several backends or seeds'),
  toggle('--alone', 'run each job by itself first, and say what it loses to the others'),
  toggle('--dry-run', 'run nothing: say what would run, how long, and what memory and disk it would need'),
  text('--report <file>', reportHelp),
  toggle('--force', 'replace a report that exists'),
  toggle('--json', 'print the summary as one JSON object'),
  toggle('--quiet', 'no progress, no warnings, no report; the table of several backends is printed all the same'),
  ...inputOptions,
  ...analyticalOptions,
] as const;

/** The command for the command line. */
export default declaredCommand({
  name: 'run',
  summary: 'simulate a scenario',
  description: 'Simulate a scenario: what its fabric makes of the traffic it describes.',
  argument: ['[scenario]', 'scenario file (YAML)'],
  options,
  after: `
Examples:
  weft run examples/server-pair/controller.yaml
  weft run scenario.yaml --out results --seed 7
  weft run scenario.yaml --seeds 1..20 --out rows
  weft run scenario.yaml --set controller.enabled=false --json
  weft run scenario.yaml --report report.html
  weft run scenario.yaml --backend ${coarseToFine}
  weft run scenario.yaml --backend ${coarseToFine} --dry-run
  weft run --simai-conf SimAI.conf --topology my.topo --trace trace.csv
  AS_SEND_LAT=6 weft run -w workload.txt -n my.topo -c SimAI.conf -o results
  weft run -c SimAI.conf -n my.topo -w micro.txt --tp 8 --dp 16 --ep 1
  weft run -w workload.txt -g 9216 -g_p_s 8 -nv 360 -nic 48.5 -n_p_s 8 -r x-

With --simai-conf the environment variables CC_ENABLE (0 or 1: controller),
AS_SEND_LAT (microseconds: sendLatency) and, with a workload, AS_NVLS_ENABLE and
AS_PXN_ENABLE count; --set wins. docs/formats/simai-conf.md explains the others.
SimAI's analytical form simulates nothing: docs/models/simai.md has its rules.
While it runs, the results are in DIR.partial; the folder is renamed to DIR when
the run has ended. Ctrl-C ends the run cleanly and leaves what was finished in
DIR.partial. The files are described in docs/formats/run-directory.md. Several
backends write a folder each into DIR, by their names; percentages are relative
to the last one named. They run at the same time where that is worth it.
With --seeds DIR is that of a sweep (docs/formats/sweep.md), and --on may carry
the runs out elsewhere (docs/campaigns.md).

${exitCodeHelp}`,
  run: async ({ argument: path, options: given, command, context }) => {
    const { report, dryRun, alone, backend: backends = [], seed, workers, json, quiet, force } = given;
    const refuse = (message: string): never =>
      command.error(`error: ${message}`, { code: 'weft.inputs', exitCode: ExitCode.badInput });
    if (report !== undefined && dryRun)
      refuse('--report and --dry-run exclude each other: nothing runs, so there is nothing to report');
    const analytical = analyticalFrom(path, given, command);
    if (analytical !== null) {
      if (report !== undefined) refuse('--report is of simulated runs; the analytical form prints its table alone');
      return (await import('./analytical.js')).runAnalytical(analytical, { json, quiet }, context);
    }
    const { scenario, pathLog } = inputsFrom(path, given, command, context);
    const file = typeof scenario === 'string' ? scenario : undefined;
    const set = [...(await profileSetting(given.profile, file, context.host)), ...given.set];
    // SimAI's users end the folder with a slash
    const out = given.out?.replace(/(?<=[^/])\/+$/, '');
    if (alone && backends.length > 1) refuse('--alone is of one backend\n  hint:   run it once for each');
    const plain: RunRequest = { scenario, set, backends, json, quiet, out, pathLog, seed, workers };
    const engine = engineOptionsOf(given);
    const { seeds, keepRuns: keepsRuns } = given;
    if (
      seeds !== undefined ||
      keepsRuns ||
      Object.values(engine).some((value) => isGiven(value) && value !== 'local')
    ) {
      const several = { seeds, keepsRuns, engine, dryRun, alone, report };
      return (await import('./run-seeds.js')).runSeeds(plain, several, context);
    }
    const times = alone && !dryRun ? await (await import('./alone.js')).aloneTimes(plain, context) : null;
    if (times !== null && times.exitCode !== null) return times.exitCode;
    const request = times === null ? plain : { ...plain, aloneNs: times.timesNs };
    if (dryRun) return (await import('./dry-run.js')).dryRun(request, context);
    if (report === undefined) return runScenario(request, context);
    const { runWithReport } = await import('../report/after-run.js');
    return runWithReport(request, report, force, runScenario, context);
  },
});

/**
 * Runs a scenario and prints what came of it.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError; no results are left behind then
 */
export async function runScenario(request: RunRequest, context: CommandContext): Promise<number> {
  const { backends = [] } = request;
  if (backends.length > 1 && request.pathLog !== undefined)
    context.stderr.write('warning: CC_LOG_FILE is not written: the paths of each backend are in its folder of --out\n');
  if (backends.length > 1) return (await import('./run-backends.js')).runBackends({ ...request, backends }, context);
  const { host, stderr } = context;
  const progress = request.quiet ? null : new ProgressDisplay(stderr, () => host.wallMs());
  const interrupt = new Interrupt(announcer(stderr, () => progress));
  try {
    const folders = await foldersFor(request.out);
    const made = await planOf(sourceOf(request), context, () => interrupt.requested);
    const plan = await withFailureWarning(made);
    if (!request.quiet) for (const warning of plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
    const note = progress === null ? null : (await import('./failure-warning.js')).longRunNote(plan, host);
    if (note !== null) stderr.write(note);
    const { summary, stored } = await runPlan(
      plan,
      folders,
      { stopRequested: () => interrupt.requested, report: (state) => progress?.update(state as Progress) },
      context,
      request,
    );
    progress?.stop();
    tell(request, labelOf(plan, context, request), summary, stored, context);
    if (summary.outcome === 'stopped') return interrupt.exitCode;
    return runSucceeded(summary) ? ExitCode.ok : ExitCode.failed;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    stderr.write('stopped while the inputs were read: nothing was simulated or written\n');
    return interrupt.exitCode;
  } finally {
    progress?.stop();
    interrupt.close();
  }
}

function tell(
  request: RunRequest,
  label: RunLabel,
  summary: RunSummary,
  stored: StoredRun | null,
  context: CommandContext,
): void {
  const { stdout, stderr } = context;
  const { isTemporary = false } = request;
  for (const folder of stored?.keptAside ?? [])
    stderr.write(`note: the earlier run was replaced; files in it that are not Weft's were kept in ${folder}\n`);
  // quiet or not, a failure does not pass without a word
  if (request.quiet && summary.outcome !== 'stopped')
    for (const { name, ok, detail } of summary.verdicts) if (!ok) stderr.write(`failed: ${name}: ${detail}\n`);
  if (stored !== null && !isTemporary && summary.outcome === 'stopped' && (request.json || request.quiet))
    stderr.write(`results: ${stoppedResults(stored.path, request.out!)}\n`);
  if (request.json) stdout.write(`${JSON.stringify(summaryObject(label, summary))}\n`);
  else if (!request.quiet)
    stdout.write(
      runReport(label, summary, resultsText(request, summary, stored), terminalStyle(stdout, context.environment)) +
        (request.aloneNs === undefined ? '' : aloneText(aloneFigures(summary.jobs, request.aloneNs))),
    );
}

/** What the report says of where the results are. */
function resultsText(
  { out = '', isTemporary = false }: RunRequest,
  { outcome }: RunSummary,
  stored: StoredRun | null,
): string {
  if (stored === null || isTemporary) return 'not kept; add --out DIR to write them to a folder';
  return outcome === 'stopped' ? stoppedResults(stored.path, out) : stored.path;
}
