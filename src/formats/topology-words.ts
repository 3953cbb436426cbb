// What a word of a topology file is: a whole number, a number, the beginning of a link.
// Invariant: nothing is made of a word that is longer than any that means something.

import { parseRateBps } from '../base/units.js';
import { isDigits, isNumber } from './number-words.js';
import { maxLinks, maxNodes } from '../fabric/fabric.js';

/** The longest word that means anything; longer ones are refused unread. */
export const longestTopologyWord = 64;

/** Whether a line begins as a link does: two nodes, and then no third. */
export function looksLikeLink(words: readonly string[]): boolean {
  return words.length >= 3 && isDigits(words[0]!) && isDigits(words[1]!) && !isDigits(words[2]!);
}

/** Files repeat a handful of rates and delays: each is parsed once. Over-long words are refused unread. */
export function remembered(
  known: Map<string, number | null>,
  word: string,
  parse: (text: string) => number | null,
): number | null {
  const value = known.get(word);
  if (value !== undefined) return value;
  const parsed = word.length <= longestTopologyWord ? parse(word) : null;
  if (known.size < 1024) known.set(word, parsed);
  return parsed;
}

/** From this rate on a number without a unit is bit/s, as ns-3 reads it; below it the unit was forgotten. */
const leastBareBps = 1e6;

/** The rate of a link as a file gives it, in bit/s; null: it is none. */
export function topologyRateBps(word: string): number | null {
  const rateBps =
    isNumber(word, longestTopologyWord) && Number(word) >= leastBareBps ? Number(word) : parseRateBps(word);
  return rateBps !== null && rateBps >= 1 && rateBps <= Number.MAX_SAFE_INTEGER ? rateBps : null;
}

/** What a number without its unit may mean, if it is read with that one. */
export function unitHint(
  word: string,
  unit: string,
  read: (text: string) => number | null,
): { readonly hint?: string } {
  return isNumber(word, longestTopologyWord) && read(`${word}${unit}`) !== null
    ? { hint: `the unit is missing: ${word}${unit}?` }
    : {};
}

/** The least and the most that a count of a header may be. */
export function countLimits(name: string): readonly [number, number] {
  return name === 'link_num' ? [0, maxLinks] : [name === 'node_num' || name === 'gpus_per_server' ? 1 : 0, maxNodes];
}
