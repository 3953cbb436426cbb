// The files that are made from the catalogues are current. `npx vitest run test/scenario -u` writes them anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import type { Setting, SettingGroup } from '../../src/base/settings.js';
import schemaCommand from '../../src/cli/schema/schema.js';
import { scriptedContext } from '../support/command-context.js';
import { fabricFamilies } from '../../src/fabric/generators/catalogue.js';
import { scenarioJsonSchema, scenarioJsonSchemaText } from '../../src/scenario/json-schema.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { sizeText } from '../../src/base/quantity-text.js';
import { fileFabricSettings, stragglerSettings, transferSettings } from '../../src/scenario/form/schema.js';
import { lossPlaceSettings, lossPlaceTargets } from '../../src/scenario/form/loss-schema.js';
import {
  computeTimeSettings,
  layerChunkSettings,
  layerSettings,
  layersSettings,
  passSettings,
  workloadFileSettings,
} from '../../src/scenario/form/workload-schema.js';
import { thresholdSettings } from '../../src/backends/packet/ecn-thresholds.js';
import { defaultForm } from '../../src/scenario/form/scenario-form.js';
import { inferenceSettings, inferenceWords } from '../../src/scenario/form/inference-schema.js';
import { senderSettings, transferJobDescription } from '../../src/scenario/form/sender-settings.js';
import { pinSettings } from '../../src/scenario/network/plan-pins.js';
import { confKeys } from '../../src/scenario/foreign/simai/conf-keys.js';
import { environmentVariables } from '../../src/scenario/foreign/simai/environment.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { programFamilies } from '../../src/programs/families/catalogue.js';
import { machineSettings } from '../../src/programs/machine.js';
import { mappingSettings } from '../../src/programs/mappings.js';
import { programTimeSettings, programWords } from '../../src/scenario/form/program-schema.js';
import { trainingSettings } from '../../src/workload/training-settings.js';

const { topSettings, groups: settingGroups, descriptions: groupDescriptions } = defaultForm();

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function kindOf(setting: Setting): string {
  switch (setting.kind) {
    case 'choice':
      return `${setting.choices.map((word) => `\`${word}\``).join(', ')}${setting.orFile === undefined ? '' : `, or ${setting.orFile}`}`;
    case 'names':
      return `list of ${setting.choices.map((word) => `\`${word}\``).join(', ')}`;
    case 'count':
      return `${setting.orAuto === true ? '`auto`, or ' : ''}whole number, ${setting.minimum} to ${setting.maximum}`;
    case 'fraction':
      return `${(setting.words ?? []).map((word) => `\`${word}\`, or `).join('')}number, ${setting.minimum ?? 0} to ${setting.maximum ?? 1}`;
    case 'size':
      return `${(setting.words ?? []).map((word) => `\`${word}\`, `).join('')}size${setting.maximum === undefined ? '' : `, ${sizeText(setting.minimum ?? 0)} to ${sizeText(setting.maximum)}`}`;
    case 'time':
    case 'rate':
      return setting.orAuto === true ? `\`auto\`, or ${setting.kind}` : setting.kind;
    default:
      return setting.kind;
  }
}

