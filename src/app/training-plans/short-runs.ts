// Long runs of plans in place of which two short ones are made: with few micro-batches, from which the time of all follows,
// if all rounds of them take the same. Where groups share links, rounds may differ: then the plan is run whole.
// Invariant: the collectives of a short run are carried out as those of the long one would be.

import type { IterationEstimator } from '../../jobs/iteration-estimate.js';
import { leastStreamedTransfers, type StreamMode } from '../../collectives/streams.js';
import { type MicroBatchRounds, microBatchRounds } from '../../jobs/micro-batch-rounds.js';
import type { Plan } from '../../scenario/plan.js';
import type { TrainingPlan } from '../../workload/training-plan.js';
import { stepTransfersOf, streamedOf } from '../make-network.js';
import { estimateOf } from './estimate-plans.js';
import type { FeasiblePlan, SpaceRequest } from './plan-space.js';

/**
 * Full rounds of micro-batches that the longer of two runs has, beside what is left over of all of them: with two of them
 * sums over replicas may still be hidden behind more computation than with one, and groups that share links meet otherwise
 * than later on.
 */
const fullRounds = [2, 3, 4] as const;
/** Micro-batches of the longer run of a plan without a pipeline. */
const alone = 4;

/** All micro-batches over those of both runs, at least. */
const leastSaving = 2;

const modeOf = { all: 'always', selected: 'selected', none: 'never' } as const satisfies Record<string, StreamMode>;

/**
 * How far a round of micro-batches may be from that of closed forms, as a share, if nobody gets into anybody's way: times
 * that follow are off by no more.
 */
const mostContention = 0.005;
/**
 * How far it may be from the round before it where groups share links: they meet each other again as they did. Seen with 512
 * GPUs: rounds of 853.82 ms, 853.39, 853.39 and 853.39 where an idle network takes 844.82.
 */
const mostChange = 0.001;

/** Two short runs in place of a long one. */
export interface ShortRuns {
  readonly rounds: MicroBatchRounds;
  /** of each, the smaller first: changes of the scenario, as `--set` takes them */
  readonly changes: readonly (readonly string[])[];
}

/**
 * The runs of few micro-batches that a plan may be timed by, the shortest first, where they save enough.
 * @param wholePlan of its scenario with all micro-batches @param leastTransfers below which it is run whole
 * @returns none: it is run whole, for it has few transfers or few micro-batches
 */
export function shortRuns(
  { values, groups, microBatches }: TrainingPlan,
  wholePlan: Plan,
  leastTransfers = leastStreamedTransfers,
): readonly ShortRuns[] {
  if (wholePlan.backend.collectives.kind !== 'simulated') return [];
  const { pipeline } = groups;
  const most = pipeline === 1 ? [alone] : fullRounds.map((full) => (full + 1) * pipeline - 1);
  const found = most.flatMap((count) => microBatchRounds(microBatches, pipeline, count) ?? []);
  const saving = found.filter(({ smaller, larger }) => leastSaving * (smaller + larger) <= microBatches);
  if (saving.length === 0 || stepTransfersOf(wholePlan) < leastTransfers) return [];
  const streamed = streamedOf(wholePlan);
  const changesOf = (count: number): readonly string[] => [
    `workload.globalBatchSize=${(values.globalBatchSize / microBatches) * count}`,
    // that all of them fit has been seen
    'workload.gpuMemory=unlimited',
    ...(streamed === null ? [] : [`fluid.streams=${modeOf[streamed]}`]),
  ];
  return saving.map((rounds) => ({ rounds, changes: [changesOf(rounds.smaller), changesOf(rounds.larger)] }));
}

/** What a round of micro-batches took, in picoseconds. */
export function roundPs([fewPs, morePs]: readonly [number, number]): number {
  return morePs - fewPs;
}

/**
 * Whether all rounds of micro-batches take the same: one takes what it takes on an idle network, or as long as that before it.
 * @param ownPs what the last round took @param earlierPs the one before it; null: not known
 * @param rounds that of `ownPs` @param estimator of the fabric
 */
export function roundsAreSteady(
  { training, layout }: Pick<FeasiblePlan, 'training' | 'layout'>,
  ownPs: number,
  earlierPs: number | null,
  { smaller, larger }: MicroBatchRounds,
  request: SpaceRequest,
  estimator: IterationEstimator,
): boolean {
  if (earlierPs !== null && Math.abs(ownPs / earlierPs - 1) <= mostChange) return true;
  const idlePs = (microBatches: number): number =>
    estimateOf({ training: { ...training, microBatches }, layout }, request, estimator).totalPs;
  return Math.abs(ownPs / (idlePs(larger) - idlePs(smaller)) - 1) <= mostContention;
}
