// The names that users know: settings of scenarios and keys of what commands print; which came, went and changed. Pure.

import { newPath, type Rename } from './renames.js';
import type { Json } from './figures.js';

/** The paths of all settings in a JSON Schema, elements of lists as `[]`. */
export function settingsIn(schema: Json): Set<string> {
  const paths = new Set<string>();
  for (const [path] of settingSchemas(schema)) paths.add(path);
  return paths;
}

/** Path and schema of every setting; of alternatives, all. */
function* settingSchemas(schema: Json, path = ''): Iterable<[string, Record<string, Json>]> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  const { anyOf, oneOf, properties, items } = schema as Record<string, Json>;
  if (path !== '' && !path.endsWith('[]')) yield [path, schema as Record<string, Json>];
  for (const variants of [anyOf, oneOf]) {
    if (!Array.isArray(variants)) continue;
    for (const variant of variants as Json[])
      for (const found of settingSchemas(variant, path)) if (found[0] !== path) yield found;
  }
  for (const [name, below] of Object.entries((properties ?? {}) as Record<string, Json>))
    yield* settingSchemas(below, path === '' ? name : `${path}.${name}`);
  yield* settingSchemas(items ?? null, `${path}[]`);
}

/** The words that a setting takes, by path; settings that take other than words are left out. */
export function wordsIn(schema: Json): Map<string, readonly Json[]> {
  const words = new Map<string, readonly Json[]>();
  for (const [path, { enum: given }] of settingSchemas(schema))
    if (Array.isArray(given)) words.set(path, given as Json[]);
  return words;
}

/** A setting that has another default than before. */
export interface ChangedDefault {
  readonly path: string;
  readonly was: Json;
  readonly is: Json;
}

/** The settings of both schemas whose defaults differ; those of which there are alternatives are left out. */
export function changedDefaults(oldSchema: Json, newSchema: Json): ChangedDefault[] {
  const now = defaultsIn(newSchema);
  return [...defaultsIn(oldSchema)].flatMap(([path, was]) => {
    const is = now.get(path);
    const isSame = was === undefined || is === undefined || JSON.stringify(was) === JSON.stringify(is);
    return isSame ? [] : [{ path, was, is }];
  });
}

/** Defaults by path; undefined where there is none, or more than one setting of that path. */
function defaultsIn(schema: Json): Map<string, Json | undefined> {
  const defaults = new Map<string, Json | undefined>();
  for (const [path, { default: given }] of settingSchemas(schema))
    defaults.set(path, defaults.has(path) ? undefined : given);
  return defaults;
}

export interface NameChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly renamed: readonly string[];
}

/** What changed from one set of names to another; of groups that came or went whole, the group alone. */
export function nameChanges(
  was: ReadonlySet<string>,
  is: ReadonlySet<string>,
  renames: readonly Rename[],
): NameChanges {
  const taken = new Set([...was].map((path) => newPath(path, renames)));
  return {
    added: outermost([...is].filter((path) => !taken.has(path))),
    removed: outermost([...was].filter((path) => newPath(path, renames) === path && !is.has(path))),
    renamed: renames.map((rename) => `${rename.was} -> ${rename.is}`),
  };
}

function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  const isBelow = (path: string): boolean =>
    [...path.matchAll(/\.|\[\]/g)].some(({ index }) => index > 0 && all.has(path.slice(0, index)));
  return paths.filter((path) => !isBelow(path)).sort();
}
