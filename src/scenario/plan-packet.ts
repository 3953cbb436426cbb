// The settings of the packet backend: values, the sizes of the packet profile where none are given, ECN thresholds by port rate, and
// combinations that cannot work.
// Invariant: with marking on, every rate of a switch port of the fabric has its line in the thresholds.

import { largestRoceMtuBytes } from '../backends/packet/packet-profiles.js';
import { packetSettings, packetSettingsOf, shippedEcnThresholds, type EcnThreshold, type PacketSettings } from '../backends/packet/settings.js';
import { portHeadroomBytes } from '../backends/packet/shared-buffer.js';
import type { Diagnostics } from '../base/diagnostics.js';
import { formatRateBps, formatSizeBytes, parseRateBps } from '../base/units.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { causePlace, givenPlace } from './cause-place.js';
import { errorAt, keyPlaceOf, nodeAt, placeOf, warningAt, type LocatedMap, type Path } from './located.js';
import type { Planned } from './plan-fabric.js';
import { checkProbes } from './plan-probes.js';
import { groupText, sizeText } from './quantity-text.js';
import type { Scenario } from './read-scenario.js';
import { groupAt, valueAt } from './resolve.js';
import { thresholdSettings } from './schema.js';

/** Resolves and checks the packet backend's settings. @returns null after at least one error */
export function planPacket(scenario: Scenario, fabric: Fabric | null, diagnostics: Diagnostics): Planned<PacketSettings> | null {
  const { root, faulty } = scenario;
  const errorsBefore = diagnostics.errorCount;
  if (Object.keys(packetSettings).some((group) => faulty.has(group))) return null;
  const groups: Record<string, unknown> = {};
  const resolved: Record<string, unknown> = {};
  for (const [name, group] of Object.entries(packetSettingsOf(valueAt(root, ['packet', 'profile'], packetSettings.packet.profile)))) {
    const values = groupAt(root, [name], group);
    groups[name] = values;
    resolved[name] = groupText(group, values);
  }
  const plain = groups as Omit<PacketSettings, 'ecnThresholds'>;
  const ecnThresholds = planThresholds(scenario, plain.ecn.enabled ? fabric : null, diagnostics);
  const settings: PacketSettings = { ...plain, ecnThresholds };
  if (plain.ecn.enabled) resolved['ecn'] = { ...(resolved['ecn'] as object), thresholds: ecnThresholds.map(thresholdText) };
  checkSizes(root, settings, diagnostics);
  if (fabric !== null) checkBuffers(root, fabric, settings, diagnostics);
  if (fabric !== null) checkRates(root, fabric, settings, diagnostics);
  checkProbes(root, settings, diagnostics);
  return diagnostics.errorCount > errorsBefore ? null : { value: settings, resolved };
}

function thresholdText(line: EcnThreshold): Record<string, unknown> {
  return groupText(thresholdSettings, { rate: line.rateBps, minimum: line.minimumBytes, maximum: line.maximumBytes, probability: line.probability });
}

/** The thresholds given, or the shipped ones with lines for the rates that they lack. */
function planThresholds(scenario: Scenario, fabric: Fabric | null, diagnostics: Diagnostics): EcnThreshold[] {
  const { root } = scenario;
  const path = ['ecn', 'thresholds'];
  const list = nodeAt(root, path);
  const isGiven = list?.kind === 'list';
  const lines = isGiven ? list.items.map((_, i) => givenThreshold(root, [...path, i], diagnostics)) : [...shippedEcnThresholds];
  lines.forEach(({ rateBps }, i) => {
    if (lines.findIndex((line) => line.rateBps === rateBps) < i) errorAt(diagnostics, 'ecn-duplicate-rate', nodeAt(root, [...path, i, 'rate'])!.place, `the rate ${formatRateBps(rateBps)} has two lines`, { wanted: 'one line per rate' });
  });
  for (const rateBps of fabric === null ? [] : switchRates(fabric)) {
    if (lines.some((line) => line.rateBps === rateBps)) continue;
    if (isGiven) {
      errorAt(diagnostics, 'ecn-rate-missing', keyPlaceOf(root, path), `ecn.thresholds has no line for the switch ports of ${formatRateBps(rateBps)}`, { wanted: 'a line for every rate of a switch port', hint: `add { rate: ${formatRateBps(rateBps)}, minimum: …, maximum: …, probability: … }` });
      continue;
    }
    const line = scaledThreshold(rateBps);
    lines.push(line);
    warningAt(diagnostics, 'ecn-rate-scaled', causePlace(root, ['fabric'], [...rateKeys(root, rateBps), ['fabric', 'file'], ['fabric', 'generate'], ['ecn', 'enabled']]), `no ECN thresholds are known for the switch ports of ${formatRateBps(rateBps)}; those of 100Gbps are scaled to ${formatSizeBytes(line.minimumBytes)} and ${formatSizeBytes(line.maximumBytes)}, probability ${line.probability}`, { hint: 'give ecn.thresholds to choose them' });
  }
  return lines;
}

