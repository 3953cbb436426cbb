// Published configurations beside the best plan for their model, batch and GPUs: of all plans, and of those that the
// framework of the source could carry out.
// Invariant: a published row has its own settings, as `npm run iterations` has them. What a framework could do is said
// by source, not by row.

import { jobMemory } from '#weft/jobs/job-memory.js';
import { estimateOf, estimatorOf } from '#weft/app/training-plans/estimate-plans.js';
import { bestPlans, type EstimatedPlan } from '#weft/app/training-plans/plan-search.js';
import { type PlanQuestion, planQuestion, planScenario } from '#weft/app/training-plans/plan-request.js';
import { isPlanned, type PlannedSetting } from '#weft/app/training-plans/plan-space.js';
import { rankedPlan } from '#weft/app/training-plans/rank-plans.js';
import { planName, whyOf } from '#weft/report/training-plans/plan-words.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { gpus as gpuTypes } from '#weft/workload/gpus.js';
import { planTraining } from '#weft/workload/training-plan.js';
import { trainingSettings, type TrainingValues } from '#weft/workload/training-settings.js';
import { mptRows } from '../iterations/mpt-rows.js';
import { batchOf, publishedFabrics, publishedRows, type PublishedRow } from '../iterations/published-rows.js';
import { planOfText } from './brute-force.js';

/** What a source leaves open: values of settings as `--set` takes them; all of those that are left out. */
interface Framework {
  /** what its framework could do at that time, as its text and its code say */
  readonly values: Readonly<Partial<Record<PlannedSetting, string>>>;
  /** what the source decides for a row and does not search */
  readonly fixed: readonly PlannedSetting[];
}

/** fully sharded data parallelism of PyTorch, beside which neither knows more than tensor groups */
const sharded = { pipelineParallel: '1', contextParallel: '1', expertParallel: '1', zeroStage: '2,3' };

const frameworks: Readonly<Record<string, Framework>> = {
  // throughput is told for recomputation of everything, in all rows
  'Narayanan et al. 2021, table 1': {
    values: { contextParallel: '1', sequenceParallel: 'false', endsAsLayers: 'false', zeroStage: '0' },
    fixed: ['recomputation'],
  },
  // what is recomputed, and sequence parallelism, are what its rows compare
  'Korthikanti et al. 2022, table 5': {
    values: { contextParallel: '1', endsAsLayers: 'false', zeroStage: '0' },
    fixed: ['recomputation', 'sequenceParallel'],
  },
  'Megatron-Core 0.8, table of models': { values: { endsAsLayers: 'false', zeroStage: '0,1' }, fixed: [] },
  'MegaScale, table 2': { values: { contextParallel: '1', endsAsLayers: 'false', zeroStage: '0,1,2' }, fixed: [] },
  'Llama 3, table 4': { values: {}, fixed: [] },
  // no accumulation of gradients at that time: the micro-batch is what a replica has; recomputation is stated for all
  'TorchTitan, Llama 3 on H100': { values: sharded, fixed: ['microBatchSize', 'recomputation'] },
  'llm-foundry': {
    values: { ...sharded, tensorParallel: '1', sequenceParallel: 'false', recomputation: 'none,full' },
    fixed: [],
  },
};

/** all plans are looked at where there are so many GPUs at most: for more it takes long */
const mostWhole = 64;

/** A published row beside the best plans. */
export interface RowResult {
  readonly name: string;
  readonly isFeasible: boolean;
  /** the published one's time over that of the best of all plans, less 1 (null: not looked for), and of those of its framework */
  readonly slower: number | null;
  readonly slowerInFramework: number;
  /** why not all plans of the framework are as slow */
  readonly reason: string;
  readonly why: string;
}

function questionOf(row: PublishedRow, values: Framework['values']): PlanQuestion {
  const { workload, gpu, gpus } = row;
  const shared = Object.entries(workload).filter(([name]) => !notShared.has(name) && !isPlanned(name));
  return planQuestion({
    model: workload['model'] as PlanQuestion['request']['model'],
    gpus,
    gpu: (workload['gpu'] ?? gpu) as PlanQuestion['request']['gpu'],
    globalBatchSize: batchOf(row),
    fabric: `{ ${publishedFabrics[gpu]}, gpus: ${gpus} }`,
    changes: [...shared, ...Object.entries(values)].map(([name, value]) => `workload.${name}=${String(value)}`),
  });
}

const notShared: ReadonlySet<string> = new Set(['model', 'gpu', 'globalBatchSize', 'microBatches']);

