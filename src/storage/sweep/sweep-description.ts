// sweep.json: what is swept, and how far it is, without a clock or a machine in it. It says that a folder is a sweep of
// Weft's, and of which one: only that very sweep goes on there. docs/formats/sweep.md describes its keys.
// Invariant: the same sweep has the same text, however often it was interrupted.

import type { RowColumn } from '../../report/sweep/row-columns.js';
import type { UntilStop } from '../../report/sweep/seeds-until.js';
import { type UntilTarget, untilText } from '../../report/sweep/until-target.js';
import { sampleMethods } from '../../measurement/sample-design.js';
import type { Sample } from '../../scenario/sweep/sample.js';
import type { SweptSetting } from '../../scenario/sweep/swept-setting.js';
import type { InputFile } from '../input-digests.js';
import { sweepFiles } from './sweep-files.js';

const sweepFormat = 'weft-sweep';

/** What makes two sweeps the same. */
export interface SweepIdentity {
  readonly weftVersion: string;
  /** name of the scenario's file, without its folder */
  readonly scenario: string;
  readonly settings: readonly SweptSetting[];
  /** null: combinations are a grid */
  readonly sample: Sample | null;
  /** as people write them; null: the scenario's own seed */
  readonly seeds: string | null;
  /** how well a figure is to be known; null: every seed runs */
  readonly until: UntilTarget | null;
  /** the files that were read */
  readonly inputs: readonly InputFile[];
}

/** How far a sweep is. */
export interface SweepState {
  readonly outcome: 'running' | 'stopped' | 'finished';
  /** runs in the tables, and those of them that failed or were lost */
  readonly ended: number;
  readonly failed: number;
  readonly lost: number;
  /** those whose settings do not go together */
  readonly infeasible: number;
  /** of the tables; none while it goes on */
  readonly columns: readonly RowColumn[];
  /** of a sweep that has a target: how its combinations ended; none while it goes on */
  readonly stops: readonly UntilStop[];
}

export interface SweepDescription extends SweepIdentity, SweepState {
  /** of the scenario */
  readonly name: string;
  /** of settings, and with seeds */
  readonly combinations: number;
  readonly runs: number;
}

export const runningState: SweepState = {
  outcome: 'running',
  ended: 0,
  failed: 0,
  lost: 0,
  infeasible: 0,
  columns: [],
  stops: [],
};

/** The text of sweep.json. */
export function descriptionText(sweep: SweepDescription): string {
  return `${JSON.stringify(descriptionObject(sweep), null, 2)}\n`;
}

/** The object of sweep.json: keys in a fixed order. */
export function descriptionObject(sweep: SweepDescription): Record<string, unknown> {
  return {
    format: sweepFormat,
    formatVersion: 1,
    weftVersion: sweep.weftVersion,
    name: sweep.name,
    scenario: sweep.scenario,
    settings: sweep.settings.map(({ path, values, kind, numbers, unit, given }) => ({
      path,
      values,
      kind,
      numbers,
      unit,
      ...(given === undefined ? {} : { given }),
    })),
    sample: sweep.sample,
    seeds: sweep.seeds,
    until: sweep.until,
    inputs: sweep.inputs.map(({ role, path, sizeBytes, sha256 }) => ({ role, path, sizeBytes, sha256 })),
    combinations: sweep.combinations,
    runs: sweep.runs,
    outcome: sweep.outcome,
    ended: sweep.ended,
    failed: sweep.failed,
    lost: sweep.lost,
    infeasible: sweep.infeasible,
    columns: sweep.columns,
    stops: sweep.stops,
    files: sweepFiles(sweep.ended),
  };
}

/** Reads sweep.json. @returns null if the text is none */
export function readDescription(text: string): SweepDescription | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  return isDescription(read) ? read : null;
}

/** What is different about two sweeps, in words; none: they are the same. */
export function sweepDifferences(there: SweepIdentity, asked: SweepIdentity): string[] {
  return [
    ...(there.weftVersion === asked.weftVersion
      ? []
      : [`it was begun by weft ${there.weftVersion}, and this is ${asked.weftVersion}`]),
    ...(there.scenario === asked.scenario ? [] : [`its scenario is ${there.scenario}, not ${asked.scenario}`]),
    ...settingDifferences(there.settings, asked.settings),
    ...(there.seeds === asked.seeds ? [] : [`its seeds are ${seedsText(there.seeds)}, not ${seedsText(asked.seeds)}`]),
    ...(sampleOf(there) === sampleOf(asked) ? [] : [`it has ${sampleOf(there)}, not ${sampleOf(asked)}`]),
    ...(untilOf(there) === untilOf(asked) ? [] : [`it runs ${untilOf(there)}, not ${untilOf(asked)}`]),
    ...inputDifferences(there.inputs, asked.inputs),
  ];
}

