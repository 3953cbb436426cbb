// What a sweep came to, for people: a line for each combination of settings, with its spread over seeds.
// Invariants: at most 80 columns; figures are of the runs that finished; of very many combinations the first are shown,
// and how many are not.

import { cameToItsEnd } from '../run-figures.js';
import { formatTimePs } from '../../base/units.js';
import { printable } from '../../base/printable.js';
import { counted, grouped, labelled, reportColumns, wrapped } from '../text-style.js';
import { type IgnoredSettings, leftOutText } from './ignored-settings.js';
import type { SettingOfColumn, SweepRow } from './row-columns.js';
import { whyFailed } from './run-row.js';
import { Spread, SweepRanking } from './sweep-verdict.js';

/** Combinations that have a line. */
const mostShown = 40;
/** Characters of a value. */
const longestValue = 24;
const indent = 13;

/** Figures of the runs of one combination. */
interface Combined {
  readonly choices: readonly number[];
  runs: number;
  failed: number;
  infeasible: boolean;
  readonly time: Spread;
  readonly completion: Spread;
}

/** Collects what the report says from the rows, in their order. */
export class SweepTotals {
  ended = 0;
  failed = 0;
  lost = 0;
  /** runs that could not begin: their settings do not go together */
  infeasible = 0;
  /** runs that are no failures, but did not do all they were asked to */
  unfinished = 0;
  combinations = 0;
  readonly errors = new Map<string, number>();
  readonly shown: Combined[] = [];
  private isDouble = false;
  private readonly ranking = new SweepRanking();
  /** of the combination whose rows come now */
  private current: { readonly choices: readonly number[]; readonly runs: SweepRow['figures'][] } | null = null;
  private last: readonly number[] | null = null;

  constructor(
    readonly ignored: IgnoredSettings,
    private readonly settings: readonly SettingOfColumn[],
  ) {}

  add(row: SweepRow): void {
    const { choices, outcome, verdict, figures } = row;
    this.ended++;
    if (outcome === 'failed') this.failed++;
    else if (outcome === 'lost') this.lost++;
    else if (outcome === 'infeasible') this.infeasible++;
    else if (verdict === 'failed') this.unfinished++;
    if (verdict === 'failed') this.note(whyFailed(row));
    if (this.last === null || choices.some((choice, i) => choice !== this.last![i])) {
      this.last = choices;
      this.isDouble = this.ignored.isDouble(choices);
      this.rank();
      this.current = this.isDouble ? null : { choices, runs: [] };
      if (!this.isDouble) this.combinations++;
      if (!this.isDouble && this.shown.length < mostShown)
        this.shown.push({
          choices,
          runs: 0,
          failed: 0,
          infeasible: false,
          time: new Spread(),
          completion: new Spread(),
        });
    }
    if (cameToItsEnd(outcome)) this.current?.runs.push(figures);
    if (this.isDouble || this.combinations > mostShown) return;
    const combined = this.shown[this.shown.length - 1]!;
    combined.runs++;
    if (outcome === 'infeasible') combined.infeasible = true;
    else if (verdict === 'failed') combined.failed++;
    if (!cameToItsEnd(outcome)) return;
    const [time, completion] = [figures.get('simulatedNs'), figures.get('fct.meanNs')];
    if (typeof time === 'number') combined.time.add(time);
    // a backend that sends nothing has no flows
    if (typeof completion === 'number' && figures.get('finished') !== 0) combined.completion.add(completion);
  }

  /** The verdict on all rows so far. */
  verdict(): string {
    this.rank();
    return this.ranking.verdict();
  }

  /** The combination is complete. */
  private rank(): void {
    const { current, settings, ignored } = this;
    if (current === null) return;
    this.current = null;
    this.ranking.add(combinationName(settings, current.choices, ignored), current.runs);
  }

  private note(line: string): void {
    if (this.errors.has(line) || this.errors.size < mostShown) this.errors.set(line, (this.errors.get(line) ?? 0) + 1);
  }
}

/** `switch.buffer=1MiB, pfc.enabled=true`: settings with several values. */
export function combinationName(
  settings: readonly SettingOfColumn[],
  choices: readonly number[],
  ignored: IgnoredSettings,
): string {
  return settings
    .flatMap(({ path, values }, i) =>
      values.length < 2 || ignored.ignores(choices, i)
        ? []
        : [`${path}=${printable(values[choices[i]!]!, longestValue)}`],
    )
    .join(', ');
}

/** What the report says besides. */
export interface SweepReportLabel {
  readonly name: string;
  readonly settings: readonly SettingOfColumn[];
  readonly runs: number;
  /** runs that were there before */
  readonly before: number;
  readonly isStopped: boolean;
  /** how well a figure was to be known, and why each combination has as many seeds as it has; null: every seed ran */
  readonly target: string | null;
  readonly reasons: readonly string[];
  /** where it is */
  readonly folder: string;
  /** the files there that have its rows */
  readonly tables: string;
}

