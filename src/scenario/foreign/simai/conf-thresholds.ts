// The ECN thresholds of a SimAI.conf: three maps by port rate, or one KMIN, KMAX and PMAX for all rates.
// Invariant: every line of the thresholds stands where the conf gives its rate.
// Source: the conf that SimAI 1.6 ships (maps: kB of 1000 bytes); KMIN, KMAX and PMAX stand only in the conf that the
// communication stack's document shows, without a unit: it is told from their size.

import { shippedEcnThresholds } from '../../../backends/packet/ecn-thresholds.js';
import type { Diagnostics } from '../../../base/diagnostics.js';
import { confPairs, type ConfEntry, type ConfValue } from '../../../formats/simai-conf.js';
import { errorAt, placeIn, warningAt, type Located, type LocatedMap, type Place } from '../../form/located.js';
import { rateText } from '../../../base/quantity-text.js';
import { thresholdSettings } from '../../../backends/packet/ecn-thresholds.js';
import { settingProblem } from '../../form/setting-problem.js';

/** Largest KMIN or KMAX that is taken for kB: 10 MB of queue. Beyond it both are bytes. */
const largestKilobytes = 10_000;

const columns = [
  { key: 'KMIN_MAP', field: 'minimum' },
  { key: 'KMAX_MAP', field: 'maximum' },
  { key: 'PMAX_MAP', field: 'probability' },
] as const;
type Field = (typeof columns)[number]['field'];

/** Values of a conf by key, with the tree that they are written to. */
export interface ConfTree {
  readonly file: string;
  readonly root: LocatedMap;
  readonly diagnostics: Diagnostics;
  /** entries whose values have the form of their key */
  readonly entries: ReadonlyMap<string, ConfEntry>;
}

/** One line that holds for all rates, as a scenario writes it, with its places. */
export interface UniformThreshold {
  readonly keyPlace: Place;
  readonly fields: Readonly<Record<Field, { readonly value: string | number; readonly place: Place }>>;
}

/** Writes `ecn.thresholds` from the maps, if any is given. */
export function mapThresholds(tree: ConfTree): void {
  const given = columns.filter(({ key }) => tree.entries.has(key));
  if (given.length === 0) return;
  const first = tree.entries.get(given[0]!.key)!;
  const rates = new Map<number, ConfValue>();
  for (const { key } of given)
    for (const { rate } of confPairs(tree.entries.get(key)!))
      if (!rates.has(Number(rate.text))) rates.set(Number(rate.text), rate);
  const items: Located[] = [];
  for (const [rateBps, at] of rates) {
    const line = thresholdLine(tree, rateBps, at);
    if (line !== null) items.push(line);
  }
  // without a line the reason was said above
  if (items.length > 0) writeThresholds(tree.root, placeIn(tree.file, first), items);
}

function thresholdLine(tree: ConfTree, rateBps: number, rateAt: ConfValue): LocatedMap | null {
  const { file, diagnostics } = tree;
  const shipped = shippedEcnThresholds.find((line) => line.rateBps === rateBps);
  const shippedValues =
    shipped === undefined
      ? null
      : { minimum: `${shipped.minimumBytes}B`, maximum: `${shipped.maximumBytes}B`, probability: shipped.probability };
  const ratePlace = placeIn(file, rateAt);
  const line: LocatedMap = { kind: 'map', place: ratePlace, entries: new Map() };
  add(line, 'rate', rateText(rateBps), ratePlace);
  for (const { key, field } of columns) {
    const entry = tree.entries.get(key);
    const pairs = entry === undefined ? [] : confPairs(entry).filter(({ rate }) => Number(rate.text) === rateBps);
    const pair = pairs[0];
    if (pairs.length > 1)
      errorAt(
        diagnostics,
        'ecn-duplicate-rate',
        placeIn(file, pairs[1]!.rate),
        `${key} has the rate ${rateText(rateBps)} twice`,
        { wanted: 'one pair per rate' },
      );
    if (pair !== undefined) {
      add(
        line,
        field,
        field === 'probability' ? Number(pair.value.text) : kilobytes(pair.value.text),
        placeIn(file, pair.value),
      );
    } else if (entry === undefined && shippedValues !== null) {
      add(line, field, shippedValues[field], ratePlace);
    } else {
      errorAt(diagnostics, 'conf-map-rate', ratePlace, `${key} has no value for ${rateText(rateBps)}`, {
        got: rateAt.text,
        wanted: 'the same rates in KMIN_MAP, KMAX_MAP and PMAX_MAP',
      });
      return null;
    }
  }
  return line;
}

function kilobytes(text: string): string {
  return `${text}kB`;
}

/** What KMIN and KMAX count. */
export interface ThresholdUnit {
  readonly bytes: number;
  readonly text: string;
}

