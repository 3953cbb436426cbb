// Long because it is one matrix in two formats, with the mistakes that they can hold.
// Traffic matrices as files: CSV (source,destination,bytes[,phase]) and MatrixMarket (coordinate) -> Traffic, and back
// to CSV.
// Invariants: every mistake has file:line:column; files come in pieces, so that ten million pairs take little more
// memory than they have; pairs that stand twice add up; what a host sends to itself is left out with a warning. Format:
// docs/formats/traffic-matrix.md.

import { fail } from '../base/fail.js';
import { FileProblems, wholeFile, type Diagnostics, type DiagnosticDetail } from '../base/diagnostics.js';
import { TrafficBuilder, TrafficColumn, type Traffic, type TrafficUnit } from '../flows/traffic/matrix.js';
import { ByteLines, longestLine, asciiOf, utf8Of } from './byte-lines.js';

/** The hosts that files may name. */
export interface TrafficHosts {
  readonly count: number;
  /** ranks of the hosts of a name, ascending; none or several are mistakes */
  readonly ranksOf: (name: string) => readonly number[];
}

/** What a column of amounts is headed with, in bytes; `weight` means amounts that only compare. */
const amountUnits: ReadonlyMap<string, number> = new Map([
  ['bytes', 1],
  ['b', 1],
  ['words', 4],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['kib', 1024],
  ['mib', 1024 * 1024],
  ['gib', 1024 * 1024 * 1024],
]);
const mostPhases = 10_000;
/** Bytes and weights up to here: sums of them and of their squares stay finite. */
const largestAmount = 1e60;
const longestField = 200;
const comma = 44;
const quote = 34;

/** Reads either form piece by piece; the first line tells them apart. */
export class TrafficReader extends FileProblems {
  private readonly lines = new ByteLines((line, length, number) => {
    this.readLine(line, length, number);
  });
  private readonly builders = new Map<string, TrafficBuilder>();
  private builder: TrafficBuilder | null = null;
  private lastPhase = '';
  private form: 'csv' | 'matrix-market' | null = null;
  private unit: TrafficUnit = 'bytes';
  private factor = 1;
  private hasPhase = false;
  /** after a wrong header no line means anything */
  private hopeless = false;
  private lineNumber = 0;
  private rows = 0;
  private anyTraffic = false;
  private selfPairs = 0;
  private firstSelfPair = 0;
  /** MatrixMarket: entries that the size line announces; -1 before it */
  private announced = -1;
  private sizeLine = 0;
  private symmetric = false;
  private pattern = false;
  private readonly starts = new Int32Array(8);
  private readonly ends = new Int32Array(8);

  constructor(
    private readonly name: string,
    file: string,
    private readonly hosts: TrafficHosts,
    diagnostics: Diagnostics,
  ) {
    super(file, diagnostics);
  }

  push(piece: Uint8Array): void {
    if (!this.full) this.lines.push(piece);
  }

  /** Ends the file. @returns the traffic, null if there were errors */
  end(): Traffic | null {
    this.lines.end();
    if (!this.failed && this.form === 'matrix-market' && this.announced === -1)
      this.error('wrong-size', wholeFile, 'the size line is missing', {
        wanted: `${this.hosts.count} ${this.hosts.count} and the number of entries, below the first line`,
      });
    if (!this.failed && this.form === 'matrix-market' && this.rows !== Math.max(0, this.announced)) {
      const at = { line: this.sizeLine, column: 1 };
      this.error('wrong-count', at, 'the matrix has not as many entries as its size line says', {
        got: `${this.rows} entries up to line ${this.lineNumber}`,
        wanted: `${this.announced} entries`,
        hint: 'is the file cut off?',
      });
    }
    if (!this.failed && this.rows === 0)
      this.error('empty-file', wholeFile, 'there is no traffic in the file', {
        wanted: 'source,destination,bytes and a line for every pair, or a MatrixMarket file',
      });
    if (this.failed) return null;
    if (!this.anyTraffic) this.warning('no-traffic', wholeFile, 'all amounts of traffic between hosts are 0');
    if (this.selfPairs > 0)
      this.warning(
        'self-traffic',
        { line: this.firstSelfPair, column: 1 },
        `${this.selfPairs} entries from hosts to themselves are left out: they cross no link`,
      );
    const phases = [...this.builders].map(([name, builder]) => ({ name, matrix: builder.build() }));
    return { name: this.name, hostCount: this.hosts.count, unit: this.unit, note: '', phases };
  }

