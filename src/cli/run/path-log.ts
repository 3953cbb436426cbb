// The file of CC_LOG_FILE: the paths of all flows, written while the run goes on, beside what else takes its records.
// Invariants: the file appears whole, under its name, when the run has ended (stopped or not); what stands there is
// replaced only if it is a paths.csv; a run that fails leaves it as it was.
// Source: central-controller document (docs/SOURCES.md), §6, whose file has the flows of the controller alone.

import { rename, stat, unlink } from 'node:fs/promises';
import { InputError } from '../../base/diagnostics.js';
import { isPathsHeader } from '../../formats/paths-csv-reader.js';
import { PathsCsvFormatter, pathsCsvHeader } from '../../formats/paths-csv.js';
import { hopTable } from '../../records/flow-records.js';
import type { Batch, RecordSink } from '../../records/schema.js';
import { OutputFile } from '../../storage/output-file.js';
import { outputError } from '../../storage/output-error.js';
import { removeLeftovers, unfinishedName } from '../../storage/unfinished-file.js';
import { nodeRunFiles } from '../../storage/node-run-files.js';
import { firstLine } from '../../stored-runs/line-pieces.js';

/** Passes records on to another sink, if there is one, and writes those of the hops to a file. */
export class PathLog implements RecordSink {
  private readonly formatter = new PathsCsvFormatter();

  private constructor(
    private readonly path: string,
    private readonly file: OutputFile,
    private readonly next: RecordSink | null,
  ) {
    file.append(pathsCsvHeader);
  }

  /** @throws InputError if something else stands there; OutputError */
  static async create(path: string, next: RecordSink | null): Promise<PathLog> {
    await requireReplaceable(path);
    await removeLeftovers(path);
    return new PathLog(path, await OutputFile.create(unfinishedName(path)), next);
  }

  get full(): boolean {
    return this.file.full || (this.next?.full ?? false);
  }

  put(batch: Batch): void {
    if (batch.schema.name === hopTable.name) this.file.append(this.formatter.push(batch));
    this.next?.put(batch);
  }

  async drain(): Promise<void> {
    await this.file.drain();
    await this.next?.drain();
  }

  /** Gives the file its name. @throws OutputError */
  async finish(): Promise<void> {
    this.file.append(this.formatter.end());
    await this.file.close();
    await rename(this.file.path, this.path).catch((error: unknown) => {
      throw outputError(this.path, error);
    });
  }

  /** Removes what was written. Never throws. */
  async discard(): Promise<void> {
    await this.file.abandon();
    await unlink(this.file.path).catch(() => {});
  }
}

async function requireReplaceable(path: string): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there === null || there.size === 0) return;
  const line = there.isFile() ? await firstLine(nodeRunFiles, path) : null;
  if (line !== null && isPathsHeader(line.text) && line.text.startsWith('flow_id,')) return;
  throw InputError.about('path-log', path, 'exists and is no paths.csv, so it is left as it is', {
    hint: 'give CC_LOG_FILE another name',
  });
}
