// Settings of a sweep that change nothing beside others: their combinations are one run under several names, which
// counts once. Learned from the rows, each of which says which of the swept settings have no effect in it.
// Invariants: a combination is left out only if its setting has no effect with any of its values, all else being equal,
// so that the one with the first value stands for all; memory is a number for each combination with such a setting.

import { counted } from '../text-style.js';
import type { SettingOfColumn, SweepRow } from './row-columns.js';

/** Settings by which combinations can be left out. */
const mostSettings = 31;

/** What was left out of a sweep's tables and tests. */
export interface LeftOut {
  /** the setting without effect */
  readonly setting: string;
  /** `path=value` that all combinations in question have in common; null: none */
  readonly where: string | null;
  /** combinations that are the same run as another one */
  readonly combinations: number;
}

export class IgnoredSettings {
  /** by combination: a bit for each setting without effect */
  private readonly ignored = new Map<number, number>();

  constructor(private readonly settings: readonly SettingOfColumn[]) {}

  /** Learns from a row. */
  add({ choices, noEffect }: SweepRow): void {
    if (noEffect === undefined || noEffect.length === 0) return;
    let bits = 0;
    for (const [i, { path }] of this.settings.slice(0, mostSettings).entries())
      if (noEffect.includes(path)) bits |= 1 << i;
    if (bits !== 0) this.ignored.set(this.numberOf(choices), bits);
  }

  /** Whether a combination is the same run as an earlier one. */
  isDouble(choices: readonly number[]): boolean {
    return this.settings.some((_, i) => choices[i]! > 0 && this.ignores(choices, i));
  }

  /** Whether a setting has no effect in a combination, whatever its value. */
  ignores(choices: readonly number[], i: number): boolean {
    if (this.ignored.size === 0 || i >= mostSettings) return false;
    if (((this.ignored.get(this.numberOf(choices)) ?? 0) & (1 << i)) === 0) return false;
    const other = [...choices];
    return this.settings[i]!.values.every((_, choice) => {
      other[i] = choice;
      return ((this.ignored.get(this.numberOf(other)) ?? 0) & (1 << i)) !== 0;
    });
  }

  /** What is left out, by setting. */
  list(): LeftOut[] {
    const found = new Map<number, number[][]>();
    for (const number of this.ignored.keys()) {
      const choices = this.choicesOf(number);
      const setting = choices.findIndex((choice, i) => choice > 0 && this.ignores(choices, i));
      if (setting >= 0) (found.get(setting) ?? found.set(setting, []).get(setting)!).push(choices);
    }
    return [...found].map(([setting, doubles]) => ({
      setting: this.settings[setting]!.path,
      where: this.inCommon(setting, doubles),
      combinations: doubles.length,
    }));
  }

  private inCommon(setting: number, doubles: readonly (readonly number[])[]): string | null {
    const shared = this.settings.flatMap(({ path, values }, i) => {
      const choice = doubles[0]![i]!;
      const isShared = i !== setting && values.length > 1 && doubles.every((choices) => choices[i] === choice);
      return isShared ? [`${path}=${values[choice]!}`] : [];
    });
    return shared.length === 0 ? null : shared.join(' ');
  }

  private numberOf(choices: readonly number[]): number {
    return choices.reduce((sum, choice, i) => sum * this.settings[i]!.values.length + choice, 0);
  }

  private choicesOf(number: number): number[] {
    const choices: number[] = [];
    let left = number;
    for (let i = this.settings.length - 1; i >= 0; i--) {
      const { length } = this.settings[i]!.values;
      choices[i] = left % length;
      left = Math.floor(left / length);
    }
    return choices;
  }
}

/** What was left out, as a sentence for people. */
export function leftOutText({ setting, where, combinations }: LeftOut): string {
  return (
    `${setting} has no effect${where === null ? '' : ` with ${where}`}: ${counted(combinations, 'combination')} ` +
    `${combinations === 1 ? 'is' : 'are'} the same run as another and left out`
  );
}
