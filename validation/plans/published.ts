// Published configurations beside the best plan for their model, batch and GPUs of those that the framework of the
// source could carry out.
// Invariant: a published row has its own settings, as `npm run iterations` has them. What a framework could do is said
// by source, not by row.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { dimensions } from '#weft/collectives/parallel-groups.js';
import { jobMemory } from '#weft/jobs/job-memory.js';
import { estimateOf, estimatorOf } from '#weft/app/training-plans/estimate-plans.js';
import { bestPlans, type EstimatedPlan } from '#weft/app/training-plans/plan-search.js';
import { type PlanQuestion, planQuestion, planScenario } from '#weft/app/training-plans/plan-request.js';
import { type FeasiblePlan, isPlanned, type PlannedSetting } from '#weft/app/training-plans/plan-space.js';
import { rankedPlan } from '#weft/app/training-plans/rank-plans.js';
import { planName, whyOf } from '#weft/report/training-plans/plan-words.js';
import { safeMemoryShare } from '#weft/report/training-plans/plan-firmness.js';
import { percentText } from '#weft/report/text-style.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { gpus as gpuTypes } from '#weft/workload/gpus.js';
import { planTraining } from '#weft/workload/training-plan.js';
import { trainingSettings, type TrainingValues } from '#weft/workload/training-settings.js';
import { writeWhole } from '../data-file.js';
import { repositoryFolder } from '../repository.js';
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

/** what was measured, row by row: rows that are not measured anew stay */
const table = path.join(repositoryFolder, 'docs/models/plan-rows.json');

/** A published row beside the best plan of its framework. */
interface RowResult {
  /** the published one's time over that of the best, less 1 */
  readonly slower: number;
  readonly reason: string;
  readonly why: string;
}

function questionOf(row: PublishedRow, values: Framework['values'], memoryShare = 1): PlanQuestion {
  const { workload, gpu, gpus } = row;
  const name = (workload['gpu'] ?? gpu) as PlanQuestion['request']['gpu'];
  const memoryBytes = `${Math.floor(memoryShare * gpuTypes[name].memoryBytes)}B`;
  const shared = Object.entries(workload).filter(([name]) => !notShared.has(name) && !isPlanned(name));
  return planQuestion({
    model: workload['model'] as PlanQuestion['request']['model'],
    gpus,
    gpu: name,
    globalBatchSize: batchOf(row),
    fabric: `{ ${publishedFabrics[gpu]}, gpus: ${gpus} }`,
    // frameworks number ranks in this order (Megatron-LM's parallel groups)
    changes: [...shared, ...Object.entries(values), ['layout', dimensions], ['gpuMemory', memoryBytes]].map(
      ([name, value]) => `workload.${name}=${String(value)}`,
    ),
  });
}

const notShared: ReadonlySet<string> = new Set(['model', 'gpu', 'globalBatchSize', 'microBatches']);

/** The plan of a row as published, with the memory of its fullest stage. */
function publishedPlan(row: PublishedRow, { space }: PlanQuestion): FeasiblePlan & { readonly share: number } {
  const chosen = Object.fromEntries(Object.entries(row.workload).filter(([name]) => isPlanned(name)));
  const { plan, problems } = planTraining({ ...space.values, ...(chosen as Partial<TrainingValues>) }, row.gpus);
  if (plan === null) throw new Error(`${row.name}: ${problems[0]!.message}`);
  const { stages, fullestStage, limitBytes } = jobMemory(plan, '1f1b');
  const memoryBytes = stages[fullestStage]!.totalBytes;
  return { training: plan, layout: dimensions, memoryBytes, leastPs: 0, share: memoryBytes / limitBytes! };
}

/** Looks for the best plan of a row, among those that leave the memory that runs need, or as much as its own. */
async function rowResult(row: PublishedRow): Promise<RowResult> {
  const { values, fixed } = frameworks[row.source]!;
  const memoryShare = Math.max(safeMemoryShare, publishedPlan(row, questionOf(row, {})).share);
  const own = fixed.map((name) => [name, String(row.workload[name] ?? trainingSettings[name].default)]);
  const question = questionOf(row, { ...values, ...Object.fromEntries(own) }, memoryShare);
  const estimator = estimatorOf(await planOfText(planScenario(question, null, 'analytical')));
  const published = publishedPlan(row, question);
  const estimated = { ...published, estimate: estimateOf(published, question.space, estimator) };
  const { best } = await bestPlans(question.space, estimator, 1, { host: nodeHost() });
  const first = best[0] ?? estimated;
  const ranked = [first, estimated].map(rankedPlan);
  return {
    slower: estimated.estimate.totalPs / first.estimate.totalPs - 1,
    reason: reasonOf(first, published),
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

/**
 * The lines of the page.
 * @param wanted rows with this in their name or source are measured; the others stay as they were
 */
export async function published(wanted: string): Promise<string[]> {
  const rows = [...publishedRows, ...mptRows].filter(({ notComputed }) => notComputed === undefined);
  const known = existsSync(table) ? (JSON.parse(readFileSync(table, 'utf8')) as Record<string, RowResult>) : {};
  const results = new Map(Object.entries(known));
  const shares = rows.map((row) => publishedPlan(row, questionOf(row, {})).share);
  for (const row of rows) {
    if (!`${row.name} ${row.source}`.includes(wanted)) continue;
    process.stderr.write(`\r${row.name.padEnd(70)}`);
    const result = await rowResult(row);
    results.set(row.name, result);
    process.stderr.write(`\r${row.name}: ${(100 * result.slower).toFixed(1)} %, ${result.reason}; ${result.why}\n`);
  }
  const measured = rows.flatMap((row) => {
    const result = results.get(row.name);
    return result === undefined ? [] : [{ ...row, ...result }];
  });
  const kept = measured.map(({ name, slower, reason, why }) => [name, { slower, reason, why }]);
  writeWhole(table, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  const near = measured.filter(({ slower }) => slower <= 0.1).length;
  const feasible = shares.filter((share) => share <= 1).length;
  return [
    `Of ${rows.length} published rows ${feasible} are feasible. Plans are left out that fill more than ${percentText(safeMemoryShare, 0)} of the memory, and more than the published one. Of ${measured.length} that were measured ${near} (${((100 * near) / measured.length).toFixed(0)} %) are within 10 % of the best plan that their framework could carry out, by closed forms ([every row](plan-rows.json)). The others:`,
    '',
    '| row | slower | reason | best plan, and what the published one has more of |',
    '|---|---|---|---|',
    ...measured
      .filter(({ slower }) => slower > 0.1)
      .sort((a, b) => b.slower - a.slower)
      .map(({ name, slower, reason, why }) => `| ${name} | ${(100 * slower).toFixed(0)} % | ${reason} | ${why} |`),
  ];
}
