// What figures and settings of a sweep are called, in which order and unit people look at them.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import type { SettingOfColumn } from '../sweep/row-columns.js';
import { numberText, short, sizeUnit, timeUnit, type Axis } from './figures.js';

/** What people look for first, in this order; others follow as they come. */
const leading: readonly RegExp[] = [
  /^workload\.ranks\.max$/,
  /^fct\.meanNs$/,
  /^fct\.p99Ns$/,
  /^fct\.maxNs$/,
  /^inference\.timeToFirstToken\.(meanNs|p99Ns)$/,
  /^inference\.request\.p99Ns$/,
  /^workload\.exposedNs\.\w+$/,
  /^collisions\.flowPairs$/,
  /^counters\.(packetsDropped|packetsLost|pauseFrames|ecnMarks|retransmittedPackets|retransmittedBytes)$/,
  /^controller\.unassigned$/,
  /^probes\.latency\.p99Ns$/,
];

const names: ReadonlyMap<string, string> = new Map([
  ['workload.ranks.max', 'Job time'],
  ['fct.meanNs', 'Mean completion time'],
  ['fct.p99Ns', '99th percentile of completion times'],
  ['fct.maxNs', 'Slowest flow'],
  ['collisions.flowPairs', 'Pairs of flows that collide'],
  ['counters.packetsDropped', 'Packets dropped'],
  ['counters.packetsLost', 'Packets lost'],
  ['counters.pauseFrames', 'PFC pauses'],
  ['counters.ecnMarks', 'ECN marks'],
  ['counters.retransmittedPackets', 'Packets sent again'],
  ['counters.retransmittedBytes', 'Bytes sent again'],
  ['controller.unassigned', 'Queue pairs without a free path'],
]);

/** Place of a figure among those that people look for first; beyond all of them if it is none. */
export function placeOfFigure(name: string): number {
  const place = leading.findIndex((pattern) => pattern.test(name));
  return place < 0 ? leading.length : place;
}

/** Whether people look for a figure first. */
export function isLeading(name: string): boolean {
  return placeOfFigure(name) < leading.length;
}

/** What a figure of a sweep is called, by its keys. */
export function figureName(name: string): string {
  return names.get(name) ?? name;
}

/** The last word of a path. */
export function lastWord(path: string): string {
  return path.split('.').at(-1)!;
}

/** The unit of a figure's axis. */
export function unitOf(name: string, most: number): { readonly unit: string; readonly per: number } {
  if (/Ns(\.\w+)?$|\.ranks\.(min|max)$/.test(name)) {
    const { unit, ps } = timeUnit(most * 1000);
    return { unit, per: ps / 1000 };
  }
  if (name.endsWith('Bytes')) {
    const { unit, bytes } = sizeUnit(most);
    return { unit, per: bytes };
  }
  return { unit: '', per: 1 };
}

/** An amount of a figure, as people read it. */
export function amountText(name: string, value: number): string {
  if (/Ns(\.\w+)?$|\.ranks\.(min|max)$/.test(name)) return formatTimePs(Math.round(value * 1000));
  if (name.endsWith('Bytes')) return formatSizeBytes(Math.round(value));
  return numberText(value);
}

/** The axis of a setting: from its least to its greatest value, by powers where they are far apart. */
export function settingAxis(
  { path, unit }: SettingOfColumn,
  numbers: readonly number[],
): { readonly axis: Axis; readonly per: number } {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const { name, per } = settingUnit(unit, numbers, most);
  const isLogarithmic = least > 0 && most / least >= 8;
  return {
    per,
    axis: {
      name: path,
      unit: name,
      ...(isLogarithmic
        ? {
            isLogarithmic,
            least: short(least / per),
            most: short(most / per),
            ...(numbers.every((value) => isPowerOfTwo(value / least)) ? { logBase: 2, interval: 1 } : {}),
          }
        : {}),
    },
  };
}

function settingUnit(
  unit: string | null,
  numbers: readonly number[],
  most: number,
): { readonly name: string; readonly per: number } {
  if (unit === 'ns') {
    const time = timeUnit(most * 1000);
    return { name: time.unit, per: time.ps / 1000 };
  }
  if (unit === 'bit/s') return { name: 'Gbit/s', per: 1e9 };
  if (unit !== 'B') return { name: '', per: 1 };
  if (numbers.every((value) => value % 2 ** 20 === 0)) return { name: 'MiB', per: 2 ** 20 };
  if (numbers.every((value) => value % 2 ** 10 === 0)) return { name: 'KiB', per: 2 ** 10 };
  const size = sizeUnit(most);
  return { name: size.unit, per: size.bytes };
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(value) && value > 0 && (value & (value - 1)) === 0;
}
