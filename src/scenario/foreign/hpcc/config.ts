// A config.txt of HPCC, ConWeave or OmniDMA -> a scenario whose values stand where they do in the config, with the
// packets and the switch of their simulators. Keys without a meaning here are explained (config-keys.ts), those with
// the same reason in one warning.
// Invariant: no key is passed over in silence, unless it asks for what Weft does anyway.
// Source: the configs that run.py writes. Not kept: the 2 s that their simulations begin with are those of the flow
// file.

import { wholeFile, type Diagnostics } from '../../../base/diagnostics.js';
import { HostFileError } from '../../../base/host.js';
import { checkConfValues, readSimaiConf, type ConfEntry } from '../../../formats/simai-conf.js';
import type { InputFiles } from '../../input-files.js';
import { errorAt, type Located, type LocatedMap, placeIn, warningAt, writeSetting } from '../../form/located.js';
import { checkScenario, type Scenario } from '../../form/read-scenario.js';
import type { ScenarioForm } from '../../form/scenario-form.js';
import { controls, explainIgnored, plainValue, warnNoControl, warnUnknown, writeLinkDown } from '../simai/conf.js';
import { mapThresholds, type ConfTree, type UniformThreshold, uniformThreshold } from '../simai/conf-thresholds.js';
import { inputsBase } from '../simai/inputs.js';
import { hpccKeys, rnicFiles, thresholdPackets } from './config-keys.js';
import { readDropSwitches } from './drop-switches.js';

/** What their switches, NICs and packets have that no key says. */
const fixed = [
  ['packet.profile', 'simai'],
  ['packet.gap', '0B'],
  ['queuePair.acknowledgementPriority', 0],
  ['queuePair.nackInterval', '4us'],
  ['queuePair.retransmissionTimeout', '4ms'],
  ['pfc.thresholdShift', 4],
] as const;

/** Balancing by LB_MODE. */
const balancers: Readonly<Record<string, string>> = {
  0: 'ecmp',
  2: 'drill',
  3: 'conga',
  6: 'letflow',
  9: 'conweave',
  12: 'spray',
  13: 'spray',
};

/** What IRN may have in flight, by a part of the name of the topology file; elsewhere 100,000 B. */
const irnWindows: readonly (readonly [string, string])[] = [
  ['leaf_spine_128_100G_OS2', '104000B'],
  ['fat_k8_100G_OS2', '156000B'],
  ['topo_simple_dumbbell_OS2', 'unlimited'],
  ['topo_dumbbell_incast100_OS2', 'unlimited'],
];

/** True of a text that names its files as configs do: it is no scenario. */
export function isHpccConfig(text: string): boolean {
  return /^\uFEFF?[ \t]*TOPOLOGY_FILE[ \t]+\S/m.test(text) && !/^[ \t]*\w+[ \t]*:/m.test(text);
}

/**
 * Reads a config as a scenario. The diagnostics tell whether there are errors.
 * @returns with it what KMIN, KMAX and PMAX say of the ports of all rates; null if they say nothing
 */
export async function readHpccConfig(
  text: string,
  file: string,
  overrides: readonly string[],
  files: InputFiles,
  diagnostics: Diagnostics,
  form: ScenarioForm,
): Promise<{ readonly scenario: Scenario; readonly uniform: UniformThreshold | null }> {
  const root: LocatedMap = {
    kind: 'map',
    place: { file, line: 1, column: 1 },
    entries: new Map(),
    isConf: true,
  };
  const entries = new Map<string, ConfEntry>();
  for (const entry of readSimaiConf(file, text, diagnostics)) {
    const known = Object.hasOwn(hpccKeys, entry.key) ? hpccKeys[entry.key]! : null;
    if (known === null) warnUnknown(file, entry, Object.keys(hpccKeys), diagnostics);
    else if (checkConfValues(file, entry, known.form, diagnostics)) entries.set(entry.key, entry);
  }
  const tree: ConfTree = { file, root, diagnostics, entries };
  const whole = { file, ...wholeFile };
  for (const [path, value] of fixed) writeSetting(root, path, value, whole, whole, String(value));
  for (const [key, { meaning, settings = [] }] of Object.entries(hpccKeys)) {
    const entry = entries.get(key);
    if (entry === undefined || meaning === undefined || meaning === 'special') continue;
    const value = plainValue(entry.values[0]!, meaning);
    for (const path of settings) write(tree, entry, path, value);
  }
  writePackets(tree);
  writeTransport(tree);
  writeSwitches(tree);
  await writeLosses(tree, files);
  const down = entries.get('LINK_DOWN');
  if (down !== undefined) writeLinkDown(tree, down);
  explainIgnored(tree, hpccKeys);
  mapThresholds(tree);
  const stop = entries.get('SIMULATOR_STOP_TIME');
  if (stop !== undefined) write(tree, stop, 'stopTime', `${stop.values[0]!.text}s`);
  const uniform = uniformThreshold(tree, thresholdPackets);
  return { scenario: checkScenario(root, inputsBase, overrides, diagnostics, form), uniform };
}

