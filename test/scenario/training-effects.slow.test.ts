// Every setting of a generated training iteration has an effect: two runs that differ in it alone differ in a figure, in
// the direction that the models' pages say. Closed forms carry them out: a run takes milliseconds.

import { expect, it } from 'vitest';
import { trainingSettings } from '../../src/workload/training-settings.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';
import { jobTime, type Figure } from './effects/figures.js';

const scenario = `backend: analytical
fabric: { generate: spectrum-x, gpus: 16, gpuType: H100 }
workload: { generate: transformer, model: llama2-7b, layerCount: 4, gpuMemory: unlimited }
`;

/** Bytes of the fullest stage: all, and of activations. */
const memory: Figure = ({ summary: { jobs } }) => {
  const { stages, fullestStage } = jobs[0]!.memory!;
  return stages[fullestStage]!.totalBytes;
};
const activations: Figure = ({ summary: { jobs } }) =>
  Math.max(...jobs[0]!.memory!.stages.map(({ activationsBytes }) => activationsBytes));
const computes: Figure = ({ summary: { jobs } }) => jobs[0]!.stages[0]!.computePs;

/** How much more weight the second stage has than the first. */
const unevenness: Figure = ({ summary: { jobs } }) => {
  const [first, second] = jobs[0]!.memory!.stages;
  return second!.weightsBytes / first!.weightsBytes;
};

interface TrainingEffect {
  readonly given?: readonly string[];
  readonly values: readonly [string, string];
  /** setting texts beside each value, where the value alone is no scenario */
  readonly beside?: readonly [string, string];
  readonly rises?: Figure;
  readonly falls?: Figure;
}

const context = ['contextParallel=4', 'sequenceLength=8192'];
const pipeline = ['pipelineParallel=2', 'microBatches=4'];

const effects: Readonly<Record<keyof typeof trainingSettings, TrainingEffect>> = {
  model: { values: ['llama2-7b', 'llama3-8b'], rises: memory },
  layerCount: { values: ['4', '8'], rises: jobTime },
  hiddenSize: { values: ['4096', '8192'], rises: memory },
  attentionHeads: { given: ['keyValueHeads=8'], values: ['32', '16'], rises: memory },
  keyValueHeads: { values: ['8', '32'], rises: memory },
  feedForwardSize: { values: ['11008', '16384'], rises: memory },
  gatedFeedForward: { values: ['false', 'true'], rises: memory },
  vocabularySize: { values: ['32000', '128000'], rises: memory },
  sequenceLength: { values: ['2048', '4096'], rises: activations },
  experts: { given: ['activeExperts=1'], values: ['0', '4'], rises: memory },
  activeExperts: { given: ['experts=4'], values: ['1', '2'], rises: activations },
  tiedEmbeddings: { values: ['false', 'true'], falls: memory },
  learnedPositions: { values: ['false', 'true'], rises: memory },
  biases: { values: ['false', 'true'], rises: memory },
  dropout: { values: ['false', 'true'], rises: activations },
  tensorParallel: { values: ['1', '4'], falls: memory },
  pipelineParallel: { values: ['1', '2'], falls: memory },
  chunksPerStage: { given: pipeline, values: ['1', '2'], rises: activations },
  endsAsLayers: {
    given: ['pipelineParallel=4', 'microBatches=4'],
    values: ['false', 'true'],
    beside: ['layerCount=8', 'layerCount=6'],
    rises: unevenness,
  },
  dataParallel: { given: ['zeroStage=1'], values: ['2', '8'], falls: memory },
  expertParallel: { given: ['experts=4'], values: ['1', '4'], falls: memory },
  contextParallel: { given: ['sequenceLength=8192'], values: ['1', '4'], falls: activations },
  contextExchange: { given: context, values: ['gather', 'ring'], falls: activations },
  sequenceParallel: { given: ['tensorParallel=4'], values: ['false', 'true'], falls: activations },
  gatherInputsAgain: {
    given: ['tensorParallel=4', 'sequenceParallel=true'],
    values: ['true', 'false'],
    rises: activations,
  },
  overlapGradients: { values: ['true', 'false'], rises: jobTime },
  overlapParameters: { given: ['zeroStage=3'], values: ['true', 'false'], rises: jobTime },
  zeroStage: { values: ['0', '3'], falls: memory },
  microBatchSize: { values: ['1', '2'], rises: activations },
  microBatches: { values: ['1', '2'], rises: jobTime },
  globalBatchSize: { values: ['16', '64'], rises: jobTime },
  recomputation: { values: ['none', 'alternate'], falls: activations },
  flashAttention: { values: ['true', 'false'], rises: activations },
  flashAttentionVersion: { given: ['sequenceLength=16384'], values: ['2', '3'], falls: computes },
  skipsMasked: { given: ['sequenceLength=16384'], values: ['true', 'false'], rises: computes },
  fusedKernels: { values: ['true', 'false'], rises: computes },
  gradientPrecision: { values: ['fp32', 'bf16'], falls: memory },
  gpu: { values: ['H100', 'A100'], rises: computes },
  gpuMemory: {
    values: ['unlimited', '1TiB'],
    falls: ({ summary: { jobs } }) => jobs[0]!.memory!.limitBytes ?? Infinity,
  },
  overlapSlowdown: { values: ['0', '0.5'], rises: jobTime },
  efficiency: { values: ['0.5', '0.25'], rises: computes },
};

const runOf = (name: string, { given = [], values, beside }: TrainingEffect, which: 0 | 1): Promise<ScenarioRun> =>
  scenarioRun(
    scenario,
    [...given, ...(beside === undefined ? [] : [beside[which]]), `${name}=${values[which]}`].map(
      (text) => `workload.${text}`,
    ),
  );

it('every setting has a case', () => {
  expect(Object.keys(effects).sort()).toEqual(Object.keys(trainingSettings).sort());
});

it.each(Object.entries(effects))('workload.%s shows its effect', async (name, effect) => {
  const [first, second] = [await runOf(name, effect, 0), await runOf(name, effect, 1)];
  expect(second.warnings.filter((message) => message.startsWith(`workload.${name} `))).toEqual([]);
  const { rises, falls } = effect;
  if (rises !== undefined) expect(rises(second)).toBeGreaterThan(rises(first));
  if (falls !== undefined) expect(falls(second)).toBeLessThan(falls(first));
  expect([rises, falls].filter((shown) => shown !== undefined)).toHaveLength(1);
});

it.each(['selective', 'full'])('recomputation: %s keeps less than none', async (word) => {
  const given = ['flashAttention=false'];
  const effect = { given, values: ['none', word] } as const;
  const [none, some] = [await runOf('recomputation', effect, 0), await runOf('recomputation', effect, 1)];
  expect(activations(some)).toBeLessThan(activations(none));
  expect(jobTime(some)).toBeGreaterThan(jobTime(none));
});
