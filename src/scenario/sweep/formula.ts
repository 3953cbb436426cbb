// A setting of a sweep that follows from others: `512/(workload.tensorParallel*workload.pipelineParallel)`.
// Invariants: arithmetic on the numbers of the same combination, and of the scenario; what whole numbers divide into is
// whole, else the combination cannot run; so it is where a number is divided by zero.
// Not done: units, functions. A text is a formula if it has an operator and the name of another setting.

import { InputError } from '../../base/diagnostics.js';
import { type Expression, isExpression, parseExpression, pathsOf } from './expression.js';

/** A formula of a setting. */
export interface Formula {
  readonly text: string;
  readonly expression: Expression;
  /** names of other settings in it */
  readonly paths: readonly string[];
}

/**
 * Reads a value that may be a formula.
 * @returns null: it is a value of another kind; a mistake: it names a setting of `known`, and cannot be read
 */
export function readFormula(
  text: string,
  isKnown: (path: string) => boolean,
): Formula | { readonly column: number; readonly message: string } | null {
  // YAML with more than a word in it
  if (/^[[{"'&*!|>%@`]/.test(text) || !/[-+*/()]/.test(text)) return null;
  const named = text.match(/[A-Za-z_$][\w$]*(?:\[\d+\]|\.[\w$]+)*/g) ?? [];
  if (!named.some(isKnown)) return null;
  const read = parseExpression(text);
  if (!isExpression(read)) return read;
  const problem = arithmeticProblem(read);
  if (problem !== null) return { column: 1, message: problem };
  return { text, expression: read, paths: pathsOf(read) };
}

function arithmeticProblem(node: Expression): string | null {
  if (node.kind === 'text') return `'${node.value}' is no number`;
  if (node.kind === 'unary') return node.operator === 'not' ? 'not has no number' : arithmeticProblem(node.of);
  if (node.kind !== 'binary') return null;
  if (!['+', '-', '*', '/'].includes(node.operator)) return `${node.operator} makes no number; there are + - * /`;
  return arithmeticProblem(node.left) ?? arithmeticProblem(node.right);
}

/**
 * The number that a formula comes to.
 * @param setting that it is of
 * @param numberAt the number of another setting
 * @throws InputError with the code `formula` where there is none: a remainder, a division by zero
 */
export function evaluateFormula(
  setting: string,
  { text, expression }: Formula,
  numberAt: (path: string) => number,
): number {
  const refuse = (message: string, got: string, wanted: string): never => {
    throw InputError.about('formula', `--set ${setting}=${text}`, message, { got, wanted });
  };
  const valueOf = (node: Expression): number => {
    if (node.kind === 'number') return node.value;
    if (node.kind === 'path') return numberAt(node.path);
    if (node.kind === 'unary') return -valueOf(node.of);
    if (node.kind !== 'binary') return NaN;
    const [left, right] = [valueOf(node.left), valueOf(node.right)];
    if (node.operator === '+') return left + right;
    if (node.operator === '-') return left - right;
    if (node.operator === '*') return left * right;
    if (right === 0) return refuse(`${setting} is divided by zero`, `${left}/0`, 'a divisor other than 0');
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && left % right !== 0)
      return refuse(
        `${setting} leaves a remainder: ${left}/${right}`,
        `${left} = ${Math.floor(left / right)} x ${right} + ${left - Math.floor(left / right) * right}`,
        'whole numbers that divide',
      );
    return left / right;
  };
  const value = valueOf(expression);
  return Number.isFinite(value) ? value : refuse(`${setting} is out of range`, String(value), 'a finite number');
}
