// What two builds said of the same command line, compared: JSON as figures by path. Pure.
// Invariant: figures that depend on the machine or the hour are not compared, texts apart from numbers, and what only one
// of the two has is no difference of figures: it is in the list of names (names.ts).

/** Names of figures that no two runs share: keys, and names of elements of a list. */
const volatile = new Set(['CPU', 'cpuSeconds', 'wallSeconds', 'peakMemoryBytes', 'weftVersion', 'planCpuSeconds']);

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** What a command prints with --json: one value, or one per line. @returns null if it is neither */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    try {
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Json);
    } catch {
      return null;
    }
  }
}

/**
 * The figures of a JSON value: path to leaf. Elements of a list that have a name go by it, others by their place, so that
 * another verdict in between shifts nothing; a list of plain values is a leaf.
 */
export function figuresOf(json: Json): Map<string, Json> {
  const figures = new Map<string, Json>();
  const walk = (value: Json, path: string): void => {
    if (isList(value) && value.some((each) => typeof each === 'object' && each !== null)) {
      const names = new Set<string>();
      for (const [place, each] of value.entries()) {
        const own = isObject(each) && typeof each['name'] === 'string' ? each['name'] : null;
        if (own !== null && volatile.has(own)) continue;
        const name = own === null || names.has(own) ? String(place) : own;
        names.add(name);
        walk(each, `${path}[${name}]`);
      }
    } else if (isObject(value)) {
      for (const [name, each] of Object.entries(value))
        if (!volatile.has(name)) walk(each, path === '' ? name : `${path}.${name}`);
    } else figures.set(path, value);
  };
  walk(json, '');
  return figures;
}

/** All digests of records in what a command prints, in its order. */
export function digestsOf(figures: ReadonlyMap<string, Json>): string[] {
  return [...figures].flatMap(([path, value]) =>
    /(^|\.)digest$/.test(path) && typeof value === 'string' ? [value] : [],
  );
}

export interface Differences {
  /** paths of figures that both have and that differ, with both values */
  readonly figures: readonly string[];
  /** paths of texts that differ: messages and reasons, and the whole of warnings with their places */
  readonly texts: readonly string[];
}

/** Compares what both have. @param was of the older build, under the newer one's names */
export function differencesOf(was: ReadonlyMap<string, Json>, is: ReadonlyMap<string, Json>): Differences {
  const [figures, texts]: [string[], string[]] = [[], []];
  for (const [path, before] of was) {
    const after = is.get(path);
    if (after === undefined) continue;
    const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
    if (from === to) continue;
    if (
      path.startsWith('warnings[') ||
      (isText(before) && isText(after) && !/^file |(^|\.)(digest|outcome)$/.test(path))
    )
      texts.push(path);
    else figures.push(`${path}: ${from.slice(0, 40)} -> ${to.slice(0, 40)}`);
  }
  return { figures, texts };
}

/** Keys of a JSON value as paths; all elements of a list together. */
export function keysOf(json: Json): Set<string> {
  const keys = new Set<string>();
  const walk = (value: Json, path: string): void => {
    if (isList(value)) for (const each of value) walk(each, `${path}[]`);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) {
        const below = path === '' ? name : `${path}.${name}`;
        keys.add(below);
        walk(each, below);
      }
  };
  walk(json, '');
  return keys;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** A text, or a list of texts. */
function isText(value: Json): boolean {
  return typeof value === 'string' || (isList(value) && value.every((each) => typeof each === 'string'));
}
