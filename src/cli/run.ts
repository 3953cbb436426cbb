// `weft run`, of a scenario or of SimAI's own inputs: reads them, simulates, writes the results meanwhile, says what came of it.
// Invariant: the scenario is read and checked, and the folder for the results looked at, before anything is created.

import { basename } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { RunSummary } from '../app/run-summary.js';
import { formatDiagnostic } from '../base/diagnostics.js';
import { summaryObject, type RunLabel } from '../report/json.js';
import { runSucceeded } from '../report/run-figures.js';
import { runReport } from '../report/run-report.js';
import type { Plan } from '../scenario/plan.js';
import { inputsBase, type SimaiInputs } from '../scenario/simai-inputs.js';
import type { InputFile } from '../storage/input-digests.js';
import type { RunIdentity } from '../storage/manifest.js';
import { RunDirectory, type StoredRun } from '../storage/run-directory.js';
import { runFolders, type RunFolders } from '../storage/run-folder.js';
import type { CommandContext } from './context.js';
import { ExitCode, exitCodeHelp } from './exit-codes.js';
import { announcer, Interrupt } from './interrupt.js';
import { ProgressDisplay } from './progress.js';
import { refuseRepeats } from './repeated-options.js';
import { addInputOptions, inputsFrom, type InputOptions } from './run-inputs.js';
import { terminalStyle } from './terminal.js';
import { weftVersion } from './version.js';

/** What `weft run` was asked. */
export interface RunRequest {
  /** path of a scenario, or SimAI's inputs */
  readonly scenario: string | SimaiInputs;
  readonly out?: string;
  /** `path=value` */
  readonly set: readonly string[];
  readonly seed?: number;
  readonly json: boolean;
  readonly quiet: boolean;
}

interface RunOptions extends InputOptions {
  readonly out?: string;
  readonly set?: string[];
  readonly seed?: number;
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
    .option('--seed <number>', 'seed of all random decisions, instead of the scenario\'s', parseSeed)
    .option('--json', 'print the summary as one JSON object')
    .option('--quiet', 'no progress, no warnings, no report');
  addInputOptions(command)
    .addHelpText('after', `
Examples:
  weft run examples/server-pair/controller.yaml
  weft run scenario.yaml --out results --seed 7
  weft run scenario.yaml --set controller.enabled=false --json
  weft run --simai-conf SimAI.conf --topology topology.txt --trace trace.csv
  AS_SEND_LAT=6 weft run -w workload.txt -n topology.txt -c SimAI.conf -o results
  weft run -c SimAI.conf -n topology.txt -w micro.txt --tp 8 --dp 16 --ep 1

With --simai-conf the environment variables CC_ENABLE (0 or 1: controller),
AS_SEND_LAT (microseconds: sendLatency) and, with a workload, AS_NVLS_ENABLE and
AS_PXN_ENABLE count; --set wins. docs/formats/simai-conf.md explains the others.
While it runs, the results are in DIR.partial; the folder is renamed to DIR when the
run has ended. Ctrl-C ends the run cleanly and leaves what was finished in DIR.partial.
The files are described in docs/formats/run-directory.md.

${exitCodeHelp}`)
    .action(async (path: string | undefined, options: RunOptions) => {
      const scenario = inputsFrom(path, options, command, context);
      const { set = [], seed, json = false, quiet = false } = options;
      // SimAI's users end the folder with a slash
      const out = options.out?.replace(/(?<=[^/])\/+$/, '');
      context.endWith(await runScenario({ scenario, set, json, quiet, ...(out === undefined ? {} : { out }), ...(seed === undefined ? {} : { seed }) }, context));
    });
  return refuseRepeats(command, ['set']);
}

function collectSetting(value: string, earlier: string[] = []): string[] {
  if (!/^[^=\s]+=/.test(value)) throw new InvalidArgumentError('Give a path and a value, such as controller.enabled=false.');
  return [...earlier, value];
}