function settingDifferences(there: readonly SweptSetting[], asked: readonly SweptSetting[]): string[] {
  const found: string[] = [];
  for (const { path, values, given } of there) {
    const other = asked.find((setting) => setting.path === path);
    if (other === undefined) found.push(`it sweeps ${path}, which is not asked for`);
    else if (other.values.join('\n') !== values.join('\n'))
      found.push(`its values of ${path} are ${listed(values)}, not ${listed(other.values)}`);
    else if (JSON.stringify(other.given) !== JSON.stringify(given))
      found.push(`the numbers that ${path} follows from have changed in the scenario`);
  }
  for (const { path } of asked)
    if (!there.some((setting) => setting.path === path)) found.push(`it does not sweep ${path}`);
  if (found.length === 0 && there.some(({ path }, i) => asked[i]!.path !== path))
    found.push(`its settings are in the order ${there.map(({ path }) => path).join(', ')}`);
  return found;
}

/** How people and tables know a file. */
export function inputKey({ role, path }: InputFile): string {
  return `${role} ${path}`;
}

function inputDifferences(there: readonly InputFile[], asked: readonly InputFile[]): string[] {
  return asked.flatMap((file) => {
    const before = there.find((other) => inputKey(other) === inputKey(file));
    if (before === undefined) return [`it does not read the ${inputKey(file)}`];
    return before.sha256 === file.sha256 ? [] : [`the ${inputKey(file)} has changed since it was begun`];
  });
}

const valuesNamed = 8;

function listed(values: readonly string[]): string {
  const shown = values.slice(0, valuesNamed).join(',');
  return values.length > valuesNamed ? `${shown},… (${values.length})` : shown;
}

function sampleOf({ sample }: SweepIdentity): string {
  return sample === null ? 'every combination' : `the sample ${sample.method} ${sample.points}`;
}

function untilOf({ until }: SweepIdentity): string {
  return until === null ? 'every seed' : `until ${untilText(until)}`;
}

function seedsText(seeds: string | null): string {
  return seeds ?? "the scenario's own";
}

function isDescription(read: unknown): read is SweepDescription {
  const object = read as Partial<Record<keyof SweepDescription | 'format' | 'formatVersion', unknown>>;
  return (
    typeof read === 'object' &&
    read !== null &&
    object.format === sweepFormat &&
    object.formatVersion === 1 &&
    (['weftVersion', 'name', 'scenario'] as const).every((key) => typeof object[key] === 'string') &&
    (['combinations', 'runs', 'ended', 'failed', 'lost', 'infeasible'] as const).every((key) => isCount(object[key])) &&
    (object.seeds === null || typeof object.seeds === 'string') &&
    (object.sample === null || isSample(object.sample)) &&
    (object.until === null || isUntil(object.until)) &&
    ['running', 'stopped', 'finished'].includes(object.outcome as string) &&
    listOf(object.settings, isSetting) &&
    listOf(object.inputs, isInput) &&
    listOf(object.columns, isColumn) &&
    listOf(object.stops, ({ combination, seeds }) => isCount(combination) && isCount(seeds))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function listOf(value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((item: unknown) => typeof item === 'object' && item !== null && isItem(item as Record<string, unknown>))
  );
}

function isSetting({ path, values, kind, numbers, unit, given }: Record<string, unknown>): boolean {
  return (
    typeof path === 'string' &&
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string') &&
    (kind === 'word' || kind === 'flag'
      ? numbers === null && unit === null
      : kind === 'formula'
        ? numbers === null && unit === '1' && isNumbers(given)
        : (kind === 'number' || kind === 'quantity') &&
          Array.isArray(numbers) &&
          numbers.length === values.length &&
          numbers.every((number) => typeof number === 'number' || (kind === 'quantity' && number === null)) &&
          ['B', 'bit/s', 'ns', '1'].includes(unit as string))
  );
}

function isSample(value: unknown): boolean {
  const { method, points } = (value ?? {}) as Partial<Record<keyof Sample, unknown>>;
  return (sampleMethods as readonly unknown[]).includes(method) && isCount(points);
}

function isUntil(value: unknown): boolean {
  const { figure, withinPercent } = (value ?? {}) as Partial<Record<keyof UntilTarget, unknown>>;
  return typeof figure === 'string' && typeof withinPercent === 'number';
}

function isNumbers(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((number) => typeof number === 'number')
  );
}

function isInput({ role, path, sizeBytes, sha256 }: Record<string, unknown>): boolean {
  return [role, path, sha256].every((text) => typeof text === 'string') && isCount(sizeBytes);
}

function isColumn({ name, role, type, unit }: Record<string, unknown>): boolean {
  return (
    [name, role].every((text) => typeof text === 'string') &&
    ['whole', 'number', 'flag', 'word'].includes(type as string) &&
    (unit === null || typeof unit === 'string')
  );
}
