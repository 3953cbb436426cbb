// `weft compare-fabrics`: the same work on several fabrics, at the same time where that is worth it; one table, with
// the reason for each difference.
// Invariants: every fabric is checked with the work, and every folder looked at, before the first run begins; table and
// folders are the same whatever the number of processes.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Diagnostics, formatDiagnostic, InputError, wholeFile } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { PooledTask } from '../../campaign/task-source.js';
import { gpuTypeOf } from '../../fabric/gpu-types.js';
import { billOf, type Prices } from '../../fabric/bill-of-materials.js';
import { compareFabrics, type FabricComparison } from '../../report/fabric-comparison.js';
import { fabricComparisonObject, fabricComparisonText } from '../../report/fabric-comparison-text.js';
import { verdictText } from '../../report/fabric-verdict.js';
import { jobBand } from '../../report/error-band.js';
import { counted, wrapped } from '../../report/text-style.js';
import type { Plan } from '../../scenario/plan.js';
import { builtInPrices, readPrices } from '../../scenario/network/price-file.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { backendOption } from '../options/backend-option.js';
import { declaredCommand, toggle, type OptionValues, repeated, text } from '../options/declared-command.js';
import { type OptionFile, optionFileText } from '../options/option-file.js';
import { profileHelp, profileSetting } from '../options/profile-option.js';
import { reportHelp } from '../options/report-help.js';
import { workersOption } from '../options/workers-option.js';
import { withRuns } from '../simultaneous-runs.js';
import { terminalStyle } from '../terminal.js';
import { stoppedResults } from '../run/run-plan.js';
import { fabricBlock, fabricNames, isFamily, type SharedRequest } from './fabric-words.js';
import { fabricFolders, type FabricFolders } from './fabric-folders.js';
import type { ReportedRuns } from '../report/after-run.js';
import type { Finding } from '../../report/page/report.js';
import { type FabricRun, type FabricTask, runOnFabric } from './fabric-task.js';
import { weftVersion } from '../version.js';

/** What is compared if --fabrics is left out: every family that is made by number of GPUs. */
const defaultFabrics = 'spectrum-x,alibaba-hpn,dcn+,leaf-spine,fat-tree,dragonfly+,torus,hyperx';

const commandOptions = [
  repeated(
    '--fabrics <fabrics...>',
    `families, with parameters in quotes, topology files or scenarios; without it ${defaultFabrics.replaceAll(',', ', ')}`,
  ),
  text('--gpus <number>', "size of the families' fabrics (default: that of the scenario's)"),
  text('--taper <ratio>', 'bandwidth into a leaf over that out of it, at most', '1:1'),
  text('--switch-ports <number>', 'ports of a switch, half of them for hosts (default: as few as\ntwo levels need)'),
  text('--prices <file>', 'prices of switches and cables (YAML) instead of the estimates\nthat come with Weft'),
  text('--workload <file>', "a workload file instead of the scenario's workload"),
  backendOption,
  text('--profile <name|file>', `${profileHelp}; the scenario's without it`),
  repeated('--set <path=value>', 'change a setting; may be repeated'),
  text('--seed <number>', 'seed of all random decisions'),
  workersOption('fabrics'),
  text('-o, --out <dir>', 'write the results of each fabric into a folder in this one'),
  text('--report <file>', reportHelp),
  toggle('--force', 'replace runs and a report that exist'),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress, no warnings'),
] as const;
type CompareOptions = OptionValues<typeof commandOptions>;

interface NamedPlan extends FabricTask {
  readonly plan: Plan;
}

