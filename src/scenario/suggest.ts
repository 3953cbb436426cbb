// "Did you mean …?": the nearest known word to a mistyped one.

import { distance } from 'fastest-levenshtein';
import { rateText, sizeText } from '../base/quantity-text.js';

/** Words longer than this are not compared: they are no typing mistakes. */
const longestWord = 60;

/**
 * The candidate that was probably meant.
 * @param word what was written @param candidates what could have been written
 * @returns the nearest candidate, or null if none is near; case, `-`, `_` and spaces count for nothing
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > longestWord) return null;
  const folded = fold(word);
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const target = fold(candidate);
    let d = distance(folded, target);
    // A word of which only the beginning was written (gpu for gpusPerServer is too far, enable for enabled is not).
    if (folded.length >= 4 && target.startsWith(folded)) d = Math.min(d, 1);
    // Two letters in each other's place (gian for gain) count as one mistake.
    if (d === 2 && letters(folded) === letters(target)) d = 1;
    // Another form of the same noun (leafs or leaf for leaves).
    if (singular(folded) === singular(target)) d = Math.min(d, 1);
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  if (bestDistance <= Math.max(1, Math.floor(folded.length / 3))) return best;
  return abbreviated(folded, candidates);
}

/**
 * The candidate that has a word of a name in camel case: baseTarget for targetDelay.
 * @returns null unless there is just one
 */
export function sharingWord(name: string, candidates: readonly string[]): string | null {
  const words = new Set(wordsOf(name).filter((word) => word.length > 3));
  const sharing = candidates.filter((candidate) => wordsOf(candidate).some((word) => words.has(word)));
  return sharing.length === 1 ? sharing[0]! : null;
}

/** The words of a name in camel case. */
function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** The candidate that was probably meant, as a hint; undefined if none is near (`nearest`). */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(word, candidates);
  return near === null ? undefined : `did you mean ${near}?`;
}

/** A noun without the ending of its plural, right or wrong: leaves, leafs and leaf are the same. */
function singular(word: string): string {
  return word.replace(/ves$/, 'f').replace(/e?s$/, '');
}

/**
 * The word that an abbreviation is short for: it begins like it and has its letters in their order (src for source,
 * dst for destination).
 * @returns null unless just one candidate is, or one that is a single word among names of several (destination,
 * destinationNic; source, serviceLevel)
 */
function abbreviated(folded: string, candidates: Iterable<string>): string | null {
  if (folded.length < 3) return null;
  const long = [...candidates].filter((candidate) => isAbbreviation(folded, fold(candidate)));
  const [single, ...more] = long.filter((word) => wordsOf(word).length === 1);
  if (single !== undefined) return more.every((other) => other.startsWith(single)) ? single : null;
  return long.find((word) => long.every((other) => other.startsWith(word))) ?? null;
}

function isAbbreviation(short: string, long: string): boolean {
  if (short.length >= long.length || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

/**
 * The unit that was probably meant: one letter away (case counts for nothing), longer than one letter, and the only
 * such unit.
 * @returns null if there is none
 */
function nearestUnit(word: string, units: readonly string[]): string | null {
  const written = word.toLowerCase();
  if (written.length > longestWord) return null;
  const long = units.filter((unit) => unit.length > 1);
  for (const steps of [0, 1]) {
    const near = long.filter((unit) => distance(written, unit.toLowerCase()) === steps);
    if (near.length > 0) return near.length === 1 ? near[0]! : null;
  }
  return null;
}

/** Units that people write for those that Weft knows: as they stand in papers and other tools, in lower case. */
const otherUnits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  time: {
    sec: 's',
    secs: 's',
    second: 's',
    seconds: 's',
    msec: 'ms',
    usec: 'us',
    nsec: 'ns',
    minutes: 'min',
    hours: 'h',
  },
  rate: {
    g: 'Gbps',
    gb: 'Gbps',
    gbit: 'Gbps',
    'gb/s': 'Gbps',
    'gbit/s': 'Gbps',
    m: 'Mbps',
    mb: 'Mbps',
    'mbit/s': 'Mbps',
    t: 'Tbps',
    tb: 'Tbps',
    'tbit/s': 'Tbps',
  },
  size: {},
};
const bitPrefixes: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/**
 * What was probably meant by a quantity whose unit is not known: one that says the same, never another amount.
 * @param number as written @param unit as written, not known @param units that are known
 * @returns continues "did you mean"; null if nobody can tell
 */
export function quantityHint(
  kind: 'time' | 'rate' | 'size',
  number: string,
  unit: string,
  units: readonly string[],
): string | null {
  const bits = /^([kKMGT]?)b(?:its?)?$/.exec(unit);
  if (kind === 'size' && bits !== null) {
    const bytes = (Number(number) * bitPrefixes[bits[1]!.toLowerCase()]!) / 8;
    const inBytes = Number.isSafeInteger(bytes) ? `${sizeText(bytes)} for that many bits, or ` : '';
    return `did you mean ${inBytes}${number}${bits[1]!.replace('K', 'k')}B? ${unit} is bits`;
  }
  const bytes = /^([kKMGT]?)B$/.exec(unit);
  if (kind === 'rate' && bytes !== null)
    return (
      `did you mean ${number}${bytes[1]!.replace('K', 'k')}bps, in bits, or ` +
      `${rateText(Number(number) * 8 * bitPrefixes[bytes[1]!.toLowerCase()]!)}, which is ${number}${unit} a ` +
      'second?'
    );
  const other = Object.hasOwn(otherUnits[kind]!, unit.toLowerCase()) ? otherUnits[kind]![unit.toLowerCase()]! : null;
  const near = other ?? nearestUnit(unit, units);
  return near === null ? null : `did you mean ${number}${near}?`;
}

function letters(word: string): string {
  const list = [...word];
  list.sort();
  return list.join('');
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}
