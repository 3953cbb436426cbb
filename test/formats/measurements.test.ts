// Files of measurements: nccl-tests as printed, weft collective's own table, NCCL Inspector, perftest.

import type { CollectiveRow } from '../../src/report/figures/collectives.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Diagnostic, Diagnostics } from '../../src/base/diagnostics.js';
import { type Measurements, readMeasurements } from '../../src/formats/measurements.js';
import { collectiveHeader, collectiveLine } from '../../src/report/collective-table.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function read(text: string): { measurements: Measurements | null; diagnostics: readonly Diagnostic[] } {
  const diagnostics = new Diagnostics();
  return { measurements: readMeasurements(text, 'm.txt', diagnostics), diagnostics: diagnostics.list };
}

function mistakes(text: string): string[] {
  const { measurements, diagnostics } = read(text);
  expect(measurements).toBeNull();
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, line, column }) => `${code} ${line}:${column}`);
}

const heading = `#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
`;
const rows = `        1024           256     float     sum      -1    31.36    0.03    0.06       0    30.00    0.03    0.06     N/A
  1073741824     268435456     float     sum      -1  4511.97  237.98  446.21       0  4500.00  238.61  447.40       0
`;
const ranks = `# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   6899 on node-1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   6900 on node-1 device  1 [0000:05:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   6733 on node-2 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
`;

describe('nccl-tests', () => {
  it('says which collective, how many ranks on how many servers, and both ways of every size', () => {
    const { measurements, diagnostics } = read(
      `# Collective test starting: all_reduce_perf\n${ranks}#\n${heading}${rows}# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 223.1\n# Collective test concluded: all_reduce_perf\n`,
    );
    expect(diagnostics).toEqual([]);
    expect(measurements!.form).toBe('nccl-tests');
    expect(measurements!.collectives).toEqual([
      {
        line: 12,
        column: 9,
        kind: 'allreduce',
        test: 'all_reduce',
        ranks: 3,
        servers: 2,
        rows: [
          {
            line: 12,
            column: 9,
            sizeBytes: 1024,
            outOfPlace: { timeUs: 31.36, algbwGBps: 0.03, busbwGBps: 0.06, wrong: 0 },
            inPlace: { timeUs: 30, algbwGBps: 0.03, busbwGBps: 0.06, wrong: null },
            how: null,
          },
          {
            line: 13,
            column: 3,
            sizeBytes: 2 ** 30,
            outOfPlace: { timeUs: 4511.97, algbwGBps: 237.98, busbwGBps: 446.21, wrong: 0 },
            inPlace: { timeUs: 4500, algbwGBps: 238.61, busbwGBps: 447.4, wrong: 0 },
            how: null,
          },
        ],
      },
    ]);
  });

  it('of an excerpt are not counted: a rank 7 alone is not one rank', () => {
    const cut = '#  Rank  7 Group  0 Pid 1 on n device 7 [0x01] NVIDIA H100 80GB HBM3\n';
    const { measurements } = read(`${cut}${heading}${rows}`);
    expect(measurements!.collectives[0]).toMatchObject({ ranks: null, servers: null });
    const middle = ranks.replace(/^.*Rank {2}1.*\n/m, '');
    expect(read(`${middle}${heading}${rows}`).measurements!.collectives[0]).toMatchObject({ ranks: null });
  });

  it('needs no comments', () => {
    const { measurements } = read(rows);
    expect(measurements!.collectives).toMatchObject([{ kind: null, test: null, ranks: null, servers: null }]);
    expect(measurements!.collectives[0]!.rows.map(({ inPlace }) => inPlace?.timeUs)).toEqual([30, 4500]);
  });

  it('reads several tables of a log, each with its own collective and ranks', () => {
    const gather = `/opt/nccl-tests/build/all_gather_perf -b 8 -e 8G\nnode-1:55:55 [0] NCCL INFO Bootstrap\n${heading}  8388608 131072 float none -1 784.9 10.69 10.02 0 780.0 10.75 10.08 0\n`;
    const { measurements } = read(
      `# Collective test starting: sendrecv_perf\n${ranks}${heading}${rows}# Avg bus bandwidth    : 1\n# nThread 1\n${gather}`,
    );
    expect(measurements!.collectives.map(({ kind, ranks: count, rows: own }) => [kind, count, own.length])).toEqual([
      ['sendrecv', 3, 2],
      ['allgather', null, 1],
    ]);
  });

  it('reads the columns that the heading names: those of older versions, with or without a root', () => {
    const old = `#       size         count    type    time   algbw   busbw  error     time   algbw   busbw  error
     1048576         32768   float    77.65   13.50   12.66  0e+00    77.00   13.62   12.77  0e+00
`;
    const wanted = { timeUs: 77.65, algbwGBps: 13.5, busbwGBps: 12.66, wrong: 0 };
    expect(read(old).measurements!.collectives[0]!.rows[0]!.outOfPlace).toEqual(wanted);
    // without the heading: no word of an operation tells the old columns
    expect(read(old.split('\n')[1]!).measurements!.collectives[0]!.rows[0]!.outOfPlace).toEqual(wanted);
  });

  it('passes over what launchers put before a line, and over sizes in place that were not run', () => {
    const tagged = `[1,0]<stdout>:  8388608 2097152 float sum -1 156.9 53.46 100.25 0 N/A N/A N/A N/A`;
    expect(read(tagged).measurements!.collectives[0]!.rows).toMatchObject([
      { line: 1, column: 17, sizeBytes: 8_388_608, inPlace: null },
    ]);
  });

  it('knows the collectives that Weft does not simulate by name alone', () => {
    expect(read(`gather_perf -b 8\n${rows}`).measurements!.collectives[0]).toMatchObject({
      kind: null,
      test: 'gather',
    });
  });

  it.each([
    ['a row cut off', '1024 256 float sum -1 31.36 0.03', ['measured-row-short 1:29']],
    ['a time that is none', '1024 256 float sum -1 fast 0.03 0.06 0', ['measured-number 1:23']],
    [
      'a size of more digits than bytes have',
      '1125899906842624 256 float sum -1 31.36 0.03 0.06 0',
      ['measured-number 1:1'],
    ],
    ['a negative bandwidth', '1024 256 float sum -1 31.36 -0.03 0.06 0', ['measured-number 1:29']],
    [
      'two lines in one',
      '1024 256 float sum -1 31.36 0.03 0.06 0 31.3 0.03 0.06 0 NCCL INFO',
      ['measured-row-long 1:58'],
    ],
    ['no measurement at all', 'hello\n', ['measured-empty 0:0']],
    ['an empty file', '', ['measured-empty 0:0']],
  ])('says where %s stands', (_, text, wanted) => {
    expect(mistakes(text)).toEqual(wanted);
  });

  it('warns of wrong results, and of times that do not fit the bandwidth (-u ms)', () => {
    const { measurements, diagnostics } = read('1048576 262144 float sum -1 87.08 12.04 22.58 5 0.087 12.04 22.58 0\n');
    expect(measurements).not.toBeNull();
    expect(diagnostics.map(({ code, severity, column }) => `${severity} ${code} ${column}`)).toEqual([
      'warning measured-wrong 47',
      'warning measured-bandwidth 49',
    ]);
  });
});

