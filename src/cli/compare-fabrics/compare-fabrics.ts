// `weft compare-fabrics`: the same work on several fabrics, at the same time where that is worth it; one table, with the
// reason for each difference.
// Invariants: every fabric is checked with the work, and every folder looked at, before the first run begins; table and
// folders are the same whatever the number of processes.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { backendNames, backendHelp } from '../../backends/catalogue.js';
import { formatDiagnostic, InputError, wholeFile } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import type { PooledTask } from '../../campaign/task-source.js';
import { findFamily, resolveParameters } from '../../fabric/generators/catalogue.js';
import { compareFabrics } from '../../report/fabric-comparison.js';
import { fabricComparisonObject, fabricComparisonText } from '../../report/fabric-comparison-text.js';
import { jobBand } from '../../report/error-band.js';
import { counted, wrapped } from '../../report/text-style.js';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { nearestFamily } from '../options/family-options.js';
import { profileHelp, profileSetting } from '../options/profile-option.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { reportHelp } from '../options/report-help.js';
import { workersOption } from '../options/workers-option.js';
import { SimultaneousRuns } from '../simultaneous-runs.js';
import { terminalStyle } from '../terminal.js';
import { stoppedResults } from '../run/run-plan.js';
import { fabricFolders, type FabricFolders } from './fabric-folders.js';
import type { ComparisonEnd } from './fabric-report.js';
import { type FabricRun, type FabricTask, runOnFabric } from './fabric-task.js';
import { weftVersion } from '../version.js';

/** What is compared if --fabrics is left out: names of families as `weft topology generate` knows them. */
const defaultFabrics = 'spectrum-x,alibabahpn-singleplane,alibabahpn-dualplane,dcn-singletor,dcn-dualtor';
const defaultGpus = 1024;

interface CompareOptions {
  readonly gpus?: string;
  readonly fabrics?: string;
  readonly workload?: string;
  readonly backend: string;
  readonly profile?: string;
  readonly set?: string[];
  readonly seed?: string;
  readonly workers?: number;
  readonly out?: string;
  readonly report?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface NamedPlan extends FabricTask {
  readonly plan: Plan;
}

/** The command for the command line. */
export function compareFabricsCommand(context: CommandContext): Command {
  const command = new Command('compare-fabrics')
    .summary('the same work on several fabrics')
    .description('Simulate the same work on several fabrics, and say why they differ:\nwhich links held flows up.')
    .usage('[scenario] [options]')
    .argument(
      '[scenario]',
      'what runs; its own fabric is not used. Without it: a small iteration of a dense transformer (examples/compare-fabrics)',
    )
    .option('--fabrics <list>', `families or topology files; without it ${defaultFabrics.replaceAll(',', ', ')}`)
    .option('--gpus <number>', `size of the families' fabrics (default ${defaultGpus})`)
    .option('--workload <file>', "a workload file instead of the scenario's workload")
    .addOption(new Option('--backend <name>', backendHelp()).choices(backendNames).default('fluid'))
    .option('--profile <name|file>', `${profileHelp}; the scenario's without it`)
    .option('--set <path=value>', 'change a setting; may be repeated', (value: string, earlier: string[] = []) => [
      ...earlier,
      value,
    ])
    .option('--seed <number>', 'seed of all random decisions')
    .addOption(workersOption('fabrics'))
    .option('-o, --out <dir>', 'write the results of each fabric into a folder in this one')
    .option('--report <file>', reportHelp)
    .option('--force', 'replace runs and a report that exist')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'no progress, no warnings')
    .addHelpText(
      'after',
      `
Examples:
  weft compare-fabrics
  weft compare-fabrics --gpus 256 --fabrics spectrum-x,dcn-dualtor
  weft compare-fabrics scenario.yaml --fabrics spectrum-x,my.topo --json
  weft compare-fabrics --gpus 128 --out fabrics --report fabrics.html

Families get as many GPUs as --gpus says and have their other parameters by
default, but spine switches take as many leaves as there are. The folders
of --out (DIR/spectrum-x, DIR/my.topo) are as those of weft run: weft analyze,
weft compare and weft report read them.

${exitCodeHelp}`,
    )
    .action(async (scenario: string | undefined, options: CompareOptions) => {
      const path =
        scenario ?? fileURLToPath(new URL('../../../examples/compare-fabrics/scenario.yaml', import.meta.url));
      const fabrics = fabricsOf(options);
      const { out, report, force = false, json = false, quiet = false } = options;
      if (report === undefined) {
        const { exitCode } = await runComparison({ scenario: path, fabrics, isTemporary: false }, options, context);
        context.endWith(exitCode);
        return;
      }
      const asked = { report, fabrics, force, isSilent: json || quiet, ...(out === undefined ? {} : { out }) };
      const { comparisonWithReport } = await import('./fabric-report.js');
      context.endWith(
        await comparisonWithReport(
          asked,
          (folder) =>
            runComparison(
              { scenario: path, fabrics, isTemporary: out === undefined },
              { ...options, out: folder },
              context,
            ),
          context,
        ),
      );
    });
  return refuseRepeats(command, ['set']);
}

