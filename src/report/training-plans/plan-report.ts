// What `weft plan` found: as text, the winner first, and as JSON.

import { formatTimePs } from '../../base/units.js';
import { communicationKinds } from '../../jobs/job-report.js';
import type { Prices } from '../../fabric/bill-of-materials.js';
import { gpus } from '../../workload/gpus.js';
import { alignedTable } from '../aligned-table.js';
import { bandSentence, jobBand } from '../error-band.js';
import { pricesNote } from '../fabric-comparison-text.js';
import { decidedOf } from '../fabric-verdict.js';
import { counted, grouped, labelled, percentText, wrapped } from '../text-style.js';
import { firmnessSentence, safeMemoryShare, slowerThan } from './plan-firmness.js';
import { exposedOf, modelText, planName, planNameHelp, whyOf } from './plan-words.js';
import { networkSentence, type PricedFabric, pricedFabricLines, pricedFabricObjects } from './priced-fabrics.js';
import type { RankedPlan } from './ranked-plan.js';

/** What was asked and what was found. */
export interface PlanReport {
  readonly model: string;
  readonly gpus: number;
  readonly gpuType: string;
  readonly fabric: string;
  readonly globalBatchSize: number;
  /** in order, the best first */
  readonly plans: readonly RankedPlan[];
  readonly feasible: number;
  /** of the feasible ones, by closed forms */
  readonly estimated: number;
  readonly infeasible: ReadonlyMap<string, { readonly count: number; readonly example: string }>;
  /** false: it was stopped, and other plans may be better */
  readonly isComplete: boolean;
  /** whether a plan that was not run as finely as the first may be faster */
  readonly isOpen: boolean;
  readonly profile: Parameters<typeof jobBand>[0];
  /** fabrics that were planned for, this one among them */
  readonly fabrics: readonly PricedFabric[];
  readonly prices: Prices;
  readonly weftVersion: string;
}

/** The object of `--json`: times in nanoseconds. */
export function planObject(report: PlanReport): Record<string, unknown> {
  const { infeasible, plans, profile, fabrics, prices, ...rest } = report;
  const band = jobBand(profile);
  const decided = decidedOf(slowerThan(plans), band);
  return {
    weftVersion: rest.weftVersion,
    model: rest.model,
    gpus: rest.gpus,
    gpuType: rest.gpuType,
    fabric: rest.fabric,
    globalBatchSize: rest.globalBatchSize,
    isComplete: rest.isComplete,
    isOpen: rest.isOpen,
    plans: plans.map((plan, place) => ({ ...rankedObject(plan, whyOf(plans, place)), decided: decided[place]! })),
    feasible: rest.feasible,
    estimated: rest.estimated,
    infeasible: Object.fromEntries([...infeasible].map(([reason, { count }]) => [reason, count])),
    infeasibleExamples: Object.fromEntries([...infeasible].map(([reason, { example }]) => [reason, example])),
    errorBand: typeof band === 'string' ? null : band,
    firmness: plans.length === 0 ? '' : firmnessSentence(plans, band),
    network: fabrics.length === 0 ? '' : networkSentence(fabrics, prices),
    fabrics: pricedFabricObjects(fabrics, band),
    prices: { name: prices.name, currency: prices.currency, date: prices.date },
  };
}

function rankedObject(
  { training, layout, memoryBytes, mfu, times, disturbed }: RankedPlan,
  why: string,
): Record<string, unknown> {
  const { values, groups, data, microBatches } = training;
  return {
    tensorParallel: groups.tensor,
    pipelineParallel: groups.pipeline,
    chunksPerStage: values.chunksPerStage,
    endsAsLayers: values.endsAsLayers,
    contextParallel: values.contextParallel,
    dataParallel: data / values.contextParallel,
    expertParallel: groups.expert,
    sequenceParallel: values.sequenceParallel,
    microBatchSize: values.microBatchSize,
    microBatches,
    zeroStage: values.zeroStage,
    recomputation: values.recomputation,
    layout,
    timedBy: times.model,
    microBatchesRun: times.rounds === undefined ? null : [times.rounds.smaller, times.rounds.larger],
    totalNs: times.totalPs / 1000,
    computeNs: times.computePs / 1000,
    exposedNs: Object.fromEntries(communicationKinds.map((kind) => [kind, times.exposedPs[kind] / 1000])),
    bubbleNs: times.bubblePs / 1000,
    memoryBytes,
    mfu,
    slowGpuNs: nsOf(disturbed?.slowGpuPs),
    failedLinkNs: nsOf(disturbed?.failedLinkPs),
    why,
  };
}

