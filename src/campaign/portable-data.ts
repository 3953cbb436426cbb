// Plain data on its way to another machine and back: JSON, in which a Map, and a number that JSON does not have, is an
// object with one key.
// Invariant: what comes back is equal to what went, of objects, lists, texts, flags, null, maps and numbers; nothing of
// it is run or looked up.

import { fail } from '../base/fail.js';

const mapKey = '$map';
const numberKey = '$number';
const otherNumbers: ReadonlyMap<unknown, number> = new Map(
  [NaN, Infinity, -Infinity, -0].map((number) => [numberText(number), number]),
);

/** Data as a text. */
export function portableText(data: unknown): string {
  return (
    JSON.stringify(data, (_key, value: unknown) => {
      if (value instanceof Map) return { [mapKey]: [...value] };
      const isOther = typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0));
      return isOther ? { [numberKey]: numberText(value) } : value;
    }) ?? fail('there is no data to be carried')
  );
}

/** A text as the data that it was made of. @throws SyntaxError if it is none */
export function portableData(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (!isObject(value) || Object.keys(value).length !== 1) return value;
    if (numberKey in value) return otherNumber(value[numberKey]);
    const entries = value[mapKey];
    if (entries === undefined) return value;
    if (!Array.isArray(entries) || !entries.every((entry) => Array.isArray(entry) && entry.length === 2))
      throw new SyntaxError(`${mapKey} is no list of pairs`);
    return new Map(entries as [unknown, unknown][]);
  });
}

function numberText(number: number): string {
  return Object.is(number, -0) ? '-0' : String(number);
}

/** @throws SyntaxError */
function otherNumber(text: unknown): number {
  const number = otherNumbers.get(text);
  if (number === undefined) throw new SyntaxError(`${numberKey} is none of ${[...otherNumbers.keys()].join(', ')}`);
  return number;
}

/** Whether something is an object, and neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