/** Reads a seed. @throws InvalidArgumentError */
function parseSeed(value: string): number {
  const seed = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(seed)) throw new InvalidArgumentError(`Give a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  return seed;
}

/**
 * Runs a scenario and prints what came of it.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError; no results are left behind then
 */
export async function runScenario(request: RunRequest, context: CommandContext): Promise<number> {
  const { host, stderr } = context;
  const progress = request.quiet ? null : new ProgressDisplay(stderr, () => host.wallMs());
  const interrupt = new Interrupt(announcer(stderr, () => progress));
  try {
    const folders = request.out === undefined ? null : await runFolders(request.out);
    const plan = await context.makePlan(request.scenario, { overrides: request.set, host, ...(request.seed === undefined ? {} : { seed: request.seed }) });
    if (!request.quiet) for (const warning of plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
    const label = { weftVersion: weftVersion(), name: plan.name, seed: plan.seed, resolved: plan.resolved, warnings: plan.warnings, inputs: inputsOf(request.scenario, plan, context), tables: plan.tables, jobCount: plan.jobs.length, planned: plannedFlows(plan) };
    const directory = folders === null ? null : await createDirectory(folders, label, plan);
    try {
      const summary = await driven(plan, directory, interrupt, progress, context);
      const json = summaryObject(label, summary);
      const stored = directory === null ? null : await directory.finish(summary, json);
      tell(request, label, summary, json, stored, context);
      if (summary.outcome === 'stopped') return interrupt.exitCode;
      return runSucceeded(summary) ? ExitCode.ok : ExitCode.failed;
    } catch (error) {
      await directory?.discard();
      throw error;
    }
  } finally {
    interrupt.close();
  }
}

/** The files that the plan was made from, as the scenario names them, with what was read of each. */
function inputsOf(scenario: string | SimaiInputs, plan: Plan, { host, inputs }: CommandContext): InputFile[] {
  const { fabric, traffic, workload, jobs = [] } = plan.resolved as { fabric?: { file?: string }; traffic?: { trace?: string }; workload?: { file?: string }; jobs?: { file?: string }[] };
  const found: InputFile[] = [];
  const add = (role: InputFile['role'], path: string, read: string): void => {
    const digest = inputs.digestOf(read);
    if (digest !== null) found.push({ role, path, ...digest });
  };
  const [role, file, base] = typeof scenario === 'string' ? (['scenario', scenario, scenario] as const) : (['conf', scenario.conf, inputsBase] as const);
  // by its name alone: its folder depends on where the user stands
  add(role, basename(file), file);
  if (fabric?.file !== undefined) add('topology', fabric.file, host.resolve(base, fabric.file));
  if (traffic?.trace !== undefined) add('trace', traffic.trace, host.resolve(base, traffic.trace));
  const files = [workload?.file, ...jobs.map((job) => job.file)].filter((name) => name !== undefined);
  for (const name of new Set(files)) add('workload', name, host.resolve(base, name));
  return found;
}

/** How many flows there would be, if the run is not stopped; null if the source does not know. */
function plannedFlows({ source, jobs, resolved }: Plan): RunLabel['planned'] {
  if (jobs.length > 0) return null;
  const { traffic } = resolved as { traffic?: { trace?: string } };
  return Number.isFinite(source.total) ? { flows: source.total, where: traffic?.trace === undefined ? 'scenario' : 'trace' } : null;
}

async function createDirectory(folders: RunFolders, run: RunIdentity, plan: Plan): Promise<RunDirectory> {
  try {
    return await RunDirectory.create(folders, run);
  } catch (error) {
    await plan.source.close();
    throw error;
  }
}

async function driven(plan: Plan, directory: RunDirectory | null, interrupt: Interrupt, progress: ProgressDisplay | null, context: CommandContext): Promise<RunSummary> {
  try {
    return await context.simulate(plan, {
      host: context.host,
      ...(directory === null ? {} : { sink: directory }),
      onProgress: (state) => progress?.update(state),
      stopRequested: () => interrupt.requested,
    });
  } finally {
    progress?.stop();
  }
}

function tell(request: RunRequest, label: RunLabel, summary: RunSummary, json: object, stored: StoredRun | null, context: CommandContext): void {
  const { stdout, stderr } = context;
  for (const folder of stored?.keptAside ?? []) stderr.write(`note: the earlier run was replaced; files in it that are not Weft's were kept in ${folder}\n`);
  // quiet or not, a failure does not pass without a word
  if (request.quiet && summary.outcome !== 'stopped') for (const { name, ok, detail } of summary.verdicts) if (!ok) stderr.write(`failed: ${name}: ${detail}\n`);
  if (request.json) stdout.write(`${JSON.stringify(json)}\n`);
  else if (!request.quiet) stdout.write(runReport(label, summary, stored?.path ?? 'not kept; add --out DIR to write them to a folder', terminalStyle(stdout, context.environment)));
}