/** Looks for the best plans of a row. */
export async function rowResult(row: PublishedRow): Promise<RowResult> {
  const framework = frameworks[row.source]!;
  const fixed = framework.fixed.map((name) => [name, String(row.workload[name] ?? trainingSettings[name].default)]);
  const inFramework = { ...framework.values, ...Object.fromEntries(fixed) } as Framework['values'];
  const own = questionOf(row, {});
  const estimator = estimatorOf(await planOfText(planScenario(own, null, 'analytical')));
  const best = async (question: PlanQuestion): Promise<EstimatedPlan | undefined> =>
    (await bestPlans(question.space, estimator, 1, { host: nodeHost() })).best[0];
  const chosen = Object.fromEntries(Object.entries(row.workload).filter(([name]) => isPlanned(name)));
  const values = { ...own.space.values, ...(chosen as Partial<TrainingValues>) };
  const { plan, problems } = planTraining(values, row.gpus);
  if (plan === null) throw new Error(`${row.name}: ${problems[0]!.message}`);
  const { stages, fullestStage, limitBytes } = jobMemory(plan, '1f1b');
  const memoryBytes = stages[fullestStage]!.totalBytes;
  const published = { training: plan, memoryBytes, leastPs: 0 };
  const estimate = estimateOf(published, own.space, estimator);
  const ofAll = row.gpus > mostWhole ? undefined : await best(own);
  const ofFramework = (await best(questionOf(row, inFramework))) ?? { ...published, estimate };
  const ranked = [ofFramework, { ...published, estimate }].map(rankedPlan);
  const slower = (plan: EstimatedPlan): number => estimate.totalPs / plan.estimate.totalPs - 1;
  return {
    name: row.name,
    isFeasible: limitBytes === null || memoryBytes <= limitBytes,
    slower: ofAll === undefined ? null : slower(ofAll),
    slowerInFramework: slower(ofFramework),
    reason: reasonOf(ofFramework, published),
    why: `${planName(ranked[0]!)}; the published ${planName(ranked[1]!)} ${whyOf(ranked, 1)}`,
  };
}

/** Where the best of a framework's plans and the published one differ most, in the words of the question. */
function reasonOf(best: EstimatedPlan, published: Pick<EstimatedPlan, 'training' | 'memoryBytes'>): string {
  const [own, other] = [best.training.values, published.training.values];
  const share = best.memoryBytes / gpuTypes[own.gpu].memoryBytes;
  const full = `fills ${(100 * share).toFixed(0)} % of the memory`;
  if (best.memoryBytes > 1.1 * published.memoryBytes && share > 0.85) return `memory: the best ${full}`;
  if (own.recomputation !== other.recomputation) return `framework: other recomputation; the best ${full}`;
  if (own.tensorParallel !== other.tensorParallel) return `network: other tensor groups; the best ${full}`;
  return `framework: other stages or batches; the best ${full}`;
}

/** Rows of tables, and their sums. */
export async function published(mostGpus: number): Promise<string[]> {
  const rows = [...publishedRows, ...mptRows].filter(({ notComputed }) => notComputed === undefined);
  const taken = rows.filter(({ gpus }) => gpus <= mostGpus);
  const results: RowResult[] = [];
  for (const row of taken) {
    process.stderr.write(`\r${row.name.padEnd(70)}`);
    const startMs = performance.now();
    results.push(await rowResult(row));
    const { name, slowerInFramework, why, reason } = results.at(-1)!;
    process.stderr.write(
      `\r${name}: ${(100 * slowerInFramework).toFixed(1)} % (${((performance.now() - startMs) / 1000).toFixed(0)} s) ${reason}; ${why}\n`,
    );
  }
  const near = (of: readonly number[]): string => {
    const count = of.filter((share) => share <= 0.1).length;
    return `${count} (${((100 * count) / of.length).toFixed(0)} %)`;
  };
  const feasible = results.filter(({ isFeasible }) => isFeasible).length;
  const left = rows.length - taken.length;
  const percent = (share: number | null): string => (share === null ? '' : `${(100 * share).toFixed(0)} %`);
  const whole = results.flatMap(({ slower }) => (slower === null ? [] : [slower]));
  return [
    `Of ${taken.length} published rows${left === 0 ? '' : ` (those of up to ${mostGpus} GPUs; ${left} larger ones were left out)`} ${feasible} are feasible. ${near(results.map(({ slowerInFramework }) => slowerInFramework))} are within 10 % of the best plan that their framework could carry out, by closed forms. Of all plans: ${near(whole)} of the ${whole.length} rows with up to ${mostWhole} GPUs. Where the best of the framework is better by more:`,
    '',
    '| row | slower | beside all plans | reason | best plan of the framework, and what the published one has more of |',
    '|---|---|---|---|---|',
    ...results
      .filter(({ slowerInFramework, isFeasible }) => !(slowerInFramework <= 0.1 && isFeasible))
      .sort((a, b) => b.slowerInFramework - a.slowerInFramework)
      .map(
        ({ name, slower, slowerInFramework, reason, why }) =>
          `| ${name} | ${percent(slowerInFramework)} | ${percent(slower)} | ${reason} | ${why} |`,
      ),
  ];
}
