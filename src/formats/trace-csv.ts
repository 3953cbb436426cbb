// A trace of transfers as text: `timestamp_ns,src,dst,size_bytes`, one per line; read in pieces of any size, straight
// from the bytes.
// Invariants: the rows do not depend on where the pieces are cut; memory does not grow with the file; every row handed
// to a sink is valid (two different hosts of the fabric, or a host and an NVSwitch linked to it, at least one byte, a
// time below 2^53 ps). Source: SimAI's trace injection (central-controller document (docs/SOURCES.md) §5); comments,
// blank lines, fractions of a nanosecond and the positioned errors are ours. Documented in docs/formats/trace-csv.md.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { decimalText } from '../base/units.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { nvswitchEndProblem } from '../fabric/nvswitch-ends.js';
import { TransferSizes } from '../flows/transfer-sizes.js';
import { digits, fractionPs, latin1, notDigits, tooLarge } from './ascii-numbers.js';
import type { RowForm, RowParser, TransferRowSink } from './row-form.js';

/** The header line that Weft writes; it is optional in what it reads. */
export const traceHeader = 'timestamp_ns,src,dst,size_bytes';

const newline = 10;
const carriageReturn = 13;
const space = 32;
const tab = 9;
const hash = 35;
const comma = 44;
const minus = 45;
const dot = 46;

/** Longest line that is read; a longer one is an error, so that a file without line ends cannot fill the memory. */
const maxLineBytes = 65_536;
const maxTimestampNs = 9_007_199_254_740;
const fieldCount = 4;
const fieldNames = ['timestamp_ns', 'src', 'dst', 'size_bytes'] as const;
const headerNames: readonly (readonly string[])[] = [
  ['timestamp_ns', 'start_ns', 'time_ns'],
  ['src', 'source', 'src_node_id'],
  ['dst', 'dest', 'destination', 'dst_node_id'],
  ['size_bytes', 'size', 'bytes'],
];

/**
 * A row as it stands in a file, without line end.
 * @param startPs picoseconds, written as nanoseconds with up to three decimals
 */
export function formatTraceRow(startPs: number, source: number, destination: number, sizeBytes: number): string {
  return `${decimalText(startPs, 3)},${source},${destination},${sizeBytes}`;
}

/**
 * Parses a trace piece by piece: `push` each piece, then `end`. Errors go to the diagnostics; reading is pointless once
 * `stopped`.
 */
export class TraceParser extends FileProblems implements RowParser {
  /** Rows handed to the sink. */
  rows = 0;
  /** No more bytes are wanted: too many errors, or the file is no text at all. */
  stopped = false;
  private line = 0;
  private seenContent = false;
  private seenBytes = false;
  private carry = new Uint8Array(256);
  private carryLength = 0;
  /** fields of the current line, and the first one too many: start and end offsets of each, blanks trimmed */
  private readonly fields = new Int32Array(2 * fieldCount + 2);
  private lineStart = 0;

  constructor(
    file: string,
    private readonly fabric: Fabric,
    diagnostics: Diagnostics,
    private readonly sink: TransferRowSink,
    private readonly sizes: TransferSizes = new TransferSizes(fabric, Infinity),
  ) {
    super(file, diagnostics);
  }

  /** Reads the next bytes of the file; a line may be cut anywhere. The bytes are not kept. */
  push(bytes: Uint8Array): void {
    if (this.stopped) return;
    let from = 0;
    if (this.carryLength > 0 || !this.seenBytes) {
      // Until the first line end, so that a byte order mark cut in two is still seen as one.
      const end = bytes.indexOf(newline);
      const until = end < 0 ? bytes.length : end + 1;
      this.keep(bytes, 0, until);
      if (end < 0 || this.stopped) return;
      this.readKept();
      from = until;
    }
    if (this.stopped) return;
    const last = bytes.lastIndexOf(newline);
    if (last >= from) {
      this.readLines(bytes, from, last + 1);
      from = last + 1;
    }
    if (!this.stopped && from < bytes.length) this.keep(bytes, from, bytes.length);
  }

  /** Reads a last line without a line end. */
  end(): void {
    if (this.stopped || this.carryLength === 0) return;
    this.keep(Uint8Array.of(newline), 0, 1);
    if (!this.stopped) this.readKept();
  }

  /** The last line that was read, from 1; 0 in an empty file. */
  get lastLine(): number {
    return this.line;
  }