function givenThreshold(root: LocatedMap, path: Path, diagnostics: Diagnostics): EcnThreshold {
  const { rate, minimum, maximum, probability } = groupAt(root, path, thresholdSettings);
  if (minimum > maximum) errorAt(diagnostics, 'ecn-minimum-above-maximum', nodeAt(root, [...path, 'minimum'])!.place, 'the minimum is above the maximum', { got: formatSizeBytes(minimum), wanted: `at most the maximum, ${formatSizeBytes(maximum)}` });
  return { rateBps: rate, minimumBytes: minimum, maximumBytes: maximum, probability };
}

/** The line of 100 Gb/s in proportion to the rate, whole bytes. */
function scaledThreshold(rateBps: number): EcnThreshold {
  const base = shippedEcnThresholds.find((line) => line.rateBps === 100e9)!;
  const factor = rateBps / base.rateBps;
  return { rateBps, minimumBytes: Math.round(base.minimumBytes * factor), maximumBytes: Math.round(base.maximumBytes * factor), probability: base.probability };
}

/** The rates of the ports that mark: those of switches, not of NVSwitches. */
export function switchRates(fabric: Fabric): number[] {
  const rates = new Set<number>();
  for (let port = 0; port < fabric.portCount; port++) {
    if (fabric.nodeKind[fabric.portNode[port]!] === NodeKind.switch) rates.add(fabric.linkRateBps[fabric.portLink[port]!]!);
  }
  const ascending = [...rates];
  ascending.sort((a, b) => a - b);
  return ascending;
}

function checkSizes(root: LocatedMap, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { profile, payload, header } = settings.packet;
  const { buffer } = settings.switch;
  if (profile === 'rocev2' && payload > largestRoceMtuBytes) {
    warningAt(diagnostics, 'payload-above-mtu', placeOf(root, ['packet', 'payload']), 'RoCEv2 has no MTU of this size', { got: sizeText(payload), wanted: `at most ${sizeText(largestRoceMtuBytes)}`, hint: 'packet.profile: simai has packets of 9000B' });
  }
  if (payload + header > buffer) {
    errorAt(diagnostics, 'packet-above-buffer', givenPlace(root, [['switch', 'buffer'], ['packet', 'payload'], ['packet', 'header']]), `a packet of ${sizeText(payload + header)} (payload and header) does not fit into a switch buffer of ${sizeText(buffer)}`, { wanted: 'switch.buffer of at least one packet' });
  }
}

/** Headroom and reserves are set apart from the buffer: something must remain. */
function checkBuffers(root: LocatedMap, fabric: Fabric, settings: PacketSettings, diagnostics: Diagnostics): void {
  const { pfc, packet } = settings;
  const { buffer } = settings.switch;
  if (packet.payload + packet.header > buffer) return;
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] === NodeKind.host) continue;
    let setApart = 0;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      setApart += pfc.reserve + (pfc.enabled ? portHeadroomBytes(fabric, port, pfc.headroomDelays) : 0);
    }
    if (setApart < buffer) continue;
    const ports = fabric.portOffset[node + 1]! - fabric.portOffset[node]!;
    errorAt(diagnostics, 'headroom-above-buffer', givenPlace(root, [['switch', 'buffer'], ['pfc', 'headroomDelays'], ['pfc', 'reserve']]), `headroom and reserves of the ${ports} ports of node ${node} need ${formatSizeBytes(setApart)}, its buffer has ${formatSizeBytes(buffer)}`, {
      wanted: 'a buffer larger than what is set apart for the ports',
      hint: 'raise switch.buffer, or lower pfc.headroomDelays (headroom grows with the rate and latency of the links)',
    });
    return;
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
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++) slowest = Math.min(slowest, fabric.linkRateBps[fabric.portLink[port]!]!);
  }
  if (minimumRate <= slowest) return;
  errorAt(diagnostics, 'minimum-rate-above-link', givenPlace(root, [[group, 'minimumRate'], ['congestion', 'algorithm']]), `${group}.minimumRate is above the rate of a host's link, ${formatRateBps(slowest)}`, { got: formatRateBps(minimumRate), wanted: `at most ${formatRateBps(slowest)}` });
}

/** The parameters of the fabric that are given as this rate. */
function rateKeys(root: LocatedMap, rateBps: number): Path[] {
  const fabric = nodeAt(root, ['fabric']);
  if (fabric?.kind !== 'map') return [];
  return [...fabric.entries].filter(([, { value }]) => value.kind === 'scalar' && parseRateBps(value.text) === rateBps).map(([key]) => ['fabric', key]);
}