/** The report. */
export function sweepReport(label: SweepReportLabel, totals: SweepTotals): string {
  const { runs, before, isStopped, folder } = label;
  const lines = [
    ...wrapped(
      printable(
        `${label.name}: ${grouped(totals.ended)} of ${counted(runs, 'run')} ` +
          `${isStopped ? 'ended before the sweep was stopped' : 'ended'}${before === 0 ? '' : `, ${grouped(before)} of them before`}`,
      ),
    ),
    ...wrapped(totals.verdict()),
    '',
    ...table(label, totals),
    ...(totals.combinations > totals.shown.length
      ? [`  and ${counted(totals.combinations - totals.shown.length, 'more combination')} in the files`]
      : []),
    '',
    ...totals.ignored.list().flatMap((left, i) => labelled(i === 0 ? 'left out' : '', leftOutText(left), indent)),
    ...problems(totals),
    ...(label.target === null
      ? []
      : [`${label.target}, 95 % sure:`, ...label.reasons].flatMap((line, i) =>
          labelled(i === 0 ? 'until' : '', line, indent),
        )),
    ...labelled('results', `${folder} (${label.tables})`, indent),
    ...(isStopped ? labelled('', 'the same command again goes on with it', indent) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function problems({ failed, lost, unfinished, infeasible, errors }: SweepTotals): string[] {
  if (failed + lost + unfinished + infeasible === 0) return [];
  const parts = [
    ...(infeasible === 0 ? [] : [`${counted(infeasible, 'run')} cannot be: settings do not go together`]),
    ...(failed === 0 ? [] : [`${counted(failed, 'run')} failed`]),
    ...(lost === 0
      ? []
      : [`${counted(lost, 'run')} ${lost === 1 ? 'was' : 'were'} lost (the same command tries again)`]),
    ...(unfinished === 0 ? [] : [`${counted(unfinished, 'run')} did not finish or failed a check`]),
  ];
  const [first] = errors;
  return [
    ...labelled('problems', parts.join(', '), indent),
    ...(first === undefined
      ? []
      : labelled('', `${first[1] === 1 ? 'one' : grouped(first[1])}: ${printable(first[0], 200)}`, indent)),
    ...(errors.size > 1 ? labelled('', 'the columns error and failedChecks have them all', indent) : []),
  ];
}

function table({ settings }: SweepReportLabel, { shown, ignored }: SweepTotals): string[] {
  const varied = settings.flatMap(({ values }, i) => (values.length > 1 ? [i] : []));
  const numbers = shown.map(({ runs, failed, infeasible, time, completion }) => [
    grouped(runs),
    infeasible ? 'cannot run' : spreadText(time),
    spreadText(completion),
    failed === 0 ? '' : grouped(failed),
  ]);
  const heads = ['runs', 'time', 'mean completion', numbers.some((row) => row[3] !== '') ? 'failed' : ''];
  const widths = heads.map((head, i) => Math.max(head.length, ...numbers.map((row) => row[i]!.length)));
  const tail = (cells: readonly string[]): string =>
    cells.flatMap((cell, i) => (widths[i] === 0 ? [] : [cell.padStart(widths[i]!)])).join('  ');
  const names = varied.map((i) => settings[i]!.path);
  const values = shown.map(({ choices }) =>
    varied.map((i) =>
      ignored.ignores(choices, i) ? 'any' : printable(settings[i]!.values[choices[i]!]!.slice(0, longestValue)),
    ),
  );
  const columns = names.map((name, i) => Math.max(name.length, ...values.map((row) => row[i]!.length)));
  const room = reportColumns - 2 - tail(heads).length - 2 * columns.length;
  if (columns.reduce((sum, width) => sum + width, 0) <= room)
    return [names, ...values].map((row, at) =>
      `  ${row.map((cell, i) => cell.padEnd(columns[i]!) + '  ').join('')}${at === 0 ? tail(heads) : tail(numbers[at - 1]!)}`.trimEnd(),
    );
  // too wide: the settings stand above their figures
  return [
    `  ${tail(heads)}`.trimEnd(),
    ...values.flatMap((row, at) =>
      wrapped(row.map((value, i) => `${names[i]!}=${value}`).join(' '), reportColumns - 2)
        .map((line) => `  ${line}`)
        .concat(`  ${tail(numbers[at]!)}`.trimEnd()),
    ),
  ];
}

function spreadText({ count, mean, deviation }: Spread): string {
  if (count === 0) return '-';
  const time = formatTimePs(mean * 1000);
  return count === 1 ? time : `${time} +- ${formatTimePs(deviation * 1000)}`;
}
