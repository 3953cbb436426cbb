// The tables of nccl-tests as printed, and those of `weft collective`, which have the same columns:
//   # Collective test starting: all_reduce_perf
//   #  Rank  0 Group  0 Pid   6899 on node-1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
//   #       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw
// #wrong            1024           256     float     sum      -1    31.36    0.03    0.06       0    31.21    0.03
// 0.06     N/A A log may hold several tables, what else a job printed, and a launcher's tags; the comments may be
// missing.
// Invariants: a line that begins as a row is read whole or is an error; every other line is passed over; columns are
// those of the heading, without one those of today's nccl-tests.
// Source: the columns that nccl-tests documents in its README, and published logs (docs/formats/nccl-tests.md).
// Not read: tables without times, `-u` units, JSON output (`-J`), per-iteration times.

import { FileProblems, type Diagnostics, type Position, wholeFile } from '../base/diagnostics.js';
import { algorithmsFor } from '../collectives/build-schedule.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { MeasuredRow, MeasuredTable, MeasuredTime } from './measured-rows.js';
import { type PrintedLine, printedLines, wordsOf } from './printed-lines.js';
import { type PlacedWord } from './lines.js';
import { isWhole, printedNumber } from './number-words.js';

/** What nccl-tests calls the collectives that Weft simulates, and what Weft calls them. */
const kindsByTest: ReadonlyMap<string, CollectiveKind> = new Map([
  ['all_reduce', 'allreduce'],
  ['all_gather', 'allgather'],
  ['reduce_scatter', 'reducescatter'],
  ['alltoall', 'alltoall'],
  ['broadcast', 'broadcast'],
  ['reduce', 'reduce'],
  ['sendrecv', 'sendrecv'],
]);
const simulated: ReadonlySet<string> = new Set(kindsByTest.values());
const algorithms: ReadonlySet<string> = new Set([...kindsByTest.values()].flatMap(algorithmsFor));

const standardColumns = 'size count type redop root time algbw busbw wrong time algbw busbw wrong'.split(' ');
/** before nccl-tests 2.13 collectives without reduction or root have no such columns */
const oldColumns = 'size count type time algbw busbw wrong time algbw busbw wrong'.split(' ');
/** before 2.13, and those of RCCL: no root */
const rootlessColumns = standardColumns.filter((name) => name !== 'root');
const types =
  /^(?:u?int(?:8|32|64)|half|float|double|bfloat16|(?:fp|f)8(?:_?e[45]m[23])?|u?char|float(?:8|16|32|64)\w{0,9})$/;
const digits = /^\d+(?:\.0*)?$/;
const wantedRow = 'SIZE COUNT TYPE REDOP ROOT TIME ALGBW BUSBW #WRONG, such as 1024 256 float sum -1 31.36 0.03 0.06 0';
/** words of a row that are looked at, and those by which it is known */
const mostWords = 24;
const mostRowStart = 3;

/** Reads what nccl-tests or `weft collective` printed. @returns the tables; mistakes go to `diagnostics` */
export function readNcclTests(text: string, file: string, diagnostics: Diagnostics): MeasuredTable[] {
  const problems = new FileProblems(file, diagnostics);
  // runs whose lines are mixed have tags of their own, if a launcher tagged them
  const tags = tagsOfRows(text);
  const readers = new Map((tags.size > 1 ? [...tags] : ['']).map((tag) => [tag, new TableReader(file, diagnostics)]));
  for (const line of printedLines(text)) {
    if (diagnostics.full) break;
    const own = readers.get(line.tag);
    // what has no rows of its own says something to all, such as a command line
    for (const reader of own === undefined ? readers.values() : [own]) reader.line(line);
  }
  const tables = [...readers.values()].flatMap((reader) => reader.end()).sort((a, b) => a.line - b.line);
  if (tables.length === 0 && !problems.failed)
    problems.error('measured-empty', wholeFile, 'there is no row of a measurement in the file', {
      wanted: `what nccl-tests or weft collective prints: rows of ${wantedRow}`,
      hint: 'NCCL Inspector JSON and tables of perftest are read as well',
    });
  return tables;
}

/** The tags of the lines that are rows; an empty one for those that have none. */
function tagsOfRows(text: string): ReadonlySet<string> {
  const tags = new Set<string>();
  for (const line of printedLines(text)) if (isRow(wordsOf(line, mostRowStart), null)) tags.add(line.tag);
  return tags;
}