/** The command for the command line. */
export const compareFabricsCommand = declaredCommand({
  name: 'compare-fabrics',
  summary: 'the same work on several fabrics',
  description: 'Simulate the same work on several fabrics, and say why they differ:\nwhich links held flows up.',
  usage: '[scenario] [options]',
  argument: [
    '[scenario]',
    'what runs; its own fabric is not used. Without it: a small iteration of a dense transformer (examples/compare-fabrics)',
  ],
  options: commandOptions,
  after: `
Examples:
  weft compare-fabrics
  weft compare-fabrics --gpus 256 --fabrics spectrum-x,dcn-dualtor
  weft compare-fabrics --fabrics 'spectrum-x --nics-per-asw 8' leaf-spine
  weft compare-fabrics my.yaml --fabrics my.yaml leaf-spine my.topo --json
  weft compare-fabrics --gpus 128 --prices mine.yaml --report fabrics.html

Families take the options of weft topology generate FAMILY. What is not given
follows from --gpus, --taper and --switch-ports: 400 Gb/s for every GPU and the
same switches everywhere (docs/models/bill-of-materials.md). The folders of
--out (DIR/spectrum-x, DIR/my.topo) are as those of weft run: weft analyze, weft
compare and weft report read them.

${exitCodeHelp}`,
  run: async ({ argument, options, context }) => {
    const example = new URL('../../../examples/compare-fabrics/scenario.yaml', import.meta.url);
    const scenario = argument ?? fileURLToPath(example);
    const fabrics = fabricNames(options.fabrics.length === 0 ? [defaultFabrics] : options.fabrics);
    const { out, report, force, json, quiet } = options;
    const request = { scenario, fabrics, isTemporary: report !== undefined && out === undefined };
    if (report === undefined) return (await runComparison(request, options, context)).exitCode;
    const { mostRuns } = await import('../../report/page/report.js');
    if (fabrics.length > mostRuns)
      throw InputError.at('compare-report', '--report', wholeFile, 'too many fabrics for one report', {
        got: counted(fabrics.length, 'fabric'),
        wanted: `${mostRuns} at most`,
        hint: 'keep the runs with --out DIR, and give weft report some of them',
      });
    const { withReport } = await import('../report/after-run.js');
    return withReport(
      { report, out, force, isSilent: json || quiet, lead: 'report: ' },
      (folder) => runComparison(request, { ...options, out: folder }, context),
      context,
    );
  },
});

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
): Promise<ReportedRuns> {
  const kept = await fabricFolders(options.out, request.fabrics, options.force);
  const prices = await pricesOf(options.prices, context.host);
  const plans = await plansFor(request, kept, options, context);
  const { workers, quiet } = options;
  const module = new URL('./fabric-task.js', import.meta.url);
  return withRuns({ module, workers, count: plans.length, quiet }, context, async (together) => {
    const runs = await together.run(
      plans.map((own) => fabricTask(own, context)),
      plans.map(({ name }) => ({ name, weight: 1 })),
      (_place, { stored }) => together.tellKeptAside(stored?.keptAside ?? []),
    );
    together.progress?.stop();
    const comparisons = comparisonsOf(plans, runs, prices);
    tell(plans, runs, comparisons, prices, options, request, context);
    await tellFolders(kept, runs, options, request, context);
    const stored = runs.flatMap((run, i) =>
      run?.stored ? [{ run, name: plans[i]!.name, path: run.stored.path }] : [],
    );
    return {
      exitCode: together.exitCode ?? exitCodeOf(runs),
      stored: stored.map(({ path }) => path),
      labels: stored.map(({ run, name }) => `${name}${run.compared === null ? ' (stopped)' : ''}`),
      findings: findingsOf(comparisons, bandOf(plans)),
    };
  }).finally(async () => {
    // those that ran elsewhere or not at all
    for (const { plan } of plans) await plan.source.close();
  });
}

function exitCodeOf(runs: readonly (FabricRun | null)[]): number {
  const hasFailed = runs.some((run) => (run?.compared?.problems.length ?? 0) > 0);
  return hasFailed ? ExitCode.failed : ExitCode.ok;
}

/** The band of the times that are compared; why there is none; null: nothing of the kind has one. */
function bandOf([first]: readonly NamedPlan[]): ReturnType<typeof jobBand> | null {
  const { jobs, collectives } = first!.plan;
  return jobs.length === 0 ? null : jobBand(collectives.profile);
}

/** The fabrics whose runs ended, beside each other. */
function comparisonsOf(
  plans: readonly NamedPlan[],
  runs: readonly (FabricRun | null)[],
  prices: Prices,
): readonly FabricComparison[] {
  const compared = runs.flatMap((run, i) => {
    if (run === null || run.compared === null) return [];
    const { fabric } = plans[i]!.plan;
    return [{ ...run.compared, gpus: fabric.hosts.length, bill: billOf(fabric, prices) }];
  });
  return compared.length === 0 ? [] : compareFabrics(compared, bandOf(plans));
}

/** What the page of the report says first: the answer, and the reason of each fabric. */
function findingsOf(comparisons: readonly FabricComparison[], band: ReturnType<typeof bandOf>): Finding[] {
  const verdict = verdictText(comparisons, band);
  return [
    ...(verdict === '' ? [] : [{ about: '', text: verdict }]),
    ...comparisons.map(({ name, reason }) => ({ about: name, text: `${reason}.` })),
  ];
}

/** Prints the table, or the JSON object. */
function tell(
  plans: readonly NamedPlan[],
  runs: readonly (FabricRun | null)[],
  comparisons: readonly FabricComparison[],
  prices: Prices,
  { json }: CompareOptions,
  { isTemporary }: ComparisonRequest,
  { stdout, environment }: CommandContext,
): void {
  const first = plans[0]!.plan;
  const band = bandOf(plans);
  if (json)
    stdout.write(
      `${JSON.stringify({ weftVersion: weftVersion(), name: first.name, backend: first.backend.name, seed: first.seed, outcome: comparisons.length < plans.length ? 'stopped' : 'finished', verdict: verdictText(comparisons, band), fabrics: comparisons.map(fabricComparisonObject), prices: { name: prices.name, currency: prices.currency, date: prices.date }, errorBand: typeof band === 'object' ? band : null, warnings: plans.flatMap(({ plan }) => plan.warnings) })}\n`,
    );
  else if (comparisons.length > 0) {
    stdout.write(
      fabricComparisonText(
        `${first.name} on ${counted(plans.length, 'fabric')} (${first.backend.name})`,
        comparisons,
        band,
        prices,
        terminalStyle(stdout, environment),
      ),
    );
    const results = isTemporary ? [] : runs.flatMap((run) => (run?.compared ? (run.stored?.path ?? []) : []));
    if (results.length > 0) stdout.write(`${wrapped(`results: ${results.join(', ')}`).join('\n')}\n`);
  }
}

