// SimAI.conf -> the settings of a scenario, as a tree whose values stand where they do in the conf: the checks and
// messages of a scenario hold for them. Keys without a meaning here are explained (conf-keys.ts), those with the same
// reason in one warning.
// Invariant: no key is passed over in silence, unless it asks for what Weft does anyway.
// What a conf leaves out has the value of SimAI's shipped conf (Weft's defaults, with the packets of profile simai),
// not that of SimAI's code.

import { addTo } from '../../../base/lists-by-key.js';
import { wholeFile, type Diagnostics } from '../../../base/diagnostics.js';
import {
  checkConfValues,
  confRateBps,
  readSimaiConf,
  type ConfEntry,
  type ConfValue,
} from '../../../formats/simai-conf.js';
import { errorAt, placeIn, warningAt, writeSetting, type LocatedEntry, type LocatedMap } from '../../form/located.js';
import { rateText } from '../../../base/quantity-text.js';
import { writeAcknowledgements } from './conf-acknowledgements.js';
import { confKeys, type ConfKey, type ConfMeaning } from './conf-keys.js';
import { writeMonitors } from './conf-monitors.js';
import { mapThresholds, uniformThreshold, type ConfTree, type UniformThreshold } from './conf-thresholds.js';
import { nearest } from '../../suggest.js';

/** Largest BUFFER_SIZE that is taken for MiB: 64 GiB. */
const largestMebibytes = 65_536;

/** Congestion controls by CC_MODE, with the bytes of telemetry in their packets. */
export const controls: Readonly<Record<string, { readonly algorithm: string; readonly telemetryBytes: number }>> = {
  1: { algorithm: 'dcqcn', telemetryBytes: 0 },
  3: { algorithm: 'hpcc', telemetryBytes: 42 },
  7: { algorithm: 'timely', telemetryBytes: 8 },
  8: { algorithm: 'dctcp', telemetryBytes: 0 },
  10: { algorithm: 'hpcc-pint', telemetryBytes: 2 },
};

/** Settings of a conf. */
export interface ConfSettings {
  readonly root: LocatedMap;
  /** KMIN, KMAX and PMAX, which hold for all rates; null if they are not given */
  readonly uniform: UniformThreshold | null;
}

/**
 * Reads a SimAI.conf as settings of a scenario, without its fabric and its traffic. The diagnostics tell whether there
 * are errors.
 */
export function readConfSettings(text: string, file: string, diagnostics: Diagnostics): ConfSettings {
  const root: LocatedMap = {
    kind: 'map',
    place: { file, line: 1, column: 1 },
    entries: new Map(),
    isConf: true,
  };
  const read = readSimaiConf(file, text, diagnostics);
  if (read.length === 0 && !diagnostics.hasErrors)
    errorAt(diagnostics, 'conf-empty', root.place, 'the file has no keys', {
      wanted: 'a SimAI.conf, with lines such as CC_MODE 1',
    });
  const entries = new Map<string, ConfEntry>();
  for (const entry of read) {
    const known = knownKey(entry.key);
    if (known === null) warnUnknown(file, entry, Object.keys(confKeys), diagnostics);
    else if (checkConfValues(file, entry, known.form, diagnostics)) entries.set(entry.key, entry);
  }
  const tree: ConfTree = { file, root, diagnostics, entries };
  // said by the file as a whole, by no key of it
  const whole = { file, ...wholeFile };
  writeSetting(root, 'packet.profile', 'simai', whole, whole, 'simai');
  for (const [key, { meaning, settings = [] }] of Object.entries(confKeys)) {
    const entry = entries.get(key);
    if (entry !== undefined && meaning !== undefined && meaning !== 'special')
      writePlain(tree, entry, meaning, settings);
  }
  writeSpecial(tree);
  explainIgnored(tree, confKeys);
  mapThresholds(tree);
  return { root, uniform: uniformThreshold(tree) };
}

function knownKey(key: string): ConfKey | null {
  return Object.hasOwn(confKeys, key) ? confKeys[key]! : null;
}

