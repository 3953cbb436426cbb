// The settings of a plan that differ from their defaults, as `path: value`, in the order of the resolved scenario, and
// of those that nobody gave what they follow from.
// Invariant: a setting that is not named has its default. Lists of lines are told by their length.

import { groupText } from '../base/quantity-text.js';
import { settingDefaults, type SettingGroup } from '../base/settings.js';
import { findFamily } from '../fabric/generators/catalogue.js';
import { impliedByGpu } from '../fabric/generators/servers.js';
import { defaultEcnThresholds } from '../backends/packet/ecn-thresholds.js';
import { trainingSettings } from '../workload/training-settings.js';
import { defaultForm } from './form/scenario-form.js';
import type { Plan } from './plan.js';
import { inferenceSettings } from './form/inference-schema.js';
import { thresholdText } from './network/plan-marking.js';
import { jobSettings, layersSettings } from './form/workload-schema.js';

/** A setting and its value, as a scenario writes them. */
export interface ChangedSetting {
  readonly path: string;
  readonly value: string | number | boolean;
  /** what it follows from; null: it was given */
  readonly derivedFrom: string | null;
}

/** A setting that differs from its default. */
type Change = Omit<ChangedSetting, 'derivedFrom'>;

/**
 * @param plan its scenario with every setting written out, whose name and backend are left out, and what of it was
 * given
 */
export function changedSettings({ resolved, given }: Pick<Plan, 'resolved' | 'given'>): ChangedSetting[] {
  const changed: Change[] = [];
  const { groups, topSettings } = defaultForm();
  const fabric = resolved['fabric'];
  const family = isBlock(fabric) ? findFamily(String(fabric['generate'])) : null;
  const ofJobs = { ...layersSettings, ...trainingSettings, ...jobSettings };
  const groupAt: Readonly<Record<string, SettingGroup>> = {
    ...groups,
    fabric: family?.family.settings ?? {},
    workload: ofJobs,
    jobs: ofJobs,
    inference: inferenceSettings,
  };
  collect('', resolved, defaultsOf(topSettings), (key) => defaultsOf(groupAt[key] ?? {}), changed);
  return changed.map(({ path, value }) => ({
    path,
    value,
    derivedFrom: given.has(path) ? null : sourceOf(path, resolved),
  }));
}

/** What a setting that nobody gave follows from, in the words of the scenario. */
function sourceOf(path: string, resolved: Readonly<Record<string, unknown>>): string {
  const dot = path.lastIndexOf('.');
  const name = path.slice(dot + 1);
  const [, key, index] = /^(\w+)(?:\[(\d+)\])?/.exec(path)!;
  const block = index === undefined ? resolved[key!] : (resolved[key!] as unknown[])[Number(index)];
  if (name === 'gpu' || name === 'dataParallel') return 'the GPUs of the fabric';
  if (key === 'fabric' && isBlock(block)) {
    const { gpuType, generate } = block;
    // what the name alone brings in this family
    const brought = { ...impliedByGpu(block), ...findFamily(String(generate))?.family.impliedDefaults({ gpuType }) };
    if (Object.hasOwn(brought, name) && name !== 'gpuType') return `gpuType ${String(gpuType)}`;
    if (name === 'gpuType' || name === 'nvswitchesPerServer') return `gpusPerServer ${String(block['gpusPerServer'])}`;
  }
  if (name === 'microBatches') return 'globalBatchSize';
  if (isBlock(block) && block['model'] !== undefined && Object.hasOwn(trainingSettings, name))
    return `model ${String(block['model'])}`;
  return 'other settings';
}

/** Adds what differs below a path. @param defaultsBelow of the blocks below it */
function collect(
  path: string,
  block: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
  defaultsBelow: (key: string) => Readonly<Record<string, unknown>>,
  changed: Change[],
): void {
  for (const [key, value] of Object.entries(block)) {
    if (path === '' && saidElsewhere.has(key)) continue;
    const name = path === '' ? key : `${path}.${key}`;
    const below = path === '' ? defaultsBelow(key) : {};
    if (Array.isArray(value)) {
      if (path === '' && key === 'jobs')
        for (const [i, item] of value.entries()) {
          if (isBlock(item)) collect(`jobs[${i}]`, item, below, () => ({}), changed);
        }
      else if (JSON.stringify(value) !== (defaultLists[name] ?? JSON.stringify(defaults[key] ?? [])))
        changed.push({ path: name, value: listText(value) });
    } else if (isBlock(value)) collect(name, value, below, () => ({}), changed);
    else if (value !== defaults[key]) changed.push({ path: name, value: value as string | number | boolean });
  }
}

/** Words as they are written, lines by their number. */
function listText(list: readonly unknown[]): string {
  if (list.every((item) => typeof item === 'string')) return `[${list.join(', ')}]`;
  return `${list.length} ${list.length === 1 ? 'line' : 'lines'}`;
}

/** By path: lists that stand there if nothing is given. */
const defaultLists: Readonly<Record<string, string>> = {
  'ecn.thresholds': JSON.stringify(defaultEcnThresholds.map(thresholdText)),
};

/** What a report says elsewhere. */
const saidElsewhere: ReadonlySet<string> = new Set(['name', 'backend']);

function defaultsOf(group: SettingGroup): Readonly<Record<string, unknown>> {
  return groupText(group, settingDefaults(group));
}

function isBlock(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
