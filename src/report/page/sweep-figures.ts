// A sweep as charts and tables: each figure over a setting with its spread over seeds, and which settings make a
// difference.
// Invariants: figures are of the runs that finished; a difference is called one only where a rank test over pairs (the
// same seed and the same other settings on both sides) says so after Holm's correction for all comparisons of the
// figure (Holm 1979, A simple sequentially rejective multiple test procedure); what varies in no run is not shown.

import { listsBy } from '../../base/lists-by-key.js';
import { cameToItsEnd } from '../run-figures.js';
import { holm } from '../../measurement/holm-correction.js';
import { signedRankTest } from '../../measurement/significance.js';
import { IgnoredSettings } from '../sweep/ignored-settings.js';
import type { SettingOfColumn, SweepRow } from '../sweep/row-columns.js';
import { whyFailed } from '../sweep/run-row.js';
import { combinationName } from '../sweep/sweep-text.js';
import { SweepRanking } from '../sweep/sweep-verdict.js';
import { bandAndLine, leastOf, meanOf, mostOf } from './band-and-line.js';
import { sampledCharts } from './sampled-charts.js';
import { short, type Axis, type BarFigure, type Figure } from './figures.js';
import { amountText, figureName, isLeading, lastWord, placeOfFigure, settingAxis, unitOf } from './sweep-words.js';

/** Charts, lines of a chart, and rows of a table. */
const [mostCharts, mostSeries, mostRows] = [12, 8, 60];
/** Lines that are left out of a chart and named in its note. */
const mostNamed = 4;
/** the error that is accepted of all comparisons of a figure together */
export const significanceLevel = 0.05;

/** The runs of one combination of settings. */
export interface CombinedRuns {
  readonly choices: readonly number[];
  /** figures by seed of the runs that finished */
  readonly bySeed: Map<number | null, ReadonlyMap<string, number>>;
  runs: number;
  failed: number;
}

/** A row of the table of differences. */
export interface SweepDifference {
  readonly setting: string;
  readonly value: string;
  readonly first: string;
  /**
   * by figure: change of the mean in percent (null: the first is zero), and the corrected probability; null: no pairs
   */
  readonly effects: readonly (SweepEffect | null)[];
}

export interface SweepEffect {
  readonly changePercent: number | null;
  readonly change: number;
  readonly p: number;
  readonly pairs: number;
}

/** Collects the rows of a sweep. */
export class SweepFigures {
  private readonly combinations = new Map<string, CombinedRuns>();
  private readonly varying = new Map<string, { readonly least: number; readonly most: number }>();
  readonly errors = new Map<string, number>();
  runs = 0;
  failed = 0;
  /** runs that could not begin: their settings do not go together */
  infeasible = 0;

  /** @param ignored settings that change nothing in some runs, learned from all rows; left out: none */
  constructor(
    readonly settings: readonly SettingOfColumn[],
    readonly ignored: IgnoredSettings = new IgnoredSettings([]),
    /** which settings were drawn from ranges; null: combinations are a grid */
    readonly drawn: readonly number[] | null = null,
  ) {}

  add(row: SweepRow): void {
    const { choices, seed, outcome, verdict, figures } = row;
    this.runs++;
    const isFailed = verdict === 'failed' && outcome !== 'infeasible';
    if (verdict === 'failed') {
      if (isFailed) this.failed++;
      else this.infeasible++;
      const line = whyFailed(row);
      this.errors.set(line, (this.errors.get(line) ?? 0) + 1);
    }
    if (this.ignored.isDouble(choices)) return;
    const key = choices.join(' ');
    let own = this.combinations.get(key);
    if (own === undefined) this.combinations.set(key, (own = { choices, bySeed: new Map(), runs: 0, failed: 0 }));
    own.runs++;
    if (isFailed) own.failed++;
    if (!cameToItsEnd(outcome)) return;
    const numbers = new Map<string, number>();
    for (const [name, value] of figures) {
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      numbers.set(name, value);
      const range = this.varying.get(name) ?? { least: value, most: value };
      this.varying.set(name, { least: Math.min(range.least, value), most: Math.max(range.most, value) });
    }
    own.bySeed.set(seed, numbers);
  }

