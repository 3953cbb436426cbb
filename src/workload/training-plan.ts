// Settings of a training iteration -> what they mean together: sizes of groups, micro-batches; or which of them do not
// fit.
// Sources: Narayanan et al. 2021 (2.2: interleaving needs micro-batches in multiples of the stages; 2.3, 3: groups);
// Korthikanti et al. 2022 (4.2: sequence parallelism); Megatron-LM's own rules for experts under tensor parallelism.

import type { ParameterProblem } from '../fabric/generators/family.js';
import { maxTimePs } from '../base/units.js';
import { blockTimes } from './compute-times.js';
import { isHopper } from './gpus.js';
import { groupProblem } from './group-sizes.js';
import { trainingSettings, type TrainingValues } from './training-settings.js';
import { blockNames, blockParameters } from './transformer-model.js';
import type { GroupSizes } from './workload.js';

/** Settings that are numbers. */
type NumericKey = { [K in keyof TrainingValues]: TrainingValues[K] extends number ? K : never }[keyof TrainingValues];

/** A number of the settings that others, multiplied, must divide. */
interface Division {
  readonly dividend: NumericKey;
  readonly value: number;
  readonly divisors: readonly { readonly key: NumericKey; readonly value: number }[];
}

/**
 * A problem with a setting; `division` says which others it lies between: whoever knows what was written may blame one.
 */
export interface TrainingProblem extends ParameterProblem {
  readonly division?: Division;
}

export interface TrainingPlan {
  readonly values: TrainingValues;
  readonly groups: GroupSizes;
  /** ranks that hold the same parameters: replicas of the model, times the ranks that share a sequence */
  readonly data: number;
  readonly microBatches: number;
}

/**
 * Puts the settings together.
 * @param fabricGpus GPUs of the fabric, which `dataParallel: 0` fills; 0 if there is none
 * @returns the plan, or null with what does not fit
 */
export function planTraining(
  values: TrainingValues,
  fabricGpus: number,
): { readonly plan: TrainingPlan | null; readonly problems: TrainingProblem[] } {
  const problems = [
    ...shapeProblems(values),
    ...splitProblems(values),
    ...expertProblems(values),
    ...sizeProblems(values),
    ...kernelProblems(values),
  ];
  const {
    tensorParallel: tensor,
    pipelineParallel: pipeline,
    expertParallel: expert,
    contextParallel: context,
  } = values;
  const gpus = values.dataParallel > 0 ? tensor * pipeline * context * values.dataParallel : fabricGpus;
  const groups = { tensor, pipeline, expert, gpus, ...(context > 1 ? { context } : {}) };
  // expert groups of a dense model are refused already
  const sizes = { ...groups, expert: values.experts > 0 ? expert : 1 };
  const problem =
    gpus === 0
      ? {
          size: 'gpus' as const,
          message: 'without a fabric the number of replicas must be given',
          got: '0',
          wanted: 'a whole number, at least 1',
        }
      : groupProblem(sizes);
  if (problem !== null) {
    const { size, ...rest } = problem;
    const parameter =
      size === 'expert'
        ? 'expertParallel'
        : size === 'context'
          ? 'contextParallel'
          : values.dataParallel > 0 || gpus === 0
            ? 'dataParallel'
            : 'tensorParallel';
    problems.push({ parameter, code: 'workload-groups', ...rest });
  }
  const data = gpus / (tensor * pipeline);
  const microBatches = microBatchesOf(values, data / context);
  if (problem === null && typeof microBatches !== 'number') problems.push(microBatches);
  if (typeof microBatches === 'number' && values.chunksPerStage > 1 && microBatches % pipeline !== 0) {
    problems.push(
      bad(
        'chunksPerStage',
        `an interleaved pipeline needs micro-batches in multiples of its ${pipeline} stages`,
        `${microBatches} micro-batches`,
        `a multiple of ${pipeline}`,
      ),
    );
  }
  return problems.length > 0 || typeof microBatches !== 'number'
    ? { plan: null, problems }
    : { plan: { values, groups, data, microBatches }, problems };
}

