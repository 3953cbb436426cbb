// The form of a scenario, derived from catalogues: which settings there are, in which groups, and the schema (zod 4)
// that checks what stands in the file and is exported as JSON Schema for editors.
// Invariant: every setting of the catalogues stands in the schema, and nothing else does.

import * as z from 'zod';
import { fail } from '../../base/fail.js';
import { choice, type ChoiceSetting, type SettingGroup } from '../../base/settings.js';
import { type Catalogues, defaultCatalogues } from '../catalogues.js';
import { inferenceBlock } from './inference-schema.js';
import { lossForms } from './loss-schema.js';
import { environmentSchema } from '../work/nccl-variables.js';
import {
  failureEventsSchema,
  runGroupDescriptions,
  runSettings,
  stragglerSettings,
  thresholdsSchema,
  topSettings,
} from './schema.js';
import { routingFiles } from './routing-files.js';
import { leaves, word } from './setting-schema.js';

/** Keys of a scenario that are no groups of settings. */
const taken = new Set([
  'name',
  'fabric',
  'traffic',
  'workload',
  'jobs',
  'inference',
  'stragglers',
  'seed',
  'backend',
  'sendLatency',
  'stopTime',
  'flowControl',
]);

export class ScenarioForm {
  /** settings at the top of a scenario, `backend` among them */
  readonly topSettings: SettingGroup & { readonly backend: ChoiceSetting };
  /** the group `routing`, with what backends add to it */
  readonly routingSettings: SettingGroup;
  /** the groups that backends bring, by name */
  readonly backendGroups: Readonly<Record<string, SettingGroup>>;
  /** all groups of settings, by name */
  readonly groups: Readonly<Record<string, SettingGroup>>;
  /** what each group is about; for documentation and editors */
  readonly descriptions: Readonly<Record<string, string>>;
  private blocks: Record<string, z.ZodType> | null = null;

  constructor(readonly catalogues: Catalogues) {
    const { backends } = catalogues;
    const [first] = backends;
    if (first === undefined) fail('a catalogue without backends');
    const { seed, ...others } = topSettings;
    const levels = backends.map(({ description }) => description).join('; ');
    const names = backends.map(({ name }) => name);
    if (new Set(names).size < names.length) fail(`a backend stands twice in the catalogue: ${names.join(', ')}`);
    this.topSettings = {
      seed,
      backend: choice(names, first.name, `level of detail: ${levels}`),
      ...others,
      ...Object.assign({}, ...backends.map(({ topSettings: added = {} }) => added)),
    };
    this.routingSettings = Object.assign(
      { ...runSettings.routing },
      ...backends.map(({ routingSettings = {} }) => routingSettings),
    ) as SettingGroup;
    const brought = backends.flatMap(({ groups }) => Object.entries(groups));
    for (const [name] of brought)
      if (Object.hasOwn(runSettings, name) || taken.has(name) || brought.filter(([other]) => other === name).length > 1)
        fail(`the group of settings ${name} stands twice in the catalogue`);
    this.backendGroups = Object.fromEntries(brought.map(([name, { settings }]) => [name, settings]));
    this.groups = { ...runSettings, routing: this.routingSettings, ...this.backendGroups };
    this.descriptions = {
      ...runGroupDescriptions,
      ...Object.fromEntries(brought.map(([name, { description }]) => [name, description])),
    };
  }

  /**
   * The schema of a whole scenario.
   * @param fabric the form of its `fabric` block @param traffic the form of its `traffic` block
   * @param workload the form of its `workload` block @param jobs the form of its `jobs`
   */
  schema(fabric: z.ZodType, traffic: z.ZodType, workload: z.ZodType, jobs: z.ZodType): z.ZodObject {
    return z.strictObject({
      name: word("what the scenario is called in results; the file's name if it is left out", 'text').optional(),
      fabric,
      traffic: traffic.optional(),
      workload: workload.optional(),
      jobs: jobs.optional(),
      inference: inferenceBlock.optional(),
      stragglers: z
        .array(z.strictObject(leaves(stragglerSettings, ['rank'])))
        .min(1)
        .optional()
        .meta({ description: 'ranks that compute or receive at a fraction of their speed' }),
      ...leaves(this.topSettings),
      ...(this.blocks ??= this.settingBlocks()),
    });
  }

  /** The blocks of settings, which are the same for every fabric and traffic: made once. */
  private settingBlocks(): Record<string, z.ZodType> {
    return Object.fromEntries(
      Object.entries(this.groups).map(([name, group]) => {
        const shape = leaves(group);
        if (name === 'routing')
          for (const [file, description] of Object.entries(routingFiles))
            shape[file] = word(description, 'a path').optional();
        if (name === 'failures') shape['events'] = failureEventsSchema();
        if (name === 'collectives') shape['environment'] = environmentSchema();
        if (name === 'ecn') shape['thresholds'] = thresholdsSchema();
        if (name === 'loss') Object.assign(shape, lossForms());
        return [name, z.strictObject(shape).optional().meta({ description: this.descriptions[name]! })];
      }),
    );
  }
}

const forms = new WeakMap<Catalogues, ScenarioForm>();

/** The form that belongs to catalogues, made once for each. */
export function formOf(catalogues: Catalogues): ScenarioForm {
  let form = forms.get(catalogues);
  if (form === undefined) forms.set(catalogues, (form = new ScenarioForm(catalogues)));
  return form;
}

/** The form of scenarios with what comes with Weft. */
export function defaultForm(): ScenarioForm {
  return formOf(defaultCatalogues);
}
