// What numbers look like as words of a file.
// Invariant: nothing is made of a word that is longer than any that means something.

/** A whole number below 10^15, perhaps written as a float (8.0), as Python prints the result of a division. */
export function isWhole(word: string): boolean {
  return /^\d{1,15}(?:\.0{0,15})?$/.test(word);
}

/** Digits only, few enough to be exact. */
export function isDigits(word: string): boolean {
  return /^\d{1,15}$/.test(word);
}

/** A whole number from its digits; null if it is none, or above 2^53 - 1. */
export function digitsOnly(text: string): number | null {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : null;
}

/** A decimal number without a sign, perhaps with an exponent. @param longest most characters that are looked at */
export function isNumber(word: string, longest: number): boolean {
  return word.length <= longest && /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/.test(word);
}

/** A number as programs print it: 12, 0.35, 1.5e+06; NaN for any other word. */
export function printedNumber(word: string): number {
  return word.length <= 40 && /^-?\d+(?:\.\d*)?(?:[eE][-+]?\d{1,3})?$/.test(word) ? Number(word) : NaN;
}