/** Warns of a key that is none of those that are known. */
export function warnUnknown(
  file: string,
  { key, line, column }: ConfEntry,
  known: readonly string[],
  diagnostics: Diagnostics,
): void {
  const near = nearest(key, known);
  warningAt(
    diagnostics,
    'conf-unknown-key',
    { file, line, column },
    `${key} is not known and does nothing`,
    near === null ? {} : { hint: `did you mean ${near}?` },
  );
}

function write({ file, root }: ConfTree, entry: ConfEntry, path: string, value: string | number | boolean): void {
  const at = entry.values[0]!;
  // the text is in the setting's unit: warnings of settings without effect compare it with the default
  writeSetting(root, path, value, placeIn(file, entry), placeIn(file, at), String(value));
}

function writePlain(
  tree: ConfTree,
  entry: ConfEntry,
  meaning: Exclude<ConfMeaning, 'special'>,
  settings: readonly string[],
): void {
  const value = plainValue(entry.values[0]!, meaning);
  for (const path of settings) write(tree, entry, path, value);
}

/** The value of a key as a scenario writes it. */
export function plainValue({ text }: ConfValue, meaning: Exclude<ConfMeaning, 'special'>): string | number | boolean {
  switch (meaning) {
    case 'flag':
      return text === '1';
    case 'number':
      return Number(text);
    case 'microseconds':
      return `${text}us`;
    case 'bytes':
      return `${Number(text)}B`;
    case 'rate':
      return rateText(confRateBps(text)!);
  }
}

/** The keys whose value is not simply that of a setting. */
function writeSpecial(tree: ConfTree): void {
  const { entries, file, diagnostics } = tree;
  const mode = entries.get('CC_MODE');
  if (mode !== undefined) writeControl(tree, mode);
  const window = entries.get('HAS_WIN');
  if (window !== undefined)
    write(tree, window, 'queuePair.window', window.values[0]!.text === '1' ? 'max-bdp' : 'unlimited');
  const priority = entries.get('ACK_HIGH_PRIO');
  if (priority !== undefined)
    write(tree, priority, 'queuePair.acknowledgementPriority', priority.values[0]!.text === '1' ? 0 : 3);
  writeAcknowledgements(tree, (entry, path, value) => write(tree, entry, path, value));
  const marking = entries.get('ECN_ENABLED');
  const qcn = entries.get('ENABLE_QCN');
  if (marking !== undefined && qcn === undefined) write(tree, marking, 'ecn.enabled', marking.values[0]!.text === '1');
  else if (marking !== undefined && marking.values[0]!.text !== qcn!.values[0]!.text)
    warningAt(
      diagnostics,
      'conf-conflict',
      placeIn(file, marking),
      `ECN_ENABLED is ignored: ENABLE_QCN in line ${qcn!.line} says otherwise, and SimAI reads that one`,
    );
  const buffer = entries.get('BUFFER_SIZE');
  if (buffer !== undefined) writeBuffer(tree, buffer);
  writeMonitors(tree, (entry, path, value) => write(tree, entry, path, value));
  const down = entries.get('LINK_DOWN');
  if (down !== undefined) writeLinkDown(tree, down);
}

function writeControl(tree: ConfTree, entry: ConfEntry): void {
  const { text } = entry.values[0]!;
  const mode = String(Number(text));
  const control = controls[mode];
  write(tree, entry, 'congestion.algorithm', control?.algorithm ?? 'none');
  if (control === undefined && mode !== '0') warnNoControl(tree, entry, mode);
  const telemetryBytes = control?.telemetryBytes ?? 0;
  if (telemetryBytes === 0) return;
  // SimAI's sizes: data packets of 52 B and ACKs of 50 B, at least 60 B, without telemetry
  write(tree, entry, 'packet.header', `${52 + telemetryBytes}B`);
  write(tree, entry, 'packet.acknowledgement', `${Math.max(60, 50 + telemetryBytes)}B`);
}