  /** The runs of each combination that is no other's double, in their order. */
  combined(): Iterable<CombinedRuns> {
    return this.combinations.values();
  }

  get count(): number {
    return this.combinations.size;
  }

  /** Figures that vary, those that people look for first. */
  get varyingNames(): string[] {
    const found = [...this.varying].filter(([, { least, most }]) => most > least).map(([name]) => name);
    const sorted = found.filter(isLeading);
    sorted.sort((a, b) => placeOfFigure(a) - placeOfFigure(b));
    return sorted.length > 0 ? sorted : found;
  }

  /** Which combination is best, and by how much. */
  verdict(): string {
    const ranking = new SweepRanking();
    for (const { choices, bySeed } of this.combinations.values())
      ranking.add(combinationName(this.settings, choices, this.ignored), bySeed.values());
    return ranking.verdict();
  }

  /** A chart for each figure. */
  charts(): Figure[] {
    const { drawn } = this;
    if (drawn !== null) return sampledCharts(this, drawn, mostCharts);
    const axis = this.axisSetting();
    return this.varyingNames.slice(0, mostCharts).map((name) => this.chart(name, axis));
  }

  /** Means and spreads of the first figures by combination; how many are left out. */
  table(figures: number): {
    readonly names: string[];
    readonly rows: {
      readonly values: string[];
      readonly runs: number;
      readonly failed: number;
      readonly texts: string[];
    }[];
    readonly beyond: number;
  } {
    const shown = this.varyingNames.slice(0, figures);
    const all = [...this.combinations.values()];
    return {
      names: shown.map(figureName),
      rows: all.slice(0, mostRows).map((combination) => ({
        values: combination.choices.map((choice, i) => this.valueText(combination, i, choice)),
        runs: combination.runs,
        failed: combination.failed,
        texts: shown.map((name) => spreadText(name, valuesOf(combination, name))),
      })),
      beyond: Math.max(0, all.length - mostRows),
    };
  }

  /** What each value of a setting changes beside its first one, all else being equal. */
  differences(figures: number): {
    readonly names: string[];
    /** the same as keys */
    readonly keys: string[];
    readonly rows: SweepDifference[];
  } {
    const shown = this.varyingNames.slice(0, figures);
    const rows: SweepDifference[] = [];
    // points of a sample have no pairs
    const paired = this.drawn === null ? this.settings : [];
    paired.forEach((setting, place) => {
      setting.values.slice(0, 24).forEach((value, choice) => {
        if (choice === 0) return;
        const effects = shown.map((name) => this.effect(place, choice, name));
        rows.push({ setting: setting.path, value, first: setting.values[0]!, effects });
      });
    });
    // each figure by itself: all comparisons of it are tested together
    const byEffect = new Map<SweepEffect, number>();
    shown.forEach((_, figure) => {
      const tested = rows.map(({ effects }) => effects[figure]!).filter((effect) => effect !== null);
      const probabilities = holm(tested.map(({ p }) => p));
      tested.forEach((effect, i) => byEffect.set(effect, probabilities[i]!));
    });
    return {
      names: shown.map(figureName),
      keys: shown,
      rows: rows.map((row) =>
        Object.assign(row, {
          effects: row.effects.map((effect) => (effect === null ? null : { ...effect, p: byEffect.get(effect)! })),
        }),
      ),
    };
  }

  private effect(place: number, choice: number, name: string): SweepEffect | null {
    const [before, after]: [number[], number[]] = [[], []];
    for (const first of this.combinations.values()) {
      if (first.choices[place] !== 0) continue;
      const other = this.combinations.get(first.choices.map((own, i) => (i === place ? choice : own)).join(' '));
      if (other === undefined) continue;
      for (const [seed, figures] of first.bySeed) {
        const [a, b] = [figures.get(name), other.bySeed.get(seed)?.get(name)];
        if (a === undefined || b === undefined) continue;
        before.push(a);
        after.push(b);
      }
    }
    if (before.length === 0) return null;
    const [meanBefore, meanAfter] = [meanOf(before), meanOf(after)];
    return {
      changePercent: meanBefore === 0 ? null : 100 * (meanAfter / meanBefore - 1),
      change: meanAfter - meanBefore,
      p: signedRankTest(before, after).p,
      pairs: before.length,
    };
  }

