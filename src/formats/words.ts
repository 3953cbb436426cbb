// Words of a text with their places, and what a whole number looks like.

import type { Position } from '../base/diagnostics.js';

/** A word, and where it stands. */
export interface PlacedWord extends Position {
  readonly text: string;
}

/** The longest word that means anything. */
export const longestWord = 128;

/** A whole number below 10^15, perhaps written as a float (8.0), as Python prints the result of a division. */
export function isWhole(word: string): boolean {
  return /^\d{1,15}(?:\.0{0,15})?$/.test(word);
}
