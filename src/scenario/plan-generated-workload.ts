// `workload: { generate: transformer, … }` -> a workload: settings with the defaults of the model that is named and of
// the fabric's GPUs.

import type { Diagnostics } from '../base/diagnostics.js';
import type { BlockTimes } from '../workload/compute-times.js';
import { generateTransformer } from '../workload/generate-transformer.js';
import { gpuOfType } from '../workload/gpus.js';
import { planTraining, type TrainingPlan } from '../workload/training-plan.js';
import { trainingSettings, trainingSettingsOf, type TrainingValues } from '../workload/training-settings.js';
import { layerBlocks, type BlockName } from '../workload/transformer-model.js';
import { blamed } from './blame-sizes.js';
import { errorAt, nodeAt, pathText, textOf, type LocatedMap, type Path, warnOfNoUse } from './located.js';
import { groupText } from '../base/quantity-text.js';
import { groupAt, valueAt } from './resolve.js';
import { computeTimeSettings } from './workload-schema.js';
import type { PlannedWorkload, WorkloadSite } from './workload-site.js';

/** Generates the workload of a scenario. @returns null after at least one error */
export function generatedWorkload(
  { root, path: base, gpus, gpuType }: WorkloadSite,
  diagnostics: Diagnostics,
): PlannedWorkload | null {
  const settings = trainingSettingsOf(valueAt(root, [...base, 'model'], trainingSettings.model));
  const given = groupAt(root, base, settings);
  const gpu = nodeAt(root, [...base, 'gpu']) === undefined ? (gpuOfType(gpuType) ?? given.gpu) : given.gpu;
  const values: TrainingValues = { ...given, gpu };
  const times = readTimes(root, base, values, diagnostics);
  const { plan, problems } = planTraining(values, gpus);
  for (const { parameter, code, message, got, wanted, hint } of blamed(problems, root, base)) {
    const path: Path = [...base, parameter ?? 'generate'];
    const node = nodeAt(root, path);
    const shown = got ?? (node === undefined ? undefined : textOf(node));
    errorAt(
      diagnostics,
      code,
      node?.place ?? nodeAt(root, [...base, 'generate'])!.place,
      parameter === null ? message : `${pathText(path)}: ${message}`,
      {
        ...(shown === undefined ? {} : { got: shown }),
        ...(wanted === undefined ? {} : { wanted }),
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }
  if (plan === null || times === null) return null;
  warnOfNoEffect(root, base, plan, times, diagnostics);
  return {
    training: plan,
    value: generateTransformer(
      plan,
      Object.fromEntries([...times].map(([block, { times: measured }]) => [block, measured])),
    ),
    resolved: {
      generate: 'transformer',
      ...groupText(settings, {
        ...values,
        dataParallel: plan.data / values.contextParallel,
        microBatches: plan.microBatches,
      }),
      ...(times.size === 0 ? {} : { computeTimes: [...times.values()].map(({ resolved }) => resolved) }),
    },
  };
}

/** Measured times of a block, and where they stand. */
interface MeasuredBlock {
  readonly path: Path;
  readonly times: BlockTimes;
  readonly resolved: Record<string, unknown>;
}

function readTimes(
  root: LocatedMap,
  base: Path,
  values: TrainingValues,
  diagnostics: Diagnostics,
): Map<BlockName, MeasuredBlock> | null {
  const list = nodeAt(root, [...base, 'computeTimes']);
  const times = new Map<BlockName, MeasuredBlock>();
  const errorsBefore = diagnostics.errorCount;
  const known: readonly BlockName[] = ['embedding', ...layerBlocks(values), 'head'];
  const count = list?.kind === 'list' ? list.items.length : 0;
  for (let i = 0; i < count; i++) {
    const path: Path = [...base, 'computeTimes', i];
    const line = groupAt(root, path, computeTimeSettings);
    const { place } = nodeAt(root, [...path, 'block'])!;
    if (times.has(line.block))
      errorAt(diagnostics, 'workload-compute-times', place, `the times of ${line.block} are given twice`, {
        got: line.block,
        wanted: 'one line for each block',
      });
    else if (!known.includes(line.block))
      errorAt(diagnostics, 'workload-compute-times', place, `the model has no block ${line.block}`, {
        got: line.block,
        wanted: `one of ${known.join(', ')}`,
      });
    times.set(line.block, {
      path,
      times: { forwardPs: line.forward, inputGradientPs: line.inputGradient, weightGradientPs: line.weightGradient },
      resolved: groupText(computeTimeSettings, line),
    });
  }
  return diagnostics.errorCount > errorsBefore ? null : times;
}

/** Warns of settings that are given, differ from their defaults and change nothing. */
function warnOfNoEffect(
  root: LocatedMap,
  base: Path,
  { values, data, groups }: TrainingPlan,
  times: ReadonlyMap<BlockName, MeasuredBlock>,
  diagnostics: Diagnostics,
): void {
  const isShared = values.sequenceParallel && groups.tensor > 1;
  const isNumber = values.efficiency !== 'kernels';
  const byNumber = 'efficiency is a number, which stands for all kernels';
  const computing: readonly BlockName[] = [...layerBlocks(values), 'head'];
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
    ['efficiency', computing.every((block) => times.has(block)), 'all times are measured'],
    [
      'recomputation',
      values.recomputation === 'selective' && times.has('attention'),
      'the times of attention are measured',
    ],
  ];
  const defaults = trainingSettingsOf(values.model);
  for (const [name, isWithout, because] of rules) {
    const path: Path = [...base, name];
    if (isWithout && nodeAt(root, path) !== undefined && values[name] !== defaults[name].default)
      warnOfNoUse(diagnostics, root, path, because);
  }
}
