// `weft compare-fabrics`: the same work on several fabrics, at the same time where that is worth it; one table, with
// the reason for each difference.
// Invariants: every fabric is checked with the work, and every folder looked at, before the first run begins; table and
// folders are the same whatever the number of processes.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatDiagnostic, InputError } from '../../base/diagnostics.js';
import { gpuTypeOf } from '../../fabric/gpu-types.js';
import { billOf, type Prices } from '../../fabric/bill-of-materials.js';
import { compareFabrics, type FabricComparison, fabricShape } from '../../report/fabric-comparison.js';
import { fabricComparisonObject, fabricComparisonText } from '../../report/fabric-comparison-text.js';
import { failedChecks } from '../../report/run-figures.js';
import { carriedOutObject } from '../../report/run-place.js';
import { verdictText } from '../../report/fabric-verdict.js';
import { jobBand } from '../../report/error-band.js';
import { counted, wrapped } from '../../report/text-style.js';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { backendOption, engineOptions, engineOptionsOf, workersOption, reportHelp } from '../options/run-options.js';
import { CommandWork } from '../engines/command-work.js';
import { seedOption } from '../options/setting-options.js';
import { declaredCommand, toggle, type OptionValues, repeated, text, value } from '../options/declared-command.js';
import { type OptionFile, optionFileText } from '../options/option-file.js';
import { readBy, wholeNumberFrom } from '../options/option-values.js';
import { pricesOf, pricesOption, taperOption } from '../options/price-options.js';
import { profileHelp, profileSetting } from '../options/profile-option.js';
import { withRuns } from '../simultaneous-runs.js';
import { terminalStyle } from '../terminal.js';
import { carriedOutBy, type PlacedRun, planTask, type PlanTask } from '../run/plan-task.js';
import { isFinished, stoppedResults } from '../run/run-plan.js';
import {
  fabricBlock,
  fabricNames,
  isFamily,
  type SharedRequest,
  fabricFolders,
  type FabricFolders,
} from './fabric-words.js';
import type { ReportedRuns } from '../report/after-run.js';
import type { Finding } from '../../report/page/report.js';
import { weftVersion } from '../version.js';

/**
 * What is compared if --fabrics is left out: families that are made by number of GPUs, with about as much bandwidth out
 * of a leaf as into it. A balanced dragonfly has more than twice as much.
 */
const defaultFabrics = 'spectrum-x,alibaba-hpn,dcn+,leaf-spine,fat-tree,dragonfly+,torus,hyperx';

const commandOptions = [
  repeated(
    '--fabrics <fabrics...>',
    `families, with parameters in quotes, topology files or scenarios; without it ${defaultFabrics.replaceAll(',', ', ')}`,
  ),
  value('--gpus <number>', "size of the families' fabrics (default: that of the scenario's)", wholeNumberFrom(0)),
  taperOption,
  value(
    '--switch-ports <number>',
    'ports of a switch, half of them for hosts (default: as few as\ntwo levels need)',
    readBy((given) => (/^\d+$/.test(given) && +given >= 2 && +given % 2 === 0 ? +given : null), 'an even number.'),
  ),
  pricesOption,
  text('--workload <file>', "a workload file instead of the scenario's workload"),
  backendOption,
  text('--profile <name|file>', `${profileHelp}; the scenario's without it`),
  repeated('--set <path=value>', 'change a setting; may be repeated'),
  seedOption,
  workersOption('fabrics'),
  ...engineOptions,
  text('-o, --out <dir>', 'write the results of each fabric into a folder in this one'),
  text('--report <file>', reportHelp),
  toggle('--force', 'replace runs and a report that exist'),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress, no warnings'),
] as const;
type CompareOptions = OptionValues<typeof commandOptions>;

interface NamedPlan extends PlanTask {
  readonly name: string;
  readonly plan: Plan;
}