function bad(parameter: string, message: string, got: string | number, wanted: string): ParameterProblem {
  return { parameter, code: 'workload-parameter', message, got: String(got), wanted };
}

/** A number that must be divided by others, multiplied. */
function divided(
  values: TrainingValues,
  dividend: NumericKey,
  what: string,
  ...keys: readonly NumericKey[]
): TrainingProblem[] {
  const value = values[dividend];
  const divisors = keys.map((key) => ({ key, value: values[key] }));
  const by = divisors.reduce((product, each) => product * each.value, 1);
  if (value % by === 0) return [];
  return [
    {
      ...bad(dividend, `${value} ${what} by ${by}`, value, `a multiple of ${by}`),
      division: { dividend, value, divisors },
    },
  ];
}

function shapeProblems(values: TrainingValues): TrainingProblem[] {
  return [
    ...divided(values, 'hiddenSize', 'does not divide into heads:', 'attentionHeads'),
    ...divided(values, 'attentionHeads', 'heads are not divided by those of keys and values:', 'keyValueHeads'),
  ];
}

function splitProblems(values: TrainingValues): TrainingProblem[] {
  const { pipelineParallel, chunksPerStage, sequenceParallel, contextParallel, sequenceLength } = values;
  const problems: TrainingProblem[] = [
    ...divided(
      values,
      'keyValueHeads',
      'heads of keys and values are not divided by the tensor group:',
      'tensorParallel',
    ),
    ...divided(values, 'feedForwardSize', 'is not divided by the tensor group:', 'tensorParallel'),
    ...layerProblems(values),
  ];
  // the halves of a sequence are shared out from both ends, so that every rank has as many scores
  if (contextParallel > 1 && sequenceLength % (2 * contextParallel) !== 0)
    problems.push(
      bad(
        'contextParallel',
        `a sequence of ${sequenceLength} tokens is not divided into ${2 * contextParallel} parts, two for each rank`,
        contextParallel,
        `a number whose double divides ${sequenceLength}`,
      ),
    );
  if (sequenceParallel)
    problems.push(
      ...divided(
        values,
        'sequenceLength',
        contextParallel > 1 ? 'is not divided by tensor and context groups:' : 'is not divided by the tensor group:',
        'tensorParallel',
        ...(contextParallel > 1 ? ['contextParallel' as const] : []),
      ),
    );
  if (chunksPerStage > 1 && pipelineParallel === 1)
    problems.push(
      bad(
        'chunksPerStage',
        'model chunks are interleaved over pipeline stages, of which there is one',
        chunksPerStage,
        'pipelineParallel above 1 beside it',
      ),
    );
  return problems;
}

function layerProblems(values: TrainingValues): TrainingProblem[] {
  const { layerCount, pipelineParallel, chunksPerStage, endsAsLayers } = values;
  const parts = pipelineParallel * chunksPerStage;
  if (!endsAsLayers || parts === 1)
    return divided(
      values,
      'layerCount',
      'layers do not divide into the parts of the pipeline:',
      'pipelineParallel',
      ...(chunksPerStage > 1 ? ['chunksPerStage' as const] : []),
    );
  if ((layerCount + 2) % parts === 0) return [];
  return [
    bad(
      'endsAsLayers',
      `${layerCount} layers, with embedding and head in the place of two, do not divide into the ${parts} parts of the pipeline`,
      `${layerCount} + 2`,
      `a multiple of ${parts}`,
    ),
  ];
}

