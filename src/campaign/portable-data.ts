// Plain data on its way to another machine and back: JSON, in which a Map is an object with one key.
// Invariant: what comes back is equal to what went, of objects, lists, texts, flags, null, maps, and numbers that JSON
// has; nothing of it is run or looked up.

import { fail } from '../base/fail.js';

const mapKey = '$map';

/** Data as a text. */
export function portableText(data: unknown): string {
  return (
    JSON.stringify(data, (_key, value: unknown) => (value instanceof Map ? { [mapKey]: [...value] } : value)) ??
    fail('there is no data to be carried')
  );
}

/** A text as the data that it was made of. @throws SyntaxError if it is none */
export function portableData(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    const entries = isObject(value) && Object.keys(value).length === 1 ? value[mapKey] : undefined;
    if (entries === undefined) return value;
    if (!Array.isArray(entries) || !entries.every((entry) => Array.isArray(entry) && entry.length === 2))
      throw new SyntaxError(`${mapKey} is no list of pairs`);
    return new Map(entries as [unknown, unknown][]);
  });
}

/** Whether something is an object, and neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