function write({ file, root }: ConfTree, entry: ConfEntry, path: string, value: string | number | boolean): void {
  const at = entry.values[0] ?? entry;
  writeSetting(root, path, value, placeIn(file, entry), placeIn(file, at), String(value));
}

function textOf({ entries }: ConfTree, key: string): string | null {
  return entries.get(key)?.values[0]?.text ?? null;
}

/** Files, sizes of packets, congestion control, balancing. */
function writePackets(tree: ConfTree): void {
  const { entries, diagnostics, file } = tree;
  for (const [key, path] of [
    ['TOPOLOGY_FILE', 'fabric.file'],
    ['FLOW_FILE', 'traffic.file'],
  ] as const) {
    const entry = entries.get(key);
    if (entry?.values[0] !== undefined) write(tree, entry, path, entry.values[0].text);
  }
  const isOmnidma = [...entries.keys()].some((key) => key.includes('OMNIDMA') || key.startsWith('RNIC_'));
  const mode = entries.get('CC_MODE');
  const number = String(Number(mode?.values[0]!.text ?? '1'));
  const control = controls[number];
  if (control === undefined && number !== '0') warnNoControl(tree, mode!, number);
  const telemetryBytes = control?.telemetryBytes ?? 0;
  const whole = { file, ...wholeFile };
  const set = (path: string, value: string): void =>
    mode === undefined ? writeSetting(tree.root, path, value, whole, whole, value) : write(tree, mode, path, value);
  set('congestion.algorithm', control?.algorithm ?? 'none');
  set('packet.header', `${(isOmnidma ? 56 : 48) + telemetryBytes}B`);
  set('packet.acknowledgement', `${isOmnidma ? 108 : Math.max(60, 50 + telemetryBytes)}B`);
  const balancing = entries.get('LB_MODE');
  const packetLevel = entries.get('PACKET_LEVEL_ECMP');
  if (balancing === undefined) {
    if (packetLevel?.values[0]!.text === '1') write(tree, packetLevel, 'routing.balancing', 'spray');
    return;
  }
  const named = balancers[String(Number(balancing.values[0]!.text))];
  if (named === undefined)
    errorAt(diagnostics, 'conf-mode', placeIn(file, balancing.values[0]!), 'LB_MODE is no balancing of Weft', {
      got: balancing.values[0]!.text,
      wanted: Object.entries(balancers)
        .map(([number, name]) => `${number} (${name})`)
        .join(', '),
    });
  else write(tree, balancing, 'routing.balancing', named);
  const monitor = entries.get('VOQ_MON_FILE');
  if (named !== 'conweave' || monitor === undefined) return;
  const interval = entries.get('SW_MONITORING_INTERVAL');
  write(tree, interval ?? monitor, 'probes.reorderInterval', `${interval?.values[0]!.text ?? '10000'}ns`);
}

/** PFC, IRN or OmniDMA, and the window. */
function writeTransport(tree: ConfTree): void {
  const { entries, diagnostics, file, root } = tree;
  const modes = ['ENABLE_PFC', 'ENABLE_IRN', 'ENABLE_OMNIDMA'].flatMap((key) =>
    textOf(tree, key) === '1' ? [entries.get(key)!] : [],
  );
  if (modes.length > 1)
    errorAt(
      diagnostics,
      'conf-conflict',
      placeIn(file, modes[1]!),
      `${modes.map(({ key }) => key).join(' and ')} are 1; run.py takes one of them`,
      { wanted: 'one of ENABLE_PFC, ENABLE_IRN and ENABLE_OMNIDMA, or none: go-back-N without PFC' },
    );
  const pfc = entries.get('ENABLE_PFC');
  if (pfc !== undefined) write(tree, pfc, 'pfc.enabled', pfc.values[0]!.text === '1');
  else if (modes.length > 0) write(tree, modes[0]!, 'pfc.enabled', false);
  const irn = textOf(tree, 'ENABLE_IRN') === '1' ? entries.get('ENABLE_IRN')! : null;
  if (irn !== null) {
    write(tree, irn, 'transport.algorithm', 'irn');
    write(tree, irn, 'irn.recovery', 'rewind');
  } else if (textOf(tree, 'ENABLE_OMNIDMA') === '1') {
    const omnidma = entries.get('ENABLE_OMNIDMA')!;
    write(tree, omnidma, 'transport.algorithm', 'omnidma');
    // as its code does, whatever its README says
    write(tree, omnidma, 'rnic.dma', 'duplex');
    writeRnicProbes(tree);
  }
  const latency = entries.get('RNIC_DMA_FIXED_LATENCY_NS');
  if (latency !== undefined) write(tree, latency, 'rnic.dmaLatency', `${latency.values[0]!.text}ns`);
  const window = entries.get('HAS_WIN');
  const size = entries.get('SELF_WIN_BYTES');
  const isOwn = textOf(tree, 'SELF_DEFINE_WIN') === '1';
  if (textOf(tree, 'HAS_WIN') === '1') {
    if (isOwn && size === undefined)
      errorAt(diagnostics, 'conf-value', placeIn(file, window!), 'SELF_DEFINE_WIN is 1 and SELF_WIN_BYTES is missing', {
        wanted: 'SELF_WIN_BYTES, the window in bytes',
      });
    else if (isOwn) write(tree, size!, 'queuePair.window', `${Number(size!.values[0]!.text)}B`);
    else write(tree, window!, 'queuePair.window', textOf(tree, 'GLOBAL_T') === '0' ? 'pair-bdp' : 'max-bdp');
    return;
  }
  const topology = textOf(tree, 'TOPOLOGY_FILE') ?? '';
  const bytes = irn === null ? 'unlimited' : (irnWindows.find(([part]) => topology.includes(part))?.[1] ?? '100000B');
  const at = window ?? irn;
  const whole = { file, ...wholeFile };
  if (at === null) writeSetting(root, 'queuePair.window', bytes, whole, whole, bytes);
  else write(tree, at, 'queuePair.window', bytes);
}

