// Every combination of the values of some settings, or the points of a sample of them, with every seed: the runs of a
// sweep by their numbers.
// Invariants: the first setting changes slowest, seeds change fastest; nothing is kept per run; of a sample each setting
// has a value for every combination.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { fail } from '../../base/fail.js';
import { evaluateFormula } from './formula.js';
import { type Sample, sampledSettings } from './sample.js';
import type { SeedList } from './seed-list.js';
import type { SweptSetting } from './swept-setting.js';

/** Runs of one sweep; so many rows are a few gigabytes. */
export const mostSweptRuns = 1_000_000;

/** What a run is made of, besides the scenario. */
export interface SweptRun {
  /** `path=value` */
  readonly overrides: readonly string[];
  /** null: the scenario's */
  readonly seed: number | null;
  /** why it cannot run; left out: nothing is known against it */
  readonly infeasible?: string;
}

export class Combinations {
  /** of the settings, without seeds */
  readonly count: number;
  readonly runs: number;

  /** with the values that combinations choose from */
  readonly settings: readonly SweptSetting[];

  /**
   * @param written the settings as they were asked for
   * @param seeds null: the scenario's own
   * @param sample null: a grid
   * @throws InputError if there are more than `mostSweptRuns`
   */
  constructor(
    readonly written: readonly SweptSetting[],
    readonly seeds: SeedList | null,
    readonly sample: Sample | null = null,
  ) {
    const settings = sample === null ? written : sampledSettings(written, sample);
    this.settings = settings;
    this.count =
      sample === null
        ? settings.reduce((product, { values }) => product * values.length, 1)
        : settings[0]!.values.length;
    this.runs = this.count * (seeds?.count ?? 1);
    if (!(this.runs <= mostSweptRuns))
      throw InputError.at('sweep-size', '--set', wholeFile, 'these are too many runs for one sweep', {
        got: [
          ...(sample === null ? settings.map(({ values }) => values.length) : [this.count]),
          ...(seeds === null ? [] : [`${seeds.count} seeds`]),
        ].join(' x '),
        wanted: `at most ${mostSweptRuns} runs`,
        hint: 'sweep some of the settings, into a folder of its own each',
      });
  }

  /** The combination of a run. */
  combinationOf(run: number): number {
    return Math.floor(run / (this.seeds?.count ?? 1));
  }

  /** The first run of a combination. */
  firstRunOf(combination: number): number {
    return combination * (this.seeds?.count ?? 1);
  }

  /** Which value of each setting a run has. */
  choicesOf(run: number): number[] {
    if (this.sample !== null) return this.settings.map(() => this.combinationOf(run));
    let left = this.combinationOf(run);
    const choices: number[] = [];
    for (let i = this.settings.length - 1; i >= 0; i--) {
      const { length } = this.settings[i]!.values;
      choices[i] = left % length;
      left = Math.floor(left / length);
    }
    return choices;
  }

  /** The run of a grid that has these values and the first seed. */
  runWith(choices: readonly number[]): number {
    return this.firstRunOf(choices.reduce((sum, choice, i) => sum * this.settings[i]!.values.length + choice, 0));
  }

  /** The value of each setting in a run; null: its formula has none there. */
  valuesOf(run: number): (string | null)[] {
    return this.settings.map((_, place) => {
      try {
        return this.valueOf(place, this.choicesOf(run));
      } catch (error) {
        if (error instanceof InputError) return null;
        throw error;
      }
    });
  }

  at(run: number): SweptRun {
    try {
      return this.feasibleAt(run);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { overrides: [], seed: this.seedOf(run), infeasible: error.message };
    }
  }

  /** The same. @throws InputError if a formula has no value there */
  feasibleAt(run: number): SweptRun {
    const choices = this.choicesOf(run);
    return {
      overrides: this.settings.map(({ path }, i) => `${path}=${this.valueOf(i, choices)}`),
      seed: this.seedOf(run),
    };
  }

  private seedOf(run: number): number | null {
    return this.seeds?.at(run % this.seeds.count) ?? null;
  }

  /** @throws InputError if its formula has no value there */
  private valueOf(place: number, choices: readonly number[]): string {
    const { path, values, formulas, given = {} } = this.settings[place]!;
    const choice = choices[place]!;
    const formula = formulas?.[choice] ?? null;
    if (formula === null) return values[choice]!;
    const value = evaluateFormula(path, formula, (other) => {
      if (Object.hasOwn(given, other)) return given[other]!;
      const at = this.settings.findIndex((setting) => setting.path === other);
      return at < 0 ? fail(`${other} is not known`) : Number(this.valueOf(at, choices));
    });
    return String(value);
  }
}