  private keep(bytes: Uint8Array, from: number, until: number): void {
    const length = this.carryLength + until - from;
    if (length > maxLineBytes + 1) return this.tooLong(this.line + 1);
    if (length > this.carry.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.carry.length));
      larger.set(this.carry.subarray(0, this.carryLength));
      this.carry = larger;
    }
    this.carry.set(bytes.subarray(from, until), this.carryLength);
    this.carryLength = length;
  }

  private tooLong(line: number): void {
    this.error('trace-line-too-long', { line, column: 1 }, `a line is longer than ${maxLineBytes} bytes`, {
      wanted: `lines of the form ${traceHeader}`,
      hint: 'is this a text file with one transfer per line?',
    });
    this.stopped = true;
  }

  private readKept(): void {
    const length = this.carryLength;
    this.carryLength = 0;
    this.readLines(this.carry, this.seenBytes ? 0 : this.skipMark(length), length);
  }

  /** Skips a UTF-8 byte order mark at the start of the file and refuses UTF-16. */
  private skipMark(length: number): number {
    this.seenBytes = true;
    const [a, b, c] = this.carry;
    if (length >= 3 && a === 0xef && b === 0xbb && c === 0xbf) return 3;
    if (length >= 2 && ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))) {
      this.error('trace-encoding', { line: 1, column: 1 }, 'the file is UTF-16', {
        wanted: 'UTF-8 or ASCII text',
        hint: 'save it again as "CSV UTF-8"',
      });
      this.stopped = true;
      return length;
    }
    return 0;
  }

  /** Reads whole lines: bytes[until - 1] is a line end (nothing is read if from = until). */
  private readLines(bytes: Uint8Array, from: number, until: number): void {
    let position = from;
    while (position < until && !this.stopped) position = this.readLine(bytes, position);
  }

  /** Reads one line. @returns the offset after its line end */
  private readLine(bytes: Uint8Array, start: number): number {
    this.line++;
    this.lineStart = start;
    const fields = this.fields;
    let count = 0;
    let first = -1;
    let last = start - 1;
    let position = start;
    for (; ; position++) {
      const byte = bytes[position]!;
      if (byte > comma) {
        if (first < 0) first = position;
        last = position;
      } else if (byte === comma || byte === newline || byte === hash) {
        if (count <= fieldCount) {
          fields[2 * count] = first < 0 ? position : first;
          fields[2 * count + 1] = first < 0 ? position : last + 1;
        }
        count++;
        if (byte !== comma) break;
        first = -1;
      } else if (byte !== space && byte !== tab && byte !== carriageReturn) {
        if (first < 0) first = position;
        last = position;
      }
    }
    if (bytes[position] === hash) position = bytes.indexOf(newline, position);
    if (position - start > maxLineBytes) this.tooLong(this.line);
    else if (count > 1 || first >= 0) this.readRow(bytes, count);
    return position + 1;
  }

  private readRow(bytes: Uint8Array, count: number): void {
    const isFirst = !this.seenContent;
    this.seenContent = true;
    if (isFirst && isLetter(bytes[this.fields[0]!]!)) return this.readHeader(bytes, count);
    if (count !== fieldCount) return this.wrongCount(bytes, count);
    const errorsBefore = this.diagnostics.errorCount;
    const startPs = this.readTime(bytes);
    const source = this.readEnd(bytes, 1);
    const destination = this.readEnd(bytes, 2);
    const sizeBytes = this.readSize(bytes, source, startPs);
    if (source >= 0 && source === destination)
      this.report('trace-self', bytes, 2, 'the transfer goes from a host to itself', 'two different hosts');
    else if (source >= 0 && destination >= 0) {
      const problem = nvswitchEndProblem(this.fabric, source, destination);
      if (problem !== null)
        this.report('trace-nvswitch-end', bytes, problem.end === 'source' ? 1 : 2, problem.message, problem.wanted);
    }
    if (this.diagnostics.errorCount === errorsBefore) {
      this.rows++;
      this.sink.row(startPs, source, destination, sizeBytes, this.line);
    } else if (this.diagnostics.full) {
      this.stopped = true;
    }
  }

  private readHeader(bytes: Uint8Array, count: number): void {
    if (count !== fieldCount) return this.wrongCount(bytes, count);
    for (let field = 0; field < fieldCount; field++) {
      if (headerNames[field]!.includes(this.text(bytes, field).toLowerCase())) continue;
      this.report(
        'trace-header',
        bytes,
        field,
        `column ${field + 1} of the header is not ${fieldNames[field]!}`,
        headerNames[field]!.join(' or '),
        `the columns are ${traceHeader}, in this order`,
      );
      return;
    }
  }

  private wrongCount(bytes: Uint8Array, count: number): void {
    const at = { line: this.line, column: this.fields[2 * Math.min(count - 1, fieldCount)]! - this.lineStart + 1 };
    this.error('trace-field-count', at, `a row has ${count} field${count === 1 ? '' : 's'}`, {
      got: latin1(bytes, this.lineStart, bytes.indexOf(newline, this.lineStart)),
      wanted: `4 fields: ${traceHeader}`,
      ...(count === 1 ? { hint: 'fields are separated by commas' } : {}),
    });
    this.stopped = this.diagnostics.full;
  }

  private readTime(bytes: Uint8Array): number {
    const from = this.fields[0]!;
    const until = this.fields[1]!;
    let point = from;
    while (point < until && bytes[point] !== dot) point++;
    const ns = from === point ? notDigits : digits(bytes, from, point);
    const ps = point === until ? 0 : fractionPs(bytes, point + 1, until);
    if (ns === notDigits || ps === notDigits) return this.notANumber(bytes, 0, 'nanoseconds, such as 1500 or 0.25');
    const timePs = ns === tooLarge || ns > maxTimestampNs ? Infinity : ns * 1000 + ps;
    if (timePs > Number.MAX_SAFE_INTEGER)
      this.report(
        'trace-time-too-large',
        bytes,
        0,
        'a start time beyond the longest simulation',
        `at most ${maxTimestampNs} ns (about 2.5 hours)`,
        'are the timestamps counted from the start of the trace, in nanoseconds?',
      );
    return timePs;
  }

  /** @returns the node id, or -1 after an error */
  private readEnd(bytes: Uint8Array, field: number): number {
    const node = digits(bytes, this.fields[2 * field]!, this.fields[2 * field + 1]!);
    const { nodeCount, nodeKind, hosts } = this.fabric;
    if (node === notDigits) return this.notANumber(bytes, field, 'the id of a host, a whole number');
    if (node === tooLarge || node >= nodeCount) {
      this.report('trace-unknown-host', bytes, field, `${fieldNames[field]!} is not in the fabric`, hostsText(hosts));
      return -1;
    }
    if (nodeKind[node] === NodeKind.switch) {
      this.report('trace-not-a-host', bytes, field, `${fieldNames[field]!} is a switch, not a host`, hostsText(hosts));
      return -1;
    }
    return node;
  }

  private readSize(bytes: Uint8Array, source: number, startPs: number): number {
    const size = digits(bytes, this.fields[6]!, this.fields[7]!);
    if (size === notDigits) return this.notANumber(bytes, 3, 'a whole number of bytes without a unit');
    const sent = this.sizes.sentBytes(size === tooLarge ? Infinity : size, source, startPs);
    if (sent === null)
      this.report(
        'trace-size-too-large',
        bytes,
        3,
        'a transfer beyond 256 GiB',
        this.sizes.wanted,
        'split it into several transfers',
      );
    if (size === 0)
      this.report(
        'trace-size-zero',
        bytes,
        3,
        'a transfer of 0 bytes',
        'at least 1 byte',
        'leave the row out if nothing is sent',
      );
    return sent ?? 0;
  }

  private notANumber(bytes: Uint8Array, field: number, wanted: string): -1 {
    const from = this.fields[2 * field]!;
    const name = fieldNames[field]!;
    if (from === this.fields[2 * field + 1]) {
      this.report('trace-not-a-number', bytes, field, `${name} is empty`, wanted);
    } else if (bytes[from] === minus && looksNumeric(this.text(bytes, field))) {
      this.report('trace-negative', bytes, field, `${name} is negative`, wanted);
    } else {
      const text = this.text(bytes, field);
      const hint = looksNumeric(text)
        ? 'write the number out, without exponent or decimals'
        : /^["']/.test(text)
          ? 'write the number without quotes'
          : undefined;
      this.report('trace-not-a-number', bytes, field, `${name} is not a number`, wanted, hint);
    }
    return -1;
  }

  private report(code: string, bytes: Uint8Array, field: number, message: string, wanted: string, hint?: string): void {
    const at = { line: this.line, column: this.fields[2 * field]! - this.lineStart + 1 };
    this.error(code, at, message, {
      got: this.text(bytes, field),
      wanted,
      ...(hint === undefined ? {} : { hint }),
    });
    this.stopped = this.diagnostics.full;
  }

  private text(bytes: Uint8Array, field: number): string {
    return latin1(bytes, this.fields[2 * field]!, this.fields[2 * field + 1]!);
  }
}

/** Traces, for the readings of trace-source.ts. @param sizes left out: at most maxTransferBytes */
export function traceFormOf(sizes?: TransferSizes): RowForm {
  return {
    code: 'trace',
    noun: 'trace',
    rowText: traceHeader,
    sortHint: (file) => `sort -t, -k1,1g -s ${file} > sorted.csv`,
    parser: (file, fabric, diagnostics, sink) => new TraceParser(file, fabric, diagnostics, sink, sizes),
  };
}

export const traceForm: RowForm = traceFormOf();

function isLetter(byte: number): boolean {
  return (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte === 95;
}

function looksNumeric(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text);
}

/** The hosts of a fabric for a message: `a host, 0 to 15`. */
export function hostsText(hosts: Int32Array): string {
  if (hosts.length === 0) return 'a host, of which the fabric has none';
  const first = hosts[0]!;
  const last = hosts[hosts.length - 1]!;
  return last - first + 1 === hosts.length
    ? `a host, ${first} to ${last}`
    : `one of the ${hosts.length} hosts from ${first} to ${last}`;
}
