// A file of transfers, a trace or another form of it, as work: read once to check it before anything runs, then again,
// block by block, while the simulation goes on.
// Invariant: no row leaves the second reading that the first one did not check. Each block's checksum is compared
// before its rows are handed out, so a file that changes in between ends the run with an error instead of corrupting
// it. Memory: one block and one piece.

import { Float64List, Int32List } from '../base/columns.js';
import { FileProblems, Diagnostics, InputError } from '../base/diagnostics.js';
import { fail } from '../base/fail.js';
import { HostFileError } from '../base/host.js';
import type { Fabric } from '../fabric/fabric.js';
import { TransferList } from '../flows/transfer-list.js';
import type { TransferSink, WorkSource } from '../flows/work-source.js';
import type { RowForm, RowParser, TransferRowSink } from './row-form.js';
import { traceForm } from './trace-csv.js';

/** Rows per block: rows are handed out in blocks of this many, the last one shorter. */
export const traceBlockRows = 4096;
/** Most rows that are sorted in memory (32 bytes each). */
const maxUnsortedRows = 10_000_000;
/** Pieces of a file are read in parts of at most this many bytes, which bounds the rows that wait. */
const partBytes = 65_536;

/** What a whole trace comes to. */
export interface TraceScan {
  readonly rows: number;
  /** true if no row starts before the one above it */
  readonly sorted: boolean;
  readonly lastStartPs: number;
  readonly totalBytes: number;
  /** a checksum of the rows of each block */
  readonly checksums: Int32Array;
}

/** True if a path leads from one host to another. */
export type ConnectedTest = (source: number, destination: number) => boolean;

/** What else is wrong with a transfer from one host to another; null if nothing is. */
export type PairProblem = (
  source: number,
  destination: number,
) => { readonly message: string; readonly wanted: string } | null;

/**
 * Reads a whole file of transfers and checks every row, so that a run cannot fail in the middle because of its input.
 * @param bytes the file in pieces of any size @param file its name, for messages
 * @param connected asked for each row, if given; false is the error `trace-unconnected` at the row
 * @param problemOf asked for each connected row, if given; an answer is the error `trace-pin` at the row
 * @param form of the file, with the beginning of the codes of its mistakes; left out: a trace
 * @returns the totals; meaningless if the diagnostics have errors afterwards
 */
export async function scanTrace(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  fabric: Fabric,
  diagnostics: Diagnostics,
  connected?: ConnectedTest,
  problemOf?: PairProblem,
  form: RowForm = traceForm,
): Promise<TraceScan> {
  const problems = new FileProblems(file, diagnostics);
  const { code, noun } = form;
  const scanner = new Scanner(file, diagnostics, connected, problemOf, code);
  const parser = form.parser(file, fabric, diagnostics, scanner);
  let byteCount = 0;
  for await (const piece of bytes) {
    byteCount += piece.length;
    parser.push(piece);
    if (parser.stopped || diagnostics.full) break;
  }
  parser.end();
  if (byteCount === 0) {
    problems.error(`${code}-empty`, { line: 1, column: 1 }, `the ${noun} is empty (0 bytes)`, {
      wanted: `at least one transfer: ${form.rowText}`,
    });
  } else if (scanner.rows === 0 && !problems.failed) {
    problems.error(`${code}-empty`, { line: parser.lastLine, column: 1 }, `the ${noun} has no transfer`, {
      wanted: `at least one row below the header and the comments: ${form.rowText}`,
    });
  }
  const sorting = form.sortHint(file);
  if (!scanner.sorted && scanner.rows > maxUnsortedRows) {
    problems.error(
      `${code}-unsorted`,
      { line: scanner.unsortedLine, column: 1 },
      `a transfer starts before the one above it, and ${scanner.rows} rows are too many to sort in memory`,
      {
        wanted: `rows in order of time, or at most ${maxUnsortedRows} rows`,
        ...(sorting === undefined ? {} : { hint: `${sorting} (header first, if there is one)` }),
      },
    );
  } else if (!scanner.sorted) {
    problems.warning(
      `${code}-unsorted`,
      { line: scanner.unsortedLine, column: 1 },
      `a transfer starts before the one above it; the ${noun} is sorted in memory`,
      sorting === undefined ? {} : { hint: sorting },
    );
  }
  return scanner.result();
}

