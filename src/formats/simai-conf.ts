// SimAI.conf: the network's settings as SimAI and HPCC read them, one key with its values per line, # begins a comment.
// Invariant: every entry knows where its key and each of its values stand; of a key that is given twice the last one
// counts.
// Source: the conf of SimAI 1.6. What a key means is not known here (scenario/foreign/simai/conf.ts).
// Not read: a value on another line than its key, which SimAI's own reader, word by word, would take.

import { FileProblems, type Diagnostics, type Position } from '../base/diagnostics.js';
import { parseRateBps } from '../base/units.js';
import { isNumber } from './number-words.js';
import { LineScanner } from './line-scanner.js';

/** One value of a key, as it is written. */
export interface ConfValue extends Position {
  readonly text: string;
}

/** One line of the file. */
export interface ConfEntry extends Position {
  readonly key: string;
  readonly values: readonly ConfValue[];
}

/** What the values of a key look like. */
export type ConfForm = 'flag' | 'count' | 'number' | 'rate' | 'map' | 'text';

const longestWord = 4096;
/** most pairs of a map, and so most values of a line */
const mostPairs = 1000;

/**
 * Reads the text of a SimAI.conf. Duplicate keys are warned of and lines that begin with no key are errors; the
 * diagnostics tell.
 */
export function readSimaiConf(file: string, text: string, diagnostics: Diagnostics): ConfEntry[] {
  const problems = new FileProblems(file, diagnostics);
  const scanner = new LineScanner(text);
  const entries = new Map<string, ConfEntry>();
  while (!diagnostics.full && scanner.seek()) {
    scanner.word();
    const at = scanner.position;
    const key = scanner.value(longestWord);
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key)) {
      problems.error('conf-key', at, 'the line does not begin with a key', {
        got: key,
        wanted: 'KEY value, such as CC_MODE 1',
      });
      scanner.skipLine();
      continue;
    }
    const values: ConfValue[] = scanner.words(2 * mostPairs + 2, longestWord);
    scanner.skipLine();
    const earlier = entries.get(key);
    if (earlier !== undefined)
      problems.warning('conf-duplicate', at, `${key} is given again; this line counts, not line ${earlier.line}`);
    entries.set(key, { key, values, ...at });
  }
  return [...entries.values()];
}

/**
 * What is wrong with the values of an entry, if anything.
 * @returns true if they have the form, after an error otherwise
 */
export function checkConfValues(file: string, entry: ConfEntry, form: ConfForm, diagnostics: Diagnostics): boolean {
  const problems = new FileProblems(file, diagnostics);
  const { key, values } = entry;
  if (form === 'text') return true;
  const first = values[0];
  if (first === undefined) {
    problems.error('conf-value-missing', entry, `${key} has no value`, { wanted: formText[form] });
    return false;
  }
  if (form === 'map') return checkMap(entry, problems);
  if (!formRule[form](first.text)) {
    problems.error('conf-value', first, `${key} is not ${formText[form]}`, {
      got: first.text,
      wanted: formText[form],
    });
    return false;
  }
  const extra = values[1];
  if (extra !== undefined)
    problems.error('conf-value-extra', extra, `${key} has more than one value`, {
      got: extra.text,
      wanted: formText[form],
      hint: 'a comment begins with #',
    });
  return extra === undefined;
}

/** The pairs of a map that has the form. */
export function confPairs(entry: ConfEntry): { readonly rate: ConfValue; readonly value: ConfValue }[] {
  const { values } = entry;
  return Array.from({ length: (values.length - 1) / 2 }, (_, i) => ({
    rate: values[1 + 2 * i]!,
    value: values[2 + 2 * i]!,
  }));
}

/** A rate as ns-3 writes it: with a unit, or a bare number of bits per second. @returns bit/s, or null */
export function confRateBps(text: string): number | null {
  const rate = isFiniteNumber(text) ? Number(text) : parseRateBps(text);
  return rate !== null && rate > 0 && rate <= Number.MAX_SAFE_INTEGER ? rate : null;
}

const formText: Readonly<Record<ConfForm, string>> = {
  flag: '0 or 1',
  count: 'a whole number',
  number: 'a number of at least 0',
  rate: 'a rate, such as 50Mb/s',
  map: 'the number of pairs, then pairs of a rate in bit/s and a value',
  text: 'text',
};

const formRule: Readonly<Record<Exclude<ConfForm, 'text' | 'map'>, (text: string) => boolean>> = {
  flag: (text) => text === '0' || text === '1',
  count: (text) => /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)),
  number: isFiniteNumber,
  rate: (text) => confRateBps(text) !== null,
};

function isFiniteNumber(text: string): boolean {
  return isNumber(text, 40) && Number.isFinite(Number(text));
}

function checkMap({ key, values }: ConfEntry, problems: FileProblems): boolean {
  const first = values[0]!;
  const pairs = Number(first.text);
  if (!/^\d{1,4}$/.test(first.text) || pairs < 1 || pairs > mostPairs) {
    problems.error('conf-value', first, `${key} does not begin with a number of pairs`, {
      got: first.text,
      wanted: `a whole number from 1 to ${mostPairs}`,
    });
    return false;
  }
  if (values.length !== 1 + 2 * pairs) {
    const at = values.length > 1 + 2 * pairs ? values[1 + 2 * pairs]! : values[values.length - 1]!;
    problems.error('conf-map-length', at, `${key} announces ${pairs} pairs and has ${values.length - 1} values`, {
      wanted: `${2 * pairs} values after the number of pairs`,
    });
    return false;
  }
  const wrong = values
    .slice(1)
    .find(({ text }, i) => (i % 2 === 0 ? !isFiniteNumber(text) || confRateBps(text) === null : !isFiniteNumber(text)));
  if (wrong === undefined) return true;
  problems.error('conf-value', wrong, `${key} has a value that is not a number`, {
    got: wrong.text,
    wanted: formText.map,
  });
  return false;
}