  private refuse(code: string, column: number, message: string, detail: DiagnosticDetail = {}): void {
    this.error(code, { line: this.lineNumber, column }, message, detail);
  }

  private readLine(line: Uint8Array, length: number, lineNumber: number): void {
    if (this.full || this.hopeless) return;
    this.lineNumber = lineNumber;
    if (
      this.form === null &&
      lineNumber === 1 &&
      asciiOf(line, 0, Math.min(length, 14)).toLowerCase() === '%%matrixmarket'
    ) {
      this.banner(asciiOf(line, 0, Math.min(length, 200)));
      return;
    }
    const first = line[0];
    if (length === 0 || first === 35 || (this.form === 'matrix-market' && first === 37)) {
      if (first === 37) this.comment(asciiOf(line, 0, Math.min(length, 80)));
      return;
    }
    if (length >= longestLine) {
      this.refuse('long-line', 1, `the line is longer than ${longestLine - 1} bytes`, {
        got: `${asciiOf(line, 0, 40)}...`,
      });
      return;
    }
    const fields = this.split(line, length, this.form !== 'matrix-market');
    if (fields <= 0) return;
    for (let i = 0; i < fields; i++) {
      if (this.ends[i]! - this.starts[i]! <= longestField) continue;
      this.refuse('long-field', this.starts[i]! + 1, `the field is longer than ${longestField} bytes`, {
        got: `${asciiOf(line, this.starts[i]!, this.starts[i]! + 40)}...`,
      });
      return;
    }
    if (this.form === null) this.header(line, fields);
    else if (this.form === 'csv') this.csvRow(line, fields);
    else this.entry(line, fields);
  }

  /**
   * Finds the fields of a line, without blanks or quotes around them.
   * @returns how many, at most 8; -1 after a mistake
   */
  private split(line: Uint8Array, length: number, byComma: boolean): number {
    let count = 0;
    let at = 0;
    while (at <= length && count < 8) {
      while (at < length && line[at]! <= 32) at++;
      if (at >= length && (!byComma || count === 0)) break;
      let start = at;
      const quoted = byComma && at < length && line[at] === quote;
      if (quoted) {
        const close = this.closingQuote(line, ++start, length);
        if (close === -1) return -1;
        at = close;
      }
      while (at < length && (byComma ? line[at] !== comma : line[at]! > 32)) at++;
      let end = at;
      while (end > start && line[end - 1]! <= 32) end--;
      if (quoted) end--;
      this.starts[count] = start;
      this.ends[count++] = end;
      at++;
    }
    return count;
  }

  /** The quote that ends a field, which nothing but a comma may follow; -1 after a mistake. */
  private closingQuote(line: Uint8Array, from: number, length: number): number {
    let at = from;
    while (at < length && line[at] !== quote) at++;
    const close = at++;
    while (at < length && line[at]! <= 32) at++;
    if (close < length && (at >= length || line[at] === comma)) return close;
    this.refuse(
      'bad-quotes',
      from,
      close < length ? 'something follows the quote that ends the field' : 'the quote that ends the field is missing',
      {
        got: asciiOf(line, from - 1, Math.min(length, from + 40)),
        wanted: '"node000 HCA-1",',
        hint: 'hosts with quotes in their names are named by rank',
      },
    );
    return -1;
  }

  private field(line: Uint8Array, index: number): string {
    return utf8Of(line, this.starts[index]!, this.ends[index]!);
  }

  private header(line: Uint8Array, fields: number): void {
    this.form = 'csv';
    const words = Array.from({ length: fields }, (_, i) => this.field(line, i).toLowerCase());
    const unit = words[2] ?? '';
    if (
      words[0] !== 'source' ||
      words[1] !== 'destination' ||
      !(unit === 'weight' || amountUnits.has(unit)) ||
      fields > 4 ||
      (fields === 4 && words[3] !== 'phase')
    ) {
      this.refuse('wrong-header', 1, 'the first line is no header of a traffic matrix', {
        got: words.join(','),
        wanted:
          'source,destination,bytes (or weight, words, kB, KiB, MB, MiB, GB, GiB), and phase if there are several',
        hint: /[;\t]/.test(words[0] ?? '')
          ? 'fields are divided by commas'
          : (words[0] ?? '').startsWith('\u00ff\u00fe')
            ? 'save the file as UTF-8'
            : 'MatrixMarket files begin with %%MatrixMarket',
      });
      this.hopeless = true;
      return;
    }
    this.unit = unit === 'weight' ? 'relative' : 'bytes';
    this.factor = amountUnits.get(unit) ?? 1;
    this.hasPhase = fields === 4;
  }

