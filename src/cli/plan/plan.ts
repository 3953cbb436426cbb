// `weft plan`: which parallelism for a model on so many GPUs over a network: every plan that can run, by closed forms;
// the best again by runs; the winner as a scenario.
// Invariant: what is written is run to the same time by `weft run`.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  levelsOfDetail,
  plannedGpus,
  plannedModels,
  type PlanQuestion,
  planScenario,
} from '../../app/training-plans/plan-request.js';
import { pricedFabric } from '../../app/training-plans/price-plans.js';
import { shellWord } from '../../base/shell-word.js';
import type { PlanReport } from '../../report/training-plans/plan-account.js';
import { planObject, planText } from '../../report/training-plans/plan-report.js';
import { closedForm, type RankedPlan } from '../../report/training-plans/ranked-plan.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import {
  declaredCommand,
  oneOf,
  type OptionValues,
  repeated,
  text,
  toggle,
  value,
} from '../options/declared-command.js';
import { settingChange, wholeNumberFrom } from '../options/option-values.js';
import { pricesOf, pricesOption, taperOption } from '../options/price-options.js';
import { processesOption, reportHelp } from '../options/run-options.js';
import type { ReportFile } from '../report/report-files.js';
import { withRuns, type SimultaneousRuns } from '../simultaneous-runs.js';
import { StageProgress } from '../stage-progress.js';
import { weftVersion } from '../version.js';
import { checkOutputs, forceHelp, writeWholeFiles } from '../whole-file.js';
import { askedFabrics, defaultFabric } from './plan-asked.js';
import { type FabricAnswer, type PlannedSite, plansOnFabric, type PlanWorld, siteOf } from './plans-on-fabric.js';

/** More GPUs than a fabric takes are refused by it. */
const mostGpus = 1_000_000;

const commandOptions = [
  oneOf('--model <name>', 'what is trained', plannedModels),
  value('--gpus <number>', 'how many GPUs', wholeNumberFrom(1, mostGpus)),
  value('--global-batch <sequences>', 'sequences of an iteration', wholeNumberFrom(1, 1e9)),
  oneOf('--gpu-type <name>', 'their type; H100 if nothing else is said', plannedGpus),
  text(
    '--fabric <fabric>',
    `the network: a family, with parameters in quotes, a topology\nfile or a scenario (default: ${defaultFabric})`,
  ),
  repeated('--fabrics <fabrics...>', 'several of them beside each other'),
  taperOption,
  pricesOption,
  value('--best <count>', 'plans that are listed', wholeNumberFrom(1, 1000), 10),
  value('--fluid <count>', 'of these, the first that are timed on fluid', wholeNumberFrom(0, 1000), 0),
  value(
    '--packets <count>',
    'of these, the first that are timed on packets, which\ntakes long',
    wholeNumberFrom(0, 1000),
    0,
  ),
  value(
    '--most-runs <count>',
    'runs on fluid at most, and on packets, while a plan that was\nnot run may be the best (default: twice --fluid, --packets)',
    wholeNumberFrom(1, 100_000),
  ),
  value(
    '--robustness <count>',
    'of these, the first that run again with a slow GPU, and\nwith a link between switches that is down',
    wholeNumberFrom(0, 1000),
    0,
  ),
  toggle('--whole', 'run all micro-batches on fluid and packets, however many'),
  toggle('--variants', 'list plans that differ in chunks of a stage or mapping alone, too'),
  repeated(
    '--set <path=value>',
    'a setting of all plans, or values that one may have:\nworkload.tensorParallel=4,8; may be repeated',
    settingChange('path=value.'),
  ),
  processesOption('--workers <count>', 'runs'),
  text('-o, --out <file>', 'write the scenario of the best plan'),
  text('--report <file>', reportHelp),
  toggle('--force', forceHelp),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress'),
] as const;
type PlanOptions = OptionValues<typeof commandOptions>;

