// Numbers straight from the bytes of a text, without a string for each: what rows of traces are made of.

const digit0 = 48;

/** In place of a number: something else than digits stands there; the number is beyond 2^53 - 1. */
export const notDigits = -1;
export const tooLarge = -2;

/** A whole number from its decimal digits; notDigits if there is anything else, tooLarge beyond 2^53 - 1. */
export function digits(bytes: Uint8Array, from: number, until: number): number {
  if (from === until) return notDigits;
  let value = 0;
  for (let i = from; i < until; i++) {
    const digit = bytes[i]! - digit0;
    if (digit < 0 || digit > 9) return notDigits;
    value = value * 10 + digit;
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : tooLarge;
}

/**
 * Picoseconds from the decimals of a nanosecond, rounded to the nearest (0 to 1000); notDigits if there is anything
 * else.
 */
export function fractionPs(bytes: Uint8Array, from: number, until: number): number {
  let value = 0;
  for (let i = from; i < until; i++) {
    const digit = bytes[i]! - digit0;
    if (digit < 0 || digit > 9) return notDigits;
    const place = i - from;
    if (place < 3) value = value * 10 + digit;
    else if (place === 3 && digit >= 5) value++;
  }
  for (let place = until - from; place < 3; place++) value *= 10;
  return value;
}

/** At most 80 bytes of a line, as text for a message. */
export function latin1(bytes: Uint8Array, from: number, until: number): string {
  let text = '';
  for (let i = from; i < until && i < from + 80; i++) text += String.fromCharCode(bytes[i]!);
  return text.trimEnd();
}
