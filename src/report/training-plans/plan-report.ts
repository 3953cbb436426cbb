// What `weft plan` found: as text, the winner first, and as JSON.

import { communicationKinds } from '../../jobs/job-report.js';
import { alignedTable } from '../aligned-table.js';
import { jobBand } from '../error-band.js';
import { decidedOf } from '../fabric-verdict.js';
import { labelled, wrapped } from '../text-style.js';
import { planAccount, type PlanNote, type PlanReport } from './plan-account.js';
import { firmnessSentence, slowerThan } from './plan-firmness.js';
import { planNameHelp, whyOf } from './plan-words.js';
import { networkSentence, pricedFabricObjects } from './priced-fabrics.js';
import type { NoLinkFault, RankedPlan } from './ranked-plan.js';

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

function nsOf(timePs: number | NoLinkFault | undefined): number | null {
  return typeof timePs === 'number' ? timePs / 1000 : null;
}

/** The text: a sentence, the table, what could not run. */
export function planText(report: PlanReport): string {
  const [first] = report.plans;
  if (first === undefined) return 'stopped before a plan was timed\n';
  const { asked, lead, ranking, notes, fabrics, money } = planAccount(report, first);
  return [
    ...wrapped(`${asked}: ${lead}`),
    '',
    ...alignedTable([ranking.heads, ...ranking.rows.map(shortened)], 0),
    '',
    ...wrapped(planNameHelp),
    '',
    ...notes.flatMap(noteLines),
    '',
    ...(fabrics.rows.length > 1
      ? [
          ...alignedTable([fabrics.heads, ...fabrics.rows], 0),
          ...fabrics.named.flatMap(({ label, name, plan }) =>
            wrapped(`${label}: ${name === label ? '' : `${name}; `}${plan}`),
          ),
          '',
        ]
      : []),
    ...money.flatMap(noteLines),
    '',
  ].join('\n');
}

function noteLines({ label, text }: PlanNote): string[] {
  return labelled(label, text, 15);
}

/** Words that fit beside the longest name. */
function shortened(cells: readonly string[]): string[] {
  return cells.map((cell) => (cell === 'closed forms' ? 'formula' : cell === 'analytical' ? 'analytic' : cell));
}
