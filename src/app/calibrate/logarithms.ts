// Logarithms and powers of two by sums and products alone, so that every engine rounds them alike (Math.log2 and
// Math.pow differ between engines).
// Sources: ln m = 2 artanh((m - 1) / (m + 1)) and the series of artanh and exp; Abramowitz and Stegun, "Handbook of
// Mathematical Functions", 4.1.27 and 4.2.1. The terms that are left out are below 1e-16.

const ln2 = Math.LN2;
const terms = 20;

/** The base-2 logarithm. @param value above 0, finite */
export function log2(value: number): number {
  let [mantissa, whole] = [value, 0];
  for (; mantissa >= 2; mantissa /= 2) whole++;
  for (; mantissa < 1; mantissa *= 2) whole--;
  const z = (mantissa - 1) / (mantissa + 1);
  let [power, sum] = [z, 0];
  for (let k = 0; k < terms; k++, power *= z * z) sum += power / (2 * k + 1);
  return whole + (2 * sum) / ln2;
}

/** 2 to the power of a number. @param exponent within +-1000 */
export function exp2(exponent: number): number {
  const whole = Math.floor(exponent);
  const x = (exponent - whole) * ln2;
  let [term, sum] = [1, 1];
  for (let k = 1; k < terms; k++) {
    term *= x / k;
    sum += term;
  }
  for (let k = 0; k < whole; k++) sum *= 2;
  for (let k = 0; k > whole; k--) sum /= 2;
  return sum;
}
