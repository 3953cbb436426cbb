// The house is in order (see layers.ts for the rules), and the check can tell when it is not.

import { readFileSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkLayers, type Layer } from './layers.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${repository}/${path}`, 'utf8');
const layers = JSON.parse(read('src/layers.json')) as Record<string, Layer>;

describe('src', () => {
  const paths = readdirSync(`${repository}/src`, { recursive: true, encoding: 'utf8' }).map((path) =>
    path.split(sep).join('/'),
  );
  const files = new Map(paths.filter((path) => path.endsWith('.ts')).map((path) => [path, read(`src/${path}`)]));

  it('keeps the rules of the house', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'optionalDependencies',
      Record<string, string>
    >;
    expect(files.size).toBeGreaterThan(0);
    expect(
      checkLayers({ layers, files, dependencies: Object.keys({ ...dependencies, ...optionalDependencies }) }),
    ).toEqual([]);
  });

  it.each(['pure', 'node'] as const)('compiles its %s folders as such', (platform) => {
    const { include } = JSON.parse(read(`src/tsconfig.${platform}.json`)) as { include: string[] };
    expect(include).toEqual(Object.keys(layers).filter((folder) => layers[folder]!.platform === platform));
  });
});

describe('the check', () => {
  const small: Record<string, Layer> = {
    base: { platform: 'pure', imports: [] },
    backends: { platform: 'pure', imports: ['base'], packages: ['zod'] },
    cli: { platform: 'node', imports: ['base'], packages: ['undeclared'] },
  };
  const complaints = (files: Record<string, string>, table = small): string[] =>
    checkLayers({ layers: table, files: new Map(Object.entries(files)), dependencies: ['zod'] });
  const inBase = (text: string): string[] => complaints({ 'base/a.ts': text });

  it('accepts what is allowed', () => {
    const files = {
      'base/a.ts':
        '// Math.random() and Date in a comment\nexport const a = Math.floor(2 ** 40 / Math.PI), b = { Date: 1, performance: 2 }, c = b.Date;',
      'backends/packet/engine.ts': "import { hpcc } from './congestion/hpcc.js'; export const all = [hpcc];",
      'backends/packet/congestion/hpcc.ts':
        "import { a } from '../../../base/a.js'; import type { z } from 'zod'; export const hpcc = a as z;",
      'base/b.ts': 'class B { constructor({ a, b, c, d, e, f }) {} other(a, b, c, d, e, f) {} }',
      'cli/main.ts':
        "import { readFileSync } from 'node:fs'; export const now = Date.now() + Math.random(); void readFileSync;",
    };
    expect(complaints(files)).toEqual([]);
  });

  it.each([
    ['an unlisted folder', { 'magic/a.ts': '' }, 'folder magic is not in src/layers.json'],
    ['a file outside folders', { 'main.ts': '' }, 'belongs in a folder'],
    [
      'an import upwards',
      { 'base/a.ts': "import { x } from '../backends/b.js';", 'backends/b.ts': 'export const x = 1;' },
      'base may not import backends',
    ],
    [
      'an import of a type upwards',
      { 'base/a.ts': "export type X = import('../backends/b.js').X;", 'backends/b.ts': 'export type X = 1;' },
      'base may not import backends',
    ],
    [
      'a re-export upwards',
      { 'base/a.ts': "export * from '../backends/b.js';", 'backends/b.ts': '' },
      'base may not import backends',
    ],
    [
      'an import on demand upwards',
      { 'base/a.ts': "void import('../backends/b.js');", 'backends/b.ts': '' },
      'base may not import backends',
    ],
    [
      'an import of a computed name',
      { 'base/a.ts': 'export const load = (name: string) => import(name);' },
      'computed',
    ],
    ['an import out of src', { 'base/a.ts': "import '../../test/reference.js';" }, 'outside src'],
    ['an import by alias', { 'base/a.ts': "import '#weft/base/b.js';" }, 'relative paths'],
    ['an import of no file', { 'base/a.ts': "import './b';", 'base/b.ts': '' }, 'no file of src'],
    ['Node in a pure folder', { 'base/a.ts': "import 'node:fs';" }, 'may not import node:fs'],
    ['an unlisted package', { 'base/a.ts': "import { z } from 'zod/v4';" }, 'may not import the package zod'],
    ['a package that is not installed', { 'cli/a.ts': "import 'undeclared';" }, 'not among the dependencies'],
    [
      'plug-ins that know each other',
      { 'backends/packet/congestion/a.ts': "import '../transport/b.js';", 'backends/packet/transport/b.ts': '' },
      'plug-ins of congestion may not import transport',
    ],
    [
      'files that import each other',
      { 'base/a.ts': "import './b.js';", 'base/b.ts': "import type { A } from './a.js';" },
      'base/a.ts -> base/b.ts -> base/a.ts',
    ],
    [
      'a constructor that takes a closure',
      { 'backends/a.ts': 'export class A { constructor(done: () => void) {} }' },
      'takes a closure',
    ],
    [
      'a constructor that takes six by position',
      { 'base/a.ts': 'export class A { constructor(a, private b, c = 1, d?: string, readonly e, ...f) {} }' },
      'takes 6 by position',
    ],
    [
      'such a constructor of a class inside',
      { 'base/a.ts': 'const c = () => new (class C { constructor(a, b, c, d, e, f, g) {} })();' },
      'takes 7 by position',
    ],
    ['a vague name', { 'base/string-utils.ts': '' }, '"utils" says nothing'],
    ['a vague folder', { 'base/common/a.ts': '' }, '"common" says nothing'],
    ['a long file', { 'base/a.ts': '// What it is.\n'.repeat(401) }, '401 lines'],
  ])('refuses %s', (_, files, message) => {
    expect(complaints(files as unknown as Record<string, string>)).toEqual([expect.stringContaining(message)]);
  });

  it('accepts a long file that says why', () => {
    expect(inBase('// Long because one table should stand in one place.\n'.repeat(401))).toEqual([]);
  });

  it.each([
    'Math.random()',
    'Math.exp(1)',
    'Math.log2(8)',
    'Math.pow(2, 3)',
    "Math['sin'](1)",
    'new (Math as any).Foo()',
    '10 ** 2',
    '2 ** 0.5',
    'Date.now()',
    'new Date()',
    'performance.now()',
    "'a'.localeCompare('b')",
    '(1).toLocaleString()',
    'new Intl.Collator()',
    'globalThis.Date',
    'process.argv',
    '`${Date.now()}`',
  ])('refuses %s in a pure folder', (expression) => {
    expect(inBase(`export const value = ${expression};`)).toEqual([expect.stringMatching(/^base\/a\.ts:1: /)]);
  });

  it('refuses a power assignment and taking Math apart', () => {
    expect(inBase('let x = 3;\nx **= 2;\nexport const { pow } = Math;')).toEqual([
      expect.stringContaining('a.ts:2: **='),
      expect.stringContaining('a.ts:3: Math as a value'),
    ]);
  });

  it('refuses a table with a cycle, and pure over node', () => {
    const table: Record<string, Layer> = {
      a: { platform: 'node', imports: ['b'] },
      b: { platform: 'pure', imports: ['a'] },
    };
    expect(complaints({}, table)).toEqual([
      'layers.json: a imports b, which is not listed before it',
      'layers.json: pure b imports a, which needs Node',
    ]);
  });
});