  private csvRow(line: Uint8Array, fields: number): void {
    const wanted = this.hasPhase ? 4 : 3;
    if (fields !== wanted) {
      this.refuse('wrong-field-count', 1, 'the row has not as many fields as the header', {
        got: String(fields),
        wanted: String(wanted),
      });
      return;
    }
    const source = this.host(line, 0);
    const destination = this.host(line, 1);
    const amount = this.amount(line, 2);
    if (source === -1 || destination === -1 || amount === -1) return;
    this.add(source, destination, amount, this.hasPhase ? this.field(line, 3) : 'all');
  }

  private host(line: Uint8Array, index: number): number {
    const number = this.wholeNumber(line, index);
    if (number !== -1 && number < this.hosts.count) return number;
    const word = this.field(line, index);
    const ranks = number === -1 ? this.hosts.ranksOf(word) : [];
    if (ranks.length === 1) return ranks[0]!;
    if (ranks.length > 1)
      this.refuse('several-hosts', this.starts[index]! + 1, 'several hosts have this name', {
        got: word,
        wanted: `a rank: one of ${ranks.slice(0, 8).join(', ')}${ranks.length > 8 ? ', ...' : ''}`,
      });
    else
      this.refuse('unknown-host', this.starts[index]! + 1, 'the fabric has no such host', {
        got: word,
        wanted: `a rank from 0 to ${this.hosts.count - 1}, or a host by name, GUID (0x...) or lid 12`,
      });
    return -1;
  }

  /** -1 if the field is anything but up to 15 digits. */
  private wholeNumber(line: Uint8Array, index: number): number {
    const start = this.starts[index]!;
    const end = this.ends[index]!;
    if (end === start || end - start > 15) return -1;
    let number = 0;
    for (let i = start; i < end; i++) {
      const digit = line[i]! - 48;
      if (digit < 0 || digit > 9) return -1;
      number = number * 10 + digit;
    }
    return number;
  }

