// Names in the order in which people count: node9 before node10. Digits compare as numbers, everything else by UTF-16
// unit; no locale.

/** Compares two names. @returns below 0, 0 or above 0 */
export function compareNaturally(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = digitsEnd(a, i);
      const endB = digitsEnd(b, j);
      const difference = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (difference !== 0) return difference;
      i = endA;
      j = endB;
      continue;
    }
    const difference = a.charCodeAt(i) - b.charCodeAt(j);
    if (difference !== 0) return difference;
    i++;
    j++;
  }
  return a.length - i - (b.length - j);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end++;
  return end;
}

/** By value first, then fewer leading zeros. */
function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+/, '');
  const y = b.replace(/^0+/, '');
  if (x.length !== y.length) return x.length - y.length;
  return x < y ? -1 : x > y ? 1 : a.length - b.length;
}