const row = (sizeBytes: number, timePs: number): CollectiveRow => ({
  kind: 'allreduce',
  ranks: 16,
  sizeBytes,
  root: -1,
  choice: { algorithm: 'nvls-tree', protocol: 'simple', channels: 8 } as CollectiveRow['choice'],
  timePs,
  algorithmBandwidth: (sizeBytes / timePs) * 1e12,
  busBandwidth: (1.875 * sizeBytes * 1e12) / timePs,
  flows: 1,
  cpuSeconds: 0,
  digest: '',
  places: [],
  errorBand: null,
  isBlocked: false,
  problems: [],
});

describe("weft collective's own table", () => {
  it('reads back', () => {
    const text = `# weft 0.1.0: allreduce on spectrum-x, fluid, seed 1\n# 16 ranks on 2 servers; profile nccl\n#\n${collectiveHeader()}${collectiveLine(row(1024, 31_360_000))}${collectiveLine(row(2 ** 30, 4_511_970_000))}# Avg bus bandwidth    : 223.1\n`;
    const { measurements, diagnostics } = read(text);
    expect(diagnostics).toEqual([]);
    expect(measurements!.collectives).toMatchObject([
      { kind: 'allreduce', ranks: 16, servers: 2, rows: [{ sizeBytes: 1024 }, { sizeBytes: 2 ** 30 }] },
    ]);
    expect(measurements!.collectives[0]!.rows[1]).toMatchObject({
      outOfPlace: { timeUs: 4511.97, algbwGBps: 238, busbwGBps: 446.2, wrong: null },
      inPlace: null,
      how: 'nvls-tree Simple 8',
    });
    // and its rows alone
    expect(read(collectiveLine(row(1024, 31_360_000))).measurements!.collectives[0]!.rows[0]!.how).toBe(
      'nvls-tree Simple 8',
    );
  });

  it(`whatever its figures are (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 1e6, max: 1e15 }), (sizeBytes, timePs) => {
        const { measurements } = read(`${collectiveHeader()}${collectiveLine(row(sizeBytes, timePs))}`);
        const own = measurements!.collectives[0]!.rows[0]!;
        expect(own.sizeBytes).toBe(sizeBytes);
        // two decimals, fewer of long numbers
        expect(Math.abs(own.outOfPlace!.timeUs - timePs / 1e6)).toBeLessThanOrEqual(
          Math.max(0.0051, (timePs / 1e6) * 1e-4),
        );
      }),
      { seed },
    );
  });
});

const record = (coll: string, rank: number, sn: number, bytes: number, timeUs: number): string =>
  JSON.stringify({
    header: { id: '0x7f', rank, n_ranks: 8, nnodes: 1 },
    metadata: { inspector_output_format_version: 'v4.0' },
    coll_perf: { coll, coll_sn: sn, coll_msg_size_bytes: bytes, coll_exec_time_us: timeUs },
  });

describe('NCCL Inspector', () => {
  it('takes the slowest rank of every operation and the median of operations', () => {
    const text = [
      record('AllReduce', 0, 1, 2 ** 30, 4000),
      record('AllReduce', 1, 1, 2 ** 30, 4100),
      record('AllReduce', 0, 2, 2 ** 30, 4300),
      record('AllReduce', 0, 3, 2 ** 30, 4200),
    ].join('\n');
    const { measurements, diagnostics } = read(text);
    expect(diagnostics).toEqual([]);
    expect(measurements!.form).toBe('nccl-inspector');
    expect(measurements!.collectives).toMatchObject([
      { kind: 'allreduce', ranks: 8, servers: 1, rows: [{ sizeBytes: 2 ** 30, outOfPlace: { timeUs: 4200 } }] },
    ]);
  });

  it('counts the whole buffer of a reduce-scatter, as its own bandwidth does', () => {
    // the figures of the plug-in's README: algbw 418.439467, busbw 366.134533
    const { measurements } = read(record('ReduceScatter', 4, 1231, 2_147_483_648, 41_057));
    const [own] = measurements!.collectives[0]!.rows;
    expect(own!.sizeBytes).toBe(8 * 2_147_483_648);
    expect(own!.outOfPlace!.algbwGBps).toBeCloseTo(418.44, 2);
    expect(own!.outOfPlace!.busbwGBps).toBeCloseTo(366.13, 2);
  });

  it('reads objects over several lines, and passes over what is no collective', () => {
    const text = `{ "header": { "id": "0x1", "rank": 0, "n_ranks": 2 },\n  "p2p_perf": { "p2p": "Send" } }\n${JSON.stringify(JSON.parse(record('Broadcast', 0, 1, 8, 20)), null, 2)}\n`;
    expect(read(text).measurements!.collectives).toMatchObject([{ kind: 'broadcast', rows: [{ sizeBytes: 8 }] }]);
  });

  it.each([
    ['no number', '{"coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":"big"}}', 'measured-record'],
    ['no name', '{"header":{},"coll_perf":{"coll":7}}', 'measured-record 1:26'],
    ['half a record', `${record('AllReduce', 0, 1, 8, 9)}\n{"header":{"id":`, 'measured-json 2:17'],
    ['no collective', '{"header":{}}', 'measured-empty 0:0'],
    ['a number', `${record('AllReduce', 0, 1, 8, 9)}\n7`, 'measured-record 2:1'],
  ])('says where %s stands', (_, text, wanted) => {
    expect(mistakes(text)[0]).toContain(wanted);
  });
});

describe('perftest', () => {
  const latency = `---------------------------------------------------------------------------------------
                    RDMA_Write Latency Test
 Dual-port       : OFF          Device         : mlx5_0
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
Conflicting CPU frequency values detected: 2400.000000 != 1873.463000. CPU Frequency is not max.
 2       1000          1.76           6.12         1.79                1.80             0.06            1.88                    6.12
---------------------------------------------------------------------------------------
`;
  const bandwidth = ` #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 2          5000             0.32               0.31                 19.44
 65536      5000           194.39             193.21               0.368
`;

  it('reads latencies and bandwidths', () => {
    const { measurements, diagnostics } = read(latency + bandwidth);
    expect(diagnostics).toEqual([]);
    expect(measurements!.form).toBe('perftest');
    expect(measurements!.transfers).toMatchObject([
      {
        measures: 'latency',
        title: 'RDMA_Write Latency Test',
        rows: [{ line: 7, column: 2, sizeBytes: 2, leastUs: 1.76, typicalUs: 1.79, meanUs: 1.8, meanBps: null }],
      },
      { measures: 'bandwidth', title: null, rows: [{ sizeBytes: 2 }, { meanBps: 193.21e9, peakBps: 194.39e9 }] },
    ]);
  });

  it('knows the MB of perftest: 2^20 bytes', () => {
    const text =
      ' #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536 1000 12000.0 11500.5 0.1\n';
    expect(read(text).measurements!.transfers[0]!.rows[0]!.meanBps).toBe(11_500.5 * 8 * 1_048_576);
  });

  it.each([
    ['a short row', '#bytes #iterations t_avg[usec] t_min[usec]\n 2 1000 1.2\n', 'measured-row 2:2'],
    ['a word', '#bytes #iterations t_avg[usec]\n 2 1000 fast\n', 'measured-number 2:9'],
    ['cycles', '#bytes #iterations t_avg[cycles]\n 2 1000 12\n', 'measured-unit 1:20'],
    ['no result', '#bytes #iterations MsgRate[Mpps]\n 2 1000 12\n', 'measured-heading 1:1'],
    ['no row', '#bytes #iterations t_avg[usec]\n', 'measured-empty 0:0'],
  ])('says where %s stands', (_, text, wanted) => {
    expect(mistakes(text)[0]).toBe(wanted);
  });
});

describe(`hostile files (seed ${seed})`, () => {
  const sample = fc.constantFrom(
    `# Collective test starting: all_reduce_perf\n${ranks}${heading}${rows}`,
    '{"header":{"id":"0x1","n_ranks":8},"coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":8,"coll_exec_time_us":9}}\n',
    ' #bytes #iterations t_min[usec] t_avg[usec]\n 2 1000 1.79 1.8\n',
  );
  const piece = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      '\n',
      '#',
      ' ',
      '{',
      '"',
      'N/A',
      '1e999',
      '-1',
      '__proto__',
      '0x',
      '\uFEFF',
      '99999999999999999999',
    ),
  );

  it('are read or refused with a place in the file', () => {
    fc.assert(
      fc.property(sample, fc.nat(), fc.nat({ max: 30 }), piece, (text, where, taken, put) => {
        const at = where % (text.length + 1);
        const changed = text.slice(0, at) + put + text.slice(at + taken);
        const { measurements, diagnostics } = read(changed);
        expect(measurements === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
        const lineCount = changed.split('\n').length;
        for (const { line, column } of diagnostics) {
          expect(line).toBeLessThanOrEqual(lineCount);
          expect(column).toBeGreaterThanOrEqual(line === 0 ? 0 : 1);
        }
        for (const { rows: own } of measurements?.collectives ?? [])
          for (const { sizeBytes, outOfPlace } of own) {
            expect(Number.isFinite(sizeBytes)).toBe(true);
            if (outOfPlace !== null) expect(outOfPlace.timeUs).toBeGreaterThanOrEqual(0);
          }
      }),
      { seed, numRuns: rounds(2000) },
    );
  });

  it('of a megabyte take no longer than their length', () => {
    for (const text of [
      '['.repeat(1e6),
      `"${'\\'.repeat(1e6)}`,
      ' '.repeat(1e6),
      '9'.repeat(1e6),
      '('.repeat(1e6),
      '#bytes'.repeat(2e5),
    ])
      read(`{"a":${text}`);
    for (const text of [' '.repeat(1e6), '1 '.repeat(5e5), '('.repeat(1e6), '#bytes '.repeat(1.5e5), 'a'.repeat(1e6)])
      read(text);
  });
});
