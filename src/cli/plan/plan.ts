// `weft plan`: which parallelism for a model on so many GPUs over a network: every plan that can run, by closed forms;
// the best again by runs; the winner as a scenario.
// Invariant: what is written is run to the same time by `weft run`.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../base/diagnostics.js';
import { estimatorOf } from '../../app/training-plans/estimate-plans.js';
import { bestPlans, type BestPlans } from '../../app/training-plans/plan-search.js';
import {
  levelsOfDetail,
  plannedGpus,
  plannedModels,
  type PlanQuestion,
  planQuestion,
  planScenario,
} from '../../app/training-plans/plan-request.js';
import { firstOfDecisions } from '../../app/training-plans/rank-plans.js';
import { grouped } from '../../report/text-style.js';
import { planObject, type PlanReport, planText } from '../../report/training-plans/plan-report.js';
import { closedForm } from '../../report/training-plans/ranked-plan.js';
import type { Plan } from '../../scenario/plan.js';
import type { CommandContext } from '../context.js';
import { fabricBlock } from '../compare-fabrics/fabric-words.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import {
  declaredCommand,
  oneOf,
  type OptionValues,
  repeated,
  required,
  text,
  toggle,
  value,
} from '../options/declared-command.js';
import { settingChange, wholeNumberFrom } from '../options/option-values.js';
import { processesOption } from '../options/run-options.js';
import { withRuns, type SimultaneousRuns } from '../simultaneous-runs.js';
import { StageProgress } from '../stage-progress.js';
import { weftVersion } from '../version.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';
import { runFinalists } from './run-finalists.js';

/** More GPUs than a fabric takes are refused by it. */
const mostGpus = 1_000_000;

const commandOptions = [
  required(oneOf('--model <name>', 'what is trained', plannedModels)),
  required(value('--gpus <number>', 'how many GPUs', wholeNumberFrom(1, mostGpus))),
  required(value('--global-batch <sequences>', 'sequences of an iteration', wholeNumberFrom(1, 1e9))),
  oneOf('--gpu-type <name>', 'their type', plannedGpus, 'H100'),
  text(
    '--fabric <fabric>',
    'the network: a family, with parameters in quotes, a topology\nfile or a scenario',
    'spectrum-x',
  ),
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
  toggle('--variants', 'list plans that differ in chunks of a stage alone, too'),
  repeated(
    '--set <path=value>',
    'a setting of all plans, or values that one may have:\nworkload.tensorParallel=4,8; may be repeated',
    settingChange('path=value.'),
  ),
  processesOption('--workers <count>', 'runs'),
  text('-o, --out <file>', 'write the scenario of the best plan'),
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
  usage: '--model NAME --gpus N --global-batch B [options]',
  options: commandOptions,
  after: `
Examples:
  weft plan --model llama3-70b --gpus 64 --global-batch 128
  weft plan --model llama3-70b --gpus 512 --global-batch 1024 --out winner.yaml
  weft plan --model mixtral-8x7b --gpus 64 --global-batch 256 --gpu-type A100 \\
    --fabric 'leaf-spine --spines 2' --set workload.zeroStage=1

All plans are timed by closed forms, those listed again by runs of closed forms;
--fluid 3 runs the first three on fluid, too, and others that may be faster
(docs/models/plan.md). weft run winner.yaml takes as long as the plan.

${exitCodeHelp}`,
  run: async ({ options, context }) => {
    const { out, force } = options;
    if (out !== undefined) await checkOutputs([out], force, true);
    const { gpus, gpuType, globalBatch, model } = options;
    const shared = { gpus, taper: 1, switchPorts: null, gpuType };
    const fabric = await fabricBlock(options.fabric, shared, true, context.host, '--fabric');
    const changes = options.set;
    const question = planQuestion({ model, gpus, gpu: gpuType, globalBatchSize: globalBatch, fabric, changes });
    const folder = await mkdtemp(join(tmpdir(), 'weft-plan-'));
    try {
      const pool = { kind: 'plan' as const, workers: options.workers, count: options.best, quiet: options.quiet };
      return await withRuns(pool, context, (together) => answer(question, options, folder, together, context));
    } finally {
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  },
});

async function answer(
  question: PlanQuestion,
  options: PlanOptions,
  folder: string,
  together: SimultaneousRuns,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, host } = context;
  const file = join(folder, 'fabric.yaml');
  await writeFile(file, planScenario(question, null, levelsOfDetail[0]));
  const site = await context.makePlan(file, { overrides: [], host });
  await site.source.close();
  refuseOtherSize(site, options);
  const progress = options.quiet ? null : new StageProgress(stderr, () => host.wallMs());
  const hooks = {
    host,
    stopRequested: () => together.interrupt.requested,
    onProgress: (what: string, share: number | null) => progress?.update(what, share),
  };
  const found = await bestPlans(question.space, estimatorOf(site), options.best, hooks, options.variants);
  progress?.stop();
  if (found.feasible === 0 && found.isComplete) throw noPlan(options, found);
  const { fluid, packets, mostRuns, best } = options;
  const finalists = [
    { first: best, most: best },
    ...[fluid, packets].map((first) => ({ first, most: mostRuns ?? 2 * first })),
  ];
  const timed = await runFinalists(found, finalists, { question, folder, together, context });
  together.progress?.stop();
  const { failed, isOpen } = timed;
  const plans = options.variants ? timed.plans.slice(0, best) : firstOfDecisions(timed.plans, best);
  const report: PlanReport = {
    ...found,
    plans,
    isOpen,
    isComplete: together.exitCode === null,
    model: options.model,
    gpus: options.gpus,
    gpuType: options.gpuType,
    fabric: options.fabric,
    globalBatchSize: options.globalBatch,
    profile: site.collectives.profile,
    weftVersion: weftVersion(),
  };
  const [winner] = plans;
  if (options.out !== undefined && winner !== undefined)
    await writeWholeFile(
      options.out,
      planScenario(
        question,
        winner.training,
        winner.times.model === closedForm ? levelsOfDetail[0] : winner.times.model,
      ),
      options.force,
    );
  stdout.write(options.json ? `${JSON.stringify(planObject(report))}\n` : planText(report));
  for (const check of failed) stderr.write(`a check failed: ${check}\n`);
  return together.exitCode ?? (failed.length > 0 ? ExitCode.failed : ExitCode.ok);
}

/** A file of a fabric has a size of its own. @throws InputError */
function refuseOtherSize({ fabric }: Plan, { gpus, fabric: words }: PlanOptions): void {
  if (fabric.hosts.length === gpus) return;
  throw InputError.about('plan-gpus', '--gpus', `${words} has ${grouped(fabric.hosts.length)} GPUs`, {
    got: String(gpus),
    wanted: String(fabric.hosts.length),
    hint: 'a family of fabrics is made for any number (weft topology list)',
  });
}

/** Nothing can run: why not, most often. */
function noPlan({ model, gpus, gpuType }: PlanOptions, { infeasible }: BestPlans): InputError {
  const reasons = [...infeasible].sort(([, a], [, b]) => b.count - a.count).slice(0, 3);
  return InputError.about('plan-none', '--gpus', `no plan for ${model} can run on ${gpus} ${gpuType}`, {
    got: reasons.map(([reason, { count, example }]) => `${grouped(count)} by ${reason} (${example})`).join('; '),
    wanted: 'at least one plan that fits',
    hint: 'more GPUs, GPUs with more memory, or a --global-batch that divides into replicas',
  });
}