/**
 * KMIN, KMAX and PMAX, if they are given and count; what is not given is that of 100 Gb/s in SimAI's shipped table.
 * @param counted what their numbers count; left out: kB or bytes, by their size
 */
export function uniformThreshold(
  { file, entries, diagnostics }: ConfTree,
  counted?: ThresholdUnit,
): UniformThreshold | null {
  const [minimum, maximum, probability] = ['KMIN', 'KMAX', 'PMAX'].map((key) => entries.get(key));
  const given = [minimum, maximum, probability].filter((entry): entry is ConfEntry => entry !== undefined);
  if (given.length === 0) return null;
  const keyPlace = placeIn(file, given[0]!);
  const keys = given.map(({ key }) => key).join(', ');
  if (columns.some(({ key }) => entries.has(key))) {
    warningAt(
      diagnostics,
      'conf-ignored',
      keyPlace,
      `${keys} ${given.length === 1 ? 'is' : 'are'} ignored: the maps by port rate take precedence`,
    );
    return null;
  }
  const shipped = shippedEcnThresholds.find(({ rateBps }) => rateBps === 100e9)!;
  const lengths = [minimum, maximum].filter((entry): entry is ConfEntry => entry !== undefined);
  const isLong = lengths.some((entry) => Number(entry.values[0]!.text) > largestKilobytes);
  const unit = counted ?? (isLong ? { bytes: 1, text: 'bytes' } : { bytes: 1000, text: 'kB' });
  const taken =
    lengths.length === 0
      ? ''
      : `; ${lengths.map(({ key, values }) => `${key} ${values[0]!.text}`).join(' and ')} ${lengths.length === 1 ? 'is' : 'are'} taken for ${unit.text}`;
  warningAt(
    diagnostics,
    'conf-unit',
    keyPlace,
    `${keys} ${given.length === 1 ? 'holds' : 'hold'} for the switch ports of every rate${taken}`,
    { hint: 'KMIN_MAP, KMAX_MAP and PMAX_MAP, in kB, are unambiguous' },
  );
  const field = (
    entry: ConfEntry | undefined,
    otherwise: string | number,
    value: (text: string) => string | number,
  ): { value: string | number; place: Place } =>
    entry === undefined
      ? { value: otherwise, place: keyPlace }
      : { value: value(entry.values[0]!.text), place: placeIn(file, entry.values[0]!) };
  const fields = {
    minimum: field(minimum, `${shipped.minimumBytes}B`, (text) => `${Math.round(Number(text) * unit.bytes)}B`),
    maximum: field(maximum, `${shipped.maximumBytes}B`, (text) => `${Math.round(Number(text) * unit.bytes)}B`),
    probability: field(probability, shipped.probability, Number),
  };
  const errorsBefore = diagnostics.errorCount;
  for (const { entry, name } of [
    { entry: minimum, name: 'minimum' },
    { entry: maximum, name: 'maximum' },
    { entry: probability, name: 'probability' },
  ] as const) {
    const problem = settingProblem(thresholdSettings[name], fields[name].value);
    if (entry !== undefined && problem !== null)
      errorAt(diagnostics, problem.code, fields[name].place, `${entry.key} ${problem.message}`, {
        got: entry.values[0]!.text,
        ...(problem.wanted === undefined ? {} : { wanted: problem.wanted }),
      });
  }
  return diagnostics.errorCount > errorsBefore ? null : { keyPlace, fields };
}

/** Writes `ecn.thresholds` with the same line for every rate. */
export function writeUniform(
  root: LocatedMap,
  { keyPlace, fields }: UniformThreshold,
  ratesBps: readonly number[],
): void {
  writeThresholds(
    root,
    keyPlace,
    ratesBps.map((rateBps) => {
      const line: LocatedMap = { kind: 'map', place: keyPlace, entries: new Map() };
      add(line, 'rate', rateText(rateBps), keyPlace);
      for (const [name, { value, place }] of Object.entries(fields)) add(line, name, value, place);
      return line;
    }),
  );
}

function add(line: LocatedMap, key: string, value: string | number, place: Place): void {
  line.entries.set(key, { keyPlace: place, value: { kind: 'scalar', place, value, text: String(value) } });
}

function writeThresholds(root: LocatedMap, keyPlace: Place, items: Located[]): void {
  const inner = root.entries.get('ecn')?.value;
  const ecn: LocatedMap = inner?.kind === 'map' ? inner : { kind: 'map', place: keyPlace, entries: new Map() };
  if (inner !== ecn) root.entries.set('ecn', { keyPlace, value: ecn });
  ecn.entries.set('thresholds', { keyPlace, value: { kind: 'list', place: keyPlace, items } });
}