function table(group: SettingGroup, required: readonly string[] = []): string {
  const rows = Object.entries(group).map(
    ([name, setting]) =>
      `| \`${name}\` | ${kindOf(setting)} | ${required.includes(name) ? 'needed' : `\`${setting.kind === 'names' ? `[${setting.default.join(', ')}]` : String(setting.default)}\``} | ${setting.description} |`,
  );
  return ['| setting | kind | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function workloadMarkdown(): string[] {
  const pass = table(passSettings, ['group', 'size']).replaceAll('| needed |', '| needed with a collective |');
  return [
    '### `workload: { file: … }`',
    '',
    table(workloadFileSettings, Object.keys(workloadFileSettings)).replaceAll('| needed |', '| none |'),
    '### `workload: { generate: transformer }`',
    '',
    'The defaults of the shape are those of the model; the table shows those of `gpt3-175b`.',
    '',
    table(trainingSettings),
    'Each line of `computeTimes`:',
    '',
    table(computeTimeSettings, Object.keys(computeTimeSettings)),
    '### `workload: { layers: … }`',
    '',
    table(layersSettings),
    'Each layer, beside its `name`, which is needed:',
    '',
    table({ ...layerSettings, ...layerChunkSettings }, ['chunk']).replaceAll('| needed |', '| none |'),
    'Each of its passes, `forward`, `inputGradient` and `weightGradient`:',
    '',
    pass,
  ];
}

function programMarkdown(): string[] {
  return [
    '### `workload: { program: … }`',
    '',
    'Every program may have:',
    '',
    table({ ...machineSettings, ...mappingSettings, ...programTimeSettings }).trimEnd(),
    ...Object.entries(programWords).map(([name, { meaning }]) => `| \`${name}\` | text | none | ${meaning} |`),
    table(pinSettings, Object.keys(pinSettings)).replaceAll('| needed |', '| none |').split('\n').slice(2).join('\n'),
    ...programFamilies.flatMap(({ name, description, settings }) => [
      `\`program: ${name}\`: ${description}.`,
      '',
      table(settings as SettingGroup),
    ]),
  ];
}

type FamilySetting = readonly [family: string, name: string, setting: Setting];

function keyOf(name: string, setting: Setting): string {
  return `${name} ${kindOf(setting)}`;
}

/** What several families have: a row for each name and kind; meanings that differ name their families. */
function sharedRow(same: readonly FamilySetting[]): string {
  const [, name, setting] = same[0]!;
  const [first, ...others] = [...new Set(same.map(([, , { description }]) => description))] as [string, ...string[]];
  const further = others.map((meaning) => {
    const own = same.filter(([, , { description }]) => description === meaning);
    const families = own.map(([family]) => `\`${family}\``).join(', ');
    return `; ${families}: ${meaning.startsWith(`${first}; `) ? meaning.slice(first.length + 2) : meaning}`;
  });
  return `| \`${name}\` | ${kindOf(setting)} | ${first}${further.join('')} |`;
}

/** A family: its own settings, and its defaults of those that it shares. */
function familyMarkdown(
  { name: familyName, otherNames, description, settings }: (typeof fabricFamilies)[number],
  isShared: (entry: [string, Setting]) => boolean,
): string {
  const names = Object.keys(otherNames).map((name) => `\`${name}\``);
  const entries = Object.entries(settings as SettingGroup);
  const own = entries.filter((entry) => !isShared(entry));
  const shared = entries.filter(isShared).map(([name, setting]) => `\`${name}: ${String(setting.default)}\``);
  return [
    `### \`fabric: { generate: ${familyName} }\`\n\n${description}.${names.length === 0 ? '' : ` Other names: ${names.join(', ')}.`}\n`,
    ...(own.length === 0 ? [] : [table(Object.fromEntries(own))]),
    ...(shared.length === 0 ? [] : [`Shared: ${shared.join(', ')}.\n`]),
  ].join('\n');
}

/** The families: what several of them have, once; then of each its own settings, and its defaults of the shared ones. */
function familiesMarkdown(): string[] {
  const all = fabricFamilies.flatMap((family): FamilySetting[] =>
    Object.entries(family.settings as SettingGroup).map(([name, setting]) => [family.name, name, setting]),
  );
  const byKey = new Map<string, FamilySetting[]>();
  for (const one of all) byKey.set(keyOf(one[1], one[2]), [...(byKey.get(keyOf(one[1], one[2])) ?? []), one]);
  const isShared = ([name, setting]: [string, Setting]): boolean => byKey.get(keyOf(name, setting))!.length > 1;
  return [
    '### `fabric: { generate: … }`',
    '',
    'Settings of several families; which of them a family has, and with which default, stands below its own.',
    '',
    '| setting | kind | meaning |',
    '|---|---|---|',
    ...[...byKey.values()].filter((same) => same.length > 1).map(sharedRow),
    '',
    ...fabricFamilies.map((family) => familyMarkdown(family, isShared)),
  ];
}

