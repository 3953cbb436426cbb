// The settings that backends bring: values, what the packet profile gives where none are given, thresholds of marking.

import { Section } from '../form/section.js';
import { largestRoceMtuBytes, withProfile } from '../../backends/packet/packet-profiles.js';
import { noLossPlan } from '../../backends/packet/loss/loss-plan.js';
import {
  defaultPacketChoices,
  type PacketChoices,
  packetSettings,
  type PacketSettings,
} from '../../backends/packet/settings.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import { groupText, sizeText } from '../../base/quantity-text.js';
import type { GroupValues } from '../../base/settings.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Planned } from './plan-fabric.js';
import { planThresholds, thresholdText } from './plan-marking.js';
import type { Scenario } from '../form/read-scenario.js';
import { groupAt, valueAt } from '../form/resolve.js';

/** The settings of all backends: those of the packet backend, and every group by its name. */
export interface BackendSettings {
  readonly packet: PacketSettings;
  readonly groups: Readonly<Record<string, GroupValues>>;
}

/**
 * Resolves the settings that backends bring. Those of the packet backend are there whatever runs: others read the sizes
 * of its packets, too.
 * @param fabric null unless it marks packets: then every rate of its switches needs a threshold
 * @returns null after at least one error
 */
export function planBackendSettings(
  scenario: Scenario,
  fabric: Fabric | null,
  diagnostics: Diagnostics,
): Planned<BackendSettings> | null {
  const { root, faulty, form } = scenario;
  const errorsBefore = diagnostics.errorCount;
  const declared = { ...form.backendGroups, ...packetSettings, ...form.backendGroups };
  if ([...Object.keys(declared), 'routing', 'flowControl'].some((group) => faulty.has(group))) return null;
  const groups: Record<string, GroupValues> = {};
  const resolved: Record<string, unknown> = {};
  const profile = valueAt(root, ['packet', 'profile'], packetSettings.packet.profile);
  for (const [name, group] of Object.entries(withProfile(declared, profile))) {
    const values = groupAt(root, [name], group);
    groups[name] = values;
    resolved[name] = groupText(group, values);
  }
  // its own groups alone, those of its mechanisms among them
  const packetGroups =
    form.catalogues.backends.find((backend) => Object.hasOwn(backend.groups, 'packet'))?.groups ?? packetSettings;
  const plain = Object.fromEntries(Object.keys(packetGroups).map((name) => [name, groups[name]])) as unknown as Omit<
    PacketSettings,
    keyof PacketChoices
  >;
  const ecnThresholds = planThresholds(new Section(root, [], diagnostics), plain.ecn.enabled ? fabric : null);
  const choices = packetChoices(scenario);
  const settings: PacketSettings = {
    ...plain,
    ...choices,
    losses: noLossPlan,
    receiveBuffers: defaultPacketChoices.receiveBuffers,
    pfc: { ...plain.pfc, enabled: plain.pfc.enabled && choices.flowControl.includes('pfc') },
    ecnThresholds,
    own: Object.fromEntries(
      Object.entries(groups).filter(
        ([name]) => Object.hasOwn(packetGroups, name) && !Object.hasOwn(packetSettings, name),
      ),
    ),
  };
  if (plain.ecn.enabled)
    resolved['ecn'] = { ...(resolved['ecn'] as object), thresholds: ecnThresholds.map(thresholdText) };
  checkPayload(new Section(root, [], diagnostics), settings);
  return diagnostics.errorCount > errorsBefore ? null : { value: { packet: settings, groups }, resolved };
}

/** What is chosen of mechanisms outside the groups of the packet backend. */
function packetChoices({ root, form }: Scenario): Pick<PacketChoices, 'flowControl' | 'balancing'> {
  const { flowControl } = form.topSettings;
  const { balancing } = form.routingSettings;
  return {
    flowControl:
      flowControl === undefined
        ? defaultPacketChoices.flowControl
        : (valueAt(root, ['flowControl'], flowControl) as readonly string[]),
    balancing:
      balancing === undefined
        ? defaultPacketChoices.balancing
        : (valueAt(root, ['routing', 'balancing'], balancing) as string),
  };
}

function checkPayload(block: Section, settings: PacketSettings): void {
  const { profile, payload } = settings.packet;
  if (profile === 'rocev2' && payload > largestRoceMtuBytes) {
    block.warning(['packet', 'payload'], 'payload-above-mtu', 'packet.payload: RoCEv2 has no MTU of this size', {
      got: sizeText(payload),
      wanted: `at most ${sizeText(largestRoceMtuBytes)}`,
      hint: 'packet.profile: simai has packets of 9000B',
      path: 'packet.payload',
    });
  }
}
