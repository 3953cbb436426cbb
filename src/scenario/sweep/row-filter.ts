// `--where` of a sweep's rows: an expression over their columns, as SQL has them.
// Invariants: a comparison with nothing is neither true nor false, and a row is taken only where the whole is true; a text
// beside a column with a unit is a quantity of it ('2ms' beside nanoseconds); names are checked before any row is read.

import { InputError } from '../../base/diagnostics.js';
import { parseRateBps, parseSizeBytes, parseTimePs } from '../../base/units.js';
import { nearest } from '../suggest.js';
import { type Expression, isExpression, parseExpression } from './expression.js';

/** A value of a row; null: it has none. */
type FilterValue = number | boolean | string | null;

/** A column of rows. */
interface FilterColumn {
  readonly name: string;
  readonly unit: string | null;
}

/** Which column a name means; null: none. */
export type ColumnNamed = (name: string) => FilterColumn | null;

/** Whether a row is taken, by the values that it has in columns. */
export type RowFilter = (valueOf: (column: string) => FilterValue) => boolean;

/**
 * Reads a filter.
 * @param known names that are suggested for one that means nothing
 * @throws InputError with the place of what is wrong
 */
export function readRowFilter(text: string, columnNamed: ColumnNamed, known: readonly string[]): RowFilter {
  const read = parseExpression(text);
  if (!isExpression(read)) throw refusal(text, read.column, read.message);
  const of = compiled(read, { text, columnNamed, known });
  return (valueOf) => of(valueOf) === true;
}

interface Compiling {
  readonly text: string;
  readonly columnNamed: ColumnNamed;
  readonly known: readonly string[];
}

type Compiled = (valueOf: (column: string) => FilterValue) => FilterValue;

function compiled(node: Expression, scope: Compiling): Compiled {
  if (node.kind === 'number' || node.kind === 'text') return () => node.value;
  if (node.kind === 'path') {
    const { name } = columnOf(node.path, scope);
    return (valueOf) => valueOf(name);
  }
  if (node.kind === 'unary') {
    const of = compiled(node.of, scope);
    return node.operator === 'not'
      ? (valueOf) => negated(truth(of(valueOf)))
      : (valueOf) => arithmetic('-', 0, of(valueOf));
  }
  const { operator } = node;
  const [left, right] = sides(node.left, node.right, scope);
  if (operator === 'and' || operator === 'or')
    return (valueOf) => joined(operator, truth(left(valueOf)), truth(right(valueOf)));
  if (operator === '+' || operator === '-' || operator === '*' || operator === '/')
    return (valueOf) => arithmetic(operator, left(valueOf), right(valueOf));
  return (valueOf) => compared(operator, left(valueOf), right(valueOf));
}

/** Both sides of an operator, texts beside columns with units as their quantities. */
function sides(left: Expression, right: Expression, scope: Compiling): readonly [Compiled, Compiled] {
  const side = (own: Expression, other: Expression): Compiled => {
    if (own.kind !== 'text' || other.kind !== 'path') return compiled(own, scope);
    const { unit } = columnOf(other.path, scope);
    const parse = unit === null ? undefined : quantities[unit];
    if (parse === undefined) return compiled(own, scope);
    const value = parse(own.value);
    if (value === null)
      throw refusal(scope.text, scope.text.indexOf(own.value) + 1, `'${own.value}' is no amount in ${unit!}`);
    return () => value;
  };
  return [side(left, right), side(right, left)];
}

const quantities: Readonly<Record<string, (text: string) => number | null>> = {
  ns: (text) => {
    const timePs = parseTimePs(text);
    return timePs === null ? null : timePs / 1000;
  },
  B: parseSizeBytes,
  'bit/s': parseRateBps,
};

function columnOf(path: string, { text, columnNamed, known }: Compiling): FilterColumn {
  const column = columnNamed(path);
  if (column !== null) return column;
  const near = nearest(path, known);
  throw refusal(
    text,
    text.indexOf(path) + 1,
    `there is no column ${path}`,
    near === null ? 'sweep.json lists the columns; --json prints all of them' : `did you mean ${near}?`,
  );
}

function refusal(text: string, column: number, message: string, hint?: string): InputError {
  return InputError.at('sweep-where', '--where', { line: 1, column }, message, {
    got: text,
    wanted: "columns, numbers, 'texts', < <= > >= = !=, and, or, not, + - * / and ( )",
    hint: hint ?? 'a column with spaces or dashes in its name stands in double quotes',
  });
}

/** Three-valued, as SQL has it. */
function truth(value: FilterValue): boolean | null {
  return value === null ? null : value === true || value === 'true';
}

function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

function joined(operator: 'and' | 'or', left: boolean | null, right: boolean | null): boolean | null {
  const decisive = operator === 'or';
  if (left === decisive || right === decisive) return decisive;
  return left === null || right === null ? null : !decisive;
}

function arithmetic(operator: '+' | '-' | '*' | '/', left: FilterValue, right: FilterValue): number | null {
  if (typeof left !== 'number' || typeof right !== 'number') return null;
  const value =
    operator === '+' ? left + right : operator === '-' ? left - right : operator === '*' ? left * right : left / right;
  return Number.isFinite(value) ? value : null;
}

function compared(operator: '<' | '<=' | '>' | '>=' | '=' | '!=', a: FilterValue, b: FilterValue): boolean | null {
  if (a === null || b === null) return null;
  // words of flags and numbers of words are compared as they are written
  const [left, right] = typeof a === typeof b ? [a, b] : [String(a), String(b)];
  if (operator === '=') return left === right;
  if (operator === '!=') return left !== right;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}
