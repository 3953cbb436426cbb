// "Did you mean …?": the nearest known word to a mistyped one.

import { distance } from 'fastest-levenshtein';

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
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  if (bestDistance <= Math.max(1, Math.floor(folded.length / 3))) return best;
  return abbreviated(folded, candidates);
}

/**
 * The word that an abbreviation is short for: it begins like it and has its letters in their order (src for source,
 * dst for destination).
 * @returns null unless just one candidate is, or one with which all others begin (destination, destinationNic)
 */
function abbreviated(folded: string, candidates: Iterable<string>): string | null {
  if (folded.length < 3) return null;
  const long = [...candidates].filter((candidate) => isAbbreviation(folded, fold(candidate)));
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
export function nearestUnit(word: string, units: readonly string[]): string | null {
  const written = word.toLowerCase();
  if (written.length > longestWord) return null;
  const long = units.filter((unit) => unit.length > 1);
  for (const steps of [0, 1]) {
    const near = long.filter((unit) => distance(written, unit.toLowerCase()) === steps);
    if (near.length > 0) return near.length === 1 ? near[0]! : null;
  }
  return null;
}

function letters(word: string): string {
  const list = [...word];
  list.sort();
  return list.join('');
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}
