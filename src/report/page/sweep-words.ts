// What figures and settings of a sweep are called, in which order and unit people look at them.

import { textInUnit } from '../figures/figure.js';
import { catalogueOrder, figureAt } from '../figures/places.js';
import type { SettingOfColumn } from '../sweep/row-columns.js';
import { numberText, short, sizeUnit, timeUnit, type Axis } from './figures.js';

/**
 * Place of a figure among those that people look for first, in the order of the catalogue; beyond all if it is none.
 */
export function placeOfFigure(name: string): number {
  return isLeading(name) ? catalogueOrder(name) : Infinity;
}

/** Whether people look for a figure first. */
export function isLeading(name: string): boolean {
  return figureAt(name).prominence !== null;
}

/** What a figure of a sweep is called; without a name of its own by its keys. */
export function figureName(name: string): string {
  return figureAt(name).entry.look.label ?? name;
}

/** The last word of a path. */
export function lastWord(path: string): string {
  return path.split('.').at(-1)!;
}

/** A unit of an axis, and how many of the figure's own it is. */
interface AxisUnit {
  readonly unit: string;
  readonly per: number;
}

/** The unit in which amounts up to this one are read easily. */
function readableUnit(unit: string | null, most: number): AxisUnit {
  if (unit === 'ns') {
    const time = timeUnit(most * 1000);
    return { unit: time.unit, per: time.ps / 1000 };
  }
  if (unit !== 'B') return { unit: unit === '1' || unit === null ? '' : unit, per: 1 };
  const size = sizeUnit(most);
  return { unit: size.unit, per: size.bytes };
}

/** The unit of a figure's axis. */
export function unitOf(name: string, most: number): AxisUnit {
  return readableUnit(figureAt(name).entry.unit, most);
}

/** An amount of a figure, as people read it. */
export function amountText(name: string, value: number): string {
  const { unit } = figureAt(name).entry;
  return unit === '1' || unit === null ? numberText(value) : textInUnit(unit, value);
}

/** The axis of a setting: from its least to its greatest value, by powers where they are far apart. */
export function settingAxis(
  { path, unit }: SettingOfColumn,
  numbers: readonly number[],
): { readonly axis: Axis; readonly per: number } {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const { unit: name, per } = settingUnit(unit, numbers, most);
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

function settingUnit(unit: string | null, numbers: readonly number[], most: number): AxisUnit {
  if (unit === 'bit/s') return { unit: 'Gbit/s', per: 1e9 };
  if (unit === 'B')
    for (const [name, per] of [
      ['MiB', 2 ** 20],
      ['KiB', 2 ** 10],
    ] as const)
      if (numbers.every((value) => value % per === 0)) return { unit: name, per };
  return readableUnit(unit, most);
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(value) && value > 0 && (value & (value - 1)) === 0;
}
