// `weft run`, of a scenario or of SimAI's own inputs: reads them, simulates, writes the results meanwhile, says what
// came of it.
// Invariant: the scenario is read and checked, and the folder for the results looked at, before anything is created.

import { Command, InvalidArgumentError } from 'commander';
import type { RunSummary } from '../../app/run-progress.js';
import { backendNames } from '../../backends/catalogue.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { readingUntil, Stopped } from '../../base/host.js';
import { aloneFigures, aloneText } from '../../report/alone-text.js';
import { summaryObject } from '../../report/figures/run.js';
import type { RunLabel } from '../../report/run-figures.js';
import { runSucceeded } from '../../report/run-figures.js';
import { runReport } from '../../report/run-report.js';
import type { StoredRun } from '../../storage/run-directory.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { ProgressDisplay } from '../progress.js';
import { profileHelp, profileSetting } from '../options/profile-option.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { reportHelp } from '../options/report-help.js';
import { workersOption } from '../options/workers-option.js';
import { addAnalyticalOptions, analyticalFrom, type AnalyticalOptions } from './analytical-options.js';
import { withFailureWarning } from './failure-warning.js';
import { addInputOptions, inputsFrom, type InputOptions } from './run-inputs.js';
import { foldersFor, labelOf, runPlan, type RunRequest, stoppedResults } from './run-plan.js';
import { terminalStyle } from '../terminal.js';

export type { RunRequest } from './run-plan.js';

interface RunOptions extends InputOptions, AnalyticalOptions {
  readonly out?: string;
  readonly profile?: string;
  readonly set?: string[];
  readonly seed?: number;
  readonly backend?: string[];
  readonly workers?: number;
  readonly dryRun?: boolean;
  readonly alone?: boolean;
  readonly report?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The command for the command line. */
export function runCommand(context: CommandContext): Command {
  const command = new Command('run')
    .summary('simulate a scenario')
    .description('Simulate a scenario: what its fabric makes of the traffic it describes.')
    .argument('[scenario]', 'scenario file (YAML)')
    .option('-o, --out <dir>', 'write the results into this folder (an earlier run in it is replaced)')
    .option('--set <path=value>', 'change a setting of the scenario; may be repeated', collectSetting)
    .option('--profile <name|file>', `of collectives, instead of the scenario's: ${profileHelp}`)
    .option('--seed <number>', "seed of all random decisions, instead of the scenario's", parseSeed)
    .option(
      '--backend <list>',
      `${backendNames.join(', ')}: one instead of the scenario's; several (${coarseToFine}) are compared in one table`,
      parseBackends,
    )
    .addOption(workersOption('several backends'))
    .option('--alone', 'run each job by itself first, and say what it loses to the others')
    .option('--dry-run', 'run nothing: say what would run, how long, and what memory and disk it would need')
    .option('--report <file>', reportHelp)
    .option('--force', 'replace a report that exists')
    .option('--json', 'print the summary as one JSON object')
    .option('--quiet', 'no progress, no warnings, no report; the table of several backends is printed all the same');
  addAnalyticalOptions(addInputOptions(command))
    .addHelpText(
      'after',
      `
Examples:
  weft run examples/server-pair/controller.yaml
  weft run scenario.yaml --out results --seed 7
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

${exitCodeHelp}`,
    )
    .action(async (path: string | undefined, options: RunOptions) => {
      if (options.report !== undefined && options.dryRun === true)
        command.error('error: --report and --dry-run exclude each other: nothing runs, so there is nothing to report', {
          code: 'weft.inputs',
          exitCode: 2,
        });
      const analytical = analyticalFrom(path, options, command);
      if (analytical !== null) {
        if (options.report !== undefined)
          command.error('error: --report is of simulated runs; the analytical form prints its table alone', {
            code: 'weft.inputs',
            exitCode: 2,
          });
        const { runAnalytical } = await import('./analytical.js');
        const { json = false, quiet = false } = options;
        context.endWith(await runAnalytical(analytical, { json, quiet }, context));
        return;
      }
      const { scenario, pathLog } = inputsFrom(path, options, command, context);
      const { seed, backend: backends = [], workers, json = false, quiet = false } = options;
      const file = typeof scenario === 'string' ? scenario : undefined;
      const set = [...(await profileSetting(options.profile, file, context.host)), ...(options.set ?? [])];
      // SimAI's users end the folder with a slash
      const out = options.out?.replace(/(?<=[^/])\/+$/, '');
      if (options.alone === true && backends.length > 1)
        command.error('error: --alone is of one backend\n  hint:   run it once for each', {
          code: 'weft.inputs',
          exitCode: 2,
        });
      const plain: RunRequest = {
        scenario,
        set,
        backends,
        json,
        quiet,
        ...(out === undefined ? {} : { out }),
        ...(pathLog === undefined ? {} : { pathLog }),
        ...(seed === undefined ? {} : { seed }),
        ...(workers === undefined ? {} : { workers }),
      };
      const alone =
        options.alone === true && options.dryRun !== true
          ? await (await import('./alone.js')).aloneTimes(plain, context)
          : null;
      if (alone !== null && alone.exitCode !== null) {
        context.endWith(alone.exitCode);
        return;
      }
      const request = alone === null ? plain : { ...plain, aloneNs: alone.timesNs };
      if (options.dryRun === true) context.endWith(await (await import('./dry-run.js')).dryRun(request, context));
      else if (options.report !== undefined)
        context.endWith(
          await (
            await import('./run-with-report.js')
          ).runWithReport(request, options.report, options.force === true, runScenario, context),
        );
      else context.endWith(await runScenario(request, context));
    });
  return refuseRepeats(command, ['set']);
}

function collectSetting(value: string, earlier: string[] = []): string[] {
  if (!/^[^=\s]+=/.test(value))
    throw new InvalidArgumentError('Give a path and a value, such as controller.enabled=false.');
  return [...earlier, value];
}

/** All backends, the one with the most detail last: the others are compared with it. */
const coarseToFine = backendNames.reduceRight((list, name) => (list === '' ? name : `${list},${name}`), '');

/** Reads names of backends, each once. @throws InvalidArgumentError */
function parseBackends(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !backendNames.includes(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `There is no backend ${JSON.stringify(unknown)}: give one or several of ${backendNames.join(', ')}.`,
    );
  if (new Set(names).size < names.length) throw new InvalidArgumentError('Name every backend once.');
  return names;
}

/** Reads a seed. @throws InvalidArgumentError */
function parseSeed(value: string): number {
  const seed = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(seed))
    throw new InvalidArgumentError(`Give a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  return seed;
}

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
    const made = await readingUntil(
      host,
      () => interrupt.requested,
      (reading) =>
        context.makePlan(request.scenario, {
          overrides: [...request.set, ...backends.map((name) => `backend=${name}`)],
          host: reading,
          ...(request.seed === undefined ? {} : { seed: request.seed }),
        }),
    );
    const plan = await withFailureWarning(made);
    if (!request.quiet) for (const warning of plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
    const note = progress === null ? null : (await import('./long-run-note.js')).longRunNote(plan, host);
    if (note !== null) stderr.write(note);
    const { summary, stored } = await runPlan(
      plan,
      folders,
      { stopRequested: () => interrupt.requested, onProgress: (state) => progress?.update(state) },
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
