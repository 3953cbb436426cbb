import { describe, expect, it } from 'vitest';
import { Diagnostics, InputError } from '../../src/base/diagnostics.js';
import { HostFileError } from '../../src/base/host.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TraceParser } from '../../src/formats/trace-csv.js';
import { loadTrace, scanTrace, traceBlockRows, TraceSource, type TraceScan } from '../../src/formats/trace-source.js';

const fabric = generateFabric('dcn+', { gpus: 16, gpusPerServer: 8, nicsPerAsw: 8 });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

type Row = [startPs: number, source: number, destination: number, sizeBytes: number, line: number];

function parse(
  pieces: readonly Uint8Array[],
  diagnostics = new Diagnostics(),
): { rows: Row[]; diagnostics: Diagnostics } {
  const rows: Row[] = [];
  const parser = new TraceParser('t.csv', fabric, diagnostics, { row: (...row) => void rows.push(row) });
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return { rows, diagnostics };
}

function errors(text: string): string[] {
  return parse([bytesOf(text)]).diagnostics.list.map(
    ({ code, line, column, got }) => `${line}:${column} ${code}${got === undefined ? '' : ` ${got}`}`,
  );
}

async function* stream(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? bytesOf(piece) : piece;
}

async function drain(source: TraceSource, sink = (..._row: number[]): void => {}): Promise<number> {
  let rows = 0;
  while (source.nextStartPs() !== Infinity) {
    if (Number.isNaN(source.nextStartPs())) await source.refill();
    else {
      source.expand(source.nextStartPs(), {
        transfer: (...row) => {
          rows++;
          (sink as (...values: unknown[]) => void)(...row);
        },
      });
    }
  }
  return rows;
}

describe('trace rows', () => {
  const text =
    '\uFEFFtimestamp_ns,src,dst,size_bytes\r\n# a comment, with commas\n\n0,0,8,10485760\r\n  1500 ,\t1 , 9 , 64\n0.5,2,10,1 # tail\n2.0004,3,11,7\n2.0005,3,11,7\n9007199254740.991,15,0,274877906944';
  const rows: Row[] = [
    [0, 0, 8, 10485760, 4],
    [1_500_000, 1, 9, 64, 5],
    [500, 2, 10, 1, 6],
    [2000, 3, 11, 7, 7],
    [2001, 3, 11, 7, 8],
    [Number.MAX_SAFE_INTEGER, 15, 0, 274_877_906_944, 9],
  ];

  it('reads headers, comments, blank lines, CRLF, a mark, blanks and fractions', () => {
    const read = parse([bytesOf(text)]);
    expect(read.diagnostics.list).toEqual([]);
    expect(read.rows).toEqual(rows);
  });

  it('reads the same rows wherever the file is cut', () => {
    const bytes = bytesOf(text);
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)]).rows).toEqual(rows);
    expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte))).rows).toEqual(rows);
  });

  it("accepts the header of SimAI's traces, and none", () => {
    expect(errors('timestamp_ns,src,dst,size\n0,0,8,1\n')).toEqual([]);
    expect(errors('0,0,8,1')).toEqual([]);
  });
});

