// A run directory: a record sink that writes files while the run goes on, under DIR.partial, and gives the folder its
// name DIR when the run has ended. docs/formats/run-directory.md describes every file.
// Invariants: what stands in the folder but summary.json is byte-reproducible; a run that fails leaves nothing behind;
// one that is stopped leaves its finished part in DIR.partial, every file complete; memory does not grow with the
// records.

import { createHash } from 'node:crypto';
import { copyFile, link, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../base/fail.js';
import { endToEndOf, writeEndToEnd } from '../formats/simai-end-to-end.js';
import { writeTopology } from '../formats/simai-topology-text.js';
import type { Batch, RecordSink } from '../records/schema.js';
import type { RunFigures } from '../report/run-figures.js';
import { jobFiles, manifestText, type RunIdentity } from './manifest.js';
import { fabricName, manifestName, summaryName } from '../stored-runs/stored-manifest.js';
import { outputError } from './output-error.js';
import { OutputFile } from './output-file.js';
import {
  makePartialFolder,
  newManifestName,
  placeFolder,
  removeMadeFolder,
  type MadeFolder,
  type RunFolders,
} from './run-folder.js';
import { sealedJson } from '../stored-runs/sealed-json.js';
import { releaseWriter } from './writer-mark.js';
import type { TableOutput } from './table-output.js';
import { filesOf, otherFileNames, type TableFile } from './table-outputs.js';

/** Where the results of a run are. */
export interface StoredRun {
  /** the folder as the user wrote it, with `.partial` if the run was stopped */
  readonly path: string;
  /** folders that keep the user's own files found in a run that was replaced */
  readonly keptAside: readonly string[];
}

/** The sink of one run; `create`, then give it to the run, then `finish` or `discard`. */
export class RunDirectory implements RecordSink {
  private readonly files: OutputFile[] = [];
  private readonly outputs: TableOutput[] = [];
  private readonly rowsOf = new Map<string, number>();
  /** SHA-256 of the files that are whole, by name */
  private readonly digests = new Map<string, string>();
  private readonly tableFiles: readonly TableFile[];

  private constructor(
    private readonly run: RunIdentity,
    private readonly folders: RunFolders,
    private readonly made: MadeFolder,
  ) {
    this.tableFiles = filesOf(run.tables);
  }

  /**
   * Makes the folder and opens its files.
   * @param folders from runFolders(), which checked them
   * @throws OutputError or InputError; nothing is left behind
   */
  static async create(folders: RunFolders, run: RunIdentity): Promise<RunDirectory> {
    const made = await makePartialFolder(folders);
    const directory = new RunDirectory(run, folders, made);
    try {
      await directory.writeManifest(null);
      if (run.fabric !== undefined) await directory.write(fabricName, writeTopology(run.fabric));
      for (const file of directory.tableFiles) {
        const output = await OutputFile.create(join(made.path, file.fileName));
        directory.files.push(output);
        directory.outputs.push(file.open(output, run.jobs));
      }
      return directory;
    } catch (error) {
      await directory.discard();
      throw error;
    }
  }

  get full(): boolean {
    return this.files.some((file) => file.full);
  }

  put(batch: Batch): void {
    const { name } = batch.schema;
    let taken = false;
    for (const [i, file] of this.tableFiles.entries()) {
      if (file.table.name !== name) continue;
      taken = true;
      this.outputs[i]!.put(batch);
    }
    if (!taken) fail(`a run directory has no file for the table ${name}`);
    this.rowsOf.set(name, (this.rowsOf.get(name) ?? 0) + batch.rows);
  }

  /** @throws OutputError if a file could not be written */
  async drain(): Promise<void> {
    for (const file of this.files) await file.drain();
  }

  /**
   * Completes every file and gives the folder its name, unless the run was stopped.
   * @param summary the object of `--json`, for summary.json
   * @throws OutputError; call `discard` then, unless `complete` is true
   */
  async finish(figures: RunFigures, summary: object): Promise<StoredRun> {
    for (const output of this.outputs) output.end();
    for (const [i, file] of this.files.entries()) this.digests.set(this.tableFiles[i]!.fileName, await file.close());
    await this.nameAgain();
    if (figures.jobs.length !== this.run.jobs.length)
      fail(`${figures.jobs.length} jobs were reported, ${this.run.jobs.length} were planned`);
    for (const [i, name] of jobFiles(this.run.jobs.length).entries())
      await this.write(name, writeEndToEnd(endToEndOf(figures.jobs[i]!)));
    await this.write(summaryName, sealedJson(summary));
    await this.writeManifest(figures);
    await releaseWriter(this.made.path);
    this.complete = true;
    const keptAside = this.made.keptAside === null ? [] : [this.made.keptAside];
    if (figures.outcome === 'stopped') return { path: `${this.folders.shown}.partial`, keptAside };
    const earlier = await placeFolder(this.folders);
    return { path: this.folders.shown, keptAside: earlier === null ? keptAside : [...keptAside, earlier] };
  }

  /** True once every file is complete in DIR.partial: from then on nothing is worth discarding. */
  complete = false;

  /** Removes everything that was written. Never throws: it runs after a failure. */
  async discard(): Promise<void> {
    if (this.complete) return;
    for (const file of this.files) await file.abandon();
    await removeMadeFolder(this.made);
  }

  /** Gives files their other names: one file under two names where the file system has that, else a copy. */
  private async nameAgain(): Promise<void> {
    for (const { fileName } of this.tableFiles)
      for (const other of otherFileNames.get(fileName) ?? []) {
        const [from, to] = [join(this.made.path, fileName), join(this.made.path, other)];
        try {
          await link(from, to).catch(() => copyFile(from, to));
        } catch (error) {
          throw outputError(to, error);
        }
        this.digests.set(other, this.digests.get(fileName)!);
      }
  }

  private async writeManifest(figures: RunFigures | null): Promise<void> {
    await this.write(newManifestName, manifestText(this.run, figures, this.rowsOf, this.digests));
    try {
      await rename(join(this.made.path, newManifestName), join(this.made.path, manifestName));
    } catch (error) {
      throw outputError(join(this.made.path, manifestName), error);
    }
  }

  private async write(name: string, text: string): Promise<void> {
    this.digests.set(name, createHash('sha256').update(text).digest('hex'));
    try {
      await writeFile(join(this.made.path, name), text);
    } catch (error) {
      throw outputError(join(this.made.path, name), error);
    }
  }
}
