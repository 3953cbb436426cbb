// A folder of `weft run --out` as it is read, from a disk or from what somebody gave to a page.
// Invariants: nothing is read before it is asked for, but manifest, summary and footers; tables come in pieces, so that
// memory is a piece (32,768 rows of the columns asked for) and not the table; every mistake in a file is an InputError
// or HostFileError that names the file. A table is taken from Parquet where there is such a file, else from text.

import { Diagnostics, InputError, wholeFile } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import { readTopology } from '../formats/simai-topology.js';
import { hopTable } from '../records/flow-records.js';
import type { RunTables, TableSource } from '../records/run-tables.js';
import type { TableSchema } from '../records/schema.js';
import { CheckedFiles } from './checked-files.js';
import { parquetTable } from './parquet-table.js';
import { pathsTable } from './paths-table.js';
import type { RunFiles } from './run-files.js';
import { requireSeal } from './sealed-json.js';
import { fabricName, manifestName, readManifest, summaryName, type StoredManifest } from './stored-manifest.js';

/** A run as it is read. */
export interface RunReader extends RunTables {
  /** what people call it: the last part of the path */
  readonly label: string;
  /** null for files of others */
  readonly manifest: StoredManifest | null;
  /** the object of summary.json; null if there is none */
  readonly summary: Readonly<Record<string, unknown>> | null;
  /** path of the fabric that it ran on, as a topology; null if there is none */
  readonly fabricFile: string | null;
  /** its files beside the manifest */
  readonly files: CheckedFiles;
}

/** What reads tables of text files. */
export interface TextTables {
  /** the names of files in which a table may stand; left out: none */
  namesOf(table: string): readonly string[] | undefined;
  table(path: string, table: string): TableSource | Promise<TableSource>;
}

/** Most bytes of a manifest or summary. */
export const largestJsonBytes = 200e6;

/** paths.csv alone: all other tables of a run of Weft's are in Parquet files, too. */
function pathsAlone(files: RunFiles): TextTables {
  return {
    namesOf: (table) => (table === hopTable.name ? ['paths.csv'] : undefined),
    table: (path) => pathsTable(files, path, path),
  };
}

/**
 * Opens the folder of a run.
 * @param path of the folder @param label what people call it @param texts how its tables of text are read
 * @throws HostFileError, InputError
 */
export async function openFolder(
  files: RunFiles,
  path: string,
  label: string,
  texts = pathsAlone(files),
): Promise<RunReader> {
  const manifestPath = files.join(path, manifestName);
  const manifest = readManifest(manifestPath, await files.readText(manifestPath, largestJsonBytes));
  if (manifest.outcome === 'running')
    throw InputError.at('run-unfinished', path, wholeFile, 'this run has not ended', {
      got: 'a manifest that says "outcome": "running"',
      hint: 'wait for it; if its process is gone, run it again',
    });
  const tables = new Map<string, TableSource>();
  const checked = new CheckedFiles(files, path, manifest.digests);
  for (const { schema, rows, files: named } of manifest.tables) {
    const name =
      named.find((file) => file.endsWith('.parquet')) ??
      named.find((file) => texts.namesOf(schema.name)?.includes(file) === true);
    // of some tables the folder has only pictures
    if (name === undefined) continue;
    const source = name.endsWith('.parquet')
      ? await storedTable(files, files.join(path, name), schema)
      : { ...(await texts.table(files.join(path, name), schema.name)), rows };
    if (manifest.digests !== null && source.rows !== rows) await checked.check(name);
    tables.set(schema.name, checked.table(source, name));
  }
  const summary = await summaryOf(files, path, manifest.digests !== null);
  const fabricFile = manifest.files.includes(fabricName) ? files.join(path, fabricName) : null;
  return { shown: path, label, manifest, summary, tables, fabricFile, files: checked };
}

/**
 * The fabric that a run was carried out on.
 * @returns null if the run does not say
 * @throws HostFileError, InputError
 */
export async function fabricOfRun({ fabricFile, files }: RunReader): Promise<Fabric | null> {
  if (fabricFile === null) return null;
  await files.check(fabricName);
  return readFabricFile(files.files, fabricFile);
}

/** The fabric of a topology file. @throws HostFileError, InputError */
export async function readFabricFile(files: RunFiles, path: string): Promise<Fabric> {
  const diagnostics = new Diagnostics();
  const fabric = readTopology(await files.readText(path), path, diagnostics);
  diagnostics.throwIfErrors();
  return fabric!;
}

async function storedTable(files: RunFiles, path: string, schema: TableSchema): Promise<TableSource> {
  const source = await parquetTable(files, path, path);
  if (source.schema.name === schema.name) return source;
  throw InputError.at('run-table', path, wholeFile, 'this file holds another table', {
    got: source.schema.name,
    wanted: schema.name,
  });
}

async function summaryOf(
  files: RunFiles,
  folder: string,
  isSealed: boolean,
): Promise<Readonly<Record<string, unknown>> | null> {
  const path = files.join(folder, summaryName);
  const text = await files.readText(path, largestJsonBytes);
  requireSeal(path, text, isSealed);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw InputError.at('run-summary', path, wholeFile, 'this summary is no JSON');
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}
