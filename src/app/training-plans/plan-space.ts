// Every way to spread a model over GPUs: sizes of groups, chunks, micro-batches, what is recomputed and what replicas
// share. Which of them can run, by the rules that a scenario is checked by, and which fit into memory.
// Invariants: no rule of the generator is repeated here: planTraining, idleSettings and jobMemory are asked. Plans that
// differ in nothing that has an effect stand once.

import { type Dimension, dimensions } from '../../collectives/parallel-groups.js';
import { jobMemory } from '../../jobs/job-memory.js';
import type { PipelineSchedule } from '../../jobs/job.js';
import { idleSettings } from '../../workload/idle-settings.js';
import type { LeastTimes } from '../../workload/least-time.js';
import { sumsGradientsOnce } from '../../workload/model-shares.js';
import { planTraining, type TrainingPlan, type TrainingProblem } from '../../workload/training-plan.js';
import { trainingSettings, type TrainingValues } from '../../workload/training-settings.js';

/** The settings that a plan chooses. The replicas follow from them and the number of GPUs. */
export const plannedSettings = [
  'tensorParallel',
  'pipelineParallel',
  'chunksPerStage',
  'endsAsLayers',
  'contextParallel',
  'expertParallel',
  'sequenceParallel',
  'microBatchSize',
  'recomputation',
  'zeroStage',
] as const satisfies readonly (keyof TrainingValues)[];
export type PlannedSetting = (typeof plannedSettings)[number];

const chosen: ReadonlySet<string> = new Set(plannedSettings);

/** Whether plans choose a setting of the workload. */
export function isPlanned(name: string): name is PlannedSetting {
  return chosen.has(name);
}

/** Values of settings that a plan may choose, in place of all that there are. */
export type GivenChoices = { readonly [Name in PlannedSetting]?: readonly TrainingValues[Name][] };

export interface SpaceRequest {
  /** all that a plan does not choose; its global batch is given */
  readonly values: TrainingValues;
  readonly gpus: number;
  readonly schedule: PipelineSchedule;
  readonly given: GivenChoices;
  /** the one order in which ranks are numbered; left out: all that are tried */
  readonly layout?: Layout;
}

/** The order in which ranks are numbered: neighbouring ranks, which share servers and rails, differ in the first dimension. */
export type Layout = readonly Dimension[];

/** Whether a mapping of groups to servers is the usual one: tensor groups, then replicas, then stages. */
export function isUsual(layout: Layout): boolean {
  return layout.every((dimension, i) => dimension === dimensions[i]);
}

/** The mappings that differ: stages of a pipeline side by side, and experts of a group side by side. */
function layoutsOf({ groups, data }: TrainingPlan, { layout }: SpaceRequest): readonly Layout[] {
  if (layout !== undefined) return [layout];
  const found: Layout[] = [dimensions];
  if (groups.pipeline > 1 && data > 1) found.push(['tp', 'pp', 'ep', 'dp_ep']);
  if (groups.expert > 1 && groups.tensor > 1) found.push(['ep', 'tp', 'dp_ep', 'pp']);
  return found;
}

/** A plan that can run. */
export interface FeasiblePlan {
  readonly training: TrainingPlan;
  /** which groups share servers and rails */
  readonly layout: Layout;
  /** of the fullest stage */
  readonly memoryBytes: number;
  /** what no network can shorten, in picoseconds */
  readonly leastPs: number;
}

/** What plans that differ in the chunks of a stage and in their mapping alone have in common. */
export function decisionOf({ training: { values, groups } }: Pick<FeasiblePlan, 'training'>): string {
  return [
    groups.tensor,
    groups.pipeline,
    groups.expert,
    values.contextParallel,
    values.microBatchSize,
    values.sequenceParallel,
    values.recomputation,
    values.zeroStage,
  ].join(' ');
}

/** What stands in the way of plans: how many of them, and one example. */
export interface Infeasible {
  readonly count: number;
  readonly example: string;
}

/** What became of the plans of a space. */
export interface SpaceCount {
  /** by the setting that is to blame, `memory` or `transferSize` */
  readonly infeasible: Map<string, Infeasible>;
  feasible: number;
}

/**
 * The plans that can run, in no order that means anything. A division of model and batch that is refused counts once,
 * whatever is recomputed and shared under it.
 * @param times of this space @param count is brought up to date with every plan
 */
export function* feasiblePlans(
  request: SpaceRequest,
  times: Pick<LeastTimes, 'ofComputation'>,
  count: SpaceCount,
): Generator<FeasiblePlan> {
  for (const division of divisions(request)) {
    const { plan, problems } = planTraining(division, request.gpus);
    if (plan === null) refuse(count, problems[0]!);
    else if (!hasIdleChoice(plan)) yield* plansUnder(request, division, count, times);
  }
}

const tooLargeText = 'it does not fit in the memory of its GPUs';

