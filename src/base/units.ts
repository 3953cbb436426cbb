// Quantities as people write them (10MiB, 100Gbps, 0.5us) <-> the numbers the code computes with.
// Invariant: parsing is exact wherever the value is a whole number of the target unit (no binary rounding of
// "0.000025ms"). Time is whole picoseconds, rates are bits per second, sizes are bytes; all in float64, all below 2^53.

const decimal = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3}))?\s*(.*)$/;

// maps, not objects: a user's word such as "constructor" must not find what every object inherits
const timeExponents = new Map([
  ['ps', 0],
  ['ns', 3],
  ['us', 6],
  ['µs', 6],
  ['μs', 6],
  ['ms', 9],
  ['s', 12],
]);
const timeFactors = new Map([
  ['min', 60e12],
  ['h', 3600e12],
]);
const rateExponents = new Map([
  ['', 0],
  ['k', 3],
  ['K', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
]);
const sizeExponents = new Map([
  ['B', 0],
  ['kB', 3],
  ['KB', 3],
  ['MB', 6],
  ['GB', 9],
  ['TB', 12],
]);
const sizeFactors = new Map([
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
]);

/** The longest time a simulation may name: 2^53 ps, about 2.5 hours. */
export const maxTimePs = Number.MAX_SAFE_INTEGER;

/** Longest computation of a job: times stay exact to the picosecond, and as much is left for communication. */
export const longestJobPs = maxTimePs / 2;

interface Split {
  readonly mantissa: string;
  readonly exponent: number;
  readonly unit: string;
}

function split(text: string): Split | null {
  const match = decimal.exec(text.trim());
  if (match === null) return null;
  return { mantissa: match[1]!, exponent: Number(match[2] ?? 0), unit: match[3]!.trim() };
}

/** mantissa x 10^(exponent + shift), correctly rounded from its decimal text; null if it is not finite */
function scaled(parts: Split, shift: number): number | null {
  const value = Number(`${parts.mantissa}e${parts.exponent + shift}`);
  return Number.isFinite(value) ? value : null;
}

/**
 * Reads a time such as `0.5us`, `25 ns`, `1ms`, `2s`.
 * @returns whole picoseconds (rounded to the nearest), or null if the text is not a time with a unit, is negative or
 * exceeds 2^53 ps
 */
export function parseTimePs(text: string): number | null {
  const parts = split(text);
  if (parts === null) return null;
  const factor = timeFactors.get(parts.unit);
  const exponent = timeExponents.get(parts.unit);
  let value: number | null;
  if (factor !== undefined) value = Number(`${parts.mantissa}e${parts.exponent}`) * factor;
  else if (exponent !== undefined) value = scaled(parts, exponent);
  else return null;
  if (value === null || value < 0 || value > maxTimePs) return null;
  return Math.round(value) + 0; // + 0: "-0ns" is 0, not -0
}

/**
 * Reads a rate such as `100Gbps`, `2.5 Gb/s`, `50Mb/s`, `12.5GB/s`.
 * @returns bits per second, or null if the text is not a rate with a unit, is negative or exceeds 2^53 bit/s
 */
export function parseRateBps(text: string): number | null {
  const parts = split(text);
  if (parts === null) return null;
  const match = /^([kKMGT]?)(b|bit|B)(?:ps|\/s)$/.exec(parts.unit);
  if (match === null) return null;
  const value = scaled(parts, rateExponents.get(match[1]!)!);
  if (value === null || value < 0 || value > Number.MAX_SAFE_INTEGER) return null;
  return (match[2] === 'B' ? value * 8 : value) + 0;
}

/**
 * Reads a size such as `10MiB`, `9000B`, `1.5 kB` (kB = 1000 bytes, KiB = 1024) or a bare whole number of bytes.
 * @returns whole bytes (rounded to the nearest), or null if the text is not a size, is negative or exceeds 2^53 bytes
 */
export function parseSizeBytes(text: string): number | null {
  const parts = split(text);
  if (parts === null) return null;
  const unit = parts.unit === '' ? 'B' : parts.unit;
  const factor = sizeFactors.get(unit);
  const exponent = sizeExponents.get(unit);
  let value: number | null;
  if (factor !== undefined) value = Number(`${parts.mantissa}e${parts.exponent}`) * factor;
  else if (exponent !== undefined) value = scaled(parts, exponent);
  else return null;
  if (value === null || !(value >= 0) || value > Number.MAX_SAFE_INTEGER) return null;
  return Math.round(value) + 0;
}

/** value x 10^-places as exact decimal text without trailing zeros, for whole values: (25000, 9) -> "0.000025" */
export function decimalText(value: number, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const binaryUnits = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
] as const;

function withUnit(value: number, units: readonly (readonly [number, string])[], digits: number): string {
  for (const [factor, unit] of units) {
    if (value >= factor) return `${trimmed(value / factor, digits)}${unit}`;
  }
  const last = units[units.length - 1]!;
  return `${trimmed(value / last[0], digits)}${last[1]}`;
}

function trimmed(value: number, digits: number): string {
  const text = value.toFixed(Math.max(0, digits - String(Math.trunc(value)).length));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** A time for people, four significant digits: 849_712_000 -> "849.7us". */
export function formatTimePs(timePs: number): string {
  return withUnit(
    timePs,
    [
      [1e12, 's'],
      [1e9, 'ms'],
      [1e6, 'us'],
      [1e3, 'ns'],
      [1, 'ps'],
    ],
    4,
  );
}

/** A rate for people: 100e9 -> "100Gbps". */
export function formatRateBps(rateBps: number): string {
  return withUnit(
    rateBps,
    [
      [1e12, 'Tbps'],
      [1e9, 'Gbps'],
      [1e6, 'Mbps'],
      [1e3, 'kbps'],
      [1, 'bps'],
    ],
    5,
  );
}

/**
 * A size for people, binary units where they give quarters at most, decimal ones else: 10485760 -> "10MiB", 9000 ->
 * "9kB".
 */
export function formatSizeBytes(sizeBytes: number): string {
  const binary = binaryUnits.find(([factor]) => sizeBytes >= factor);
  if (binary !== undefined && Number.isInteger((sizeBytes / binary[0]) * 4))
    return `${sizeBytes / binary[0]}${binary[1]}`;
  return withUnit(
    sizeBytes,
    [
      [1e12, 'TB'],
      [1e9, 'GB'],
      [1e6, 'MB'],
      [1e3, 'kB'],
      [1, 'B'],
    ],
    4,
  );
}
