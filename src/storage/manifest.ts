// manifest.json: what was run and what came of it, without a clock or a machine in it, so that two runs of the same
// scenario have the same manifest, byte for byte. It also says that a folder is Weft's: only such a folder is ever
// replaced.

import type { Diagnostic } from '../base/diagnostics.js';
import type { Fabric } from '../fabric/fabric.js';
import { shownNames } from '../fabric/port-identity.js';
import { fail } from '../base/fail.js';
import { endToEndFile } from '../formats/simai-end-to-end.js';
import { digestsKey } from '../records/run-digests.js';
import type { ColumnSchema, TableSchema } from '../records/schema.js';
import type { TimelineJob } from '../report/timeline-jobs.js';
import type { RunFigures } from '../report/run-figures.js';
import type { InputFile } from './input-digests.js';
import { sealedJson } from '../stored-runs/sealed-json.js';
import { fabricName, manifestName, summaryName } from '../stored-runs/stored-manifest.js';
import { filesOf, otherFileNames } from './table-outputs.js';

/** The names of the files of jobs, in their order. */
export function jobFiles(jobCount: number): string[] {
  return Array.from({ length: jobCount }, (_, job) => endToEndFile(job, jobCount));
}

/** The mark by which a folder is known as a run of Weft. */
const manifestFormat = 'weft-run';

/** What is known about a run before it begins. */
export interface RunIdentity {
  readonly weftVersion: string;
  readonly name: string;
  readonly seed: number;
  /** the scenario as resolved, plain JSON with units */
  readonly resolved: Readonly<Record<string, unknown>>;
  readonly warnings: readonly Diagnostic[];
  /** the files that were read for it */
  readonly inputs: readonly InputFile[];
  /** what will be recorded */
  readonly tables: readonly TableSchema[];
  /** the jobs that run; each gets a file of its own */
  readonly jobs: readonly TimelineJob[];
  /** what it runs on; left out: no file of it is written */
  readonly fabric?: Fabric;
}

interface TableDescription {
  readonly name: string;
  readonly rows: number;
  readonly files: readonly string[];
  readonly columns: readonly ColumnSchema[];
}

/**
 * The text of manifest.json.
 * @param figures null while the run goes on
 * @param rowsOf rows written so far, by table name @param digests SHA-256 of files that are whole, by name
 */
export function manifestText(
  run: RunIdentity,
  figures: RunFigures | null,
  rowsOf: ReadonlyMap<string, number>,
  digests: ReadonlyMap<string, string>,
): string {
  const files = [
    ...(run.fabric === undefined ? [] : [fabricName]),
    ...filesOf(run.tables).map((file) => file.fileName),
    ...filesOf(run.tables).flatMap((file) => otherFileNames.get(file.fileName) ?? []),
    ...jobFiles(run.jobs.length),
  ];
  const manifest = {
    format: manifestFormat,
    formatVersion: 1,
    weftVersion: run.weftVersion,
    name: run.name,
    seed: run.seed,
    outcome: figures?.outcome ?? 'running',
    partial: figures === null || figures.outcome === 'stopped',
    digest: figures?.digest ?? null,
    verdicts: figures?.verdicts ?? [],
    warnings: run.warnings,
    files: [manifestName, summaryName, ...files],
    // the summary has clocks in it, and a digest of its own
    ...(figures === null
      ? {}
      : {
          [digestsKey]: Object.fromEntries(
            files.map((name) => [name, digests.get(name) ?? fail(`no digest of ${name}`)]),
          ),
        }),
    inputs: run.inputs,
    ...(run.fabric?.identity === undefined ? {} : { nodeNames: shownNames(run.fabric.identity) }),
    tables: describeTables(run.tables, rowsOf),
    ...(run.jobs.length === 0
      ? {}
      : { jobs: run.jobs.map(({ name, optimizerLayers }) => ({ name, optimizerLayers: [...optimizerLayers] })) }),
    scenario: run.resolved,
  };
  return sealedJson(manifest);
}

function describeTables(tables: readonly TableSchema[], rowsOf: ReadonlyMap<string, number>): TableDescription[] {
  return tables.map((table) => ({
    name: table.name,
    rows: rowsOf.get(table.name) ?? 0,
    files: filesOf([table]).map((file) => file.fileName),
    columns: table.columns,
  }));
}

/**
 * Whether a text is the manifest of a run.
 * @returns the names of the run's files, or null if it is not one
 */
export function filesOfManifest(text: string): readonly string[] | null {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return null;
  }
  if (
    typeof manifest !== 'object' ||
    manifest === null ||
    !('format' in manifest) ||
    manifest.format !== manifestFormat
  )
    return null;
  const files = 'files' in manifest && Array.isArray(manifest.files) ? manifest.files : [];
  return files.filter((name): name is string => typeof name === 'string' && /^[a-z][a-z0-9._-]*$/i.test(name));
}