function* plansUnder(
  request: SpaceRequest,
  division: TrainingValues,
  count: SpaceCount,
  times: Pick<LeastTimes, 'ofComputation'>,
): Generator<FeasiblePlan> {
  const { values: base, gpus, schedule, given } = request;
  const sequences = base.globalBatchSize / division.dataParallel;
  // who does not fit with a smaller micro-batch does not with a larger one
  const tooLarge = new Set<string>();
  for (const microBatchSize of ascending(given.microBatchSize ?? divisorsOf(sequences))) {
    for (const recomputation of given.recomputation ?? recomputations(base))
      for (const zeroStage of given.zeroStage ?? [0, 1, 2, 3]) {
        const { plan, problems } = planTraining({ ...division, microBatchSize, recomputation, zeroStage }, gpus);
        if (plan === null) {
          refuse(count, problems[0]!);
          continue;
        }
        if (hasIdleChoice(plan) || isStageOne(plan, schedule)) continue;
        const key = `${recomputation} ${zeroStage}`;
        if (tooLarge.has(key)) {
          addInfeasible(count, 'memory', tooLargeText);
          continue;
        }
        const { stages, limitBytes, fullestStage } = jobMemory(plan, schedule);
        const memoryBytes = stages[fullestStage]!.totalBytes;
        if (limitBytes !== null && memoryBytes > limitBytes) {
          addInfeasible(count, 'memory', tooLargeText);
          tooLarge.add(key);
          continue;
        }
        const leastPs = times.ofComputation(plan);
        for (const layout of layoutsOf(plan, request)) {
          count.feasible++;
          yield { training: plan, layout, memoryBytes, leastPs };
        }
      }
  }
}

/** Divisions of the model and of the GPUs, each with the smallest micro-batch, nothing recomputed and nothing shared. */
function* divisions({ values, gpus, given }: SpaceRequest): Generator<TrainingValues> {
  const parts = divisorsOf(gpus);
  for (const tensorParallel of given.tensorParallel ?? parts)
    for (const pipelineParallel of given.pipelineParallel ?? parts)
      for (const contextParallel of given.contextParallel ?? parts) {
        const dataParallel = gpus / (tensorParallel * pipelineParallel * contextParallel);
        if (!Number.isInteger(dataParallel)) continue;
        for (const expertParallel of given.expertParallel ?? (values.experts > 0 ? parts : [1]))
          for (const sequenceParallel of given.sequenceParallel ?? [false, true])
            for (const endsAsLayers of given.endsAsLayers ?? [false, true])
              for (const chunksPerStage of given.chunksPerStage ?? chunkCounts(values, pipelineParallel, endsAsLayers))
                yield {
                  ...values,
                  tensorParallel,
                  pipelineParallel,
                  contextParallel,
                  dataParallel,
                  expertParallel,
                  sequenceParallel,
                  endsAsLayers,
                  chunksPerStage,
                  microBatchSize: given.microBatchSize?.[0] ?? 1,
                  recomputation: 'none',
                  zeroStage: 0,
                };
      }
}

/** Numbers of model chunks of a stage that its layers may be divided into; 1 among them, whether it divides or not. */
function chunkCounts({ layerCount }: TrainingValues, stages: number, endsAsLayers: boolean): number[] {
  const parts = (layerCount + (endsAsLayers ? 2 : 0)) / stages;
  return stages > 1 && Number.isInteger(parts) ? divisorsOf(parts) : [1];
}

/** With FlashAttention selective recomputation keeps what no recomputation keeps, and takes longer. */
function recomputations({ flashAttention }: TrainingValues): TrainingValues['recomputation'][] {
  return trainingSettings.recomputation.choices.filter((each) => each !== 'selective' || !flashAttention);
}

/** Whether another plan, in which a setting without effect has its default, is the same. */
function hasIdleChoice(plan: TrainingPlan): boolean {
  return idleSettings(plan).some(({ name }) => isPlanned(name) && plan.values[name] !== trainingSettings[name].default);
}

/**
 * Whether ZeRO stage 2 does what stage 1 does: in a pipeline under 1F1B gradients are whole on every rank when the stage
 * keeps most (docs/models/job-memory.md).
 */
function isStageOne(plan: TrainingPlan, schedule: PipelineSchedule): boolean {
  return plan.values.zeroStage === 2 && sumsGradientsOnce(plan) && schedule === '1f1b';
}

function refuse(count: SpaceCount, { parameter, message }: TrainingProblem): void {
  addInfeasible(count, parameter ?? 'workload', message);
}

/** Counts a plan that cannot run. @param reason the setting that is to blame, `memory` or `transferSize` */
export function addInfeasible({ infeasible }: Pick<SpaceCount, 'infeasible'>, reason: string, example: string): void {
  const known = infeasible.get(reason);
  infeasible.set(reason, { count: (known?.count ?? 0) + 1, example: known?.example ?? example });
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

/** The whole numbers that divide one. */
function divisorsOf(value: number): number[] {
  const found: number[] = [];
  for (let divisor = 1; divisor * divisor <= value; divisor++)
    if (value % divisor === 0) found.push(divisor, ...(divisor * divisor === value ? [] : [value / divisor]));
  return ascending(found);
}
