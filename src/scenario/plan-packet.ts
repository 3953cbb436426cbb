// The settings of the packet backend: values, what the packet profile gives where none are given, and combinations that
// cannot work.

import type { BackendName } from '../backends/backend-names.js';
import { largestRoceMtuBytes } from '../backends/packet/packet-profiles.js';
import { packetSettings, packetSettingsOf, type PacketSettings } from '../backends/packet/settings.js';
import type { Diagnostics } from '../base/diagnostics.js';
import { formatRateBps } from '../base/units.js';
import type { Fabric } from '../fabric/fabric.js';
import { givenPlace } from './cause-place.js';
import { errorAt, placeOf, warningAt, type LocatedMap } from './located.js';
import type { Planned } from './plan-fabric.js';
import { checkFlowControl } from './plan-flow-control.js';
import { planThresholds, thresholdText } from './plan-marking.js';
import { checkProbes } from './plan-probes.js';
import { groupText, sizeText } from './quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, valueAt } from './resolve.js';

/**
 * Resolves the packet backend's settings, and checks them if it is the backend that runs: others have no buffers or
 * thresholds that could be wrong.
 * @returns null after at least one error
 */
export function planPacket(
  scenario: Scenario,
  backend: BackendName,
  fabric: Fabric | null,
  diagnostics: Diagnostics,
): Planned<PacketSettings> | null {
  const { root, faulty } = scenario;
  const errorsBefore = diagnostics.errorCount;
  if (Object.keys(packetSettings).some((group) => faulty.has(group))) return null;
  const groups: Record<string, unknown> = {};
  const resolved: Record<string, unknown> = {};
  for (const [name, group] of Object.entries(
    packetSettingsOf(valueAt(root, ['packet', 'profile'], packetSettings.packet.profile)),
  )) {
    const values = groupAt(root, [name], group);
    groups[name] = values;
    resolved[name] = groupText(group, values);
  }
  const plain = groups as Omit<PacketSettings, 'ecnThresholds'>;
  const ecnThresholds = planThresholds(root, plain.ecn.enabled && backend === 'packet' ? fabric : null, diagnostics);
  const settings: PacketSettings = { ...plain, ecnThresholds };
  if (plain.ecn.enabled)
    resolved['ecn'] = { ...(resolved['ecn'] as object), thresholds: ecnThresholds.map(thresholdText) };
  checkPayload(root, settings, diagnostics);
  if (backend === 'packet') {
    checkBuffer(root, settings, diagnostics);
    if (fabric !== null) checkFlowControl(root, fabric, settings, diagnostics);
    if (fabric !== null) checkRates(root, fabric, settings, diagnostics);
    checkProbes(root, settings, diagnostics);
  }
  return diagnostics.errorCount > errorsBefore ? null : { value: settings, resolved };
}

function checkPayload(root: LocatedMap, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { profile, payload } = settings.packet;
  if (profile === 'rocev2' && payload > largestRoceMtuBytes) {
    warningAt(
      diagnostics,
      'payload-above-mtu',
      placeOf(root, ['packet', 'payload']),
      'packet.payload: RoCEv2 has no MTU of this size',
      {
        got: sizeText(payload),
        wanted: `at most ${sizeText(largestRoceMtuBytes)}`,
        hint: 'packet.profile: simai has packets of 9000B',
      },
    );
  }
}

function checkBuffer(root: LocatedMap, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { payload, header } = settings.packet;
  const { buffer } = settings.switch;
  if (payload + header > buffer) {
    errorAt(
      diagnostics,
      'packet-above-buffer',
      givenPlace(root, [
        ['switch', 'buffer'],
        ['packet', 'payload'],
        ['packet', 'header'],
      ]),
      `a packet of ${sizeText(payload + header)} (payload and header) does not fit into a switch buffer of ${sizeText(buffer)}`,
      { wanted: 'switch.buffer of at least one packet' },
    );
  }
}

/** The chosen congestion control must leave a sender the rate of its link. */
function checkRates(root: LocatedMap, fabric: Fabric, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { algorithm } = settings.congestion;
  if (algorithm === 'none') return;
  const group = algorithm === 'hpcc-pint' ? 'hpcc' : algorithm;
  const { minimumRate } = settings[group];
  let slowest = Infinity;
  for (const host of fabric.hosts) {
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++)
      slowest = Math.min(slowest, fabric.linkRateBps[fabric.portLink[port]!]!);
  }
  if (minimumRate <= slowest) return;
  errorAt(
    diagnostics,
    'minimum-rate-above-link',
    givenPlace(root, [
      [group, 'minimumRate'],
      ['congestion', 'algorithm'],
    ]),
    `${group}.minimumRate is above the rate of a host's link, ${formatRateBps(slowest)}`,
    { got: formatRateBps(minimumRate), wanted: `at most ${formatRateBps(slowest)}` },
  );
}