/** The command for the command line. */
export default declaredCommand({
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
    if (report !== undefined && out === undefined && options.on !== 'local')
      throw InputError.about('engine-option', '--report', `wants --out with --on ${options.on}`, {
        hint: 'give a folder that all machines share: --out DIR',
      });
    if (report === undefined) return (await runComparison(request, options, context)).exitCode;
    const { mostRuns } = await import('../../report/page/report.js');
    if (fabrics.length > mostRuns)
      throw InputError.about('compare-report', '--report', 'too many fabrics for one report', {
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
  const engine = engineOptionsOf(options);
  const work = new CommandWork('compare-fabrics', engine, context);
  const plans = await plansFor(request, kept, options, work, context);
  const { workers, quiet } = options;
  const tasks = plans.map(({ name: _name, plan: _plan, ...task }) => task);
  const roots = kept === null ? [] : [dirname(kept.folders[0]!.target)];
  const asked = { kind: 'plan' as const, workers, count: plans.length, quiet, roots, ...work.of(tasks) };
  return withRuns(asked, context, async (together) => {
    const runs = await together.run(
      plans.map(({ name, plan }, i) => planTask(name, tasks[i]!, plan, context)),
      plans.map(({ name }) => ({ name, weight: 1 })),
      (_place, { stored }) => together.tellKeptAside(stored?.keptAside ?? []),
    );
    together.progress?.stop();
    if (together.engine.isLeft === true) return { exitCode: ExitCode.ok, stored: [] };
    together.tellPlaces(placesOf(plans, runs));
    const comparisons = comparisonsOf(plans, runs, prices);
    tell(plans, runs, comparisons, prices, options, request, context);
    await tellFolders(kept, runs, options, request, context);
    const stored = runs.flatMap((run, i) =>
      run?.stored ? [{ path: run.stored.path, label: `${plans[i]!.name}${isFinished(run) ? '' : ' (stopped)'}` }] : [],
    );
    const hasFailed = comparisons.some(({ problems }) => problems.length > 0);
    return {
      exitCode: together.exitCode ?? (hasFailed ? ExitCode.failed : ExitCode.ok),
      stored: stored.map(({ path }) => path),
      labels: stored.map(({ label }) => label),
      findings: findingsOf(comparisons, bandOf(plans)),
    };
  }).finally(async () => {
    // those that ran elsewhere or not at all
    for (const { plan } of plans) await plan.source.close();
  });
}

function placesOf(plans: readonly NamedPlan[], runs: readonly (PlacedRun | null)[]): ReturnType<typeof carriedOutBy> {
  return carriedOutBy(
    plans.map(({ name }) => name),
    runs,
  );
}

/** The band of the times that are compared; why there is none; null: nothing of the kind has one. */
function bandOf([first]: readonly NamedPlan[]): ReturnType<typeof jobBand> | null {
  const { jobs, collectives } = first!.plan;
  return jobs.length === 0 ? null : jobBand(collectives.profile);
}

/** The fabrics whose runs ended, beside each other. */
function comparisonsOf(
  plans: readonly NamedPlan[],
  runs: readonly (PlacedRun | null)[],
  prices: Prices,
): readonly FabricComparison[] {
  const compared = runs.flatMap((run, i) => {
    if (!isFinished(run)) return [];
    const { name, plan } = plans[i]!;
    const { simulatedPs: timePs, jobs, flows, cpuSeconds, digest } = run.summary;
    return {
      name,
      shape: fabricShape(plan.fabric),
      timePs,
      jobs,
      ...run.links!,
      queuePair: plan.packet.queuePair,
      flows,
      cpuSeconds,
      digest,
      problems: failedChecks(run.summary),
      gpus: plan.fabric.hosts.length,
      bill: billOf(plan.fabric, prices),
    };
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
  runs: readonly (PlacedRun | null)[],
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
      `${JSON.stringify({
        weftVersion: weftVersion(),
        name: first.name,
        backend: first.backend.name,
        seed: first.seed,
        outcome: comparisons.length < plans.length ? 'stopped' : 'finished',
        verdict: verdictText(comparisons, band),
        fabrics: comparisons.map(fabricComparisonObject),
        prices: { name: prices.name, currency: prices.currency, date: prices.date },
        errorBand: typeof band === 'object' ? band : null,
        carriedOut: carriedOutObject(placesOf(plans, runs)),
        warnings: plans.flatMap(({ plan }) => plan.warnings),
      })}\n`,
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
    const results = isTemporary ? [] : runs.flatMap((run) => (isFinished(run) ? (run.stored?.path ?? []) : []));
    if (results.length > 0) stdout.write(`${wrapped(`results: ${results.join(', ')}`).join('\n')}\n`);
  }
}

/** Says what was stopped, where its results are, and which runs of an earlier comparison still stand. */
async function tellFolders(
  kept: FabricFolders | null,
  runs: readonly (PlacedRun | null)[],
  { out = '', quiet }: CompareOptions,
  { fabrics, isTemporary }: ComparisonRequest,
  { stderr }: CommandContext,
): Promise<void> {
  const finished = runs.filter(isFinished).length;
  if (finished < runs.length) stderr.write(`stopped after ${finished} of ${runs.length} fabrics\n`);
  if (kept === null || isTemporary) return;
  for (const [i, run] of runs.entries())
    if (run?.summary.outcome === 'stopped' && run.stored !== null)
      stderr.write(`results of ${fabrics[i]!}: ${stoppedResults(run.stored.path, `${out} --force`)}\n`);
  const older = (await import('../../storage/run-folder.js')).stillStanding(
    kept,
    kept.names,
    runs.map((run) => (run === null ? null : isFinished(run) ? 'finished' : 'stopped')),
  );
  if (older.length > 0 && (!quiet || finished < runs.length))
    stderr.write(`note: still of an earlier comparison: ${older.join(', ')}\n`);
}

const workloadFile: OptionFile = {
  option: '--workload',
  called: 'the file',
  wanted: 'a readable workload file',
};

/** How large fabrics are made. @throws InputError */
async function sizeOf(
  { scenario, fabrics }: ComparisonRequest,
  options: CompareOptions,
  context: CommandContext,
): Promise<SharedRequest> {
  const { gpus, taper, switchPorts = null } = options;
  const request = { taper, switchPorts };
  if (gpus !== undefined) return { ...request, gpus };
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
  work: CommandWork,
  context: CommandContext,
): Promise<NamedPlan[]> {
  const { host, makePlan, stderr } = context;
  const { scenario, fabrics: names } = request;
  const size = await sizeOf(request, options, context);
  const { seed = null } = options;
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
    work.add(plan);
    for (const warning of options.quiet ? [] : plan.warnings.map(formatDiagnostic)) {
      if (!told.has(warning)) stderr.write(`${warning}\n`);
      told.add(warning);
    }
    plans.push({ name, scenario, overrides, seed, folders: kept?.folders[i] ?? null, countsLinks: true, plan });
  }
  return plans;
}
