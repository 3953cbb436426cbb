// `npm run plans`: what `weft plan` finds beside every plan of small spaces on fluid, and published configurations beside
// the best plan for their model, batch and GPUs; writes the sums of docs/models/plan.md. `--most-gpus N` leaves out
// published rows of more GPUs, which the page says.
// Invariant: spaces are drawn from a seed; a published row has its own settings, as `npm run iterations` has them.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { jobMemory } from '#weft/jobs/job-memory.js';
import { simulate } from '#weft/app/simulate.js';
import { bestPlans, type EstimatedPlan, estimateOf, estimatorOf } from '#weft/app/training-plans/estimate-plans.js';
import { type PlanQuestion, planQuestion, planScenario } from '#weft/app/training-plans/plan-request.js';
import { feasiblePlans, isPlanned } from '#weft/app/training-plans/plan-space.js';
import { rankedPlan } from '#weft/app/training-plans/rank-plans.js';
import { RandomStream } from '#weft/base/random.js';
import { planName, whyOf } from '#weft/report/training-plans/plan-words.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import type { Plan } from '#weft/scenario/plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { LeastTimes } from '#weft/workload/least-time.js';
import { planTraining, type TrainingPlan } from '#weft/workload/training-plan.js';
import type { TrainingValues } from '#weft/workload/training-settings.js';
import { writeWhole } from '../data-file.js';
import { Draw } from '../draw.js';
import { mptRows } from '../iterations/mpt-rows.js';
import { batchOf, publishedFabrics, publishedRows, type PublishedRow } from '../iterations/published-rows.js';
import { repositoryFolder } from '../repository.js';

const page = path.join(repositoryFolder, 'docs/models/plan.md');
const [begin, end] = ['<!-- plans: begin (written by `npm run plans`) -->', '<!-- plans: end -->'];
/** how many are listed by closed forms, and of these how many of the first are run on fluid */
const [listed, finalists] = [10, 3];
const spaces = 4;

function optionOf(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}

const planOfText = (text: string): Promise<Plan> =>
  makePlan('plan.yaml', { host: { ...nodeHost(), readText: () => Promise.resolve(text) }, overrides: [] });

async function fluidPs(question: PlanQuestion, training: TrainingPlan): Promise<number> {
  const plan = await planOfText(planScenario(question, training, 'fluid'));
  return (await simulate(plan, { host: nodeHost() })).jobs[0]!.totalPs.maximum;
}

function ms(ps: number): string {
  return `${(ps / 1e9).toFixed(2)} ms`;
}

/** A space with few plans: a small model on 8 GPUs. */
function drawnSpace(draw: Draw): PlanQuestion {
  const gpus = 8;
  return planQuestion({
    model: 'llama2-7b',
    gpus,
    gpu: draw.of(['A100', 'H100']),
    globalBatchSize: gpus * draw.of([1, 2]),
    fabric: draw.of([
      `{ generate: spectrum-x, gpus: ${gpus}, gpuType: H100 }`,
      `{ generate: leaf-spine, leaves: 2, hostsPerLeaf: 4, spines: 2 }`,
    ]),
    changes: [
      'workload.layerCount=4',
      `workload.hiddenSize=${draw.of([1024, 2048])}`,
      'workload.attentionHeads=8',
      'workload.keyValueHeads=8',
      `workload.sequenceLength=${draw.of([1024, 2048])}`,
      `workload.recomputation=${draw.of(['none', 'full'])}`,
      `workload.contextParallel=${draw.of(['1', '1,2'])}`,
      'workload.chunksPerStage=1,2',
      'workload.microBatchSize=1,2',
      'workload.zeroStage=1,3',
      'workload.endsAsLayers=false',
    ],
  });
}

/** The time of the plan that `weft plan --fluid 3` puts first: whoever comes to the front is run on fluid, too. */
async function foundPs(question: PlanQuestion, best: readonly EstimatedPlan[]): Promise<number> {
  const times = best.map(({ training, estimate }) => ({ training, ps: estimate.totalPs, isFluid: false }));
  for (;;) {
    times.sort((a, b) => a.ps - b.ps);
    const next = times.slice(0, finalists).filter(({ isFluid }) => !isFluid);
    if (next.length === 0) return times[0]!.ps;
    for (const each of next) {
      each.ps = await fluidPs(question, each.training);
      each.isFluid = true;
    }
  }
}

