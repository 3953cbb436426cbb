// Settings of a training iteration that change nothing, because of the others.
// Invariant: a plan with another value of such a setting computes, sends and keeps the same.

import type { TrainingPlan } from './training-plan.js';
import type { TrainingValues } from './training-settings.js';

/** A setting without effect, and why. */
export interface IdleSetting {
  readonly name: keyof TrainingValues;
  /** in words that follow "has no effect:" */
  readonly because: string;
}

/** The settings of a plan that have no effect, whatever their values are. */
export function idleSettings({ values, data, groups }: TrainingPlan): readonly IdleSetting[] {
  const isShared = values.sequenceParallel && groups.tensor > 1;
  const isNumber = values.efficiency !== 'kernels';
  const byNumber = 'efficiency is a number, which stands for all kernels';
  const rules: readonly (readonly [name: keyof TrainingValues, isWithout: boolean, because: string])[] = [
    ['sequenceParallel', groups.tensor === 1, 'tensorParallel is 1'],
    ['gatherInputsAgain', !isShared, 'there is no sequence parallelism'],
    ['activeExperts', values.experts === 0, 'the model has no experts'],
    [
      'endsAsLayers',
      groups.pipeline * values.chunksPerStage <= 2,
      'the model is in one part or two, which then are even',
    ],
    ['zeroStage', data === 1, 'there is one replica'],
    ['overlapGradients', data === 1, 'there is one replica'],
    ['overlapParameters', values.zeroStage === 0 || data === 1, 'no parameters are shared among replicas'],
    ['contextExchange', values.contextParallel === 1, 'contextParallel is 1'],
    ['flashAttentionVersion', !values.flashAttention || isNumber, isNumber ? byNumber : 'flashAttention is false'],
    ['skipsMasked', !values.flashAttention || isNumber, isNumber ? byNumber : 'flashAttention is false'],
    ['fusedKernels', isNumber, byNumber],
    ['overlapSlowdown', isNumber, byNumber],
  ];
  return rules.flatMap(([name, isWithout, because]) => (isWithout ? [{ name, because }] : []));
}
