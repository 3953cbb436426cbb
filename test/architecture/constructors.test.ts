// Constructors say by names what they are given: none of src takes more than five arguments by position.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const most = 5;

/** Classes of a text whose constructors take more arguments by position, with how many. */
function longConstructors(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isConstructorDeclaration(node) && node.parameters.length > most)
      found.push(`${path}: ${node.parent.name?.text ?? 'class'} takes ${node.parameters.length}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
  return found;
}

it('no constructor of src takes more than five arguments by position', () => {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const found = paths.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    return text.includes('constructor(') ? longConstructors(path, text) : [];
  });
  expect(found).toEqual([]);
});

it('the check counts what stands by position, and only that', () => {
  const six = 'export class A { constructor(a, private b, c = 1, d?: string, readonly e, ...f) {} }';
  const one = 'class B { constructor({ a, b, c, d, e, f }) {} other(a, b, c, d, e, f) {} }';
  const inside = 'const c = () => new (class C { constructor(a, b, c, d, e, f, g) {} })();';
  expect([six, one, inside].map((text, at) => longConstructors(`${at}`, text))).toEqual([
    ['0: A takes 6'],
    [],
    ['2: C takes 7'],
  ]);
});
