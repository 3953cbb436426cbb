// Resolved values as exact text: what is written here resolves to the same number again.
// Invariant: resolveSetting(setting, settingText(setting, value)) = value.

import type { GroupValues, PlainValue, Setting, SettingGroup } from './settings.js';
import { decimalText } from './units.js';

/** Whole picoseconds in the largest unit in which they are whole: 900_000_000 -> "900us". */
export function timeText(timePs: number): string {
  return timePs === 0
    ? '0us'
    : inUnits(timePs, [
        [1e12, 's'],
        [1e9, 'ms'],
        [1e6, 'us'],
        [1e3, 'ns'],
        [1, 'ps'],
      ]);
}

/** Bits per second, exactly: 100e9 -> "100Gbps", 2.5e9 -> "2.5Gbps", 1.5 -> "1.5bps". */
export function rateText(rateBps: number): string {
  if (!Number.isInteger(rateBps)) return `${rateBps}bps`;
  for (const [places, factor, unit] of [
    [9, 1e9, 'Gbps'],
    [6, 1e6, 'Mbps'],
    [3, 1e3, 'kbps'],
  ] as const) {
    if (rateBps % (factor / 1e3) === 0 && rateBps >= factor) return `${decimalText(rateBps, places)}${unit}`;
  }
  return `${rateBps}bps`;
}

/** Whole bytes, exactly and as short as units allow: 10485760 -> "10MiB", 400000 -> "400kB", 9052 -> "9052B". */
export function sizeText(sizeBytes: number): string {
  const binary = inUnits(sizeBytes, [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'B'],
  ]);
  const decimal = inUnits(sizeBytes, [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
    [1, 'B'],
  ]);
  return decimal.length < binary.length ? decimal : binary;
}

/** A resolved value of a setting as a scenario writes it. */
export function settingText(setting: Setting, value: PlainValue): PlainValue {
  if (typeof value !== 'number') return value;
  switch (setting.kind) {
    case 'time':
      return timeText(value);
    case 'rate':
      return rateText(value);
    case 'size':
      return sizeText(value);
    default:
      return value;
  }
}

/** The resolved values of a group as a scenario writes them, in the group's order. */
export function groupText(group: SettingGroup, values: GroupValues): Record<string, PlainValue> {
  return Object.fromEntries(
    Object.entries(group).map(([name, setting]) => [name, settingText(setting, values[name]!)]),
  );
}

function inUnits(value: number, units: readonly (readonly [number, string])[]): string {
  const last = units[units.length - 1]!;
  const [factor, unit] = value === 0 ? last : (units.find(([factor]) => value % factor === 0) ?? last);
  return `${value / factor}${unit}`;
}
