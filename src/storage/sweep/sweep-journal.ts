// journal.jsonl: a line of JSON for each run of a sweep as it ended, in the order in which they ended. What a sweep is
// resumed from, and what its tables are made of.
// Invariants: a run is in the file, as far as this process can see to it, before `append` returns, so a process that is
// killed loses no run that was told of; a line that is not whole, or not one of ours, counts as not there; of two lines
// of one run the later counts; memory is a few bytes per run.

import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import {
  type CheckWord,
  runOutcomes,
  type RowValue,
  type RunOutcome,
  type RunRow,
} from '../../report/sweep/run-row.js';
import type { RunPlace } from '../../report/run-place.js';
import { fail } from '../../base/fail.js';
import { HostFileError } from '../../base/host.js';
import { outputError } from '../output-error.js';
import { kindOfFile } from '../regular-file.js';

/** What a run took: not the same from one time to the next. */
export interface RunTiming {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** What is kept of a run. */
export interface JournalEntry {
  readonly run: number;
  readonly row: RunRow;
  /** null: it came to nothing */
  readonly timing: RunTiming | null;
  /** left out: it was lost, or an earlier version kept the run */
  readonly place?: RunPlace | undefined;
}

/** Bytes of one read. */
const pieceBytes = 1 << 20;
/** Bytes of a line; what is longer is not ours. */
const longestLine = 1 << 22;
const newline = 10;

export class SweepJournal {
  private readonly offsets: Float64Array;
  private readonly lengths: Int32Array;
  /** 1 and up: place in runOutcomes */
  private readonly outcomes: Uint8Array;
  private sizeBytes = 0;

  private constructor(
    readonly path: string,
    private readonly file: number,
    readonly runs: number,
  ) {
    this.offsets = new Float64Array(runs);
    this.lengths = new Int32Array(runs);
    this.outcomes = new Uint8Array(runs);
  }

  /**
   * Opens a journal to go on with, or a new one.
   * @param runs of the sweep
   * @throws OutputError, HostFileError
   */
  static open(path: string, runs: number): SweepJournal {
    return SweepJournal.opened(path, runs, constants.O_RDWR | constants.O_CREAT, (journal, wholeBytes) => {
      // what a kill has cut off
      if (wholeBytes < journal.sizeBytes) ftruncateSync(journal.file, wholeBytes);
      journal.sizeBytes = wholeBytes;
    });
  }

  /** Opens a journal to be read, which may be growing. @throws OutputError, HostFileError */
  static read(path: string, runs: number): SweepJournal {
    return SweepJournal.opened(path, runs, constants.O_RDONLY, () => {});
  }

  private static opened(
    path: string,
    runs: number,
    flags: number,
    scanned: (journal: SweepJournal, wholeBytes: number) => void,
  ): SweepJournal {
    try {
      // without waiting, if it is a FIFO
      const file = openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o666);
      try {
        const status = fstatSync(file);
        if (!status.isFile()) throw new HostFileError(path, 'not-regular', `it is ${kindOfFile(status)}`);
        const journal = new SweepJournal(path, file, runs);
        scanned(journal, journal.scan());
        return journal;
      } catch (error) {
        closeSync(file);
        throw error;
      }
    } catch (error) {
      throw outputError(path, error);
    }
  }

  /** Whether a run has ended, and how; null: it has not. */
  outcomeOf(run: number): RunOutcome | null {
    const outcome = this.outcomes[run]!;
    return outcome === 0 ? null : runOutcomes[outcome - 1]!;
  }

  /** Runs that have ended. */
  get count(): number {
    return this.outcomes.reduce((count, outcome) => count + (outcome === 0 ? 0 : 1), 0);
  }

  /** Adds what came of a run. @throws OutputError */
  append(entry: JournalEntry): void {
    const line = Buffer.from(`${JSON.stringify(lineObject(entry))}\n`, 'utf8');
    try {
      for (let written = 0; written < line.length;)
        written += writeSync(this.file, line, written, line.length - written, this.sizeBytes + written);
    } catch (error) {
      throw outputError(this.path, error);
    }
    this.note(entry.run, entry.row.outcome, this.sizeBytes, line.length - 1);
    this.sizeBytes += line.length;
  }

  /** What is kept of a run; null if it has not ended. @throws OutputError */
  entryOf(run: number): JournalEntry | null {
    if (this.outcomes[run] === 0) return null;
    const line = Buffer.allocUnsafe(this.lengths[run]!);
    try {
      for (let length = 0; length < line.length;) {
        const bytes = readSync(this.file, line, length, line.length - length, this.offsets[run]! + length);
        if (bytes === 0) fail(`${this.path} became shorter while it was read`);
        length += bytes;
      }
    } catch (error) {
      throw outputError(this.path, error);
    }
    return entryOf(line.toString('utf8'), this.runs) ?? fail(`${this.path} changed while it was read`);
  }

