// What `weft plan` is asked -> the space of plans, and the scenario of each: the text that a run of it reads.
// Invariant: settings of a scenario are read by their own catalogue; a plan is run and written as one scenario.

export { levelsOfDetail } from '../../backends/catalogue.js';
import { InputError } from '../../base/diagnostics.js';
import { resolveSetting, settingDefaults, settingForm } from '../../base/settings.js';
import { dimensions } from '../../collectives/parallel-groups.js';
import { settingText } from '../../base/quantity-text.js';
import { gpuNames, type GpuName } from '../../workload/gpus.js';
import { type KnownModel, knownModelNames } from '../../workload/known-models.js';
import { trainingSettingsOf, type TrainingValues } from '../../workload/training-settings.js';
import {
  type FeasiblePlan,
  type GivenChoices,
  isPlanned,
  isUsual,
  type Layout,
  type PlannedSetting,
  plannedSettings,
  type SpaceRequest,
} from './plan-space.js';

/** The models and GPUs that plans are made for. */
export const plannedModels: readonly KnownModel[] = knownModelNames;
export const plannedGpus: readonly GpuName[] = gpuNames;

export interface PlanRequest {
  readonly model: KnownModel;
  readonly gpus: number;
  readonly gpu: GpuName;
  readonly globalBatchSize: number;
  /** the block `fabric` of a scenario, as YAML on one line */
  readonly fabric: string;
  /** `path=value`; of a setting that plans choose `path=value,value` */
  readonly changes: readonly string[];
}

/** A request as plans need it. */
export interface PlanQuestion {
  readonly request: PlanRequest;
  readonly space: SpaceRequest;
  /** settings of the workload that every plan has, and other settings of the scenario by path */
  readonly shared: readonly (readonly [name: string, text: string])[];
  readonly others: readonly (readonly [path: string, text: string])[];
}

/** settings of the workload that options give, or that follow */
const notChanged: ReadonlySet<string> = new Set([
  'model',
  'gpu',
  'globalBatchSize',
  'microBatches',
  'dataParallel',
  'generate',
]);

/** Reads a request. @throws InputError */
export function planQuestion(request: PlanRequest): PlanQuestion {
  const { model, gpu, gpus, globalBatchSize } = request;
  const settings = trainingSettingsOf(model);
  const given: Record<string, readonly TrainingValues[PlannedSetting][]> = {};
  const fixed: Record<string, unknown> = {};
  const others: (readonly [string, string])[] = [];
  let layout: Layout | null = null;
  for (const change of request.changes) {
    const [, path = '', text = ''] = /^([^=]*)=(.*)$/s.exec(change.trim()) ?? [];
    const name = path.replace(/^workload\./, '');
    if (name === path) {
      others.push([simplePath(path, change), text]);
      continue;
    }
    if (name === 'layout') {
      layout = layoutIn(text, change);
      continue;
    }
    if (!Object.hasOwn(settings, name) || notChanged.has(name))
      throw mistake(
        notChanged.has(name)
          ? `workload.${name} is not set here: the options give it, or it follows from the others`
          : `a generated workload has no setting ${name}`,
        change,
        `a setting of the workload, such as workload.${plannedSettings[0]}=4,8`,
      );
    const setting = settings[name as keyof typeof settings];
    const values = (isPlanned(name) ? text.split(',') : [text]).map((each) => {
      const value = resolveSetting(setting, each.trim());
      if (value === null) throw mistake(`workload.${name} has a value that does not fit`, change, settingForm(setting));
      return value;
    });
    if (isPlanned(name)) given[name] = values as TrainingValues[PlannedSetting][];
    else fixed[name] = values[0];
  }
  const values = { ...settingDefaults(settings), ...fixed, model, gpu, globalBatchSize } as TrainingValues;
  const written = { model, gpu, globalBatchSize, ...fixed } as Partial<TrainingValues>;
  return {
    request,
    space: { values, gpus, schedule: '1f1b', given: given as GivenChoices, ...(layout === null ? {} : { layout }) },
    shared: Object.entries(written).map(([name, value]) => [
      name,
      String(settingText(settings[name as keyof typeof settings], value)),
    ]),
    others,
  };
}

/** `[tp, pp, ep, dp_ep]` */
function layoutIn(text: string, change: string): Layout {
  const names = text.replace(/^\s*\[(.*)\]\s*$/, '$1').split(',');
  const order = names.map((each) => dimensions.find((dimension) => dimension === each.trim()));
  if (order.length === dimensions.length && dimensions.every((dimension) => order.includes(dimension)))
    return order as Layout;
  throw mistake('workload.layout is no order of the dimensions', change, `workload.layout=[${dimensions.join(', ')}]`);
}

/** A path of keys alone, which can be written as YAML. */
function simplePath(path: string, change: string): string {
  const isOurs = ['fabric', 'backend', 'workload', 'jobs', 'traffic', 'timeline'].includes(path.split('.')[0]!);
  if (!isOurs && /^[A-Za-z]+(?:\.[A-Za-z]+)*$/.test(path)) return path;
  throw mistake(
    isOurs ? 'this setting is what weft plan decides, or has an option for' : 'this is not the path of a setting',
    change,
    'path=value of another setting of a scenario, such as collectives.channels=16',
  );
}

function mistake(message: string, got: string, wanted: string): InputError {
  return InputError.about('plan-set', '--set', message, { got, wanted });
}

/**
 * The scenario of a plan.
 * @param plan null: none, a small model on each GPU: for the fabric and its costs alone
 */
export function planScenario(
  { request, shared, others }: PlanQuestion,
  plan: Pick<FeasiblePlan, 'training' | 'layout'> | null,
  backend: string,
): string {
  const settings = trainingSettingsOf(request.model);
  const workload =
    plan === null
      ? ([['layerCount', '1'] as const, ['gpuMemory', 'unlimited'] as const] as const)
      : [
          ...shared,
          ['dataParallel', String(plan.training.data / plan.training.values.contextParallel)] as const,
          ...plannedSettings.flatMap((name) => {
            const { [name]: chosen } = plan.training.values;
            return chosen === settings[name].default ? [] : [[name, String(chosen)] as const];
          }),
          ...(isUsual(plan.layout) ? [] : [['layout', `[${plan.layout.join(', ')}]`] as const]),
        ];
  return [
    `backend: ${backend}`,
    `fabric: ${request.fabric}`,
    ...nested(others),
    'workload:',
    '  generate: transformer',
    ...workload.map(([name, text]) => `  ${name}: ${text}`),
    '',
  ].join('\n');
}

/** Settings by path as lines of YAML. */
function nested(settings: readonly (readonly [path: string, text: string])[], indent = ''): string[] {
  const groups = new Map<string, (readonly [string, string])[]>();
  for (const [path, text] of settings) {
    const [key = '', ...rest] = path.split('.');
    groups.set(key, [...(groups.get(key) ?? []), [rest.join('.'), text]]);
  }
  const lines: string[] = [];
  for (const [key, under] of groups) {
    const [path, text] = under.at(-1)!;
    if (path === '') lines.push(`${indent}${key}: ${text}`);
    else lines.push(`${indent}${key}:`, ...nested(under, `${indent}  `));
  }
  return lines;
}
