// The words of a line, with where they stand.

/** A word of a line, and its column from 1. */
export interface Field {
  readonly text: string;
  readonly column: number;
}

/** The words of a line up to a comment (#), with their columns. */
export function fieldsOf(line: string): Field[] {
  const hash = line.indexOf('#');
  const text = hash < 0 ? line : line.slice(0, hash);
  return Array.from(text.matchAll(/[^\s\0]+|\0+/g), (match) => ({ text: match[0], column: match.index + 1 }));
}

/** A whole number from its digits; null if it is none, or above 2^53 - 1. */
export function digitsOnly(text: string): number | null {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : null;
}