class Scanner extends FileProblems implements TransferRowSink {
  rows = 0;
  sorted = true;
  unsortedLine = 0;
  private lastStartPs = 0;
  private totalBytes = 0;
  private checksum = 0;
  private readonly checksums = new Int32List();

  constructor(
    file: string,
    diagnostics: Diagnostics,
    private readonly connected: ConnectedTest | undefined,
    private readonly problemOf: PairProblem | undefined,
    private readonly code: string,
  ) {
    super(file, diagnostics);
  }

  row(startPs: number, source: number, destination: number, sizeBytes: number, line: number): void {
    if (this.connected !== undefined && !this.connected(source, destination)) {
      this.error(
        `${this.code}-unconnected`,
        { line, column: 1 },
        `no path leads from host ${source} to host ${destination}`,
        { wanted: 'two hosts joined by links through switches (hosts do not forward)' },
      );
    } else if (this.problemOf !== undefined) {
      const problem = this.problemOf(source, destination);
      if (problem !== null)
        this.error(`${this.code}-pin`, { line, column: 1 }, problem.message, {
          wanted: problem.wanted,
        });
    }
    if (startPs < this.lastStartPs) {
      if (this.sorted) this.unsortedLine = line;
      this.sorted = false;
    } else {
      this.lastStartPs = startPs;
    }
    this.totalBytes += sizeBytes;
    this.checksum = folded(this.checksum, startPs, source, destination, sizeBytes);
    if (++this.rows % traceBlockRows === 0) this.closeBlock();
  }

  result(): TraceScan {
    if (this.rows % traceBlockRows !== 0) this.closeBlock();
    return {
      rows: this.rows,
      sorted: this.sorted,
      lastStartPs: this.lastStartPs,
      totalBytes: this.totalBytes,
      checksums: this.checksums.toArray(),
    };
  }

  private closeBlock(): void {
    this.checksums.push(this.checksum);
    this.checksum = 0;
  }
}

/**
 * The transfers of a trace that was scanned and is in order of time. The file is opened again at the first refill and
 * read as the simulation needs it. A refill throws InputError (`trace-changed`) if the file is no longer the one that
 * was scanned.
 */
export class TraceSource implements WorkSource, TransferRowSink {
  readonly total: number;
  readonly totalBytes: number;
  private readonly starts = new Float64List();
  private readonly sizes = new Float64List();
  private readonly sources = new Int32List();
  private readonly destinations = new Int32List();
  /** rows of the window: handed out below `next`, checked below `checked`, still to be checked above */
  private next = 0;
  private checked = 0;
  /** number of the window's first row */
  private firstId = 0;
  private checksum = 0;
  private blocksChecked = 0;
  private finished = false;
  private closed = false;
  private readonly diagnostics = new Diagnostics();
  private readonly parser: RowParser;
  private pieces: AsyncIterator<Uint8Array> | null = null;
  private piece: Uint8Array | null = null;
  private pieceRead = 0;

  /** @param bytes opens the file anew @param scan what scanTrace found in it @param form with which it was scanned */
  constructor(
    private readonly bytes: () => AsyncIterable<Uint8Array>,
    private readonly file: string,
    private readonly fabric: Fabric,
    private readonly scan: TraceScan,
    private readonly form: RowForm = traceForm,
  ) {
    this.total = scan.rows;
    this.totalBytes = scan.totalBytes;
    this.parser = form.parser(file, fabric, this.diagnostics, this);
  }

  /** The same transfers: the file is opened anew and must still be the one that was scanned. */
  fromStart(): TraceSource {
    return new TraceSource(this.bytes, this.file, this.fabric, this.scan, this.form);
  }

  nextStartPs(): number {
    if (this.next < this.checked) return this.starts.values[this.next]!;
    return this.finished ? Infinity : NaN;
  }

  expand(nowPs: number, sink: TransferSink): void {
    while (this.next < this.checked) {
      const i = this.next;
      const startPs = this.starts.values[i]!;
      if (startPs > nowPs) return;
      this.next++;
      sink.transfer(
        this.firstId + i,
        this.sources.values[i]!,
        this.destinations.values[i]!,
        this.sizes.values[i]!,
        startPs,
      );
    }
  }