/** What is compared. */
interface ComparisonRequest {
  readonly scenario: string;
  readonly fabrics: readonly string[];
  /** the folder of the results is one for a report alone, and nobody is told of it */
  readonly isTemporary: boolean;
}

async function runComparison(
  request: ComparisonRequest,
  options: CompareOptions,
  context: CommandContext,
): Promise<ComparisonEnd> {
  const kept = await fabricFolders(options.out, request.fabrics, options.force === true);
  const plans = await plansFor(request, kept, options, context);
  const { workers, quiet } = options;
  const module = new URL('./fabric-task.js', import.meta.url);
  const together = new SimultaneousRuns({ module, workers, count: plans.length, quiet }, context);
  try {
    const runs = await together.run(
      plans.map((own) => fabricTask(own, context)),
      plans.map(({ name }) => ({ name, weight: 1 })),
      (_place, { stored }) => together.tellKeptAside(stored?.keptAside ?? []),
    );
    together.progress?.stop();
    tell(plans, runs, options, request, context);
    await tellFolders(kept, runs, options, request, context);
    const stored = runs.flatMap((run, i) =>
      run === null || run.stored === null
        ? []
        : [{ label: `${plans[i]!.name}${run.compared === null ? ' (stopped)' : ''}`, path: run.stored.path }],
    );
    return { exitCode: together.exitCode ?? exitCodeOf(runs), stored };
  } finally {
    await together.close();
    // those that ran elsewhere or not at all
    for (const { plan } of plans) await plan.source.close();
  }
}

function exitCodeOf(runs: readonly (FabricRun | null)[]): number {
  const hasFailed = runs.some((run) => (run?.compared?.problems.length ?? 0) > 0);
  return hasFailed ? ExitCode.failed : ExitCode.ok;
}

/** Prints the table, or the JSON object. */
function tell(
  plans: readonly NamedPlan[],
  runs: readonly (FabricRun | null)[],
  { json = false }: CompareOptions,
  { isTemporary }: ComparisonRequest,
  { stdout, environment }: CommandContext,
): void {
  const finished = runs.flatMap((run) => (run === null || run.compared === null ? [] : [run]));
  const compared = finished.flatMap((run) => run.compared ?? []);
  const comparisons = compared.length === 0 ? [] : compareFabrics(compared);
  const first = plans[0]!.plan;
  const band = first.jobs.length === 0 ? null : jobBand(first.collectives.profile);
  if (json)
    stdout.write(
      `${JSON.stringify({ weftVersion: weftVersion(), name: first.name, backend: first.backend.name, seed: first.seed, outcome: compared.length < plans.length ? 'stopped' : 'finished', fabrics: comparisons.map(fabricComparisonObject), errorBand: typeof band === 'object' ? band : null, warnings: plans.flatMap(({ plan }) => plan.warnings) })}\n`,
    );
  else if (comparisons.length > 0) {
    stdout.write(
      fabricComparisonText(
        `${first.name} on ${counted(plans.length, 'fabric')} (${first.backend.name})`,
        comparisons,
        band,
        terminalStyle(stdout, environment),
      ),
    );
    const results = isTemporary ? [] : finished.flatMap(({ stored }) => stored?.path ?? []);
    if (results.length > 0) stdout.write(`${wrapped(`results: ${results.join(', ')}`).join('\n')}\n`);
  }
}

/** Says what was stopped, where its results are, and which runs of an earlier comparison still stand. */
async function tellFolders(
  kept: FabricFolders | null,
  runs: readonly (FabricRun | null)[],
  { out = '', quiet = false }: CompareOptions,
  { fabrics, isTemporary }: ComparisonRequest,
  { stderr }: CommandContext,
): Promise<void> {
  const finished = runs.filter((run) => run !== null && run.compared !== null).length;
  if (finished < runs.length) stderr.write(`stopped after ${finished} of ${runs.length} fabrics\n`);
  if (kept === null || isTemporary) return;
  for (const [i, run] of runs.entries())
    if (run !== null && run.compared === null && run.stored !== null)
      stderr.write(`results of ${fabrics[i]!}: ${stoppedResults(run.stored.path, `${out} --force`)}\n`);
  const older = (await import('../../storage/run-folder.js')).stillStanding(
    kept,
    kept.names,
    runs.map((run) => (run === null ? null : run.compared === null ? 'stopped' : 'finished')),
  );
  if (older.length > 0 && (!quiet || finished < runs.length))
    stderr.write(`note: still of an earlier comparison: ${older.join(', ')}\n`);
}