/** Says what was stopped, where its results are, and which runs of an earlier comparison still stand. */
async function tellFolders(
  kept: FabricFolders | null,
  runs: readonly (FabricRun | null)[],
  { out = '', quiet }: CompareOptions,
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

const workloadFile: OptionFile = {
  option: '--workload',
  called: 'the file',
  wanted: 'a readable workload file',
};

/** The prices of the bill. @throws InputError */
async function pricesOf(path: string | undefined, host: Host): Promise<Prices> {
  if (path === undefined) return builtInPrices();
  const diagnostics = new Diagnostics();
  const text = await optionFileText(path, host, {
    option: '--prices',
    called: 'the file of prices',
    wanted: 'a YAML file as docs/formats/prices.md has it',
  });
  const prices = readPrices(text, path, diagnostics);
  diagnostics.throwIfErrors();
  return prices!;
}

/** A ratio as `2:1` or `2`. @throws InputError */
function taperOf(text: string): number {
  const [, over, under = '1'] = /^(\d+(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?$/.exec(text.trim()) ?? [];
  const taper = Number(over) / Number(under);
  if (!(taper >= 0.01 && taper <= 1000))
    throw mistake('--taper', 'not a ratio', text, 'bandwidth into a leaf over that out of it, such as 1:1 or 2:1');
  return taper;
}

/** How large fabrics are made. @throws InputError */
async function sizeOf(
  { scenario, fabrics }: ComparisonRequest,
  options: CompareOptions,
  context: CommandContext,
): Promise<SharedRequest> {
  const { gpus, taper, switchPorts } = options;
  const ports = switchPorts === undefined ? null : numberOf('--switch-ports', switchPorts);
  if (ports !== null && (ports < 2 || ports % 2 !== 0))
    throw mistake('--switch-ports', 'half of the ports are for hosts', String(ports), 'an even number');
  const request = { taper: taperOf(taper), switchPorts: ports };
  if (gpus !== undefined) return { ...request, gpus: numberOf('--gpus', gpus) };
  // files have their own
  if (!fabrics.some(isFamily)) return { ...request, gpus: 0 };
  const plan = await context.makePlan(scenario, { overrides: [], host: context.host });
  await plan.source.close();
  // a family that is named beside a scenario has the GPUs of the scenario, or other GPUs would decide
  const isNamed = ['fabric.gpuType', 'fabric.file'].some((path) => plan.given.has(path));
  const { gpuType, hosts } = plan.fabric;
  return { ...request, gpus: hosts.length, ...(isNamed && gpuTypeOf(gpuType) !== null ? { gpuType } : {}) };
}

/** One plan for each fabric. @throws InputError */
async function plansFor(
  request: ComparisonRequest,
  kept: FabricFolders | null,
  options: CompareOptions,
  context: CommandContext,
): Promise<NamedPlan[]> {
  const { host, makePlan, stderr } = context;
  const { scenario, fabrics: names } = request;
  const size = await sizeOf(request, options, context);
  const seed = options.seed === undefined ? null : numberOf('--seed', options.seed);
  const blocks: string[] = [];
  for (const name of names) blocks.push(await fabricBlock(name, size, options.gpus !== undefined, host));
  const { workload: file } = options;
  if (file !== undefined) await optionFileText(file, host, workloadFile);
  const workload = file === undefined ? [] : [`workload={file: ${JSON.stringify(resolve(file))}}`];
  const profile = await profileSetting(options.profile, scenario, host);
  const plans: NamedPlan[] = [];
  const told = new Set<string>();
  for (const [i, name] of names.entries()) {
    const overrides = [`fabric=${blocks[i]!}`, `backend=${options.backend}`, ...workload, ...profile, ...options.set];
    const plan = await makePlan(scenario, { overrides, host, seed });
    for (const warning of options.quiet ? [] : plan.warnings.map(formatDiagnostic)) {
      if (!told.has(warning)) stderr.write(`${warning}\n`);
      told.add(warning);
    }
    plans.push({ name, scenario, overrides, seed, folders: kept?.folders[i] ?? null, plan });
  }
  return plans;
}

function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw mistake(option, 'not a whole number', text, 'a whole number');
  return value;
}

function mistake(option: string, message: string, got: string, wanted: string): InputError {
  return InputError.at(`compare-${option.replace(/^-+/, '')}`, option, wholeFile, message, { got, wanted });
}
