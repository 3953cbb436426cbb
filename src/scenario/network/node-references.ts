// Names of nodes in a scenario -> their numbers, wherever a setting says that it takes one (`names` in the catalogue):
// ends of transfers, stragglers, switches that fail. Whoever reads the settings afterwards finds whole numbers.
// Invariant: after this, every such setting in a section that is not faulty resolves. Names of links stand in
// failure-targets.ts.

import { Section } from '../form/section.js';
import type { CountSetting } from '../../base/settings.js';
import type { DiagnosticDetail, Diagnostics } from '../../base/diagnostics.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import {
  looksLikeNodeName,
  namesText,
  type NamedNode,
  NodeNames,
  otherWordsText,
  type NodeNameProblem,
} from '../../fabric/node-names.js';
import { errorAt, nodeAt, writtenPath } from '../form/located.js';
import type { Scenario } from '../form/read-scenario.js';
import { failureSwitchSetting, stragglerSettings, transferSettings } from '../form/schema.js';
import { settingProblem } from '../form/setting-problem.js';
import { nearest } from '../suggest.js';

/** Lists of a scenario whose lines may name nodes. */
const lists = [
  { path: ['traffic', 'transfers'], settings: transferSettings },
  { path: ['stragglers'], settings: stragglerSettings },
  { path: ['failures', 'events'], settings: { switch: failureSwitchSetting } },
] as const;

/**
 * Writes numbers where a scenario names nodes.
 * @param scenario whose tree is changed in place
 * @returns the scenario; sections in which a name stands for nothing are faulty in it, and were reported
 */
export function resolveNodeNames(scenario: Scenario, fabric: Fabric, diagnostics: Diagnostics): Scenario {
  const names = new NodeNames(fabric);
  const faulty = new Set(scenario.faulty);
  for (const { path, settings } of lists) {
    const list = nodeAt(scenario.root, path);
    if (list?.kind !== 'list' || faulty.has(path[0])) continue;
    for (let i = 0; i < list.items.length && !diagnostics.full; i++)
      for (const [key, setting] of Object.entries(settings)) {
        if (setting.kind !== 'count' || setting.names === undefined) continue;
        if (!replaceName(new Section(scenario.root, [...path, i], diagnostics), key, setting, fabric, names))
          faulty.add(path[0]);
      }
  }
  return { ...scenario, faulty, traffic: faulty.has('traffic') ? null : scenario.traffic };
}

/** @returns false after an error */
function replaceName(block: Section, key: string, setting: CountSetting, fabric: Fabric, names: NodeNames): boolean {
  const line = block.node();
  const entry = line?.kind === 'map' ? line.entries.get(key) : undefined;
  const value = entry?.value;
  if (line?.kind !== 'map' || entry === undefined || value?.kind !== 'scalar') return true;
  const problem = settingProblem(setting, value.value);
  const isGuid = fabric.identity !== undefined && typeof value.value === 'number' && /^0x/i.test(value.text);
  if (problem === null && !isGuid) return true;
  const name = writtenPath(block.root, [...block.path, key]);
  // GUIDs without quotes are numbers of YAML, which has not so many digits
  const text = typeof value.value === 'number' ? value.text : String(value.value);
  if (problem !== null && (fabric.identity === undefined ? !looksLikeNodeName(text) : /^\d+$/.test(text))) {
    const { code, message, ...detail } = problem;
    errorAt(block.diagnostics, code, value.place, `${name} ${message}`, { got: value.text, ...detail });
    return false;
  }
  const found = onlySwitches(key, names.find(text), names);
  if (!('node' in found)) {
    const { message = `${name} names nothing in the fabric` } = found;
    errorAt(block.diagnostics, 'node-name', value.place, message, nodeNameDetail(found));
    return false;
  }
  if (setting.names === 'rank' && fabric.nodeKind[found.node] !== NodeKind.host) {
    errorAt(block.diagnostics, 'node-name', value.place, `${name} is a switch, not a host`, {
      got: text,
      wanted: `host[0] to host[${fabric.hosts.length - 1}], or a rank`,
    });
    return false;
  }
  const number = setting.names === 'rank' ? fabric.hosts.indexOf(found.node) : found.node;
  line.entries.set(key, { ...entry, value: { ...value, value: number } });
  return true;
}

/** Where a switch is wanted, a word that is not known is compared with words for switches alone. */
function onlySwitches(key: string, found: NamedNode | NodeNameProblem, names: NodeNames): NamedNode | NodeNameProblem {
  if (key !== 'switch' || 'node' in found || found.unknown === undefined || !looksLikeNodeName(found.got)) return found;
  const tiers = names.tiers.filter(({ word }) => word !== 'host');
  // within a server or plane the parts that it has are named already
  if (found.got.includes('.') || tiers.length === 0) return found;
  return {
    got: found.got,
    wanted: tiers.map(({ word, nodes }) => namesText(word, nodes.length)).join(', '),
    unknown: { word: found.unknown.word, known: tiers.map(({ word }) => word) },
  };
}

/** A problem with a name as a diagnostic says it, with the nearest known name, or what an alias in it stands for. */
export function nodeNameDetail({ got, wanted, unknown }: NodeNameProblem): DiagnosticDetail {
  const near = unknown === undefined ? null : nearest(unknown.word, unknown.known);
  if (unknown !== undefined && near !== null) {
    const at = got.toLowerCase().indexOf(unknown.word);
    return { got, wanted, hint: `did you mean ${got.slice(0, at)}${near}${got.slice(at + unknown.word.length)}?` };
  }
  const alias = otherWordsText(got);
  return alias === null ? { got, wanted } : { got, wanted, hint: alias };
}
