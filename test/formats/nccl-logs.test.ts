// Logs of nccl-tests as people post them: RCCL's and older tables with fewer columns, other orders, two runs in one log.

import { describe, expect, it } from 'vitest';
import { type Diagnostic, Diagnostics } from '../../src/base/diagnostics.js';
import type { MeasuredTable } from '../../src/formats/measured-rows.js';
import { readNcclTests } from '../../src/formats/nccl-tests.js';

function read(text: string): { readonly tables: readonly MeasuredTable[]; readonly told: readonly Diagnostic[] } {
  const diagnostics = new Diagnostics();
  return { tables: readNcclTests(text, 'log', diagnostics), told: diagnostics.list };
}

const told = (text: string): string[] => read(text).told.map(({ code, line, column }) => `${code} ${line}:${column}`);
const timesOf = ({ rows }: MeasuredTable): readonly (readonly (number | null)[])[] =>
  rows.map(({ sizeBytes, outOfPlace, inPlace }) => [sizeBytes, outOfPlace?.timeUs ?? null, inPlace?.timeUs ?? null]);

/** A row that fits its time: eight ranks. @param columns those before the times */
function row(sizeBytes: number, columns: string, ...timesUs: readonly number[]): string {
  const times = timesUs.map((timeUs) => {
    const algbw = sizeBytes / timeUs / 1e3;
    return `${timeUs} ${algbw.toFixed(2)} ${((algbw * 7) / 4).toFixed(2)} 0e+00`;
  });
  return `  ${sizeBytes}  ${columns}  ${times.join('  ')}`;
}

const sizes = [8, 1024, 1_048_576, 134_217_728];
const rows = (columns: string, factor = 1): string[] =>
  sizes.map((size, i) => row(size, columns, 20 * factor * (i + 1), 19 * factor * (i + 1)));
const wanted = sizes.map((size, i) => [size, 20 * (i + 1), 19 * (i + 1)]);

describe('fewer columns', () => {
  it.each([
    ['RCCL: an error, no root', '# size count type redop time algbw busbw error time algbw busbw error', '2 float sum'],
    ['no operation', '# size count type time algbw busbw #wrong time algbw busbw #wrong', '2 float'],
    ['no type', '# size count time algbw busbw #wrong time algbw busbw #wrong', '2'],
    ['sizes and times alone', '# size time algbw busbw #wrong time algbw busbw #wrong', ''],
    ['a heading without #', 'size count type redop time algbw busbw error time algbw busbw error', '2 float sum'],
  ])('%s', (_, heading, columns) => {
    const { tables, told: said } = read([heading, ...rows(columns)].join('\n'));
    expect(said).toEqual([]);
    expect(tables.map(timesOf)).toEqual([wanted]);
    expect(tables[0]!.rows[1]!.outOfPlace!.busbwGBps).toBeCloseTo(0.04, 10);
  });

  it.each([
    ['with a root', '2 float sum -1'],
    ['with a root of 0', '2 float none 0'],
    ['without one', '2 float sum'],
    ['without an operation', '2 float'],
  ])('without a heading, %s', (_, columns) => {
    const { tables, told: said } = read(rows(columns).join('\n'));
    expect(said).toEqual([]);
    expect(tables.map(timesOf)).toEqual([wanted]);
  });

  it('without times are named, with those that are missing', () => {
    const text =
      '\nsize type redop busbw algo proto nchannels\n(B) (us) (GB/s)\n33554432 float sum 127.38 TREE LL128 64\n';
    const { told: said } = read(text);
    expect(said[0]).toMatchObject({ code: 'measured-columns', line: 2, message: 'the table has no time and no algbw' });
  });

  it('in place first', () => {
    const heading = '#   in-place    out-of-place\n# size count time algbw busbw #wrong time algbw busbw #wrong\n';
    expect(timesOf(read(heading + row(1024, '2', 30, 40)).tables[0]!)).toEqual([[1024, 40, 30]]);
    const alone = heading.replace('out-of-place', '            ');
    expect(timesOf(read(alone + row(1024, '2', 30)).tables[0]!)).toEqual([[1024, null, 30]]);
  });
});