function expertProblems(values: TrainingValues): TrainingProblem[] {
  const { experts, activeExperts, expertParallel, tensorParallel, sequenceParallel } = values;
  if (experts === 0)
    return expertParallel === 1
      ? []
      : [bad('expertParallel', 'a dense model has no experts', expertParallel, 'experts above 0 beside it')];
  const problems = divided(values, 'experts', 'experts do not divide over the expert group:', 'expertParallel');
  if (activeExperts > experts)
    problems.push(
      bad('activeExperts', 'a token is sent to more experts than there are', activeExperts, `at most ${experts}`),
    );
  if (tensorParallel > 1 && !sequenceParallel)
    problems.push(
      bad(
        'tensorParallel',
        'experts under tensor parallelism need sequence parallelism, or each rank would send all tokens',
        tensorParallel,
        'sequenceParallel: true beside it',
      ),
    );
  return problems;
}

function kernelProblems(values: TrainingValues): TrainingProblem[] {
  const problems: TrainingProblem[] = [];
  const { gpu, flashAttention, flashAttentionVersion, overlapGradients, zeroStage, contextParallel } = values;
  if (flashAttention && flashAttentionVersion === 3 && !isHopper(gpu))
    problems.push(bad('flashAttentionVersion', `FlashAttention-3 runs on Hopper alone, not on an ${gpu}`, 3, '1 or 2'));
  if (contextParallel > 1 && !flashAttention)
    problems.push(
      bad(
        'flashAttention',
        'context parallelism needs attention that goes through keys and values part by part',
        'false',
        'true, or contextParallel: 1',
      ),
    );
  if (!overlapGradients && zeroStage >= 2)
    problems.push(
      bad(
        'overlapGradients',
        `ZeRO stage ${zeroStage} sums the gradients of a layer when they are there, or it would have to keep them`,
        'false',
        'true, or a zeroStage of 0 or 1',
      ),
    );
  return problems;
}

/**
 * Bytes and times must stay below 2^53: the largest are those of a block's gradients, of all activations of a
 * micro-batch, and of one pass.
 */
function sizeProblems(values: TrainingValues): ParameterProblem[] {
  const parameters = blockNames
    .map((block) => blockParameters(values, block))
    .map(({ sharded, replicated }) => sharded + replicated);
  const activations =
    values.microBatchSize * values.sequenceLength * values.hiddenSize * Math.max(1, values.activeExperts);
  if (4 * Math.max(...parameters, activations) > Number.MAX_SAFE_INTEGER / 2)
    return [
      bad(
        'hiddenSize',
        'the model is larger than Weft can count',
        values.hiddenSize,
        'parameters and activations of a layer below 2^50',
      ),
    ];
  const longestPs = Math.max(...blockNames.map((block) => blockTimes(values, values, block, {}).inputGradientPs));
  if (longestPs <= maxTimePs) return [];
  return [
    bad(
      'microBatchSize',
      'a pass of one layer takes longer than 2.5 hours',
      values.microBatchSize,
      'a smaller micro-batch or model, or more ranks in a tensor group',
    ),
  ];
}

/** Micro-batches per replica: as given, or what the global batch comes to. */
function microBatchesOf(
  { globalBatchSize, microBatchSize, microBatches }: TrainingValues,
  data: number,
): number | ParameterProblem {
  if (globalBatchSize === 0) return microBatches;
  const perRound = microBatchSize * data;
  const rounds = globalBatchSize / perRound;
  if (!Number.isInteger(rounds))
    return bad(
      'globalBatchSize',
      `${globalBatchSize} sequences do not divide into micro-batches of ${microBatchSize} for ${data} replicas`,
      globalBatchSize,
      `a multiple of ${perRound}`,
    );
  if (microBatches > 1 && microBatches !== rounds)
    return bad(
      'microBatches',
      `${globalBatchSize} sequences are ${rounds} micro-batches`,
      microBatches,
      `${rounds}, or only one of globalBatchSize and microBatches`,
    );
  if (rounds > trainingSettings.microBatches.maximum)
    return bad(
      'globalBatchSize',
      `${globalBatchSize} sequences are ${rounds} micro-batches`,
      globalBatchSize,
      `at most ${trainingSettings.microBatches.maximum} micro-batches`,
    );
  return rounds;
}
