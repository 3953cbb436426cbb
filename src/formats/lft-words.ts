// Words of OpenSM's table files that are read from bytes: hexadecimal digits, and the GUID behind " portguid 0x".

/** Value of a hexadecimal digit by its character code; -1 if it is none. */
export function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

const portguid = Array.from(' portguid 0x', (letter) => letter.charCodeAt(0));
const portguidInBrackets = [40, ...portguid.slice(1)];

/** The GUID behind " portguid 0x", which a blank or a colon ends; null without one. */
export function portGuidIn(line: Uint8Array, from: number, length: number): bigint | null {
  for (let i = from; i + portguid.length < length; i++) {
    if (line[i] !== 32 && line[i] !== 40) continue;
    if (!matches(line, i, portguid) && !matches(line, i, portguidInBrackets)) continue;
    let high = 0;
    let low = 0;
    let digits = 0;
    for (let at = i + portguid.length; at < length; at++) {
      const digit = hexDigit(line[at]!);
      if (digit === -1) break;
      high = high * 16 + Math.floor(low / 0x10000000);
      low = (low % 0x10000000) * 16 + digit;
      digits++;
    }
    return digits === 0 || digits > 16 ? null : (BigInt(high) << 32n) | BigInt(low);
  }
  return null;
}

function matches(line: Uint8Array, at: number, word: readonly number[]): boolean {
  for (let i = 0; i < word.length; i++) if (line[at + i] !== word[i]) return false;
  return true;
}

/** Whether the next word of a line is a number: what stands behind an entry is words for people. */
export function isNumberNext(line: Uint8Array, from: number, length: number): boolean {
  let at = from;
  while (at < length && line[at]! <= 32) at++;
  const begin = at;
  while (at < length && line[at]! >= 48 && line[at]! <= 57) at++;
  return at > begin && (at === length || line[at]! <= 32);
}
