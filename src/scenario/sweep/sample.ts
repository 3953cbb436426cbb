// `--sample sobol 64` over ranges: the settings of a sweep whose combinations are points of a sample and not a grid.
// A value `a..b` is a range; a list is a range of its values, each as likely as the others; one value, or a formula, stays.
// Invariants: the same settings and sample give the same values; a range of whole numbers has whole numbers, of sizes
// whole bytes, of rates whole bit/s, of times whole picoseconds, ends included.

import { type DiagnosticDetail, type Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import { parseRateBps, parseSizeBytes, parseTimePs } from '../../base/units.js';
import {
  mostSampledSettings,
  sampleDesign,
  type SampleMethod,
  sampleMethods,
} from '../../measurement/sample-design.js';
import type { SweptSetting } from './swept-setting.js';

/** What `--sample` asks for. */
export interface Sample {
  readonly method: SampleMethod;
  /** base points; each is as many combinations as there are settings with ranges, and two */
  readonly points: number;
}

const mostPoints = 100_000;

/** Reads a sample. @param words as of the command line, such as `sobol 64` in one word or two @throws InputError */
export function readSample(words: readonly string[]): Sample {
  const [method, count, ...more] = words.join(' ').trim().split(/\s+/);
  const points = /^\d{1,6}$/.test(count ?? '') ? Number(count) : NaN;
  if (!isMethod(method) || !(points >= 2 && points <= mostPoints) || more.length > 0)
    throw mistake('this is no sample', {
      got: words.join(' '),
      wanted: `${sampleMethods.join(' or ')}, and from 2 to ${mostPoints} points, such as sobol 64`,
      hint: 'the scenario stands before it',
    });
  return { method, points };
}

function isMethod(word: string | undefined): word is SampleMethod {
  return (sampleMethods as readonly (string | undefined)[]).includes(word);
}

interface Range {
  readonly kind: 'number' | 'quantity';
  readonly unit: SweptSetting['unit'];
  readonly low: number;
  readonly high: number;
  readonly isWhole: boolean;
  /** a number in the smallest unit as text */
  readonly textOf: (value: number) => string;
  /** so many of the smallest unit are one of `unit` */
  readonly per: number;
}

const quantities: readonly {
  readonly unit: SweptSetting['unit'];
  readonly parse: (text: string) => number | null;
  readonly textOf: (value: number) => string;
  readonly per: number;
}[] = [
  { unit: 'B', parse: parseSizeBytes, textOf: (value) => `${value}B`, per: 1 },
  { unit: 'bit/s', parse: parseRateBps, textOf: (value) => `${value}bps`, per: 1 },
  { unit: 'ns', parse: parseTimePs, textOf: (value) => `${value}ps`, per: 1000 },
];

/** A value as a range; null: it is none. */
function rangeOf(text: string): Range | null {
  const match = /^(\S+?)\.\.(\S+)$/.exec(text);
  if (match === null) return null;
  const [, from, to] = match;
  const [low, high] = [Number(from), Number(to)];
  if (Number.isFinite(low) && Number.isFinite(high)) {
    const isWhole = Number.isSafeInteger(low) && Number.isSafeInteger(high);
    return { kind: 'number', unit: '1', low, high, isWhole, textOf: String, per: 1 };
  }
  for (const { unit, parse, textOf, per } of quantities) {
    const [first, last] = [parse(from!), parse(to!)];
    if (first !== null && last !== null)
      return { kind: 'quantity', unit, low: first, high: last, isWhole: true, textOf, per };
  }
  return null;
}

/** Tells of ranges, which a grid cannot have. */
export function refuseRanges(settings: readonly SweptSetting[], diagnostics: Diagnostics): void {
  for (const { path, values } of settings)
    for (const value of values)
      if (rangeOf(value) !== null)
        diagnostics.error('sweep-sample', `--set ${path}`, wholeFile, 'a range of values has no grid', {
          got: value,
          wanted: 'values with commas between, or --sample',
          hint: '--sample sobol 64 draws values of ranges',
        });
}

/**
 * The settings with the values of each combination of a sample: so many for every setting.
 * @throws InputError where there is no range, or are too many
 */
export function sampledSettings(settings: readonly SweptSetting[], { method, points }: Sample): SweptSetting[] {
  const drawn = drawnPlaces(settings);
  if (drawn.length === 0 || drawn.length > mostSampledSettings)
    throw mistake(drawn.length === 0 ? 'no setting has a range' : 'these are too many settings with ranges', {
      got: `${drawn.length} settings`,
      wanted: `1 to ${mostSampledSettings}, such as --set switch.buffer=512KiB..4MiB`,
    });
  for (const { path, values, formulas } of drawn.map((i) => settings[i]!)) {
    if (formulas !== undefined)
      throw mistake(`${path} has several formulas`, { wanted: 'one formula, which follows from what is drawn' });
    const range = values.length === 1 ? rangeOf(values[0]!) : null;
    if (range === null && values.some((value) => rangeOf(value) !== null))
      throw mistake(`${path} has a range among several values`, {
        got: values.join(','),
        wanted: 'one range, or values',
      });
    if (range !== null && !(range.low < range.high))
      throw mistake(`the range of ${path} ends before it begins`, { got: values[0]!, wanted: 'the smaller end first' });
  }
  const design = sampleDesign(method, points, drawn.length);
  return settings.map((setting, i): SweptSetting => {
    const place = drawn.indexOf(i);
    const at = (choice: (coordinate: number) => number): number[] =>
      design.map((point) => (place < 0 ? 0 : choice(point[place]!)));
    const range = place < 0 ? null : rangeOf(setting.values[0]!);
    if (range !== null && setting.values.length === 1) {
      const { kind, unit, low, high, isWhole, textOf, per } = range;
      const drawnValues = at((coordinate) =>
        isWhole
          ? low + Math.floor(coordinate * (high - low + 1))
          : Number((low + coordinate * (high - low)).toPrecision(9)),
      );
      return {
        path: setting.path,
        values: drawnValues.map(textOf),
        kind,
        unit,
        numbers: drawnValues.map((own) => own / per),
      };
    }
    const choices = at((coordinate) => Math.floor(coordinate * setting.values.length));
    return {
      ...setting,
      values: choices.map((choice) => setting.values[choice]!),
      numbers: setting.numbers === null ? null : choices.map((choice) => setting.numbers![choice]!),
      ...(setting.formulas === undefined ? {} : { formulas: choices.map((choice) => setting.formulas![choice]!) }),
    };
  });
}

/** Which settings of a sample have a range. */
export function drawnPlaces(settings: readonly SweptSetting[]): number[] {
  return settings.flatMap(({ values }, i) => (values.length > 1 || rangeOf(values[0]!) !== null ? [i] : []));
}

function mistake(message: string, detail: DiagnosticDetail): InputError {
  return InputError.about('sweep-sample', '--sample', message, detail);
}
