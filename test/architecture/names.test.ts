// A name means one thing: no two files of src export the same one. A name that is exported again from elsewhere
// (`export { … } from`) is the same thing, and no second meaning; library/, the face for others, gives theirs a form of
// its own under the same names.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** Names that two files may export, each with the reason. */
// what the library offers is called as what it wraps: it takes texts, needs no host and throws mistakes
const allowed: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'generateFabric',
    'readEndToEnd',
    'readFct',
    'readIbnetdiscover',
    'readPortCounters',
    'readRequests',
    'readTopology',
    'simulate',
  ].map((name) => [name, 'of the library']),
);

const declaration =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:(?:class|function\*?|interface|type|const enum|enum|const|let) ([\w$]+)|(?:const|let) (?:\{([^}]*)\}|\[([^\]]*)\]))/gm;

/** The names that a text declares and exports. */
function namesIn(text: string): string[] {
  return [...text.matchAll(declaration)].flatMap(([, name, object, list]) =>
    name !== undefined
      ? [name]
      : (object ?? list)!
          .split(',')
          .map((part) => part.split('=')[0]!.split(':').at(-1)!.trim())
          .filter((part) => part !== ''),
  );
}

/** Names that several files export, with the files. */
function twice(files: ReadonlyMap<string, string>): string[] {
  const places = new Map<string, string[]>();
  for (const [path, text] of files)
    // one file may export a value and a type by one name
    for (const name of new Set(namesIn(text))) places.set(name, [...(places.get(name) ?? []), path]);
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.sort().join(', ')}`)
    .sort();
}

it('no two files of src export the same name', () => {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.startsWith('library'),
  );
  const found = twice(new Map(paths.map((path) => [path, readFileSync(join(source, path), 'utf8')])));
  expect(found.filter((line) => !Object.hasOwn(allowed, line.slice(0, line.indexOf(':'))))).toEqual([]);
});

it('the check sees every form of a declaration, and only what is exported', () => {
  const text = `export const { a, b: c, d = 1 } = x;
export const [e, f] = y;
export abstract class G {}
export async function h() {}
export function* i() {}
export interface J {}
export type J = 1;
export enum K {}
export { l } from './m.js';
export type { o } from './m.js';
const n = 1;
`;
  expect(namesIn(text)).toEqual(['a', 'c', 'd', 'e', 'f', 'G', 'h', 'i', 'J', 'J', 'K']);
  expect(
    twice(
      new Map([
        ['one.ts', 'export const a = 1;\nexport type b = 1;'],
        ['two.ts', 'export class a {}'],
        ['three.ts', "export { b } from './one.js';"],
      ]),
    ),
  ).toEqual(['a: one.ts, two.ts']);
});