class TableReader extends FileProblems {
  private readonly tables: MeasuredTable[] = [];
  private rows: MeasuredRow[] = [];
  private at: Position = wholeFile;
  private columns: readonly string[] | null = null;
  private test: string | null = null;
  private ranks = 0;
  /** numbers of ranks that lines name, and the first line that names one again */
  private readonly rankNumbers = new Set<number>();
  private rankAgain: Position | null = null;
  /** sizes of the first sweep below a heading, and the place of the next row in a sweep; null: no heading */
  private sweep: number[] | null = null;
  private place = 0;
  /** what else tells sweeps apart: type of data, operation and root of the last row */
  private variant = '';
  private inPlaceFirst = false;
  private isMixed = false;
  private readonly servers = new Set<string>();
  private serverCount = 0;

  line(printed: PrintedLine): void {
    const words = wordsOf(printed, mostWords);
    const [first] = words;
    if (first === undefined) return;
    if (first.text.startsWith('#')) this.comment(printed);
    else if (first.text === 'size')
      this.heading(
        words.map(({ text }) => text),
        first,
      );
    else if (isRow(words, this.columns)) {
      if (this.rows.length === 0) this.at = { line: first.line, column: first.column };
      const row = this.row(words);
      if (row === null) return;
      this.follow(row, words);
      this.rows.push(row);
    } else this.mention(printed.text);
  }

  end(): MeasuredTable[] {
    this.finish();
    return this.tables;
  }

