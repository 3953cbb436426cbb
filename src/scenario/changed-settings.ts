// The settings of a plan that differ from their defaults, as `path: value`, in the order of the resolved scenario.
// Invariant: a setting that is not named has its default. Lists of lines are told by their length.

import { groupText } from '../base/quantity-text.js';
import { settingDefaults, type SettingGroup } from '../base/settings.js';
import { findFamily } from '../fabric/generators/catalogue.js';
import { defaultEcnThresholds } from '../backends/packet/ecn-thresholds.js';
import { trainingSettings } from '../workload/training-settings.js';
import { defaultForm } from './scenario-form.js';
import { inferenceSettings } from './inference-schema.js';
import { thresholdText } from './plan-marking.js';
import { jobSettings, layersSettings } from './workload-schema.js';

/** A setting and its value, as a scenario writes them. */
export interface ChangedSetting {
  readonly path: string;
  readonly value: string | number | boolean;
}

/** @param resolved of a plan: the scenario with every setting written out; its name and backend are left out */
export function changedSettings(resolved: Readonly<Record<string, unknown>>): ChangedSetting[] {
  const changed: ChangedSetting[] = [];
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
  return changed;
}

/** Adds what differs below a path. @param defaultsBelow of the blocks below it */
function collect(
  path: string,
  block: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
  defaultsBelow: (key: string) => Readonly<Record<string, unknown>>,
  changed: ChangedSetting[],
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