  close(): void {
    closeSync(this.file);
  }

  private note(run: number, outcome: RunOutcome, offset: number, length: number): void {
    this.offsets[run] = offset;
    this.lengths[run] = length;
    this.outcomes[run] = 1 + runOutcomes.indexOf(outcome);
  }

  /** Finds the lines. @returns bytes up to the end of the last whole line */
  private scan(): number {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let line: Buffer[] = [];
    let lineBytes = 0;
    let lineAt = 0;
    for (;;) {
      const bytes = readSync(this.file, piece, 0, pieceBytes, this.sizeBytes);
      if (bytes === 0) return lineAt;
      let from = 0;
      for (let end = piece.indexOf(newline); end !== -1 && end < bytes; end = piece.indexOf(newline, from)) {
        const length = lineBytes + end - from;
        if (length <= longestLine) {
          const text = Buffer.concat([...line, piece.subarray(from, end)]).toString('utf8');
          const entry = entryOf(text, this.runs);
          if (entry !== null) this.note(entry.run, entry.row.outcome, lineAt, length);
        }
        lineAt = this.sizeBytes + end + 1;
        from = end + 1;
        line = [];
        lineBytes = 0;
      }
      lineBytes += bytes - from;
      if (lineBytes <= longestLine) line.push(Buffer.from(piece.subarray(from, bytes)));
      else line = [];
      this.sizeBytes += bytes;
    }
  }
}

function lineObject({ run, row, timing, place }: JournalEntry): object {
  return {
    run,
    seed: row.seed,
    outcome: row.outcome,
    error: row.error,
    timing,
    ...(place === undefined ? {} : { place }),
    verdict: row.verdict,
    failedChecks: row.failedChecks,
    digest: row.digest,
    figures: Object.fromEntries(row.figures),
    checks: Object.fromEntries(row.checks),
    ...(row.noEffect === undefined ? {} : { noEffect: row.noEffect }),
  };
}

/** A line as what is kept of a run; null: it is none of a sweep of so many runs. */
function entryOf(line: string, runs: number): JournalEntry | null {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null) return null;
  const { run, seed, outcome, error, timing, place, verdict, failedChecks, digest, figures, checks, noEffect } =
    read as Record<string, unknown>;
  if (
    !(Number.isSafeInteger(run) && (run as number) >= 0 && (run as number) < runs) ||
    !(seed === null || Number.isSafeInteger(seed)) ||
    !(runOutcomes as readonly unknown[]).includes(outcome) ||
    ![error, failedChecks, digest].every(isTextOrNull) ||
    !isCheckWord(verdict) ||
    !isRecordOf(figures, isRowValue) ||
    !isRecordOf(checks, isCheckWord) ||
    !(timing === null || isTiming(timing)) ||
    !(place === undefined || isPlace(place)) ||
    !(noEffect === undefined || (Array.isArray(noEffect) && noEffect.every((path) => typeof path === 'string')))
  )
    return null;
  return {
    run: run as number,
    timing,
    ...(place === undefined ? {} : { place }),
    row: {
      seed: seed as number | null,
      outcome: outcome as RunOutcome,
      error: error as string | null,
      figures: new Map(Object.entries(figures)),
      checks: new Map(Object.entries(checks)),
      verdict,
      failedChecks: failedChecks as string | null,
      digest: digest as string | null,
      ...(noEffect === undefined ? {} : { noEffect: noEffect as string[] }),
    },
  };
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isCheckWord(value: unknown): value is CheckWord {
  return value === 'passed' || value === 'failed';
}

function isRowValue(value: unknown): value is RowValue {
  return value === null || ['number', 'boolean', 'string'].includes(typeof value);
}

function isRecordOf<Value>(
  value: unknown,
  isValue: (value: unknown) => value is Value,
): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isValue);
}

function isTiming(value: unknown): value is RunTiming {
  if (typeof value !== 'object' || value === null) return false;
  const { cpuSeconds, wallSeconds } = value as Record<string, unknown>;
  return typeof cpuSeconds === 'number' && typeof wallSeconds === 'number';
}

function isPlace(value: unknown): value is RunPlace {
  if (typeof value !== 'object' || value === null) return false;
  const { host, startedAt, weftVersion } = value as Record<string, unknown>;
  return [host, startedAt, weftVersion].every((text) => typeof text === 'string');
}