/** What OmniDMA's simulator writes of its RNICs. */
function writeRnicProbes(tree: ConfTree): void {
  for (const [key, probe] of Object.entries(rnicFiles)) {
    const entry = tree.entries.get(key);
    if (entry !== undefined) write(tree, entry, `probes.${probe}`, true);
  }
  const interval = tree.entries.get('OMNI_MONITORING_INTERVAL');
  if (interval !== undefined) write(tree, interval, 'probes.rnicInterval', `${interval.values[0]!.text}ns`);
}

function writeSwitches(tree: ConfTree): void {
  const { entries, diagnostics, file } = tree;
  const buffer = entries.get('BUFFER_SIZE');
  if (buffer !== undefined && Number(buffer.values[0]!.text) === 0)
    errorAt(diagnostics, 'conf-value', placeIn(file, buffer.values[0]!), 'BUFFER_SIZE 0 is a size by ports', {
      wanted: 'MiB of every switch, such as 9',
      hint: 'its simulator takes 375 kB for each port of a switch: BUFFER_SIZE 11.444 has as much for 32 ports',
    });
  else if (buffer !== undefined) write(tree, buffer, 'switch.buffer', `${buffer.values[0]!.text}MiB`);
  const threshold = entries.get('USE_DYNAMIC_PFC_THRESHOLD');
  if (threshold !== undefined)
    write(tree, threshold, 'pfc.threshold', threshold.values[0]!.text === '1' ? 'dynamic' : 'static');
}

/** Losses of its switches, with the files that name them. */
async function writeLosses(tree: ConfTree, files: InputFiles): Promise<void> {
  const { entries, diagnostics, file, root } = tree;
  const mode = entries.get('SWITCH_DROP_MODE');
  const rate = entries.get('MY_SWITCH_TOTAL_DROP_RATE');
  const word = mode?.values[0]?.text ?? 'lossrate';
  const output = entries.get('SWITCH_DROP_OUTPUT_FILE');
  if (output !== undefined && word !== 'none' && (word !== 'lossrate' || Number(rate?.values[0]?.text ?? 0) > 0))
    write(tree, output, 'probes.packetLosses', true);
  const lists: Readonly<Record<string, readonly [string, string]>> = {
    seqnum: ['sequence', 'SWITCH_DROP_SEQNUM_CONFIG_FILE'],
    timestep: ['time', 'SWITCH_DROP_TIMESTEP_CONFIG_FILE'],
  };
  if (Object.hasOwn(lists, word)) {
    const [model, key] = lists[word]!;
    write(tree, mode!, 'loss.model', model);
    const named = entries.get(key);
    if (named?.values[0] !== undefined) write(tree, named, 'loss.file', named.values[0].text);
    return;
  }
  if (word !== 'lossrate' && word !== 'none') {
    errorAt(diagnostics, 'conf-mode', placeIn(file, mode!.values[0]!), 'SWITCH_DROP_MODE is not known', {
      got: word,
      wanted: 'lossrate, seqnum, timestep or none',
    });
    return;
  }
  if (rate === undefined || Number(rate.values[0]!.text) === 0) return;
  if (word === 'none') {
    write(tree, mode!, 'loss.rate', 0);
    return;
  }
  write(tree, mode ?? rate, 'loss.model', 'amazon');
  const switches = entries.get('SWITCH_DROP_SWITCH_CONFIG_FILE');
  const named = switches?.values[0]?.text;
  if (named === undefined) {
    warningAt(
      diagnostics,
      'conf-places',
      placeIn(file, rate),
      'no SWITCH_DROP_SWITCH_CONFIG_FILE names switches: all lose packets',
    );
    return;
  }
  try {
    const text = await files.readText('losses', named);
    const items: Located[] = readDropSwitches(text, named, diagnostics);
    const loss = root.entries.get('loss')!.value as LocatedMap;
    const keyPlace = placeIn(file, switches!);
    if (items.length > 0) loss.entries.set('places', { keyPlace, value: { kind: 'list', place: keyPlace, items } });
    else write(tree, switches!, 'loss.rate', 0);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    errorAt(diagnostics, `file-${error.reason}`, placeIn(file, switches!), `${named} cannot be read: ${error.message}`);
  }
}
