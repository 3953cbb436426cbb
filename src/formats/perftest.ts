// The tables of perftest, as ib_write_lat, ib_write_bw and their kin print them:
//    #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%
// percentile[usec] ...    2       1000          1.76           6.12         1.79                1.80             0.06
// 1.88    #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]    65536      5000
// 194.39             193.21               0.368
// Invariants: a line below a heading that begins with a number is a row, read whole, or an error; what else is printed
// is passed over. Bandwidths are bits per second of payload; perftest's MB is 2^20 bytes.
// Source: the headings of perftest (docs/formats/perftest.md). Not read: histograms (-H), -U lists.

import { FileProblems, type Diagnostics, type Position, wholeFile } from '../base/diagnostics.js';
import { type PrintedLine, printedLines, wordsOf } from './printed-lines.js';
import { isWhole, printedNumber } from './number-words.js';

/**
 * One size of a table. Latencies are one way in microseconds, rates bits per second; null where there is no such
 * column.
 */
interface PerftestRow extends Position {
  readonly sizeBytes: number;
  readonly iterations: number;
  readonly leastUs: number | null;
  readonly typicalUs: number | null;
  readonly meanUs: number | null;
  readonly peakBps: number | null;
  readonly meanBps: number | null;
}

/** One run of one test. */
export interface PerftestTable extends Position {
  /** latency or bandwidth, by its columns */
  readonly measures: 'latency' | 'bandwidth';
  /** the title, such as RDMA_Write Latency Test; null if there is none */
  readonly title: string | null;
  readonly rows: readonly PerftestRow[];
}

type Column = 'leastUs' | 'typicalUs' | 'meanUs' | 'peakBps' | 'meanBps' | 'other';

/** bits per second */
const units: ReadonlyMap<string, number> = new Map([
  ['Gb/sec', 1e9],
  ['MB/sec', 8 * 2 ** 20],
]);
const mostWords = 40;

/** Whether a text holds a heading of perftest. */
export function isPerftest(text: string): boolean {
  return /#bytes[^\S\n]+#iterations/.test(text);
}

/** Reads what perftest printed. @returns the tables; mistakes go to `diagnostics` */
export function readPerftest(text: string, file: string, diagnostics: Diagnostics): PerftestTable[] {
  const problems = new FileProblems(file, diagnostics);
  const tables: { readonly head: Heading; readonly rows: PerftestRow[] }[] = [];
  let title: string | null = null;
  let table: (typeof tables)[number] | null = null;
  for (const printed of printedLines(text)) {
    if (diagnostics.full) break;
    const named = /^\s*(\w[\w ]{0,60}? (?:Latency|BW|Bidirectional BW) Test)\b/.exec(printed.text)?.[1];
    if (named !== undefined) title = named;
    const heading = /#bytes\s+#iterations(.*)/.exec(printed.text);
    if (heading !== null) {
      const head = headingOf(printed, heading, title, problems);
      table = head === null ? null : { head, rows: [] };
      if (table !== null) tables.push(table);
      title = null;
    } else if (/^\s*-{10}/.test(printed.text)) table = null;
    else if (table !== null) {
      const row = rowOf(printed, table.head, problems);
      if (row !== null) table.rows.push(row);
    }
  }
  const filled = tables.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0 && !problems.failed)
    problems.error('measured-empty', wholeFile, 'no row stands below a heading of perftest', {
      wanted: 'what ib_write_lat or ib_write_bw prints, headings and rows',
    });
  return filled.map(({ head: { line, column, measures, title: own }, rows }) => ({
    line,
    column,
    measures,
    title: own,
    rows,
  }));
}

interface Heading extends Position {
  readonly measures: PerftestTable['measures'];
  readonly title: string | null;
  readonly columns: readonly { readonly name: Column; readonly factor: number }[];
}

function headingOf(
  { line, column, text }: PrintedLine,
  match: RegExpExecArray,
  title: string | null,
  problems: FileProblems,
): Heading | null {
  const columns: { readonly name: Column; readonly factor: number }[] = [];
  for (const [, name, unit] of match[1]!.matchAll(/([^[\]]{1,60})\[([^\]]{1,20})\]/g)) {
    const own = name!.trim();
    const factor = units.get(unit!) ?? 1;
    if (own.startsWith('t_') && unit !== 'usec')
      problems.error('measured-unit', { line, column: column + text.indexOf(own) }, 'a unit that is not read', {
        got: `${own}[${unit!}]`,
        wanted: 'times in usec',
        hint: 'do not use the option for CPU cycles',
      });
    else if (own.startsWith('BW') && !units.has(unit!))
      problems.error('measured-unit', { line, column: column + text.indexOf(own) }, 'a unit that is not read', {
        got: `${own}[${unit!}]`,
        wanted: `bandwidths in ${[...units.keys()].join(' or ')}`,
      });
    columns.push({ name: columnOf(own), factor: own.startsWith('BW') ? factor : 1 });
  }
  const isLatency = columns.some(({ name }) => name === 'typicalUs' || name === 'meanUs');
  const isBandwidth = columns.some(({ name }) => name === 'meanBps');
  if (isLatency || isBandwidth)
    return {
      line,
      column: column + text.indexOf('#bytes'),
      measures: isLatency ? 'latency' : 'bandwidth',
      title,
      columns,
    };
  problems.error('measured-heading', { line, column: column + match.index }, 'a heading without a result', {
    got: text.trim(),
    wanted: 't_typical[usec] or t_avg[usec], or BW average[Gb/sec] or [MB/sec]',
  });
  return null;
}

function columnOf(name: string): Column {
  switch (name.replace(/[\s_]+/g, ' ')) {
    case 't min':
      return 'leastUs';
    case 't typical':
      return 'typicalUs';
    case 't avg':
      return 'meanUs';
    case 'BW peak':
      return 'peakBps';
    case 'BW average':
      return 'meanBps';
    default:
      return 'other';
  }
}

function rowOf(printed: PrintedLine, { columns }: Heading, problems: FileProblems): PerftestRow | null {
  const words = wordsOf(printed, mostWords);
  const [size, iterations] = words;
  if (size === undefined || !isWhole(size.text)) return null;
  if (words.length !== columns.length + 2 || !isWhole(iterations!.text)) {
    problems.error('measured-row', size, 'the row has not the columns of its heading', {
      got: words.map(({ text }) => text).join(' '),
      wanted: `${columns.length + 2} numbers: bytes, iterations, and what the heading names`,
    });
    return null;
  }
  const row: Record<Exclude<Column, 'other'>, number | null> = {
    leastUs: null,
    typicalUs: null,
    meanUs: null,
    peakBps: null,
    meanBps: null,
  };
  for (const [i, { name, factor }] of columns.entries()) {
    const word = words[i + 2]!;
    const value = printedNumber(word.text);
    if (!(value >= 0)) {
      problems.error('measured-number', word, 'not a number', {
        got: word.text,
        wanted: 'a time or a bandwidth, 0 or more',
      });
      return null;
    }
    if (name !== 'other') row[name] = value * factor;
  }
  return {
    line: size.line,
    column: size.column,
    sizeBytes: Number(size.text),
    iterations: Number(iterations!.text),
    ...row,
  };
}