  /** A comment: who takes part, a heading, or the end of a table. */
  private comment({ text, line, column }: PrintedLine): void {
    const names = text
      .slice(text.indexOf('#') + 1)
      .trim()
      .split(/\s+/, mostWords);
    if (names[0] === 'size' && this.heading(names, { line, column })) return;
    const [outOfPlace, inPlace] = [text.search(/\bout-of-place\b/), text.search(/(?<!\S)in-place\b/)];
    if (inPlace !== -1) this.inPlaceFirst = outOfPlace === -1 || inPlace < outOfPlace;
    if (/^\s*#\s*Avg bus bandwidth/.test(text)) {
      this.finish();
      this.columns = null;
      return;
    }
    if (/^\s*#\s*(?:nThread\b|Using devices|Collective test starting|weft )/.test(text)) this.begin();
    const rank = /^\s*#\s+Rank\s+(\d{1,9})\s.{0,200}?\son\s+(\S{1,200})\s+device\s/.exec(text);
    if (rank !== null) {
      this.ranks++;
      const number = Number(rank[1]);
      if (this.rankNumbers.has(number)) this.rankAgain ??= { line, column };
      this.rankNumbers.add(number);
      this.servers.add(rank[2]!);
      return;
    }
    const counted = /^\s*#\s(\d{1,9}) ranks on (\d{1,9}) servers?\b/.exec(text);
    if (counted !== null) {
      this.ranks = Number(counted[1]);
      this.serverCount = Number(counted[2]);
    }
    const simulatedKind = /^\s*#\sweft \S{1,60}: ([a-z]{1,20})\b/.exec(text)?.[1];
    if (simulatedKind !== undefined && simulated.has(simulatedKind)) this.test = simulatedKind;
    else this.mention(text);
  }

  /** The heading of a table, by the words in it. @returns false if it is none: such a line has the bus bandwidth */
  private heading(names: readonly string[], at: Position): boolean {
    if (!names.includes('busbw')) return false;
    this.finish();
    const missing = ['time', 'algbw'].filter((name) => !names.includes(name));
    this.columns = null;
    if (missing.length > 0)
      this.error('measured-columns', at, `the table has no ${missing.join(' and no ')}`, {
        got: names.join(' '),
        wanted: 'size, time, algbw and busbw, as nccl-tests and rccl-tests print them',
      });
    else {
      this.sweep = [];
      this.columns = names.map((name) => (/^#?wrong$|^error$/.test(name) ? 'wrong' : name));
    }
    return true;
  }

  /** The name of a test in a command line, a path or a comment; not in that of the end of a test. */
  private mention(text: string): void {
    const name = /\b([a-z_]{1,40})_perf\b/.exec(text)?.[1];
    if (name !== undefined && !/concluded/.test(text)) this.test = name;
  }

  /** Another test begins: what is known of the last one is not known of it. */
  private begin(): void {
    this.finish();
    this.columns = null;
    this.ranks = 0;
    this.rankNumbers.clear();
    this.rankAgain = null;
    this.servers.clear();
    this.serverCount = 0;
    this.inPlaceFirst = false;
  }

  private finish(): void {
    if (this.rows.length > 0) {
      const { test } = this;
      if (this.rankAgain !== null)
        this.error('measured-mixed', this.rankAgain, 'two runs name the same rank', {
          wanted: 'lines of one run',
          hint: 'nccl-tests without MPI=1 are as many runs as processes: build them with it, or print each run into a file of its own',
        });
      // an excerpt has only some of the lines that name ranks
      const isWhole = this.ranks > Math.max(-1, ...this.rankNumbers);
      const servers = this.serverCount > 0 ? this.serverCount : this.servers.size;
      this.tables.push({
        ...this.at,
        kind: test === null ? null : (kindsByTest.get(test) ?? (simulated.has(test) ? (test as CollectiveKind) : null)),
        test,
        ranks: isWhole && this.ranks > 0 ? this.ranks : null,
        servers: isWhole && servers > 0 ? servers : null,
        rows: this.rows,
      });
    }
    this.rows = [];
    this.sweep = null;
    this.place = 0;
    this.isMixed = false;
  }

  /**
   * Below one heading sizes grow, and begin anew only with the first: another sweep of the same sizes (`-N`, `-d all`).
   * Else rows of two runs are mixed, and nobody knows which is whose.
   */
  private follow(row: MeasuredRow, words: readonly PlacedWord[]): void {
    if (this.sweep === null || this.isMixed || row.sizeBytes === 0) return;
    const variant = ['type', 'redop', 'root'].map((name) => words[this.columns!.indexOf(name)]?.text ?? '').join(' ');
    if (variant !== this.variant) [this.variant, this.sweep, this.place] = [variant, [], 0];
    const { sweep } = this;
    const before = this.rows.at(-1);
    const [first] = sweep;
    if (first === undefined || row.sizeBytes > (before?.sizeBytes ?? 0)) {
      if (this.place === sweep.length) sweep.push(row.sizeBytes);
      if (sweep[this.place++] === row.sizeBytes) return;
    } else if (row.sizeBytes === first) {
      this.place = 1;
      return;
    }
    this.isMixed = true;
    this.error('measured-mixed', row, 'rows of two runs are mixed', {
      got: `${row.sizeBytes} bytes after ${before?.sizeBytes ?? 0} in line ${before?.line ?? 0}`,
      wanted: 'sizes that grow, below a heading of their own',
      hint: 'print each run into a file of its own, or let the launcher tag lines (mpirun --tag-output, srun --label)',
    });
  }

  private row(words: readonly PlacedWord[]): MeasuredRow | null {
    const columns = this.columns ?? standardLayout(words);
    const lastNeeded = columns.indexOf('busbw');
    const lastWord = words.at(-1)!;
    if (lastNeeded === -1 || words.length <= lastNeeded) {
      this.error('measured-row-short', lastWord, 'the row ends before its bandwidths', {
        got: words.map(({ text }) => text).join(' '),
        wanted: wantedRow,
      });
      return null;
    }
    const errorsBefore = this.diagnostics.errorCount;
    for (const word of words.slice(0, columns.includes('count') ? 2 : 1))
      if (!isWhole(word.text))
        this.error('measured-number', word, 'more digits than a size or a count has', {
          got: word.text,
          wanted: 'at most 15 digits',
        });
    const times: (MeasuredTime | null)[] = [];
    let read = 0;
    for (let next = columns.indexOf('time'); next !== -1 && next + 2 < words.length;) {
      const wrong = columns[next + 3] === 'wrong' ? words[next + 3] : undefined;
      read = next + (wrong === undefined || algorithms.has(wrong.text) ? 3 : 4);
      times.push(this.time(words.slice(next, read), Number(words[0]!.text)));
      const after = columns.indexOf('time', next + 1);
      next = after === read ? after : -1;
    }
    const rest = words.slice(read);
    const isHow = rest[0] !== undefined && algorithms.has(rest[0].text);
    if (rest[0] !== undefined && !isHow && this.diagnostics.errorCount === errorsBefore)
      this.error('measured-row-long', rest[0], 'the row goes on where its columns end', {
        got: rest.map(({ text }) => text).join(' '),
        wanted: this.columns === null ? wantedRow : `the columns of the heading: ${columns.join(' ')}`,
        hint: 'two lines that ran into one: take the other one out',
      });
    if (this.diagnostics.errorCount > errorsBefore) return null;
    return {
      line: words[0]!.line,
      column: words[0]!.column,
      sizeBytes: Number(words[0]!.text),
      outOfPlace: times[this.inPlaceFirst ? 1 : 0] ?? null,
      inPlace: times[this.inPlaceFirst ? 0 : 1] ?? null,
      how: isHow ? rest.map(({ text }) => text).join(' ') : null,
    };
  }

  /** @param words time, algbw, busbw and, if it stands there, #wrong; null for a time that is N/A */
  private time(words: readonly PlacedWord[], sizeBytes: number): MeasuredTime | null {
    const [time, algbw, busbw, wrong] = words as [PlacedWord, PlacedWord, PlacedWord, PlacedWord?];
    if (isMissing(time)) return null;
    const values = [time, algbw, busbw].map((word) => {
      const value = isMissing(word) ? null : printedNumber(word.text);
      if (value !== null && !(value >= 0))
        this.error('measured-number', word, 'not a time or a bandwidth', {
          got: word.text,
          wanted: 'microseconds, then two bandwidths in GB/s, or N/A',
        });
      return value;
    });
    const wrongCount = wrong === undefined || isMissing(wrong) ? null : printedNumber(wrong.text);
    if (Number.isNaN(wrongCount))
      this.error('measured-number', wrong!, 'not a count of wrong elements', {
        got: wrong!.text,
        wanted: 'a number, or N/A',
      });
    if (wrongCount !== null && wrongCount >= 1)
      this.warning('measured-wrong', wrong!, `the run had ${wrong!.text} wrong elements`);
    const [timeUs, algbwGBps, busbwGBps] = values as [number, number | null, number | null];
    this.compare(time, timeUs, algbwGBps, sizeBytes);
    return { timeUs, algbwGBps, busbwGBps, wrong: wrongCount };
  }

  /** Bandwidth is size over time, but for the digits that are printed: else the columns are others than they seem. */
  private compare(at: Position, timeUs: number, algbwGBps: number | null, sizeBytes: number): void {
    if (algbwGBps === null || !(timeUs > 0)) return;
    const expected = sizeBytes / timeUs / 1e3;
    if (!isBandwidth(algbwGBps, sizeBytes, timeUs))
      this.warning(
        'measured-bandwidth',
        at,
        `the bandwidth ${algbwGBps} GB/s is not the size over the time (${expected.toFixed(2)} GB/s)`,
        { hint: 'sizes must be bytes and times microseconds' },
      );
  }
}

/**
 * A line that begins as a row: two whole numbers and a type of data, or as many of these as its heading has; with fewer
 * it must have a time, too.
 */
function isRow(words: readonly PlacedWord[], columns: readonly string[] | null): boolean {
  const [size, count, type] = ['size', 'count', 'type'].map((name) => (columns ?? standardColumns).indexOf(name));
  const is = (at: number, form: RegExp): boolean => at === -1 || form.test(words[at]?.text ?? '');
  if (!is(size!, digits) || !is(count!, digits) || !is(type!, types)) return false;
  if (count !== -1 && type !== -1) return true;
  const time = words[columns!.indexOf('time')];
  return time !== undefined && (isMissing(time) || printedNumber(time.text) >= 0);
}

/** The columns of a row that has no heading. */
function standardLayout(words: readonly PlacedWord[]): readonly string[] {
  const layouts = Number.isNaN(printedNumber(words[3]?.text ?? '')) ? [standardColumns, rootlessColumns] : [oldColumns];
  return layouts.find((columns) => isLaidOut(words, columns)) ?? layouts[0]!;
}

/** Whether the first bandwidth of a row is its size over its time, if it is laid out so. */
function isLaidOut(words: readonly PlacedWord[], columns: readonly string[]): boolean {
  const [size, time, algbw] = ['size', 'time', 'algbw'].map((name) =>
    printedNumber(words[columns.indexOf(name)]?.text ?? ''),
  ) as [number, number, number];
  return time > 0 && isBandwidth(algbw, size, time);
}

/** Whether a bandwidth is the size over the time, but for the digits that are printed. */
function isBandwidth(algbwGBps: number, sizeBytes: number, timeUs: number): boolean {
  const expected = sizeBytes / timeUs / 1e3;
  return Math.abs(algbwGBps - expected) <= 0.011 + 0.02 * expected;
}

function isMissing({ text }: PlacedWord): boolean {
  return text === 'N/A';
}
