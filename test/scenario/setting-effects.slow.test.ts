// Every setting has a visible effect: two small runs that differ in nothing but the setting differ in a figure, in the
// expected direction. And where the plan says that a setting has no effect, the same two values give the same flows,
// paths and times.

import { describe, expect, it } from 'vitest';
import { noEffectRulesOf } from '../../src/scenario/no-effect-rules.js';
import { inferenceSettings, inferenceWords } from '../../src/scenario/form/inference-schema.js';
import { senderSettings } from '../../src/scenario/form/sender-settings.js';
import { pinSettings } from '../../src/scenario/network/plan-pins.js';
import {
  failureEventSettings,
  failureTargets,
  fileFabricSettings,
  stragglerSettings,
  transferSettings,
} from '../../src/scenario/form/schema.js';
import { thresholdSettings } from '../../src/backends/packet/ecn-thresholds.js';
import { defaultCatalogues } from '../../src/scenario/catalogues.js';
import { defaultForm } from '../../src/scenario/form/scenario-form.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { laneFiles } from '../support/lane-files.js';
import { severalLids } from '../support/several-lids.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';
import { effectCases, setsOf, thresholdLists, unneededLines, withoutCase, type EffectCase } from './effects/cases.js';
import { noEffectCases } from './effects/conditions.js';
import { burst } from './effects/scenarios.js';

const { topSettings, groups: settingGroups } = defaultForm();
const noEffectRules = noEffectRulesOf(defaultCatalogues, 'packet');

/**
 * Every setting of a scenario but the parameters of generated fabrics (test/fabric/parameters.test.ts) and the names of
 * files.
 */
const catalogue = [
  'name',
  ...Object.keys(topSettings),
  ...Object.keys(fileFabricSettings).map((name) => `fabric.${name}`),
  ...Object.entries(settingGroups).flatMap(([group, entries]) =>
    Object.keys(entries).map((name) => `${group}.${name}`),
  ),
  ...[...Object.keys(failureEventSettings), ...failureTargets.map(({ name }) => name)].map(
    (name) => `failures.events[].${name}`,
  ),
  'collectives.environment',
  'loss.places',
  'loss.file',
  ...Object.keys(thresholdSettings).map((name) => `ecn.thresholds[].${name}`),
  ...Object.keys({ ...transferSettings, ...senderSettings, ...pinSettings }).map(
    (name) => `traffic.transfers[].${name}`,
  ),
  ...Object.keys(pinSettings).map((name) => `traffic.${name}`),
  ...Object.keys(stragglerSettings).map((name) => `stragglers[].${name}`),
  ...Object.keys({ ...inferenceSettings, ...pinSettings, ...inferenceWords }).map((name) => `inference.${name}`),
];

/** Five GPUs on one NVSwitch, over links with an error rate. */
const nvlink = (errorRate: number): string =>
  `6 5 1 0 5 H100\n5\n${[0, 1, 2, 3, 4].map((gpu) => `${gpu} 5 100Gbps 1us ${errorRate}\n`).join('')}`;
/** Of the fabric of `crowded`: every pair on level 0 or 1, every level on the lane of its number. */
const lanes = laneFiles(generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 5 }));
const { net, lfts } = severalLids();
const files = {
  'several.net': net,
  'several.lfts': lfts,
  'levels.txt': lanes.records((source, destination) => (source + destination) % 2),
  'lanes.txt': lanes.tables((level) => level % 8),
  'nvlink.txt': nvlink(0),
  'noisy.txt': nvlink(0.01),
  'planes.csv': '0,0,2,1000000\n',
  'pattern.txt': '1000000000000000000000000000000000000000\n',
  'other-pattern.txt': '1000000000\n',
  'times.txt': '3, 0, 0, 0.00001, 3\n',
  'requests.csv': '0,8,5\n50000,4,5\n',
};

function runOf(path: string, effect: EffectCase, which: 0 | 1, more: readonly string[] = []): Promise<ScenarioRun> {
  return scenarioRun(effect.scenario, [...(effect.given ?? []), ...more, ...setsOf(path, effect, which)], files);
}

it('every setting has a case, or a written reason why it can have none', () => {
  expect(catalogue.filter((path) => (effectCases[path] === undefined) === (withoutCase[path] === undefined))).toEqual(
    [],
  );
  expect(
    [...Object.keys(effectCases), ...Object.keys(withoutCase)].filter((path) => !catalogue.includes(path)),
  ).toEqual([]);
});

describe('a setting shows its effect', () => {
  it.each(Object.entries(effectCases))('%s', async (path, effect) => {
    const [first, second] = [await runOf(path, effect, 0), await runOf(path, effect, 1)];
    expect(second.warnings.filter((message) => message.startsWith(`${path.replace('[]', '[0]')} `))).toEqual([]);
    const { rises, falls, differs } = effect;
    if (rises !== undefined) expect(rises(second)).toBeGreaterThan(rises(first));
    if (falls !== undefined) expect(falls(second)).toBeLessThan(falls(first));
    if (differs !== undefined) expect(second.summary.digest).not.toBe(first.summary.digest);
    expect([rises, falls, differs].filter((shown) => shown !== undefined)).toHaveLength(1);
  });
});

/** The settings that a pattern of the rules stands for, each with two values. */
function casesOf(pattern: string): [string, EffectCase][] {
  if (pattern === 'ecn.thresholds') return [[pattern, { scenario: burst, values: thresholdLists }]];
  if (pattern === 'ecn.thresholds[]') return [[pattern, { scenario: burst, values: unneededLines }]];
  return Object.entries(effectCases).filter(
    ([path]) => path === pattern || (pattern.endsWith('.*') && path.startsWith(pattern.slice(0, -1))),
  );
}

describe('a setting that is said to have no effect has none', () => {
  it('and every rule is tried with each of its settings', () => {
    const fixed = new Set(noEffectRules.map(({ because }) => because));
    const tried = (pattern: string, because: unknown): boolean =>
      noEffectCases.some(
        (one) =>
          one.settings.includes(pattern) &&
          (typeof because === 'string' ? one.because === because : !fixed.has(one.because)),
      );
    expect(
      noEffectRules.flatMap(({ settings, because }) => settings.filter((pattern) => !tried(pattern, because))),
    ).toEqual([]);
  });

  it.each(
    noEffectCases.flatMap(({ settings, scenario, values, given, because }) =>
      settings.flatMap(casesOf).map(([path, effect]) => ({
        path,
        effect: { ...effect, scenario: scenario ?? effect.scenario, values: values ?? effect.values },
        given,
        because,
      })),
    ),
  )('$path: $because', async ({ path, effect, given, because }) => {
    const [first, second] = [await runOf(path, effect, 0, given), await runOf(path, effect, 1, given)];
    expect(second.summary.digest).toBe(first.summary.digest);
    expect(second.warnings.map((message) => message.replace(/\[\d+\]/, '[]'))).toContain(
      `${path} has no effect: ${because}`,
    );
  });
});
