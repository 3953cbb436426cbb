// A setting of a sweep: `--set path=a,b,c`, what kind of values it has, and the numbers they stand for.
// Invariants: values are kept as they were written, each once; a path stands once. Whether path and values mean
// anything is checked with the scenario.

import { type Diagnostics, wholeFile } from '../../base/diagnostics.js';
import { parseRateBps, parseSizeBytes, parseTimePs } from '../../base/units.js';
import { splitValues } from './value-list.js';

/** Units of quantities, and of plain numbers. */
type SweptUnit = 'B' | 'bit/s' | 'ns' | '1';

export interface SweptSetting {
  readonly path: string;
  /** as they were written */
  readonly values: readonly string[];
  readonly kind: 'number' | 'flag' | 'quantity' | 'word';
  /** the values as numbers in `unit`, null: that one is none; null altogether for words and flags */
  readonly numbers: readonly (number | null)[] | null;
  readonly unit: SweptUnit | null;
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

/** Reads the settings of a sweep. @param texts each `path=a,b,c` @returns those without mistakes */
export function readSweptSettings(texts: readonly string[], diagnostics: Diagnostics): SweptSetting[] {
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
