// What a run left behind, read through one interface: a folder of `weft run --out`, one of SimAI's or HPCC's files, or
// single files of theirs. `weft analyze`, `compare` and `report` read nothing else.
// Invariants: nothing is read before it is asked for, but manifest, summary and footers; tables come in pieces, so that
// memory is a piece (32,768 rows of the columns asked for) and not the table; every mistake in a file is an InputError
// or HostFileError that names the file. A table is taken from Parquet where there is such a file, else from text.
// Not covered: files that compress themselves (.gz) and nested columns.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { monitorFiles } from '../formats/simai-monitor-reader.js';
import { flowTable, hopTable } from '../records/flow-records.js';
import type { TableSource } from '../records/run-tables.js';
import { CheckedFiles } from '../stored-runs/checked-files.js';
import { firstLine } from '../stored-runs/line-pieces.js';
import { parquetTable } from '../stored-runs/parquet-table.js';
import { pathsTable } from '../stored-runs/paths-table.js';
import { largestJsonBytes, openFolder, type RunReader, type TextTables } from '../stored-runs/run-reader.js';
import { manifestName, readManifest, summaryName } from '../stored-runs/stored-manifest.js';
import { filesOfManifest } from './manifest.js';
import { nodeRunFiles } from './node-run-files.js';
import { fileError, readRegularFile } from './regular-file.js';
import { fctTable, monitorTable } from './text-table.js';

/** The text files in which a table may stand, by its name: ours first, then the names of others. */
const textFiles: ReadonlyMap<string, readonly string[]> = new Map([
  [flowTable.name, ['fct.txt']],
  [hopTable.name, ['paths.csv']],
  ['queues', ['qlen.txt', 'queue.txt']],
  ['bandwidth', ['bw.txt', 'bandwidth.txt']],
  ['rates', ['rate.txt']],
  ['notifications', ['cnp.txt']],
  ['pfc_events', ['pfc.txt']],
]);

/** What can be read as a run, and how to come by it, for messages. */
const runForms = 'a folder of weft run --out, an fct.txt or a paths.csv';
const writeHint = 'weft run SCENARIO --out DIR writes a folder that can be read';

/**
 * Opens what a run left behind.
 * @param path a folder of Weft's (also one with `.partial`), a folder with fct.txt or other files of SimAI or HPCC, or
 * one such file
 * @throws HostFileError, InputError
 */
export async function openRun(path: string): Promise<RunReader> {
  const kind = await kindOf(path);
  if (kind === 'file') return openFiles([path], path);
  const names = await namesIn(path);
  if (names.includes(manifestName)) return openStored(path);
  const known = [...textFiles.values()].flat().filter((name) => names.includes(name));
  if (known.length > 0)
    return openFiles(
      known.map((name) => join(path, name)),
      path,
    );
  throw InputError.at('run-folder', path, wholeFile, 'there is no run in this folder', {
    wanted: `a folder with ${manifestName}, fct.txt or paths.csv`,
    hint: writeHint,
  });
}

/**
 * The runs below a path: itself, or those of a comparison (`weft run --backend a,b`), one folder
 * deep, in the order of their names.
 * @throws HostFileError, InputError if there is none
 */
export async function openRuns(path: string): Promise<RunReader[]> {
  if ((await kindOf(path)) === 'folder') {
    const names = await namesIn(path);
    if (!names.includes(manifestName)) {
      const runs: RunReader[] = [];
      for (const name of names) if (await hasManifest(join(path, name))) runs.push(await openStored(join(path, name)));
      if (runs.length > 0) return runs;
    }
  }
  return [await openRun(path)];
}

/**
 * Files of SimAI, HPCC or Weft as one run: fct.txt, paths.csv, files of monitors, or Parquet files of Weft's. What a
 * file holds is known by its name or, of fct.txt and paths.csv, by its first line.
 * @param paths at most one of each table
 * @param shown what the run is called in messages
 * @throws HostFileError, InputError
 */
export async function openFiles(paths: readonly string[], shown: string): Promise<RunReader> {
  const tables = new Map<string, TableSource>();
  for (const path of paths) {
    const table = (await filesBeside(path)).table(await tableOfFile(path), basename(path));
    const other = tables.get(table.schema.name);
    if (other !== undefined)
      throw InputError.at('run-files', path, wholeFile, `this and ${other.file} hold the same table`, {
        got: `two files of ${table.schema.name}`,
        hint: 'keep one of them',
      });
    tables.set(table.schema.name, table);
  }
  return {
    shown,
    label: basename(shown),
    manifest: null,
    summary: null,
    tables,
    fabricFile: null,
    files: new CheckedFiles(nodeRunFiles, '', null),
  };
}

const texts: TextTables = { namesOf: (table) => textFiles.get(table), table: textTable };

function openStored(path: string): Promise<RunReader> {
  return openFolder(nodeRunFiles, path, basename(path), texts);
}

/** The files of the run that a file belongs to, if it lies in the folder of one. */
async function filesBeside(path: string): Promise<CheckedFiles> {
  const folder = dirname(path);
  const text = await readRegularFile(join(folder, manifestName), largestJsonBytes).catch(() => null);
  const isRun = text !== null && filesOfManifest(text.toString('utf8')) !== null;
  return new CheckedFiles(
    nodeRunFiles,
    folder,
    isRun ? readManifest(join(folder, manifestName), text.toString('utf8')).digests : null,
  );
}

async function tableOfFile(path: string): Promise<TableSource> {
  if (path.endsWith('.parquet')) return parquetTable(nodeRunFiles, path, path);
  const name = basename(path);
  for (const [table, names] of textFiles) if (names.includes(name)) return textTable(path, table);
  const line = await firstLine(nodeRunFiles, path);
  refuseStranger(path, line?.text ?? '');
  return textTable(path, line?.text.includes(',') === true ? hopTable.name : flowTable.name);
}

/** Refuses a file of another kind by its first line: what it is, and what to do with it. @throws InputError */
function refuseStranger(path: string, line: string): void {
  const inRun = [manifestName, summaryName].includes(basename(path));
  const [what, hint] =
    /^\s*[{[]/.test(line) && !line.includes(': {')
      ? ['this is JSON, not a table of a run', inRun ? `give the folder of the run: ${dirname(path)}` : writeHint]
      : /\.ya?ml$/.test(path) || /^\uFEFF?(name|fabric|traffic|workload|backend):(\s|$)/.test(line)
        ? ['this is a scenario (YAML), not a run', `weft run ${path} --out DIR, then give DIR`]
        : [null, ''];
  if (what !== null)
    throw InputError.at('run-files', path, { line: 1, column: 1 }, what, {
      got: line,
      wanted: runForms,
      hint,
    });
}

function textTable(path: string, table: string): TableSource | Promise<TableSource> {
  if (table === flowTable.name) return fctTable(path, path);
  if (table === hopTable.name) return pathsTable(nodeRunFiles, path, path);
  return monitorTable(
    path,
    path,
    monitorFiles.find((file) => file.table.name === table)!,
  );
}

async function kindOf(path: string): Promise<'folder' | 'file'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const failure = fileError(path, error);
    if (failure.reason !== 'missing') throw failure;
    throw InputError.at('file-missing', path, wholeFile, 'no such file or folder', {
      wanted: runForms,
      hint: writeHint,
    });
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    const names = await readdir(path);
    return names.sort((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    throw fileError(path, error);
  }
}

async function hasManifest(folder: string): Promise<boolean> {
  try {
    return (await stat(join(folder, manifestName))).isFile();
  } catch {
    return false;
  }
}
