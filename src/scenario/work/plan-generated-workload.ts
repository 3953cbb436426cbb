// `workload: { generate: transformer, … }` -> a workload: settings with the defaults of the model that is named and of
// the fabric's GPUs.

import { Section } from '../form/section.js';
import type { BlockTimes } from '../../workload/compute-times.js';
import { generateTransformer } from '../../workload/generate-transformer.js';
import { gpuOfType } from '../../workload/gpus.js';
import { type IdleSetting, idleSettings } from '../../workload/idle-settings.js';
import { planTraining, type TrainingPlan } from '../../workload/training-plan.js';
import { trainingSettings, trainingSettingsOf, type TrainingValues } from '../../workload/training-settings.js';
import { layerBlocks, type BlockName } from '../../workload/transformer-model.js';
import { blamed } from './blame-sizes.js';
import { textOf, type Path } from '../form/located.js';
import { groupText } from '../../base/quantity-text.js';
import { computeTimeSettings } from '../form/workload-schema.js';
import type { PlannedWorkload, WorkloadSite } from './workload-site.js';

/** Generates the workload of a scenario. @returns null after at least one error */
export function generatedWorkload({ block, gpus, gpuType }: WorkloadSite): PlannedWorkload | null {
  const settings = trainingSettingsOf(block.value('model', trainingSettings.model));
  const given = block.group(settings);
  const gpu = block.has('gpu') ? given.gpu : (gpuOfType(gpuType) ?? given.gpu);
  const values: TrainingValues = { ...given, gpu };
  const times = readTimes(block, values);
  const { plan, problems } = planTraining(values, gpus);
  for (const { parameter, code, message, got, wanted, hint } of blamed(problems, block)) {
    const key = parameter ?? 'generate';
    const node = block.node(key);
    const shown = got ?? (node === undefined ? undefined : textOf(node));
    block.error(
      node === undefined ? 'generate' : key,
      code,
      parameter === null ? message : `${block.text(key)}: ${message}`,
      {
        ...(shown === undefined ? {} : { got: shown }),
        ...(wanted === undefined ? {} : { wanted }),
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }
  if (plan === null || times === null) return null;
  warnOfNoEffect(block, plan, times);
  return {
    training: plan,
    value: generateTransformer(
      plan,
      Object.fromEntries([...times].map(([name, { times: measured }]) => [name, measured])),
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

function readTimes(block: Section, values: TrainingValues): Map<BlockName, MeasuredBlock> | null {
  const times = new Map<BlockName, MeasuredBlock>();
  const known: readonly BlockName[] = ['embedding', ...layerBlocks(values), 'head'];
  for (let i = 0; i < block.count('computeTimes'); i++) {
    const at = block.at('computeTimes', i);
    const line = at.group(computeTimeSettings);
    if (times.has(line.block))
      at.error('block', 'workload-compute-times', `the times of ${line.block} are given twice`, {
        got: line.block,
        wanted: 'one line for each block',
      });
    else if (!known.includes(line.block))
      at.error('block', 'workload-compute-times', `the model has no block ${line.block}`, {
        got: line.block,
        wanted: `one of ${known.join(', ')}`,
      });
    times.set(line.block, {
      path: at.path,
      times: { forwardPs: line.forward, inputGradientPs: line.inputGradient, weightGradientPs: line.weightGradient },
      resolved: groupText(computeTimeSettings, line),
    });
  }
  return block.failed ? null : times;
}

/** Warns of settings that are given, differ from their defaults and change nothing. */
function warnOfNoEffect(block: Section, plan: TrainingPlan, times: ReadonlyMap<BlockName, MeasuredBlock>): void {
  const { values } = plan;
  const computing: readonly BlockName[] = [...layerBlocks(values), 'head'];
  const measured: readonly IdleSetting[] = [
    ...(computing.every((name) => times.has(name))
      ? [{ name: 'efficiency' as const, because: 'all times are measured' }]
      : []),
    ...(values.recomputation === 'selective' && times.has('attention')
      ? [{ name: 'recomputation' as const, because: 'the times of attention are measured' }]
      : []),
  ];
  const defaults = trainingSettingsOf(values.model);
  for (const { name, because } of [...idleSettings(plan), ...measured])
    if (block.has(name) && values[name] !== defaults[name].default) block.noUse(name, because);
}
