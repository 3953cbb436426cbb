// Expressions that people write on the command line: what a setting follows from, and which rows of a sweep they want.
// Parsed by jsep (https://ericsmekens.github.io/jsep), of whose language numbers, texts, names, brackets, arithmetic,
// comparisons and and/or/not are left.
// Invariants: what is parsed is plain data; a name is a path as --set has it (`a.b[0].c`), or anything in double
// quotes; texts stand in single quotes; whatever else there is, is refused with its place.

import jsep from 'jsep';

type BinaryOperator = '+' | '-' | '*' | '/' | '<' | '<=' | '>' | '>=' | '=' | '!=' | 'and' | 'or';

/** An expression as a tree. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'unary'; readonly operator: '-' | 'not'; readonly of: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** What keeps a text from being an expression. */
export interface ExpressionMistake {
  /** from 1 */
  readonly column: number;
  readonly message: string;
}

/** Characters of an expression: deep ones would overflow the parser's stack. */
const longest = 2000;

const operators: ReadonlySet<string> = new Set(['+', '-', '*', '/', '<', '<=', '>', '>=', '=', '!=', 'and', 'or']);
/** Other words for the same. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['<>', '!='],
  ['&&', 'and'],
  ['||', 'or'],
]);

// as tight as SQL has them; jsep's own are `*` 10, `+` 9, `<` 7, `==` 6, `&&` 2, `||` 1
jsep.addBinaryOp('=', 6);
jsep.addBinaryOp('<>', 6);
jsep.addBinaryOp('and', 2);
jsep.addBinaryOp('or', 1);
jsep.addUnaryOp('not');

/** Reads an expression. @returns what is wrong with it, if it is none */
export function parseExpression(text: string): Expression | ExpressionMistake {
  if (text.length > longest) return { column: longest + 1, message: `it is longer than ${longest} characters` };
  try {
    return treeOf(jsep(text), text);
  } catch (error) {
    if (error instanceof Refused) return error.mistake;
    const { index = 0, description } = error as { readonly index?: number; readonly description?: string };
    return { column: index + 1, message: lowerFirst(description ?? 'it cannot be read') };
  }
}

/** Whether a text was read. */
export function isExpression(read: Expression | ExpressionMistake): read is Expression {
  return 'kind' in read;
}

/** The names in an expression, each once. */
export function pathsOf(expression: Expression): string[] {
  const found = new Set<string>();
  const walk = (node: Expression): void => {
    if (node.kind === 'path') found.add(node.path);
    else if (node.kind === 'unary') walk(node.of);
    else if (node.kind === 'binary') {
      walk(node.left);
      walk(node.right);
    }
  };
  walk(expression);
  return [...found];
}

class Refused extends Error {
  constructor(readonly mistake: ExpressionMistake) {
    super(mistake.message);
  }
}

function refuse(text: string, part: string, message: string): never {
  throw new Refused({ column: Math.max(0, text.indexOf(part)) + 1, message });
}

function treeOf(node: jsep.Expression, text: string): Expression {
  switch (node.type) {
    case 'Literal': {
      const { value, raw } = node as jsep.Literal;
      if (typeof value === 'number') return { kind: 'number', value };
      // true and false are words, as rows have them
      if (typeof value === 'boolean') return { kind: 'text', value: raw };
      if (typeof value !== 'string') return refuse(text, raw, `${raw} is no value here`);
      return raw.startsWith('"') ? { kind: 'path', path: value } : { kind: 'text', value };
    }
    case 'Identifier':
    case 'MemberExpression':
      return { kind: 'path', path: pathOf(node, text) };
    case 'UnaryExpression': {
      const { operator, argument } = node as jsep.UnaryExpression;
      const own = operator === '!' ? 'not' : operator;
      if (own !== '-' && own !== 'not') return refuse(text, operator, `${operator} is not known here`);
      return { kind: 'unary', operator: own, of: treeOf(argument, text) };
    }
    case 'BinaryExpression': {
      const { operator, left, right } = node as jsep.BinaryExpression;
      const own = synonyms.get(operator) ?? operator;
      if (!operators.has(own)) return refuse(text, operator, `${operator} is not known here`);
      return { kind: 'binary', operator: own as BinaryOperator, left: treeOf(left, text), right: treeOf(right, text) };
    }
    case 'CallExpression':
      return refuse(text, '(', 'there are no functions');
    case 'Compound':
      return (node as jsep.Compound).body.length === 0
        ? refuse(text, text, 'there is nothing')
        : refuse(text, text, 'an operator is missing between two of its parts');
    default:
      return refuse(text, text, 'this is more than numbers, names and operators');
  }
}

/** `workload.tensorParallel`, `jobs[1].ranks` */
function pathOf(node: jsep.Expression, text: string): string {
  if (node.type === 'Identifier') return (node as jsep.Identifier).name;
  if (node.type !== 'MemberExpression') return refuse(text, '.', 'a name does not begin like this');
  const { object, property, computed } = node as jsep.MemberExpression;
  const before = pathOf(object, text);
  if (!computed) return `${before}.${pathOf(property, text)}`;
  const { value } = property as jsep.Literal;
  if (property.type !== 'Literal' || !Number.isSafeInteger(value))
    return refuse(text, '[', 'only a number stands in brackets');
  return `${before}[${value as number}]`;
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
