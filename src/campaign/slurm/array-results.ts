// What came of the runs of a job array: a file for each time that Slurm has begun a task, a line for each run.
// Invariants: a line counts once it is whole; a run that has a line is not carried out again by that task; of a file
// that another wrote nothing is taken but lines of this form, and each is told once.

import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outputError } from '../../storage/output-error.js';
import type { CarriedError } from '../carried-error.js';
import { portableData, portableText } from '../portable-data.js';

/** Bytes of a line; what is longer is not ours. */
const longestLine = 1 << 22;
const newline = 10;

/** A line: who begins, why nothing is done, or what came of a run. */
export type ResultLine =
  | { readonly began: { readonly node: string; readonly atMs: number } }
  | { readonly refused: string }
  | { readonly place: number; readonly result: unknown }
  | { readonly place: number; readonly error: CarriedError };

/** The results of one try of a task, being written. */
export class ResultWriter {
  private constructor(
    private readonly path: string,
    private readonly file: number,
  ) {}

  /** Begins the file of the next try. @throws OutputError */
  static open(folder: string, index: number): ResultWriter {
    for (let attempt = 0; ; attempt++) {
      const path = join(folder, 'results', `${index}.${attempt}.jsonl`);
      try {
        return new ResultWriter(path, openSync(path, 'wx'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw outputError(path, error);
      }
    }
  }

  /** @throws OutputError */
  append(line: ResultLine): void {
    const bytes = Buffer.from(`${portableText(line)}\n`, 'utf8');
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.file, bytes, written);
    } catch (error) {
      throw outputError(this.path, error);
    }
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Reads results as they come. */
export class ResultReader {
  /** bytes of each file that were told */
  private readonly offsets = new Map<string, number>();

  /** @param folder of the array */
  constructor(private readonly folder: string) {}

  /** The whole lines that were not told yet, with the task of each. @param wanted tasks whose files are looked at */
  async *lines(wanted: (index: number) => boolean): AsyncGenerator<{ index: number; line: ResultLine }> {
    const names = await readdir(join(this.folder, 'results')).catch((): string[] => []);
    for (const name of names) {
      const index = Number(/^(\d+)\.\d+\.jsonl$/.exec(name)?.[1] ?? NaN);
      if (!wanted(index)) continue;
      for (const line of this.linesOf(name)) yield { index, line };
    }
  }

  private *linesOf(name: string): Generator<ResultLine> {
    const from = this.offsets.get(name) ?? 0;
    let bytes: Buffer;
    try {
      const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
      const file = openSync(join(this.folder, 'results', name), flags);
      try {
        const status = fstatSync(file);
        if (!status.isFile() || status.size <= from) return;
        bytes = Buffer.allocUnsafe(Math.min(status.size - from, 4 * longestLine));
        bytes = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
      } finally {
        closeSync(file);
      }
    } catch {
      // gone, or not to be opened: it has no lines
      return;
    }
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const line = end - start > longestLine ? null : lineOf(bytes.toString('utf8', start, end));
      start = end + 1;
      this.offsets.set(name, from + start);
      if (line !== null) yield line;
    }
    // without an end in so many bytes it is none of ours
    if (start === 0 && bytes.length >= longestLine) this.offsets.set(name, from + bytes.length);
  }
}

/** null: it is none of ours. */
function lineOf(text: string): ResultLine | null {
  let read: unknown;
  try {
    read = portableData(text);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null) return null;
  const { began, refused, place, error } = read as Record<string, unknown>;
  if (typeof refused === 'string') return { refused };
  if (typeof began === 'object' && began !== null) return read as ResultLine;
  if (!Number.isSafeInteger(place)) return null;
  if (error === undefined) return 'result' in read ? (read as ResultLine) : null;
  return isCarriedError(error) ? (read as ResultLine) : null;
}

function isCarriedError(error: unknown): boolean {
  const { name, message, stack, detail } = (error ?? {}) as Record<string, unknown>;
  return [name, message, stack].every((word) => typeof word === 'string') && typeof detail === 'object';
}
