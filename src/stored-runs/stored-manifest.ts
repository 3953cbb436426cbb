// manifest.json as it is read: what a folder says of its run, checked, since anybody may have written it.
// Invariant: whatever stands in the file, every value has the type that is declared here; names of files have no
// folder.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { digestsOfManifest } from '../records/run-digests.js';
import type { ColumnSchema, ColumnType, TableSchema } from '../records/schema.js';
import { requireSeal } from './sealed-json.js';

export const manifestName = 'manifest.json';
export const summaryName = 'summary.json';
export const fabricName = 'fabric.topo';

/** A self-check of a run. */
interface StoredVerdict {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What a manifest says; the keys are those of docs/formats/run-directory.md. */
export interface StoredManifest {
  readonly weftVersion: string;
  readonly name: string;
  readonly seed: number;
  readonly outcome: string;
  readonly partial: boolean;
  readonly digest: string | null;
  readonly verdicts: readonly StoredVerdict[];
  readonly warnings: readonly unknown[];
  /** names of the files that belong to the run */
  readonly files: readonly string[];
  /** SHA-256 of those files but manifest and summary, by name; null: written before there were digests */
  readonly digests: ReadonlyMap<string, string> | null;
  readonly inputs: readonly {
    readonly role: string;
    readonly path: string;
    readonly sizeBytes: number;
    readonly sha256: string;
  }[];
  readonly tables: readonly {
    readonly schema: TableSchema;
    readonly rows: number;
    readonly files: readonly string[];
  }[];
  /** the jobs that ran; empty without a workload */
  readonly jobs: readonly { readonly name: string; readonly optimizerLayers: ReadonlySet<number> }[];
  /** what nodes are called on InfiniBand; empty: the fabric has no such names */
  readonly nodeNames: readonly string[];
  /** the scenario as resolved, plain JSON */
  readonly scenario: Readonly<Record<string, unknown>>;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the text of a manifest.
 * @param shown its path in messages
 * @throws InputError if it is none of Weft's, or was changed
 */
export function readManifest(shown: string, text: string): StoredManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw noManifest(shown, 'it is no JSON');
  }
  const manifest = objectOf(value);
  if (manifest === null || own(manifest, 'format') !== 'weft-run') throw noManifest(shown, 'it is no run of Weft');
  const version = own(manifest, 'formatVersion');
  if (version !== 1) throw noManifest(shown, `its form is number ${String(version)}; this Weft reads number 1`);
  const digest = own(manifest, 'digest');
  const digests = digestsOfManifest(manifest);
  requireSeal(shown, text, digests !== null);
  return {
    weftVersion: textOf(own(manifest, 'weftVersion')),
    name: textOf(own(manifest, 'name')),
    seed: numberOf(own(manifest, 'seed')),
    outcome: textOf(own(manifest, 'outcome')),
    partial: own(manifest, 'partial') === true,
    digest: typeof digest === 'string' ? digest : null,
    verdicts: objectsOf(own(manifest, 'verdicts')).map((verdict) => ({
      name: textOf(own(verdict, 'name')),
      ok: own(verdict, 'ok') === true,
      detail: textOf(own(verdict, 'detail')),
    })),
    warnings: listOf(own(manifest, 'warnings')),
    files: listOf(own(manifest, 'files')).filter((name) => typeof name === 'string'),
    digests,
    inputs: objectsOf(own(manifest, 'inputs')).map((input) => ({
      role: textOf(own(input, 'role')),
      path: textOf(own(input, 'path')),
      sizeBytes: numberOf(own(input, 'sizeBytes')),
      sha256: textOf(own(input, 'sha256')),
    })),
    tables: objectsOf(own(manifest, 'tables')).map((table) => {
      const schema = tableSchemaOf(table);
      if (schema === null) throw noManifest(shown, 'a table of it is not described');
      const files = listOf(own(table, 'files')).filter((name): name is string => typeof name === 'string');
      if (files.some((name) => !/^[a-z][a-z0-9._-]*$/i.test(name)))
        throw noManifest(shown, `the table ${schema.name} names a file that a run does not have`);
      return { schema, rows: numberOf(own(table, 'rows')), files };
    }),
    jobs: objectsOf(own(manifest, 'jobs')).map((job) => ({
      name: textOf(own(job, 'name')),
      optimizerLayers: new Set(listOf(own(job, 'optimizerLayers')).filter((layer) => typeof layer === 'number')),
    })),
    nodeNames: listOf(own(manifest, 'nodeNames')).map(textOf),
    scenario: objectOf(own(manifest, 'scenario')) ?? {},
  };
}

const columnTypes: readonly string[] = ['int32', 'uint16', 'uint8', 'float64'] satisfies readonly ColumnType[];

/** The schema that a JSON value describes; null if it describes none. */
export function tableSchemaOf(value: unknown): TableSchema | null {
  const table = objectOf(value);
  const name = table === null ? null : own(table, 'name');
  if (table === null || typeof name !== 'string') return null;
  const columns: ColumnSchema[] = [];
  for (const column of objectsOf(own(table, 'columns'))) {
    const type = own(column, 'type');
    const called = own(column, 'name');
    if (typeof called !== 'string' || typeof type !== 'string' || !columnTypes.includes(type)) return null;
    const words = objectOf(own(column, 'categories'));
    const categories = words === null ? {} : { categories: categoriesOf(words) };
    columns.push({
      name: called,
      type: type as ColumnType,
      integer: own(column, 'integer') === true,
      unit: textOf(own(column, 'unit')),
      description: textOf(own(column, 'description')),
      ...categories,
    });
  }
  return columns.length === 0 ? null : { name, columns };
}

function categoriesOf(words: Json): Record<number, string> {
  const categories: Record<number, string> = {};
  for (const [number, word] of Object.entries(words))
    if (/^\d{1,5}$/.test(number)) categories[Number(number)] = textOf(word);
  return categories;
}

function own(object: Json, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectsOf(value: unknown): readonly Json[] {
  return listOf(value)
    .map(objectOf)
    .filter((object) => object !== null);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function noManifest(shown: string, why: string): InputError {
  return InputError.at('run-manifest', shown, wholeFile, `this manifest cannot be used: ${why}`, {
    wanted: 'the manifest.json of a folder that weft run --out has written',
  });
}