  async refill(): Promise<void> {
    if (this.closed) fail(`the trace ${this.file} was read after it was closed`);
    this.dropHandedOut();
    while (this.next === this.checked && !this.finished) {
      const part = await this.nextPart();
      if (part === null) {
        this.parser.end();
        this.finished = true;
      } else {
        this.parser.push(part);
      }
      if (this.diagnostics.hasErrors) throw changed(this.file, this.form);
      // nothing behind what was announced counts
      if (this.parser.stopped) this.finished = true;
      if (this.finished) this.finish();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const pieces = this.pieces;
    this.pieces = null;
    await pieces?.return?.();
  }

  /** For the parser only: takes a row into the window. */
  row(startPs: number, source: number, destination: number, sizeBytes: number): void {
    this.starts.push(startPs);
    this.sizes.push(sizeBytes);
    this.sources.push(source);
    this.destinations.push(destination);
    this.checksum = folded(this.checksum, startPs, source, destination, sizeBytes);
    if (this.starts.length - this.checked === traceBlockRows) this.checkBlock();
  }

  private checkBlock(): void {
    if (this.checksum !== this.scan.checksums[this.blocksChecked]) throw changed(this.file, this.form);
    this.blocksChecked++;
    this.checksum = 0;
    this.checked = this.starts.length;
  }

  private finish(): void {
    if (this.checked < this.starts.length) this.checkBlock();
    if (this.firstId + this.checked !== this.total) throw changed(this.file, this.form);
  }

  /** Moves the rows not yet handed out to the front of the window. */
  private dropHandedOut(): void {
    const from = this.next;
    const until = this.starts.length;
    for (const list of [this.starts, this.sizes, this.sources, this.destinations]) {
      list.values.copyWithin(0, from, until);
      list.length = until - from;
    }
    this.firstId += from;
    this.checked -= from;
    this.next = 0;
  }

  private async nextPart(): Promise<Uint8Array | null> {
    this.pieces ??= this.bytes()[Symbol.asyncIterator]();
    while (this.piece === null || this.pieceRead >= this.piece.length) {
      const step = await this.pieces.next().catch((error: unknown) => {
        throw error instanceof HostFileError ? changed(this.file, this.form) : error;
      });
      if (step.done === true) return null;
      this.piece = step.value;
      this.pieceRead = 0;
    }
    const part = this.piece.subarray(this.pieceRead, this.pieceRead + partBytes);
    this.pieceRead += part.length;
    return part;
  }
}

/**
 * Loads a scanned trace whose rows are not in order of time into memory, 32 bytes a row; rows that start together keep
 * their order.
 * @throws InputError `trace-changed` if the file is no longer the one that was scanned
 */
export async function loadTrace(
  bytes: () => AsyncIterable<Uint8Array>,
  file: string,
  fabric: Fabric,
  scan: TraceScan,
  form: RowForm = traceForm,
): Promise<TransferList> {
  const list = new TransferList();
  const source = new TraceSource(bytes, file, fabric, scan, form);
  const sink = {
    transfer: (_id: number, from: number, to: number, sizeBytes: number, startPs: number) =>
      list.add(from, to, sizeBytes, startPs),
  };
  try {
    while (source.nextStartPs() !== Infinity) {
      await source.refill();
      source.expand(Infinity, sink);
    }
  } finally {
    await source.close();
  }
  return list;
}

function changed(file: string, { code, noun }: RowForm): InputError {
  return InputError.at(`${code}-changed`, file, { line: 0, column: 0 }, `the ${noun} changed while it was being read`, {
    wanted: 'the rows that were checked before the run',
    hint: 'run again once the file is complete',
  });
}

/** Folds a row into a 32-bit checksum (multiply and rotate, with MurmurHash3's constants). */
function folded(checksum: number, startPs: number, source: number, destination: number, sizeBytes: number): number {
  let h = mixed(checksum, startPs);
  h = mixed(h, Math.floor(startPs / 4294967296));
  h = mixed(h, source);
  h = mixed(h, destination);
  h = mixed(h, sizeBytes);
  return mixed(h, Math.floor(sizeBytes / 4294967296));
}

function mixed(h: number, word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  const x = h ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((x << 13) | (x >>> 19), 5) + 0xe6546b64) | 0;
}
