// Warnings of settings that were given and change nothing, by the table of rules (no-effect-rules.ts).
// Invariants: a value that is the default is passed over (unless a rule says otherwise); a setting is warned of once;
// what one key of a SimAI.conf gives is without effect only if all of it is; what no line gives is not told of.

import type { Situation } from '../backends/backend-declaration.js';
import { groupWithProfile, type PacketProfile } from '../backends/packet/packet-profiles.js';
import { defaultEcnThresholds, thresholdSettings } from '../backends/packet/ecn-thresholds.js';
import type { Diagnostics } from '../base/diagnostics.js';
import { resolveSetting, type Setting, type SettingGroup } from '../base/settings.js';
import { causePlace } from './form/cause-place.js';
import { inferenceSettings } from './form/inference-schema.js';
import {
  keyPlaceOf,
  nodeAt,
  pathText,
  placeOf,
  plainOf,
  variablePlace,
  warningAt,
  type LocatedMap,
  type Path,
} from './form/located.js';
import { noEffectRulesOf } from './no-effect-rules.js';
import { groupAt } from './form/resolve.js';
import type { Scenario } from './form/read-scenario.js';
import type { ScenarioForm } from './form/scenario-form.js';
import { failureEventSettings, fileFabricSettings } from './form/schema.js';

/** A setting without effect. */
interface Finding {
  readonly path: Path;
  readonly causes: readonly Path[];
  readonly because: string;
}

/**
 * Warns of every setting that is given, differs from its default, and changes nothing, in the order of their lines.
 * @returns paths of all that are given and change nothing, whatever their values
 */
export function warnOfNoEffect(scenario: Scenario, situation: Situation, diagnostics: Diagnostics): Set<string> {
  const { root, form } = scenario;
  const rules = noEffectRulesOf(form.catalogues, situation.backend);
  const findings = new Map<string, Finding>();
  const found = new Set<string>();
  for (const { settings, causes, when, because, evenIfDefault = false } of rules) {
    for (const path of settings.flatMap((pattern) => pathsOf(scenario, pattern))) {
      const name = pathText(path);
      // of a list without effect the lines are not told one by one
      if (
        findings.has(name) ||
        findings.has(pathText(path.slice(0, 2))) ||
        nodeAt(root, path) === undefined ||
        isImplied(root, path) ||
        !when(situation, path)
      )
        continue;
      found.add(name);
      if (!evenIfDefault && !isOfEnvironment(root, path) && isDefault(scenario, situation, path)) continue;
      findings.set(name, {
        path,
        causes: causes.map((cause) => cause.split('.')),
        because: typeof because === 'string' ? because : because(situation, path),
      });
    }
  }
  const groups = new Map<string, Finding[]>();
  const inOrder = [...findings.values()].map((finding) => ({ finding, place: keyPlaceOf(root, finding.path) }));
  inOrder.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  for (const { finding } of inOrder) {
    const key = keyOf(root, finding.path);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const changing = changesByKey(scenario, situation);
  for (const [key, group] of groups) {
    const [{ path, causes, because }] = group as [Finding];
    if (changing.some(({ name, at }) => at === key && !findings.has(name))) continue;
    warningAt(
      diagnostics,
      'no-effect',
      causePlace(root, path, causes),
      `${group.map((finding) => pathText(finding.path)).join(', ')} ${group.length === 1 ? 'has' : 'have'} no effect: ${because}`,
      { path: pathText(path) },
    );
  }
  return found;
}

/** True of a value that no line of a config gives: it is what the simulator of that config has. */
function isImplied(root: LocatedMap, path: Path): boolean {
  const { file, line } = keyPlaceOf(root, path);
  return line === 0 && file === root.place.file;
}

/** The settings that a rule's pattern stands for, given or not: all of a group, each item of a list. */
function pathsOf({ root, form }: Scenario, pattern: string): Path[] {
  const [before, after] = pattern.split('[]') as [string, string?];
  const path: Path = before.split('.');
  if (after !== undefined) {
    const list = nodeAt(root, path);
    const name = after === '' ? [] : [after.slice(1)];
    return list?.kind === 'list' ? list.items.map((_, i) => path.concat(i, name)) : [];
  }
  return path[1] === '*' ? Object.keys(form.groups[String(path[0])] ?? {}).map((name) => [path[0]!, name]) : [path];
}

/**
 * The key that gives a setting: where it stands in a file, or the setting itself if it stands in none (--set, the
 * environment).
 */
function keyOf(root: LocatedMap, path: Path): string {
  const { file, line, column } = keyPlaceOf(root, path);
  return line === 0 ? pathText(path) : `${file}:${line}:${column}`;
}

/** All settings that are given and differ from their defaults, with their keys. */
function changesByKey(scenario: Scenario, situation: Situation): { readonly name: string; readonly at: string }[] {
  const { root, form } = scenario;
  const paths: Path[] = [
    ...Object.entries(form.groups).flatMap(([group, settings]) => Object.keys(settings).map((name) => [group, name])),
    ...Object.keys(form.topSettings).map((name) => [name]),
    ['ecn', 'thresholds'],
    ['failures', 'events'],
    ['collectives', 'environment'],
  ];
  return paths
    .filter((path) => nodeAt(root, path) !== undefined && !isDefault(scenario, situation, path))
    .map((path) => ({ name: pathText(path), at: keyOf(root, path) }));
}

function isDefault({ root, form }: Scenario, { settings }: Situation, path: Path): boolean {
  const [group, name] = path as [string, string?];
  if (group === 'ecn' && name === 'thresholds') {
    const list = nodeAt(root, ['ecn', 'thresholds']);
    return path.length > 2
      ? isShippedLine(root, path)
      : list?.kind === 'list' && list.items.every((_, i) => isShippedLine(root, ['ecn', 'thresholds', i]));
  }
  const setting = path[1] === 'events' ? eventSetting(path) : settingOf(form, settings.packet.profile, path);
  const node = nodeAt(root, path);
  return (
    setting !== undefined &&
    node !== undefined &&
    JSON.stringify(resolveSetting(setting, plainOf(node))) === JSON.stringify(resolveSetting(setting, setting.default))
  );
}

function eventSetting(path: Path): Setting | undefined {
  return (failureEventSettings as SettingGroup)[String(path[3])];
}

/** @param profile of packets, which gives defaults */
function settingOf(form: ScenarioForm, profile: PacketProfile, [group, name]: Path): Setting | undefined {
  if (name === undefined) return form.topSettings[String(group)];
  if (group === 'inference') return (inferenceSettings as SettingGroup)[String(name)];
  if (group === 'fabric') return (fileFabricSettings as SettingGroup)[String(name)];
  const found = form.groups[String(group)];
  return found === undefined ? undefined : groupWithProfile(found, profile)[String(name)];
}

function isShippedLine(root: LocatedMap, path: Path): boolean {
  const { rate, minimum, maximum, probability } = groupAt(root, path, thresholdSettings);
  return defaultEcnThresholds.some(
    (line) =>
      line.rateBps === rate &&
      line.minimumBytes === minimum &&
      line.maximumBytes === maximum &&
      line.probability === probability,
  );
}

/** Whether a variable of the environment gives a setting: whoever sets one wants something of it, the default, too. */
function isOfEnvironment(root: LocatedMap, path: Path): boolean {
  return placeOf(root, path).file.startsWith(variablePlace);
}