  /** A value of a setting, as tables and lines of charts have it. */
  private valueText({ choices }: CombinedRuns, i: number, choice: number): string {
    return this.ignored.ignores(choices, i) ? 'any' : this.settings[i]!.values[choice]!;
  }

  /** The setting along which charts go: the first whose values are numbers, else the first with several. */
  private axisSetting(): number {
    const several = this.settings.map(({ values }, i) => (values.length > 1 ? i : -1)).filter((i) => i >= 0);
    const numeric = several.find((i) => this.settings[i]!.numbers?.every((value) => value !== null) === true);
    return numeric ?? several[0] ?? 0;
  }

  /** What tells the lines of a chart apart: the values of all settings but the one along which it goes. */
  private lineName(combination: CombinedRuns, place: number): string {
    return this.settings
      .flatMap(({ path }, i) =>
        i === place ? [] : [`${lastWord(path)} ${this.valueText(combination, i, combination.choices[i]!)}`],
      )
      .join(', ');
  }

  private chart(name: string, place: number): Figure {
    const setting = this.settings[place];
    const groups = listsBy(this.combinations.values(), (own) => this.lineName(own, place));
    const lines = [...groups].slice(0, mostSeries);
    const { unit, per } = unitOf(name, this.varying.get(name)!.most);
    const numbers = setting?.numbers?.every((value) => value !== null) === true ? setting.numbers : null;
    const title = figureName(name);
    const over = numbers !== null ? `Over ${setting!.path}` : setting === undefined ? 'Of' : `By ${setting.path}`;
    const frame = {
      id: `over-${name.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}`,
      title,
      note:
        `${over}${setting === undefined ? '' : ':'} the mean over seeds, and the range from the least to the most.` +
        notDrawn([...groups.keys()].slice(mostSeries)),
      y: { name: title.toLowerCase().replace('pfc', 'PFC').replace('ecn', 'ECN'), unit, least: 0 } satisfies Axis,
    };
    if (setting !== undefined && numbers !== null) {
      const x = settingAxis(setting, numbers as readonly number[]);
      const at = ({ choices }: CombinedRuns): number => short(numbers[choices[place]!]! / x.per);
      return {
        ...frame,
        kind: 'lines',
        x: x.axis,
        series: lines.flatMap(([label, combinations], colour) =>
          bandAndLine(
            label,
            colour,
            combinations.map((own) => ({ at: at(own), values: valuesOf(own, name) })),
            per,
          ),
        ),
      };
    }
    const names = setting?.values ?? [''];
    return {
      ...frame,
      kind: 'bars',
      x: { name: setting?.path ?? 'run', unit: '', names },
      series: lines.map(([label, combinations], colour): BarFigure['series'][number] => {
        const each = names.map((_, choice) =>
          combinations
            .filter(({ choices }) => setting === undefined || choices[place] === choice)
            .flatMap((own) => valuesOf(own, name)),
        );
        const put = (figure: (values: number[]) => number): (number | null)[] =>
          each.map((values) => (values.length === 0 ? null : short(figure(values) / per)));
        return { name: label || 'mean', colour, y: put(meanOf), from: put(leastOf), to: put(mostOf) };
      }),
    };
  }
}

/** Says which lines of a chart were left out; the table of combinations has them. */
function notDrawn(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  const more = labels.length > mostNamed ? `; and ${labels.length - mostNamed} more` : '';
  return ` Only the first ${mostSeries} are drawn; not ${labels.slice(0, mostNamed).join('; ')}${more}. runs.csv has all.`;
}

function valuesOf({ bySeed }: CombinedRuns, name: string): number[] {
  return [...bySeed.values()].map((figures) => figures.get(name)).filter((value) => value !== undefined);
}

function spreadText(name: string, values: readonly number[]): string {
  if (values.length === 0) return '';
  const mean = meanOf(values);
  if (values.length === 1) return amountText(name, mean);
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  const deviation = Math.sqrt(squares / (values.length - 1));
  return deviation === 0 ? amountText(name, mean) : `${amountText(name, mean)} ± ${amountText(name, deviation)}`;
}