function settingsMarkdown(): string {
  const parts = [
    '### At the top level',
    '',
    "| setting | kind | default | meaning |\n|---|---|---|---|\n| `name` | text | the file's name | what the scenario is called in results |",
    table(topSettings).split('\n').slice(2).join('\n'),
  ];
  for (const [name, group] of Object.entries(settingGroups)) {
    parts.push(`### \`${name}\``, '', `${groupDescriptions[name]!}.`, '', table(group));
    if (name === 'loss')
      parts.push(
        'Beside them: `file` (the path of the file of `sequence`, `time` and `trace`) and `places`, a list of ports in place of `at`. Each line of `loss.places` names one of these, and may have a rate:',
        '',
        [
          '| setting | meaning |',
          '|---|---|',
          ...lossPlaceTargets.map((target) => `| \`${target.name}\` | ${target.description} |`),
          `| \`rate\` | ${lossPlaceSettings.rate.description} |`,
          '',
        ].join('\n'),
      );
    if (name === 'ecn')
      parts.push('Each line of `ecn.thresholds`:', '', table(thresholdSettings, Object.keys(thresholdSettings)));
  }
  parts.push(
    '### Each line of `traffic.transfers`',
    '',
    `${table({ ...transferSettings, ...senderSettings, ...pinSettings }, [
      'source',
      'destination',
      'size',
      ...Object.keys(senderSettings),
      ...Object.keys(pinSettings),
    ])
      .replaceAll(/(rate|burst|gap|every|times|plane|nic|destinationNic)` (.*)\| needed \|/g, '$1` $2| none |')
      .trimEnd()}\n| \`job\` | text | none | ${transferJobDescription} |\n`,
  );
  parts.push(
    '### `traffic: { trace: … }` and `traffic: { file: … }`',
    '',
    'Beside the file of the trace, or of the flows, for all its transfers:',
    '',
    table(pinSettings, Object.keys(pinSettings)).replaceAll('| needed |', '| none |'),
  );
  parts.push(
    '### `fabric: { file: … }`',
    '',
    'The topology file names every rate and latency; beside it may stand:',
    '',
    table(fileFabricSettings),
  );
  parts.push('### Each line of `stragglers`', '', table(stragglerSettings, ['rank']));
  parts.push(
    '### `inference`',
    '',
    'The lists of ranks are needed; `trace` is text, too.',
    '',
    [
      '| setting | meaning |',
      '|---|---|',
      ...Object.entries(inferenceWords).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
      '',
    ].join('\n'),
    table({ ...inferenceSettings, ...pinSettings }, Object.keys(pinSettings)).replaceAll('| needed |', '| none |'),
  );
  parts.push(...workloadMarkdown(), ...programMarkdown());
  parts.push(...familiesMarkdown());
  return parts.join('\n');
}

it('docs/formats/scenario.md lists every setting as it is', async () => {
  const path = pathOf('docs/formats/scenario.md');
  const text = readFileSync(path, 'utf8');
  const current = text.replace(
    /(<!-- settings: begin -->\n)[^]*(<!-- settings: end -->)/,
    (_, begin: string, end: string) => `${begin}\n${settingsMarkdown()}\n${end}`,
  );
  expect(current).toContain('### `dcqcn`');
  await expect(current).toMatchFileSnapshot(path);
});

function confMarkdown(): string {
  const rows = Object.entries(confKeys).map(([key, { meaning, settings = [], does, reason }]) => {
    const paths = settings.map((path) => `\`${path}\``).join(', ');
    const unit = meaning === 'microseconds' ? 'us' : meaning === 'bytes' ? 'bytes' : '';
    return reason === undefined
      ? `| \`${key}\` | ${[paths, does ?? unit].filter((text) => text !== '').join(': ')} | |`
      : `| \`${key}\` | | ${reason} |`;
  });
  return ['| key | what it sets | why it sets nothing |', '|---|---|---|', ...rows].join('\n');
}