/** Warns of a CC_MODE that is none of their congestion controls. */
export function warnNoControl({ file, diagnostics }: ConfTree, entry: ConfEntry, mode: string): void {
  warningAt(
    diagnostics,
    'conf-mode',
    placeIn(file, entry.values[0]!),
    `CC_MODE ${mode} means no congestion control: every sender keeps its rate`,
    { wanted: '1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP), 10 (HPCC-PINT) or 0 (none)' },
  );
}

function writeBuffer(tree: ConfTree, entry: ConfEntry): void {
  const size = Number(entry.values[0]!.text);
  const isBytes = size > largestMebibytes;
  write(tree, entry, 'switch.buffer', isBytes ? `${size}B` : `${size}MiB`);
  if (isBytes)
    warningAt(
      tree.diagnostics,
      'conf-unit',
      placeIn(tree.file, entry.values[0]!),
      `BUFFER_SIZE ${entry.values[0]!.text} is read as bytes`,
      { wanted: `MiB, as SimAI takes it (up to ${largestMebibytes})` },
    );
}

/** from this time on the number may well be nanoseconds: no run of SimAI's lasts a second */
const ambiguousLinkDown = 1_000_000;

/** One failure for good, known to routing at once. */
export function writeLinkDown({ file, root, diagnostics }: ConfTree, entry: ConfEntry): void {
  const [time, a, b] = entry.values;
  if (
    time === undefined ||
    a === undefined ||
    b === undefined ||
    entry.values.length > 3 ||
    !entry.values.every(({ text }) => /^\d{1,9}$/.test(text))
  ) {
    errorAt(diagnostics, 'conf-value', placeIn(file, entry), 'LINK_DOWN is not a time and two nodes', {
      got: entry.values
        .slice(0, 8)
        .map(({ text }) => text)
        .join(' '),
      wanted: 'microseconds and two node numbers, or 0 0 0',
    });
    return;
  }
  if (entry.values.every(({ text }) => Number(text) === 0)) return;
  const keyPlace = placeIn(file, entry);
  const scalar = (at: ConfValue, value: string): LocatedEntry => ({
    keyPlace,
    value: { kind: 'scalar', place: placeIn(file, at), value, text: at.text },
  });
  const line: LocatedMap = {
    kind: 'map',
    place: keyPlace,
    entries: new Map([
      ['at', scalar(time, `${Number(time.text)}us`)],
      ['link', scalar(a, `${Number(a.text)}-${Number(b.text)}`)],
    ]),
  };
  writeSetting(root, 'failures.convergenceTime', '0us', keyPlace, placeIn(file, time), '0us');
  const failures = root.entries.get('failures')!.value as LocatedMap;
  failures.entries.set('events', { keyPlace, value: { kind: 'list', place: keyPlace, items: [line] } });
  if (Number(time.text) >= ambiguousLinkDown)
    warningAt(
      diagnostics,
      'conf-unit',
      placeIn(file, time),
      `LINK_DOWN: ${time.text} has two readings. SimAI's code takes microseconds, as here: ` +
        `${Number(time.text) / 1e6} s. The communication-stack document means nanoseconds by its example ` +
        `(1000000: 1 ms), which would be ${Number(time.text) / 1e6} ms: write ` +
        `${Math.round(Number(time.text) / 1000)} if that is meant`,
    );
  warningAt(
    diagnostics,
    'conf-unit',
    placeIn(file, time),
    `LINK_DOWN: the link is down from ${Number(time.text)} us of the run on; SimAI itself waits 2 simulated seconds longer`,
  );
}

/** One warning for each reason, at the first key that it holds for. */
export function explainIgnored(
  { file, entries, diagnostics }: ConfTree,
  keys: Readonly<Record<string, ConfKey>>,
): void {
  const byReason = new Map<string, ConfEntry[]>();
  for (const entry of entries.values()) {
    const { reason, asHere = [] } = keys[entry.key]!;
    if (reason === undefined || asHere.includes(entry.values.map(({ text }) => text).join(' '))) continue;
    addTo(byReason, reason, entry);
  }
  for (const [reason, group] of byReason) {
    const names = group.map(({ key }) => key);
    warningAt(
      diagnostics,
      'conf-ignored',
      placeIn(file, group[0]!),
      `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ignored: ${reason}`,
    );
  }
}