describe('mistakes in a trace', () => {
  it.each([
    ['0,0,8\n', ['1:5 trace-field-count 0,0,8']],
    ['0,0,8,1,5\n', ['1:9 trace-field-count 0,0,8,1,5']],
    ['0 0 8 1\n', ['1:1 trace-field-count 0 0 8 1']],
    ['\n0,x,8,1\n', ['2:3 trace-not-a-number x']],
    ['0,0,8,10MiB\n', ['1:7 trace-not-a-number 10MiB']],
    ['0,0,8,1e3\n', ['1:7 trace-not-a-number 1e3']],
    ['0,0,8,1.0\n', ['1:7 trace-not-a-number 1.0']],
    ['1.2.3,0,8,1\n', ['1:1 trace-not-a-number 1.2.3']],
    ['.5,0,8,1\n', ['1:1 trace-not-a-number .5']],
    [',0,8,1\n', ['1:1 trace-not-a-number ']],
    ['0,"0",8,1\n', ['1:3 trace-not-a-number "0"']],
    ['-1,0,8,1\n', ['1:1 trace-negative -1']],
    ['0,0,8,-10\n', ['1:7 trace-negative -10']],
    ['0,-1,8,1\n', ['1:3 trace-negative -1']],
    ['0,0,99,1\n', ['1:5 trace-unknown-host 99']],
    ['0,0,99999999999999999999,1\n', ['1:5 trace-unknown-host 99999999999999999999']],
    ['0,0,18,1\n', ['1:5 trace-not-a-host 18']],
    ['0,0,16,1\n0,16,7,1\n', []],
    ['0,16,8,1\n', ['1:3 trace-nvswitch-end 16']],
    ['0,8,16,1\n', ['1:5 trace-nvswitch-end 16']],
    ['0,16,17,1\n', ['1:6 trace-nvswitch-end 17']],
    ['0,16,16,1\n', ['1:6 trace-self 16']],
    ['0,16,18,1\n', ['1:6 trace-not-a-host 18']],
    ['0,3,3,1\n', ['1:5 trace-self 3']],
    ['0,0,8, 0\n', ['1:8 trace-size-zero 0']],
    ['0,0,8,274877906945\n', ['1:7 trace-size-too-large 274877906945']],
    ['9007199254741,0,8,1\n', ['1:1 trace-time-too-large 9007199254741']],
    ['9007199254740.992,0,8,1\n', ['1:1 trace-time-too-large 9007199254740.992']],
    ['src,dst,timestamp_ns,size\n', ['1:1 trace-header src']],
    ['timestamp_us,src,dst,size\n', ['1:1 trace-header timestamp_us']],
    ['0,0,8,1\nsome words\n', ['2:1 trace-field-count some words']],
    [
      '-5,77,77,0\n',
      ['1:1 trace-negative -5', '1:4 trace-unknown-host 77', '1:7 trace-unknown-host 77', '1:10 trace-size-zero 0'],
    ],
    ['\xff', ['1:1 trace-field-count Ã¿']],
  ])('%j', (text, expected) => {
    expect(errors(text)).toEqual(expected);
  });

  it('refuses UTF-16 and lines without end', () => {
    expect(parse([Uint8Array.of(0xff, 0xfe, 48, 0, 10, 0)]).diagnostics.list[0]!.code).toBe('trace-encoding');
    const endless = parse(Array.from({ length: 80 }, () => new Uint8Array(1000).fill(49)));
    expect(endless.diagnostics.list.map(({ code, line }) => [code, line])).toEqual([['trace-line-too-long', 1]]);
  });

  it('stops after twenty errors', () => {
    const { diagnostics, rows } = parse([bytesOf(`${'0,0,8,x\n'.repeat(1000)}0,0,8,1\n`)]);
    expect([diagnostics.errorCount, rows.length]).toEqual([20, 0]);
  });
});

async function scan(
  text: string,
  connected?: (a: number, b: number) => boolean,
): Promise<{ scan: TraceScan; list: string[] }> {
  const diagnostics = new Diagnostics();
  const result = await scanTrace(stream(text), 't.csv', fabric, diagnostics, connected);
  return {
    scan: result,
    list: diagnostics.list.map(({ severity, code, line, column }) => `${severity} ${line}:${column} ${code}`),
  };
}

describe('scan', () => {
  it('adds up a trace', async () => {
    const { scan: totals, list } = await scan('timestamp_ns,src,dst,size_bytes\n0,0,8,5\n3,1,9,7\n');
    expect(list).toEqual([]);
    expect(totals).toMatchObject({ rows: 2, sorted: true, lastStartPs: 3000, totalBytes: 12 });
  });

  it.each([
    ['', 'error 1:1 trace-empty'],
    ['\n\n# nothing\n', 'error 3:1 trace-empty'],
    ['timestamp_ns,src,dst,size_bytes\n', 'error 1:1 trace-empty'],
  ])('a trace without a transfer: %j', async (text, expected) => {
    expect((await scan(text)).list).toEqual([expected]);
  });

  it('asks whether hosts are connected', async () => {
    expect((await scan('0,0,8,1\n0,1,9,1\n', (a) => a === 0)).list).toEqual(['error 2:1 trace-unconnected']);
  });

  it('warns about rows out of order, at the first', async () => {
    const { scan: totals, list } = await scan('5,0,8,1\n4,0,8,1\n3,0,8,1\n');
    expect(list).toEqual(['warning 2:1 trace-unsorted']);
    expect(totals).toMatchObject({ sorted: false, lastStartPs: 5000 });
  });
});

