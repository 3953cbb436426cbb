// What a word of a topology file is: a whole number, a number, the beginning of a link.
// Invariant: nothing is made of a word that is longer than any that means something.

/** The longest word that means anything; longer ones are refused unread. */
export const longestTopologyWord = 64;

/** Whether a line begins as a link does: two nodes, and then no third. */
export function looksLikeLink(words: readonly string[]): boolean {
  return words.length >= 3 && isDigits(words[0]!) && isDigits(words[1]!) && !isDigits(words[2]!);
}

/** Digits only, few enough to be exact. */
export function isDigits(word: string): boolean {
  if (word.length === 0 || word.length > 15) return false;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** A decimal number without a sign, perhaps with an exponent. */
export function isNumber(word: string): boolean {
  return word.length <= longestTopologyWord && /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/.test(word);
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