const heading = '#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong';
const ranks = (host: string): string[] =>
  [0, 1].map((rank) => `#  Rank  ${rank} Group  0 Pid 7 on ${host} device  ${rank} H100`);
const run = (host: string, factor: number): string[] => [
  `# nThread 1 nGpus 2 of ${host}`,
  ...ranks(host),
  heading,
  ...rows('2 float sum -1', factor),
  '# Avg bus bandwidth : 1',
];
/** Lines of two runs in turns. */
const mixed = (a: readonly string[], b: readonly string[]): string => a.flatMap((line, i) => [line, b[i]!]).join('\n');

describe('two runs in one log', () => {
  it.each([
    ['srun --label', '0: ', '1: '],
    ['mpirun --tag-output', '[1,0]<stdout>:', '[2,0]<stdout>:'],
    ['a launcher that names workers', '(worker1, rank=0) ', '(worker2, rank=0) '],
  ])('are told apart by the tags of %s', (_, one, other) => {
    const [a, b] = [run('a', 1).map((line) => one + line), run('b', 3).map((line) => other + line)];
    const { tables, told: said } = read(`all_reduce_perf -g 2\n${mixed(a, b)}`);
    expect(said).toEqual([]);
    expect(tables.map(timesOf)).toEqual([wanted, wanted.map(([size, out, place]) => [size, 3 * out!, 3 * place!])]);
    expect(tables).toMatchObject([
      { ranks: 2, servers: 1, test: 'all_reduce' },
      { ranks: 2, servers: 1, test: 'all_reduce' },
    ]);
  });

  it('are refused without tags, at the first row that is not of the first run', () => {
    const [a, b] = [rows('2 float sum -1'), rows('2 float sum -1', 2)];
    // 8 8 1024 1024: the fourth row comes again, where a second sweep would have its second size
    expect(told([heading, mixed(a, b)].join('\n'))).toEqual(['measured-mixed 5:3']);
    // one run is ahead of the other
    expect(told([heading, a[0], a[1], b[0], a[2], b[1], a[3], b[2], b[3]].join('\n'))).toEqual(['measured-mixed 5:3']);
    expect(told([heading, a[1], a[2], b[0], a[3], b[1]].join('\n'))).toEqual(['measured-mixed 4:3']);
  });

  it('are refused where both name the same rank', () => {
    // without MPI every process measures itself, as rank 0
    const text = ['# Using devices', ranks('a')[0], ranks('b')[0], heading, ...rows('2 float sum -1')].join('\n');
    expect(told(text)).toEqual(['measured-mixed 3:1']);
  });

  it('one after the other are two tables, also of the same sizes', () => {
    const { tables, told: said } = read([...run('a', 1), ...run('b', 2)].join('\n'));
    expect(said).toEqual([]);
    expect(tables.map(({ rows: own }) => own.length)).toEqual([4, 4]);
  });
});

describe('several sweeps below one heading', () => {
  it.each([
    ['again (-N 2)', [...rows('2 float sum -1'), ...rows('2 float sum -1')]],
    ['of other types and operations (-d all -o all)', [...rows('2 float sum -1'), ...rows('4 half max -1').slice(1)]],
    ['of one size', [row(1024, '2 float sum -1', 5), row(1024, '2 float sum -1', 6), row(1024, '2 float sum -1', 7)]],
    ['after rows of no bytes', [row(0, '0 float sum -1', 5), row(0, '0 float sum -1', 6), ...rows('2 float sum -1')]],
  ])('%s are one run', (_, lines) => {
    const { tables, told: said } = read([heading, ...lines].join('\n'));
    expect(said).toEqual([]);
    expect(tables.map(({ rows: own }) => own.length)).toEqual([lines.length]);
  });
});