/** How far the best that is found lies above the best there is, by drawn space. */
async function bruteForce(seed: number): Promise<string[]> {
  const draw = new Draw(new RandomStream(seed, 'plans'));
  const rows = ['| plans of a space | best of all on fluid | found | off |', '|---|---|---|---|'];
  for (let i = 0; i < spaces; i++) {
    const question = drawnSpace(draw);
    const estimator = estimatorOf(await planOfText(planScenario(question, null, 'analytical')));
    const all = [...feasiblePlans(question.space, new LeastTimes(() => 0), { infeasible: new Map(), feasible: 0 })];
    const { best } = await bestPlans(question.space, estimator, listed, { host: nodeHost() });
    let least = Infinity;
    for (const [k, { training }] of all.entries()) {
      process.stderr.write(`\rspace ${i + 1} of ${spaces}: ${k} of ${all.length} plans on fluid   `);
      least = Math.min(least, await fluidPs(question, training));
    }
    const found = await foundPs(question, best);
    rows.push(`| ${all.length} | ${ms(least)} | ${ms(found)} | ${(100 * (found / least - 1)).toFixed(2)} % |`);
  }
  return rows;
}

/** A published row beside the best plan. */
interface RowResult {
  readonly name: string;
  readonly isFeasible: boolean;
  /** the published one's time over the best one's, less 1 */
  readonly slower: number;
  readonly why: string;
}

async function rowResult(row: PublishedRow): Promise<RowResult> {
  const { workload, gpu, gpus } = row;
  const own = Object.entries(workload).filter(
    ([name]) => !['model', 'gpu', 'globalBatchSize', 'microBatches'].includes(name),
  );
  const question = planQuestion({
    model: workload['model'] as PlanQuestion['request']['model'],
    gpus,
    gpu: (workload['gpu'] ?? gpu) as PlanQuestion['request']['gpu'],
    globalBatchSize: batchOf(row),
    fabric: `{ ${publishedFabrics[gpu]}, gpus: ${gpus} }`,
    changes: own.filter(([name]) => !isPlanned(name)).map(([name, value]) => `workload.${name}=${String(value)}`),
  });
  const estimator = estimatorOf(await planOfText(planScenario(question, null, 'analytical')));
  const { best } = await bestPlans(question.space, estimator, 1, { host: nodeHost() });
  const chosen = Object.fromEntries(own.filter(([name]) => isPlanned(name))) as Partial<TrainingValues>;
  const { plan, problems } = planTraining({ ...question.space.values, ...chosen }, gpus);
  if (plan === null) return { name: row.name, isFeasible: false, slower: NaN, why: problems[0]!.message };
  const { stages, fullestStage, limitBytes } = jobMemory(plan, '1f1b');
  const memoryBytes = stages[fullestStage]!.totalBytes;
  const isFeasible = limitBytes === null || memoryBytes <= limitBytes;
  const published = { training: plan, memoryBytes, leastPs: 0 };
  const ranked = [best[0]!, { ...published, estimate: estimateOf(published, question.space, estimator) }].map(
    rankedPlan,
  );
  const slower = ranked[1]!.times.totalPs / ranked[0]!.times.totalPs - 1;
  return {
    name: row.name,
    isFeasible,
    slower,
    why: `${planName(ranked[0]!)}; the published ${planName(ranked[1]!)} ${whyOf(ranked, 1)}`,
  };
}

async function published(mostGpus: number): Promise<string[]> {
  const rows = [...publishedRows, ...mptRows].filter(({ notComputed }) => notComputed === undefined);
  const taken = rows.filter(({ gpus }) => gpus <= mostGpus);
  const results: RowResult[] = [];
  for (const row of taken) {
    process.stderr.write(`\r${row.name.padEnd(70)}`);
    results.push(await rowResult(row));
    const { name, slower } = results.at(-1)!;
    process.stderr.write(`\r${name}: ${(100 * slower).toFixed(1)} %\n`);
  }
  const near = results.filter(({ slower }) => slower <= 0.1).length;
  const feasible = results.filter(({ isFeasible }) => isFeasible).length;
  const left = rows.length - taken.length;
  return [
    `Of ${taken.length} published rows${left === 0 ? '' : ` (those of up to ${mostGpus} GPUs; ${left} larger ones were left out)`} ${feasible} are feasible, and ${near} (${((100 * near) / taken.length).toFixed(0)} %) are within 10 % of the best plan by closed forms. Where the best is better by more:`,
    '',
    '| row | slower | best plan, and what the published one has more of |',
    '|---|---|---|',
    ...results
      .filter(({ slower, isFeasible }) => !(slower <= 0.1 && isFeasible))
      .sort((a, b) => b.slower - a.slower)
      .map(({ name, slower, why }) => `| ${name} | ${(100 * slower).toFixed(0)} % | ${why} |`),
  ];
}

const lines = [
  `What is found beside every plan on fluid (\`--fluid ${finalists}\`; drawn spaces, seed 1):`,
  '',
  ...(await bruteForce(optionOf('--seed', 1))),
  '',
  ...(await published(optionOf('--most-gpus', Infinity))),
];
process.stderr.write('\r');
const text = readFileSync(page, 'utf8');
const from = text.indexOf(begin) + begin.length;
writeWhole(page, `${text.slice(0, from)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`);
process.stdout.write(`${lines.join('\n')}\n`);
