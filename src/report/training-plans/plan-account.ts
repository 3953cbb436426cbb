// What is said of the plans that were found, in parts: the answer, the ranking, what could not run, how firm the order is,
// what networks cost. The text and the page are made from these, so they cannot say different things.

import { formatTimePs } from '../../base/units.js';
import type { Prices } from '../../fabric/bill-of-materials.js';
import { gpus } from '../../workload/gpus.js';
import { bandSentence, jobBand } from '../error-band.js';
import { pricesNote } from '../fabric-comparison-text.js';
import { counted, grouped, percentText } from '../text-style.js';
import { firmnessSentence, safeMemoryShare } from './plan-firmness.js';
import { exposedOf, modelText, planName, whyOf } from './plan-words.js';
import { networkSentence, type PricedFabric, pricedFabricTable, type PricedFabricTable } from './priced-fabrics.js';
import { closedForm, longestRunPs, type RankedPlan } from './ranked-plan.js';

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

/** A sentence under a label; an empty one goes on with the label before. */
export interface PlanNote {
  readonly label: string;
  readonly text: string;
}

/** What is said, in the order in which it is said. */
interface PlanAccount {
  /** model, GPUs, fabric and batch */
  readonly asked: string;
  /** the best plan, its time, and why it wins */
  readonly lead: string;
  readonly ranking: { readonly heads: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** how many there are, what could not run, how firm the order is */
  readonly notes: readonly PlanNote[];
  readonly fabrics: PricedFabricTable;
  /** which network, and by which prices */
  readonly money: readonly PlanNote[];
}

/** What is said of plans. @param first of the report's plans */
export function planAccount(report: PlanReport, first: RankedPlan): PlanAccount {
  const { plans, isComplete, fabrics, prices } = report;
  const band = jobBand(report.profile);
  const { times } = first;
  const lead = `Best: ${planName(first)}, ${formatTimePs(times.totalPs)} an iteration by ${modelText(times)}, ${percentText(first.mfu)} of the GPUs' peak (MFU). ${sentence(whyOf(plans, 0))}`;
  return {
    asked: `${report.model} on ${report.gpus} ${report.gpuType}, ${report.fabric}, ${counted(report.globalBatchSize, 'sequence')} an iteration`,
    lead: `${isComplete ? '' : 'stopped; other plans may be better. '}${lead}`,
    ranking: {
      heads: ['plan', 'time', 'MFU', 'GiB', 'waits', 'bubble', 'by'],
      rows: plans.map((plan) => [
        planName(plan),
        formatTimePs(plan.times.totalPs),
        percentText(plan.mfu),
        gibText(plan.memoryBytes),
        percentText(exposedOf(plan.times) / plan.times.totalPs, 'few'),
        percentText(plan.times.bubblePs / plan.times.totalPs, 'few'),
        modelText(plan.times),
      ]),
    },
    notes: [
      ...spaceNotes(report),
      ...roundsNote(plans),
      ...memoryNote(first),
      { label: 'firm', text: firmnessSentence(plans, band) },
      { label: 'error band', text: bandSentence(band) },
    ],
    fabrics: pricedFabricTable(fabrics, band, prices),
    money: [
      { label: 'network', text: networkSentence(fabrics, prices) },
      { label: 'prices', text: pricesNote(prices) },
    ],
  };
}

/** What could not run, the commonest reason first. */
export function refusedPlans(
  infeasible: PlanReport['infeasible'],
): { readonly reason: string; readonly count: number; readonly example: string }[] {
  return [...infeasible]
    .map(([reason, { count, example }]) => ({ reason, count, example }))
    .sort((a, b) => b.count - a.count);
}

/** How many plans there are, and what could not run. */
function spaceNotes({ plans, feasible, estimated, infeasible, isOpen, isComplete }: PlanReport): PlanNote[] {
  return [
    {
      label: 'plans',
      text: `${grouped(feasible)} can run; ${grouped(estimated)} were estimated, and what the others compute alone takes longer than these`,
    },
    ...refusedPlans(infeasible).map(({ reason, count, example }, i) => ({
      label: i === 0 ? 'infeasible' : '',
      text: `${grouped(count)} by ${reason}, such as: ${example}`,
    })),
    ...(isComplete && plans.some(({ times }) => times.model === closedForm)
      ? [
          {
            label: 'not run',
            text: `plans whose iteration takes more than ${formatTimePs(longestRunPs)}, about as long as a simulation can last: their times are those of closed forms`,
          },
        ]
      : []),
    ...(isOpen
      ? [
          {
            label: 'not run',
            text: 'closed forms take more plans for faster than the first; --most-runs runs them, too',
          },
        ]
      : []),
  ];
}

/** What is to be said of times that follow from shorter runs. */
function roundsNote(plans: readonly RankedPlan[]): PlanNote[] {
  const rounds = plans.find(({ times }) => times.rounds !== undefined)?.times.rounds;
  return rounds === undefined
    ? []
    : [
        {
          label: 'extrapolated',
          text: `* times follow from two runs of few micro-batches (of the first such plan ${rounds.smaller} and ${rounds.larger}); --whole runs all of them`,
        },
      ];
}

/** What is to be said of memory where buffers and fragmentation may need what is left. */
function memoryNote({ training, memoryBytes }: RankedPlan): PlanNote[] {
  const share = memoryBytes / gpus[training.values.gpu].memoryBytes;
  return share <= safeMemoryShare
    ? []
    : [
        {
          label: 'memory',
          text: `the first fills ${percentText(share, 0)} of it; published runs were safe up to ${percentText(safeMemoryShare, 0)}, as buffers and fragmentation take some`,
        },
      ];
}

/** A size in GiB, in few digits. */
function gibText(sizeBytes: number): string {
  const gib = sizeBytes / 2 ** 30;
  return gib.toFixed(gib < 10 ? 1 : 0);
}

function sentence(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}
