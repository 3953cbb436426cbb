// Flow files of HPCC and ConWeave: what rows mean, what is refused and where, and that they run.

import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TransferSizes } from '../../src/flows/transfer-sizes.js';
import { maxTransferBytes } from '../../src/flows/work-source.js';
import { flowFileForm, noFlowFileFacts } from '../../src/formats/flow-file.js';
import type { RowForm } from '../../src/formats/row-form.js';
import { traceFormOf } from '../../src/formats/trace-csv.js';
import { loadTrace, scanTrace, TraceSource } from '../../src/formats/trace-source.js';
import { scenarioRun } from '../support/scenario-run.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import type { InputError } from '../../src/base/diagnostics.js';

const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 4 });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* pieces(text: string, size = Infinity): AsyncGenerator<Uint8Array> {
  const bytes = bytesOf(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

type Row = readonly number[];

async function rows(text: string, size?: number): Promise<{ rows: Row[]; found: string[]; facts: unknown }> {
  const diagnostics = new Diagnostics();
  const facts = noFlowFileFacts();
  const form = flowFileForm(facts);
  const open = (): AsyncGenerator<Uint8Array> => pieces(text, size);
  const scan = await scanTrace(open(), 'f.txt', fabric, diagnostics, undefined, undefined, form);
  const found = diagnostics.list.map(
    ({ severity, code, line, column, got }) =>
      `${severity} ${line}:${column} ${code}${got === undefined ? '' : ` ${got}`}`,
  );
  const read: Row[] = [];
  if (!diagnostics.hasErrors) {
    const sink = {
      transfer: (id: number, a: number, b: number, size: number, ps: number) => void read.push([id, a, b, size, ps]),
    };
    const source = scan.sorted
      ? new TraceSource(open, 'f.txt', fabric, scan, form)
      : await loadTrace(open, 'f.txt', fabric, scan, form);
    while (source.nextStartPs() !== Infinity) {
      await source.refill();
      source.expand(Infinity, sink);
    }
    await source.close();
  }
  return { rows: read, found, facts };
}

describe('rows', () => {
  const text = '3\n1 2 3 4995 2.000000027\n4 0 3 1 2.0000000271  # a comment\n\n7 3 3 274877906944 2.5e0\n';

  it.each([Infinity, 1, 7])('are the same in pieces of %d bytes', async (size) => {
    const read = await rows(text, size);
    expect(read.found).toEqual([]);
    // 2.000000027 s are 2,000,000,027,000 ps
    expect(read.rows).toEqual([
      [0, 1, 2, 4995, 2_000_000_027_000],
      [1, 4, 0, 1, 2_000_000_027_100],
      [2, 7, 3, 274_877_906_944, 2_500_000_000_000],
    ]);
  });

  it('may hold a port, as HPCC writes them, which is told', async () => {
    const read = await rows('2\n1 2 3 100 4995 2\n3 2 5 100 10 2');
    expect(read.rows).toEqual([
      [0, 1, 2, 4995, 2e12],
      [1, 3, 2, 10, 2e12],
    ]);
    expect(read.facts).toEqual({
      priorities: new Map([
        [3, 2],
        [5, 3],
      ]),
      portLine: 2,
      firstEnd: { timePs: Infinity, line: 0 },
    });
  });

  it('may count packets and have an end, as those of ns3-rdma', async () => {
    const read = await rows('2\n1 2 3 10000000 2.0 9.5\n3 2 3 70000 2 2.25\n');
    expect(read.found).toEqual([]);
    // packets of 1,000 bytes
    expect(read.rows).toEqual([
      [0, 1, 2, 1e10, 2e12],
      [1, 3, 2, 7e7, 2e12],
    ]);
    expect(read.facts).toMatchObject({ portLine: 0, firstEnd: { timePs: 2.25e12, line: 3 } });
  });

  it('behind the announced number are left alone, with a warning, whatever stands there', async () => {
    const read = await rows('1\n1 2 3 10 2\n3 4 3 10 2.1\n<notes>\n');
    expect(read.rows).toEqual([[0, 1, 2, 10, 2e12]]);
    expect(read.found).toEqual(['warning 3:1 flow-file-rest 3 4 3 10 2.1']);
  });

  it('out of order are sorted, with a warning', async () => {
    const read = await rows('2\n1 2 3 10 2.1\n3 4 3 10 2.0\n');
    expect(read.rows.map(([, source]) => source)).toEqual([3, 1]);
    expect(read.found).toEqual(['warning 3:1 flow-file-unsorted']);
  });
});

describe('a mistake', () => {
  it.each([
    ['', 'error 1:1 flow-file-empty'],
    ['0\n', 'error 1:1 flow-file-empty'],
    ['1 2 3 10 2\n', 'error 1:1 flow-file-count 1 2 3 10 2'],
    ['__proto__\n', 'error 1:1 flow-file-count __proto__'],
    ['\0\0\n', 'error 1:1 flow-file-count \0\0'],
    ['99999999999\n', 'error 1:1 flow-file-count 99999999999'],
    ['2\n1 2 3 10 2\n', 'error 1:1 flow-file-missing'],
    ['1\n1 2 3 10\n', 'error 2:7 flow-file-field-count 1 2 3 10'],
    ['2\n1 2 3 10 2\n1 2 3 9 10 2\n', 'error 3:9 flow-file-field-count 1 2 3 9 10 2'],
    ['1\n1 1 3 10 2\n', 'error 2:3 flow-file-self 1'],
    ['1\n 1 99 3 10 2\n', 'error 2:4 flow-file-unknown-host 99'],
    ['1\n1 8 3 10 2\n', 'error 2:3 flow-file-not-a-host 8'],
    ['1\n1 x 3 10 2\n', 'error 2:3 flow-file-not-a-number x'],
    ['1\n1 2 8 10 2\n', 'error 2:5 flow-file-priority 8'],
    ['1\n1 2 3 70000 10 2\n', 'error 2:7 flow-file-port 70000'],
    ['1\n1 2 3 0 2\n', 'error 2:7 flow-file-size-zero 0'],
    ['1\n1 2 3 1e3 2\n', 'error 2:7 flow-file-not-a-number 1e3'],
    ['1\n1 2 3 274877906945 2\n', 'error 2:7 flow-file-size-too-large 274877906945'],
    ['1\n1 2 3 10 -2\n', 'error 2:10 flow-file-start -2'],
    ['1\n1 2 3 10 9e9\n', 'error 2:10 flow-file-start 9e9'],
  ])('in %j is found where it stands', async (text, expected) => {
    expect((await rows(text)).found).toContain(expected);
  });

  it('in a line without an end does not fill the memory', async () => {
    expect((await rows(`1\n${' '.repeat(10_000)}`)).found).toEqual(['error 2:1 flow-file-line-too-long']);
  });
});

describe('a scenario', () => {
  const text = 'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }\ntraffic: { file: f.txt }\n';

  it('sends the flows of its file at their times', async () => {
    const { sink, warnings } = await scenarioRun(text, [], { 'f.txt': '2\n1 2 3 4995 2.000000027\n4 0 4 77 2.1\n' });
    expect(Array.from(sink.column(flowTable, FlowColumn.size))).toEqual([4995, 77]);
    expect(Array.from(sink.column(flowTable, FlowColumn.start))).toEqual([2_000_000_027_000, 2.1e12]);
    expect(warnings).toEqual([
      'flows of priority 4 are sent with priority 3: all flows of a run have queuePair.priority',
    ]);
  });

  it('has exactly one of transfers, trace and file', async () => {
    const found = await scenarioRun(text, ['traffic.trace=t.csv'], { 'f.txt': '1\n1 2 3 10 2\n' }).catch(
      (error: unknown) => (error as InputError).diagnostics.map(({ code, message }) => `${code}: ${message}`),
    );
    expect(found).toEqual(['scenario-exclusive: traffic has both trace and file']);
  });
});

describe('a flow without end', () => {
  // PowerTCP's bursts, with their ports
  const text = '2\n0 1 3 11000 1000000000000 0.13\n1 2 3 11001 2800 0.15\n';
  const sizesOf = async (stopPs: number): Promise<(number | string)[]> => {
    const diagnostics = new Diagnostics();
    const sizes = new TransferSizes(fabric, stopPs);
    const form = flowFileForm(noFlowFileFacts(), { sizes });
    const read: (number | string)[] = [];
    const parser = form.parser('f.txt', fabric, diagnostics, { row: (_ps, _a, _b, bytes) => void read.push(bytes) });
    parser.push(new TextEncoder().encode(text));
    parser.end();
    return diagnostics.hasErrors ? diagnostics.list.map(({ code, wanted }) => `${code}: ${wanted!}`) : read;
  };

  it('is sent as the largest flow where it cannot end before the run does', async () => {
    expect(await sizesOf(0.2e12)).toEqual([maxTransferBytes, 2800]);
  });

  it('is refused where it could, and where no time ends the run', async () => {
    const [late] = await sizesOf(9000e12);
    expect(late).toContain('flow-file-size-too-large: bytes, from 1 to 274877906944: this one may have sent more');
    const [open] = await sizesOf(Infinity);
    expect(open).toContain('or any size with stopTime');
  });

  it('of a trace and of htsim are the same', () => {
    const diagnostics = new Diagnostics();
    const sizes = new TransferSizes(fabric, 1e9);
    const read: number[] = [];
    const sink = { row: (_ps: number, _a: number, _b: number, bytes: number): void => void read.push(bytes) };
    const feed = (form: RowForm, written: string): void => {
      const parser = form.parser('f', fabric, diagnostics, sink);
      parser.push(new TextEncoder().encode(written));
      parser.end();
    };
    feed(traceFormOf(sizes), '0,0,1,99999999999999\n0,1,2,99999999999999999999\n');
    // a size of 0 sends without end in htsim
    feed(flowFileForm(noFlowFileFacts(), { sizes }), 'Nodes 2\nConnections 1\n0->1 start 0 size 0\n');
    expect(diagnostics.list).toEqual([]);
    expect(read).toEqual([maxTransferBytes, maxTransferBytes, maxTransferBytes]);
  });
});
