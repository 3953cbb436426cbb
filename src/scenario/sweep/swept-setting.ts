// A setting of a sweep: `--set path=a,b,c`, what kind of values it has, and the numbers they stand for.
// Invariants: values are kept as they were written, each once; a path stands once; a formula names settings that have
// numbers, and none follows from itself. Whether path and values mean anything is checked with the scenario.

import { type Diagnostics, wholeFile } from '../../base/diagnostics.js';
import { parseRateBps, parseSizeBytes, parseTimePs } from '../../base/units.js';
import { nearest } from '../suggest.js';
import { type Formula, readFormula } from './formula.js';
import { splitValues } from './value-list.js';

/** Units of quantities, and of plain numbers. */
type SweptUnit = 'B' | 'bit/s' | 'ns' | '1';

export interface SweptSetting {
  readonly path: string;
  /** as they were written */
  readonly values: readonly string[];
  /** of a formula at least one value follows from other settings */
  readonly kind: 'number' | 'flag' | 'quantity' | 'word' | 'formula';
  /** the values as numbers in `unit`, null: that one is none; null altogether for words, flags and formulas */
  readonly numbers: readonly (number | null)[] | null;
  readonly unit: SweptUnit | null;
  /** of a formula: by value; null: it is a plain number */
  readonly formulas?: readonly (Formula | null)[];
  /** of a formula: numbers that it takes from the scenario, by path */
  readonly given?: Readonly<Record<string, number>>;
}

/** Values of a setting, far beyond what anybody means. */
const mostValues = 100_000;

const quantities: readonly { readonly unit: SweptUnit; readonly numberOf: (text: string) => number | null }[] = [
  { unit: 'B', numberOf: parseSizeBytes },
  { unit: 'bit/s', numberOf: parseRateBps },
  {
    unit: 'ns',
    numberOf: (text) => {
      const timePs = parseTimePs(text);
      return timePs === null ? null : timePs / 1000;
    },
  },
];

/** The number that stands at a path of the scenario; null: there is none. */
export type NumberAt = (path: string) => number | null;

/**
 * Reads the settings of a sweep.
 * @param texts each `path=a,b,c`
 * @param numberAt what formulas may name besides settings that are swept
 * @returns those without mistakes
 */
export function readSweptSettings(
  texts: readonly string[],
  diagnostics: Diagnostics,
  numberAt: NumberAt = () => null,
): SweptSetting[] {
  const settings = plainSettings(texts, diagnostics);
  return diagnostics.hasErrors ? settings : withFormulas(settings, diagnostics, numberAt);
}

/**
 * Settings that are not swept: each with the one value that `path=value` gives it, the last of a path. Nothing is split,
 * and nothing is a formula.
 */
export function fixedSettings(texts: readonly string[]): SweptSetting[] {
  const values = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    const path = text.slice(0, equals).trim();
    // what comes later may replace what a group before it has
    values.delete(path);
    values.set(path, text.slice(equals + 1).trim());
  }
  return [...values].map(([path, value]) => Object.assign({ path, values: [value] }, kindOf([value])));
}

/** Settings as if no value was a formula. */
function plainSettings(texts: readonly string[], diagnostics: Diagnostics): SweptSetting[] {
  const settings: SweptSetting[] = [];
  for (const text of texts) {
    const equals = text.indexOf('=');
    const path = text.slice(0, equals).trim();
    const place = `--set ${path}`;
    const values = splitValues(text.slice(equals + 1));
    if ('column' in values) {
      const position = { line: 1, column: equals + 1 + values.column };
      diagnostics.error('sweep-values', '--set', position, values.message, {
        got: text,
        wanted: values.wanted,
        hint: 'put quotes around a value that has commas, brackets or quotes of its own',
      });
    } else if (values.length > mostValues)
      diagnostics.error('sweep-values', place, wholeFile, 'these are too many values', {
        got: String(values.length),
        wanted: `at most ${mostValues}`,
      });
    else {
      const twice = firstTwice(values);
      if (twice !== null)
        diagnostics.error('sweep-values', place, wholeFile, 'a value is given twice', {
          got: twice,
          wanted: 'every value once',
        });
      if (settings.some((other) => other.path === path))
        diagnostics.error('sweep-path', place, wholeFile, `${path} is given twice`, {
          wanted: 'one --set with all its values',
          hint: `--set ${path}=a,b,c`,
        });
      else settings.push({ path, values, ...kindOf(values) });
    }
  }
  return settings;
}

/** Whether a text may be a formula, of which only the scenario can tell. */
export function mayBeFormula(text: string): boolean {
  return readFormula(text.slice(text.indexOf('=') + 1), (path) => path.includes('.')) !== null;
}