describe('source', () => {
  const count = 3 * traceBlockRows + 17;
  const lines = Array.from(
    { length: count },
    (_, i) => `${Math.floor(i / 3)},${i % 8},${8 + (i % 8)},${1 + (i % 5000)}\n`,
  );
  const text = `timestamp_ns,src,dst,size_bytes\n${lines.join('')}`;
  const scanned = (): Promise<TraceScan> => scanTrace(stream(text), 't.csv', fabric, new Diagnostics());

  it('hands out every row in order with a bounded window', async () => {
    let opened = 0;
    const source = new TraceSource(() => (opened++, stream(text)), 't.csv', fabric, await scanned());
    expect([source.total, opened, source.nextStartPs()]).toEqual([count, 0, NaN]);
    let next = 0;
    const rows = await drain(source, (id, from, to, size, startPs) => {
      if (
        id !== next ||
        from !== id % 8 ||
        to !== 8 + (id % 8) ||
        size !== 1 + (id % 5000) ||
        startPs !== Math.floor(id / 3) * 1000
      )
        throw new Error(`row ${id}`);
      next++;
    });
    expect([rows, opened]).toEqual([count, 1]);
    await source.close();
  });

  it('hands out only what starts by now', async () => {
    const source = new TraceSource(() => stream(text), 't.csv', fabric, await scanned());
    await source.refill();
    const ids: number[] = [];
    source.expand(1000, { transfer: (id) => ids.push(id) });
    expect(ids).toEqual([0, 1, 2, 3, 4, 5]);
    expect(source.nextStartPs()).toBe(2000);
    await source.close();
  });

  it.each([
    ['a digit', text.replace('100,4,12,', '100,4,11,')],
    ['a row less', text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
    ['a row more', `${text}99999,0,8,1\n`],
    ['garbage', `${text.slice(0, 5000)}\0\0\0${text.slice(5003)}`],
    ['nothing', ''],
  ])('notices a file that changed: %s', async (_, changed) => {
    const source = new TraceSource(() => stream(changed), 't.csv', fabric, await scanned());
    await expect(drain(source)).rejects.toThrow(InputError);
    await source.close();
  });

  it('notices a file that is gone', async () => {
    const source = new TraceSource(
      async function* () {
        yield* stream(text.slice(0, 1000));
        throw new HostFileError('t.csv', 'missing');
      },
      't.csv',
      fabric,
      await scanned(),
    );
    await expect(drain(source)).rejects.toThrow(/changed while it was being read/);
    await source.close();
  });

  it('closes the file when a run ends early', async () => {
    let closed = false;
    const source = new TraceSource(
      async function* () {
        try {
          for (let at = 0; ; at += 1000) yield bytesOf(text.slice(at, at + 1000));
        } finally {
          closed = true;
        }
      },
      't.csv',
      fabric,
      await scanned(),
    );
    await source.refill();
    await source.close();
    expect(closed).toBe(true);
  });

  it('sorts a trace in memory, ties in the order of the file', async () => {
    const unsorted = '5,0,8,1\n4,1,9,2\n5,2,10,3\n4,3,11,4\n';
    const scan = await scanTrace(stream(unsorted), 't.csv', fabric, new Diagnostics());
    const list = await loadTrace(() => stream(unsorted), 't.csv', fabric, scan);
    const rows: number[][] = [];
    list.expand(Infinity, { transfer: (id, from, _to, size, startPs) => rows.push([id, from, size, startPs]) });
    expect(rows).toEqual([
      [1, 1, 2, 4000],
      [3, 3, 4, 4000],
      [0, 0, 1, 5000],
      [2, 2, 3, 5000],
    ]);
  });
});