function fabricTask({ plan, ...own }: NamedPlan, context: CommandContext): PooledTask<FabricRun> {
  return { name: own.name, here: (tools) => runOnFabric(own, plan, tools, context), input: () => own };
}

/** The fabrics to be compared, as the user wrote them. @throws InputError */
function fabricsOf({ fabrics = defaultFabrics }: CompareOptions): string[] {
  const names = fabrics.split(',').map((name) => name.trim());
  if (new Set(names).size < names.length)
    throw mistake('--fabrics', 'a fabric is named twice', fabrics, 'every fabric once');
  return names;
}

/** One plan for each fabric. @throws InputError */
async function plansFor(
  { scenario, fabrics: names }: ComparisonRequest,
  kept: FabricFolders | null,
  options: CompareOptions,
  { host, makePlan, stderr }: CommandContext,
): Promise<NamedPlan[]> {
  const gpus = numberOf('--gpus', options.gpus ?? String(defaultGpus));
  const seed = options.seed === undefined ? null : numberOf('--seed', options.seed);
  const blocks: string[] = [];
  for (const name of names) blocks.push(await fabricBlock(name, gpus, options.gpus !== undefined, host));
  const workload =
    options.workload === undefined
      ? []
      : [
          `workload={file: ${JSON.stringify(await readable('--workload', options.workload, 'a readable workload file', host))}}`,
        ];
  const profile = await profileSetting(options.profile, scenario, host);
  const plans: NamedPlan[] = [];
  const told = new Set<string>();
  for (const [i, name] of names.entries()) {
    const overrides = [
      `fabric=${blocks[i]!}`,
      `backend=${options.backend}`,
      ...workload,
      ...profile,
      ...(options.set ?? []),
    ];
    const plan = await makePlan(scenario, { overrides, host, ...(seed === null ? {} : { seed }) });
    for (const warning of options.quiet === true ? [] : plan.warnings.map(formatDiagnostic)) {
      if (!told.has(warning)) stderr.write(`${warning}\n`);
      told.add(warning);
    }
    plans.push({ name, scenario, overrides, seed, folders: kept?.folders[i] ?? null, plan });
  }
  return plans;
}

/** The block `fabric` of a scenario. @param isSized the user asked for that many GPUs */
async function fabricBlock(name: string, gpus: number, isSized: boolean, host: Host): Promise<string> {
  const found = findFamily(name);
  if (found === null) {
    const near = nearestFamily(name);
    if (near !== null && !/[./]/.test(name))
      throw mistake(
        '--fabrics',
        'there is no such family of fabrics',
        name,
        'names of families (weft topology list) or topology files',
        `did you mean ${near}?`,
      );
    return `{file: ${JSON.stringify(await readable('--fabrics', name, 'names of families (weft topology list) or topology files', host))}}`;
  }
  const { family, implied } = found;
  if (!Object.hasOwn(family.settings, 'gpus')) {
    if (isSized)
      throw mistake(
        '--fabrics',
        `${family.name} is not made by number of GPUs`,
        name,
        'families with the parameter gpus, or a topology file',
        'weft topology generate writes one',
      );
    return `{generate: ${name}}`;
  }
  const given: Record<string, number> = { gpus };
  const { problems } = resolveParameters(family, { ...implied, ...given });
  const wrong = problems.find(({ code }) => code !== 'over-capacity');
  if (wrong !== undefined)
    throw mistake(
      '--gpus',
      `${family.name}: ${wrong.message}`,
      wrong.got ?? String(gpus),
      wrong.wanted ?? 'another number',
      wrong.hint,
    );
  // as many leaves as the GPUs need: the number of spines, which the comparison is about, stays as it is
  const capacity = problems.find(({ code }) => code === 'over-capacity');
  const needed = capacity === undefined ? null : /^(\d+)/.exec(capacity.wanted ?? '');
  if (needed !== null) given[capacity!.parameter!] = Number(needed[1]);
  return `{generate: ${name}, ${Object.entries(given)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')}}`;
}

/** The path of a file that an option names, seen from where the user stands. @throws InputError if it cannot be read */
async function readable(option: string, path: string, wanted: string, host: Host): Promise<string> {
  try {
    await host.readText(path);
    return resolve(path);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    throw mistake(option, `the file cannot be read: ${error.message}`, path, wanted);
  }
}

function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw mistake(option, 'not a whole number', text, 'a whole number');
  return value;
}

function mistake(option: string, message: string, got: string, wanted: string, hint?: string): InputError {
  return InputError.at(`compare-${option.replace(/^-+/, '')}`, option, wholeFile, message, {
    got,
    wanted,
    ...(hint === undefined ? {} : { hint }),
  });
}