/** The settings with what follows from others. */
function withFormulas(settings: readonly SweptSetting[], diagnostics: Diagnostics, numberAt: NumberAt): SweptSetting[] {
  const paths = new Set(settings.map(({ path }) => path));
  const found = settings.map((setting): SweptSetting => {
    if (setting.kind !== 'word') return setting;
    const read = setting.values.map((value) =>
      readFormula(value, (path) => paths.has(path) || (path.includes('.') && numberAt(path) !== null)),
    );
    if (read.every((formula) => formula === null)) return setting;
    const formulas = read.map((formula, i) => {
      const value = setting.values[i]!;
      if (formula === null && isPlainNumber(value)) return null;
      if (formula !== null && 'expression' in formula) return formula;
      mistakeIn(
        setting.path,
        value,
        formula ?? { column: 1, message: 'this is neither a number nor a formula' },
        diagnostics,
      );
      return null;
    });
    return { path: setting.path, values: setting.values, kind: 'formula', numbers: null, unit: '1', formulas };
  });
  const known = new Map(found.map((setting) => [setting.path, setting]));
  const complete = found.map((setting) => withGiven(setting, known, diagnostics, numberAt));
  for (const { path, formulas } of complete)
    if (formulas !== undefined && followsFromItself(path, known))
      diagnostics.error('sweep-formula', `--set ${path}`, wholeFile, `${path} follows from itself`, {
        wanted: 'formulas that name other settings',
      });
  return complete;
}

function mistakeIn(
  path: string,
  value: string,
  { column, message }: { readonly column: number; readonly message: string },
  diagnostics: Diagnostics,
): void {
  diagnostics.error('sweep-formula', `--set ${path}`, { line: 1, column }, message, {
    got: value,
    wanted: 'numbers, names of settings, + - * / and ( )',
    hint: 'a text with the name of a setting in it stands in quotes',
  });
}

/** A formula with the numbers that it takes from the scenario. */
function withGiven(
  setting: SweptSetting,
  known: ReadonlyMap<string, SweptSetting>,
  diagnostics: Diagnostics,
  numberAt: NumberAt,
): SweptSetting {
  if (setting.formulas === undefined) return setting;
  const given: Record<string, number> = {};
  for (const formula of setting.formulas)
    for (const path of formula?.paths ?? []) {
      const other = known.get(path);
      if (other !== undefined) {
        if (other.kind === 'number' || other.kind === 'formula') continue;
        mistakeIn(
          setting.path,
          formula!.text,
          { column: placeIn(formula!, path), message: `${path} has other values than plain numbers` },
          diagnostics,
        );
        continue;
      }
      const number = numberAt(path);
      if (number !== null) {
        given[path] = number;
        continue;
      }
      const near = nearest(path, [...known.keys()]);
      diagnostics.error(
        'sweep-formula',
        `--set ${setting.path}`,
        { line: 1, column: placeIn(formula!, path) },
        `${path} is neither swept nor a number in the scenario`,
        {
          got: formula!.text,
          wanted: 'the path of another --set, or of a number in the scenario',
          hint: near === null ? `--set ${path}=… gives it one` : `did you mean ${near}?`,
        },
      );
    }
  return { ...setting, given };
}

function placeIn({ text }: Formula, path: string): number {
  return text.indexOf(path) + 1;
}

function followsFromItself(path: string, known: ReadonlyMap<string, SweptSetting>): boolean {
  const seen = new Set<string>();
  const open = [path];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const formula of known.get(at)?.formulas ?? [])
      for (const next of formula?.paths ?? []) {
        if (next === path) return true;
        if (seen.size < seen.add(next).size) open.push(next);
      }
  return false;
}

/** The first value that is there before; null: there is none. */
function firstTwice(values: readonly string[]): string | null {
  const seen = new Set<string>();
  return values.find((value) => seen.size === seen.add(value).size) ?? null;
}

function kindOf(values: readonly string[]): Pick<SweptSetting, 'kind' | 'numbers' | 'unit'> {
  if (values.every(isPlainNumber)) return { kind: 'number', numbers: values.map(Number), unit: '1' };
  if (values.every((value) => value === 'true' || value === 'false'))
    return { kind: 'flag', numbers: null, unit: null };
  for (const { unit, numberOf } of quantities) {
    const numbers = values.map(numberOf);
    // a bare 0 goes with any unit, a bare 5 with none
    if (values.every((value, i) => numbers[i] !== null && (!isPlainNumber(value) || Number(value) === 0)))
      return { kind: 'quantity', numbers, unit };
    // `unlimited, 5us`: some are words
    if (values.some((value, i) => numbers[i] !== null && !isPlainNumber(value)) && !values.some(isPlainNumber))
      return { kind: 'quantity', numbers, unit };
  }
  return { kind: 'word', numbers: null, unit: null };
}

function isPlainNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(text) && Number.isFinite(Number(text));
}
