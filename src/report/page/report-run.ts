// One run as a report knows it: what it is called, what its manifest and summary say, and its records.
// Invariant: manifest and summary come from files that anybody may have written: what is read of them is checked for
// its type, and looked up by own keys alone.

import { RunRecords } from './run-records.js';

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface ReportRun {
  /** what tells it from the others: short */
  readonly label: string;
  readonly manifest: Json;
  readonly summary: Json;
  readonly records: RunRecords;
}

/** What stands under keys, one below the other; undefined if there is no such thing. */
export function jsonAt(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, key)) return undefined;
    at = (at as { readonly [key: string]: Json })[key];
  }
  return at;
}

/** A finite number under keys, else null. */
export function numberAt(value: Json | undefined, ...keys: readonly string[]): number | null {
  const found = jsonAt(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** A text under keys, else ''. */
export function textAt(value: Json | undefined, ...keys: readonly string[]): string {
  const found = jsonAt(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** A list under keys, else an empty one. */
export function listAt(value: Json | undefined, ...keys: readonly string[]): readonly Json[] {
  const found = jsonAt(value, ...keys);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** What nodes of a run's fabric are called where they have names of their own; null: they are called by their tier. */
export function ownNodeName({ manifest }: Pick<ReportRun, 'manifest'>, node: number): string | null {
  const name = listAt(manifest, 'nodeNames')[node];
  return typeof name === 'string' && name !== '' ? name : null;
}