function nsOf(timePs: number | null | undefined): number | null {
  return typeof timePs === 'number' ? timePs / 1000 : null;
}

/** The text: a sentence, the table, what could not run. */
export function planText(report: PlanReport): string {
  const { plans, infeasible, feasible, estimated, isComplete } = report;
  const [first] = plans;
  const band = jobBand(report.profile);
  if (first === undefined) return 'stopped before a plan was timed\n';
  const head = `${report.model} on ${report.gpus} ${report.gpuType}, ${report.fabric}, ${counted(report.globalBatchSize, 'sequence')} an iteration`;
  const { times } = first;
  const lead = `Best: ${planName(first)}, ${formatTimePs(times.totalPs)} an iteration by ${modelText(times)}, ${percentText(first.mfu)} of the GPUs' peak (MFU). ${sentence(whyOf(plans, 0))}`;
  const rows = plans.map((plan) => [
    planName(plan),
    formatTimePs(plan.times.totalPs),
    percentText(plan.mfu),
    gibText(plan.memoryBytes),
    percentText(exposedOf(plan.times) / plan.times.totalPs, 'few'),
    percentText(plan.times.bubblePs / plan.times.totalPs, 'few'),
    modelText(plan.times),
  ]);
  const table = alignedTable([['plan', 'time', 'MFU', 'GiB', 'waits', 'bubble', 'by'], ...rows.map(shortened)], 0);
  const refused = [...infeasible].sort(([, a], [, b]) => b.count - a.count);
  return [
    ...wrapped(`${head}: ${isComplete ? '' : 'stopped; other plans may be better. '}${lead}`),
    '',
    ...table,
    '',
    ...wrapped(planNameHelp),
    '',
    ...labelled(
      'plans',
      `${grouped(feasible)} can run; ${grouped(estimated)} were estimated, and what the others compute alone takes longer than these`,
      15,
    ),
    ...refused.flatMap(([reason, { count, example }], i) =>
      labelled(i === 0 ? 'infeasible' : '', `${grouped(count)} by ${reason}, such as: ${example}`, 15),
    ),
    ...(report.isOpen
      ? labelled('not run', 'closed forms take more plans for faster than the first; --most-runs runs them, too', 15)
      : []),
    ...roundsNote(plans),
    ...memoryNote(first),
    ...labelled('firm', firmnessSentence(plans, band), 15),
    ...labelled('error band', bandSentence(band), 15),
    '',
    ...(report.fabrics.length > 1 ? [...pricedFabricLines(report.fabrics, band, report.prices), ''] : []),
    ...labelled('network', networkSentence(report.fabrics, report.prices), 15),
    ...labelled('prices', pricesNote(report.prices), 15),
    '',
  ].join('\n');
}

/** What is to be said of times that follow from shorter runs. */
function roundsNote(plans: readonly RankedPlan[]): string[] {
  const rounds = plans.find(({ times }) => times.rounds !== undefined)?.times.rounds;
  return rounds === undefined
    ? []
    : labelled(
        'extrapolated',
        `* times follow from two runs of few micro-batches (of the first such plan ${rounds.smaller} and ${rounds.larger}); --whole runs all of them`,
        15,
      );
}

/** What is to be said of memory where buffers and fragmentation may need what is left. */
function memoryNote({ training, memoryBytes }: RankedPlan): string[] {
  const share = memoryBytes / gpus[training.values.gpu].memoryBytes;
  return share <= safeMemoryShare
    ? []
    : labelled(
        'memory',
        `the first fills ${percentText(share, 0)} of it; published runs were safe up to ${percentText(safeMemoryShare, 0)}, as buffers and fragmentation take some`,
        15,
      );
}

/** A size in GiB, in few digits. */
function gibText(sizeBytes: number): string {
  const gib = sizeBytes / 2 ** 30;
  return gib.toFixed(gib < 10 ? 1 : 0);
}

/** Words that fit beside the longest name. */
function shortened(cells: readonly string[]): string[] {
  return cells.map((cell) => (cell === 'closed forms' ? 'formula' : cell === 'analytical' ? 'analytic' : cell));
}

function sentence(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}