/** The command for the command line. */
export default declaredCommand({
  name: 'plan',
  summary: 'which parallelism trains a model fastest on given GPUs and network',
  description:
    'Every plan for a model that fits on so many GPUs: tensor, pipeline, data,\nexpert, context and sequence parallelism, micro-batches, recomputation, ZeRO.',
  usage: '[scenario] --model NAME --gpus N --global-batch B [options]',
  argument: [
    '[scenario]',
    'a fabric and a generated workload in place of the options, with lists of values that a plan may have (tensorParallel: [4, 8])',
  ],
  options: commandOptions,
  after: `
Examples:
  weft plan --model llama3-70b --gpus 64 --global-batch 128
  weft plan --model llama3-70b --gpus 512 --global-batch 1024 --out winner.yaml
  weft plan --model llama3-70b --gpus 512 --global-batch 1024 --report plans.html
  weft plan --model mixtral-8x7b --gpus 64 --global-batch 256 --gpu-type A100 \\
    --fabric 'leaf-spine --spines 2' --set workload.zeroStage=1
  weft plan --model llama3-70b --gpus 512 --global-batch 1024 --set cost.gpu=30000 \\
    --fabrics spectrum-x 'leaf-spine --spines 8' 'spectrum-x --nics-per-server 4'

A scenario may stand in place of options: weft plan ranges.yaml --fluid 3

All plans are timed by closed forms, those listed again by runs of closed forms;
--fluid 3 runs the first three on fluid, too, and others that may be faster
(docs/models/plan.md). weft run winner.yaml takes as long as the plan.

${exitCodeHelp}`,
  run: async ({ argument, options, context }) => {
    const outputs = [options.out, options.report].filter((path) => path !== undefined);
    await checkOutputs(outputs, options.force, true);
    // the page's program is missing before the search, not behind it
    if (options.report !== undefined) await (await import('../report/page-program.js')).pageProgram();
    const asked = await askedFabrics(argument, options, context);
    const prices = await pricesOf(options.prices, context.host);
    const folder = await mkdtemp(join(tmpdir(), 'weft-plan-'));
    try {
      const sites: PlannedSite[] = [];
      // every fabric is looked at before the first search begins
      for (const fabric of asked) sites.push(await siteOf(fabric, { folder, context }));
      const pool = { kind: 'plan' as const, workers: options.workers, count: options.best, quiet: options.quiet };
      return await withRuns(pool, context, async (together) => {
        const answers = await answersOf(sites, options, { folder, together, context });
        return await tell(answers, prices, options, together, context);
      });
    } finally {
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  },
});

/** Fabric by fabric; of those that came too late because it was stopped there is none. */
async function answersOf(
  sites: readonly PlannedSite[],
  options: PlanOptions,
  world: PlanWorld,
): Promise<readonly FabricAnswer[]> {
  const { together, context } = world;
  const { host, stderr } = context;
  const progress = options.quiet ? null : new StageProgress(stderr, () => host.wallMs());
  const answers: FabricAnswer[] = [];
  for (const site of sites) {
    if (together.interrupt.requested) break;
    const where = sites.length === 1 ? '' : `${site.name}: `;
    const hooks = {
      host,
      stopRequested: () => together.interrupt.requested,
      onProgress: (what: string, share: number | null) => progress?.update(`${where}${what}`, share),
      onEnd: () => progress?.stop(),
    };
    answers.push(await plansOnFabric(site, options, hooks, world));
    together.progress?.hide();
  }
  together.progress?.stop();
  return answers;
}

/** Prints what was found, and writes the winner. @returns the exit code */
async function tell(
  answers: readonly FabricAnswer[],
  prices: PlanReport['prices'],
  options: PlanOptions,
  together: SimultaneousRuns,
  { stdout, stderr, commandLine }: CommandContext,
): Promise<number> {
  const planned = answers.flatMap(({ name, site, plans: [best] }) =>
    best === undefined ? [] : [pricedFabric(name, site, best, prices)],
  );
  const winner = answers.reduce((best, own) => (timeOf(own) < timeOf(best) ? own : best));
  const { question, plans } = winner;
  const report: PlanReport = {
    ...winner,
    isComplete: together.exitCode === null,
    model: question.request.model,
    gpus: question.request.gpus,
    gpuType: question.request.gpu,
    fabric: winner.name,
    globalBatchSize: question.request.globalBatchSize,
    profile: winner.site.collectives.profile,
    fabrics: planned,
    prices,
    weftVersion: weftVersion(),
  };
  const [first] = plans;
  if (first !== undefined) await writeFiles(report, question, first, options, commandLine);
  stdout.write(options.json ? `${JSON.stringify(planObject(report))}\n` : planText(report));
  const failed = answers.flatMap((answer) => answer.failed);
  for (const check of failed) stderr.write(`a check failed: ${check}\n`);
  return together.exitCode ?? (failed.length > 0 ? ExitCode.failed : ExitCode.ok);
}

/** Writes the winner's scenario and the page, as far as they are asked for: both or none. */
async function writeFiles(
  report: PlanReport,
  question: PlanQuestion,
  first: RankedPlan,
  { out, report: page, force }: PlanOptions,
  commandLine: readonly string[],
): Promise<void> {
  const { model } = first.times;
  const files: ReportFile[] = [];
  if (out !== undefined)
    files.push({ path: out, text: planScenario(question, first, model === closedForm ? levelsOfDetail[0] : model) });
  if (page !== undefined) {
    const { pageOfPlans } = await import('../report/report-files.js');
    files.push(await pageOfPlans(report, ['weft', ...commandLine].map(shellWord).join(' '), page));
  }
  await writeWholeFiles(files, force);
}

/** Of the best plan of a fabric, in picoseconds. */
function timeOf({ plans: [first] }: FabricAnswer): number {
  return first?.times.totalPs ?? Infinity;
}