  private amount(line: Uint8Array, index: number): number {
    let amount = this.wholeNumber(line, index);
    if (amount === -1) {
      const word = this.field(line, index);
      amount = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word) ? Number(word) : NaN;
      if (!(amount >= 0 && amount * this.factor <= largestAmount)) {
        this.refuse(
          'bad-amount',
          this.starts[index]! + 1,
          `the amount of traffic is no number from 0 to ${largestAmount}`,
          {
            got: word,
            wanted: 'a number such as 4096 or 1.5e6',
            ...(/^[\d.]+ *[A-Za-z]+$/.test(word)
              ? { hint: 'the unit of all amounts stands in the header, in place of bytes' }
              : {}),
          },
        );
        return -1;
      }
    }
    return amount * this.factor;
  }

  private add(source: number, destination: number, amount: number, phase: string): void {
    this.rows++;
    if (source === destination) {
      if (amount > 0 && this.selfPairs++ === 0) this.firstSelfPair = this.lineNumber;
      amount = 0;
    }
    if (amount > 0) this.anyTraffic = true;
    if (this.builder === null || phase !== this.lastPhase) {
      let builder = this.builders.get(phase);
      if (builder === undefined) {
        if (this.builders.size >= mostPhases) {
          this.refuse('too-many-phases', 1, `more than ${mostPhases} phases`);
          return;
        }
        builder = new TrafficBuilder(this.hosts.count, this.unit);
        this.builders.set(phase, builder);
      }
      this.builder = builder;
      this.lastPhase = phase;
    }
    this.builder.add(source, destination, amount);
  }

  private banner(text: string): void {
    this.form = 'matrix-market';
    this.unit = 'relative';
    const words = text.trim().toLowerCase().split(/\s+/);
    const [, object, form, field, symmetry] = words;
    this.symmetric = symmetry === 'symmetric';
    this.pattern = field === 'pattern';
    if (
      object !== 'matrix' ||
      form !== 'coordinate' ||
      !['real', 'integer', 'pattern'].includes(field ?? '') ||
      !['general', 'symmetric'].includes(symmetry ?? '')
    ) {
      this.refuse('wrong-header', 1, 'this kind of MatrixMarket file is not read', {
        got: text.trim(),
        wanted: '%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric',
      });
      this.hopeless = true;
    }
  }

  /** `% unit: bytes` gives a MatrixMarket file a unit. */
  private comment(text: string): void {
    const match = /^%+\s*unit:\s*(\w+)/i.exec(text);
    if (match === null || this.announced !== -1) return;
    const word = match[1]!.toLowerCase();
    const factor = amountUnits.get(word);
    if (factor === undefined) {
      if (word !== 'weight')
        this.warning(
          'unknown-unit',
          { line: this.lineNumber, column: 1 },
          'the unit is not known: amounts are taken for weights, which only compare',
          { got: match[1]!, wanted: 'bytes, words, kB, KiB, MB, MiB, GB, GiB or weight' },
        );
      return;
    }
    this.unit = 'bytes';
    this.factor = factor;
  }

  private entry(line: Uint8Array, fields: number): void {
    if (this.announced === -1) {
      const [rows, columns, entries] = [0, 1, 2].map((index) => (index < fields ? this.wholeNumber(line, index) : -1));
      if (fields !== 3 || entries === -1 || rows !== columns || rows !== this.hosts.count) {
        this.refuse('wrong-size', 1, 'the matrix does not fit the fabric', {
          got: Array.from({ length: fields }, (_, i) => this.field(line, i)).join(' '),
          wanted: `${this.hosts.count} ${this.hosts.count} and the number of entries`,
        });
        this.hopeless = true;
      }
      this.announced = Math.max(0, entries!);
      this.sizeLine = this.lineNumber;
      return;
    }
    if (this.rows >= this.announced) {
      this.refuse('wrong-count', 1, 'there are more entries than the size line says', {
        got: `${this.rows + 1} entries`,
        wanted: `${this.announced}, as the size line says`,
      });
      this.hopeless = true;
      return;
    }
    if (fields !== (this.pattern ? 2 : 3)) {
      this.refuse('wrong-field-count', 1, 'an entry has row, column and amount', {
        got: String(fields),
        wanted: this.pattern ? '2' : '3',
      });
      return;
    }
    const source = this.wholeNumber(line, 0) - 1;
    const destination = this.wholeNumber(line, 1) - 1;
    for (const [index, rank] of [source, destination].entries()) {
      if (rank >= 0 && rank < this.hosts.count) continue;
      this.refuse('unknown-host', this.starts[index]! + 1, 'the fabric has no such host', {
        got: this.field(line, index),
        wanted: `1 to ${this.hosts.count}`,
      });
      return;
    }
    const amount = this.pattern ? this.factor : this.amount(line, 2);
    if (amount === -1) return;
    this.add(source, destination, amount, 'all');
    if (this.symmetric && source !== destination) {
      this.add(destination, source, amount, 'all');
      this.rows--;
    }
  }
}

/**
 * Traffic as CSV, in pieces: a header, then pairs by destination, phase by phase. Read again it is the same traffic.
 */
export function* trafficCsv(traffic: Traffic): Generator<string> {
  const phased = traffic.phases.length > 1;
  const column = new TrafficColumn(traffic.hostCount);
  yield `source,destination,${traffic.unit === 'bytes' ? 'bytes' : 'weight'}${phased ? ',phase' : ''}\n`;
  for (const { name, matrix } of traffic.phases) {
    if (phased && /[,\n\r#]/.test(name)) fail(`phase name ${name} cannot stand in CSV`);
    for (let destination = 0; destination < traffic.hostCount; destination++) {
      matrix.toDestination(destination, column);
      let text = '';
      for (let i = 0; i < column.length; i++)
        text += `${column.sources[i]},${destination},${column.weights[i]}${phased ? `,${name}` : ''}\n`;
      if (text !== '') yield text;
    }
  }
}