function environmentMarkdown(): string {
  const rows = Object.entries(environmentVariables).map(
    ([name, variable]) =>
      `| \`${name}\` | ${'does' in variable ? variable.does : `${variable.instead === undefined ? 'nothing' : `refused${variable.asHere === undefined ? '' : ` unless ${variable.asHere.join(', ')}`}`}: ${variable.reason}`} |`,
  );
  return ['| variable | what it does here |', '|---|---|', ...rows].join('\n');
}

it('docs/formats/simai-conf.md lists every key and every environment variable as it is, and no key is without a meaning or a reason', async () => {
  const path = pathOf('docs/formats/simai-conf.md');
  let current = readFileSync(path, 'utf8');
  for (const [name, table] of [
    ['keys', confMarkdown()],
    ['environment', environmentMarkdown()],
  ] as const) {
    expect(current).toContain(`<!-- ${name}: begin -->`);
    current = current.replace(
      new RegExp(`(<!-- ${name}: begin -->\\n)[^]*(<!-- ${name}: end -->)`),
      (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`,
    );
  }
  await expect(current).toMatchFileSnapshot(path);
  expect(
    Object.values(confKeys).filter(({ meaning, reason }) => (meaning === undefined) === (reason === undefined)),
  ).toEqual([]);
});

it('every group is described', () => {
  expect(Object.keys(groupDescriptions)).toEqual(Object.keys(settingGroups));
});

it('schema/scenario.schema.json is what `weft schema` prints', async () => {
  await expect(scenarioJsonSchemaText()).toMatchFileSnapshot(pathOf('schema/scenario.schema.json'));
  const world = scriptedContext();
  await new Command().addCommand(schemaCommand(world)).parseAsync(['schema'], { from: 'user' });
  expect(world.stdout.text).toBe(scenarioJsonSchemaText());
});

it('the JSON Schema has descriptions, defaults and limits', () => {
  const schema = scenarioJsonSchema() as {
    required: string[];
    anyOf: unknown;
    additionalProperties: boolean;
    properties: Record<string, { properties: Record<string, Record<string, unknown>> }>;
  };
  expect(schema.required).toEqual(['fabric']);
  expect(schema.anyOf).toEqual([
    { required: ['traffic'] },
    { required: ['workload'] },
    { required: ['jobs'] },
    { required: ['inference'] },
  ]);
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties['packet']!.properties['payload']).toMatchObject({
    type: ['string', 'integer'],
    default: '4096B',
    minimum: 256,
    maximum: 65_535,
    description: expect.stringContaining('payload') as unknown,
  });
  for (const { properties = {} } of Object.values(schema.properties))
    for (const leaf of Object.values(properties))
      expect(leaf).toMatchObject({ description: expect.any(String) as unknown });
});

it.each(['controller', 'no-controller'])(
  'examples/server-pair/%s.yaml is a scenario without warnings',
  async (name) => {
    const path = pathOf(`examples/server-pair/${name}.yaml`);
    const plan = await makePlan(path, { host: nodeHost(), overrides: [] });
    expect(plan.warnings).toEqual([]);
    expect([plan.controller.enabled, plan.fabric.nodeCount, plan.source.total]).toEqual([name === 'controller', 28, 8]);
    await plan.source.refill();
    const rows: number[][] = [];
    plan.source.expand(0, { transfer: (...row) => rows.push(row as number[]) });
    expect(rows).toEqual(Array.from({ length: 8 }, (_, i) => [i, i, i + 8, 10 * 2 ** 20, 0]));
    await plan.source.close();
    expect(readFileSync(path, 'utf8').split('\n')[0]).toBe(
      '# yaml-language-server: $schema=../../schema/scenario.schema.json',
    );
  },
);
