// `weft collective --compare`: measured rows beside simulated ones, their errors, the plot, and what is refused.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from '../support/command-context.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-compare-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sizes = [1024, 1_048_576, 67_108_864];

async function weft(...words: string[]) {
  const context = scriptedContext({ simulate });
  const code = await runProgram(['collective', ...words], context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

const fabric = ['--fabric', 'spectrum-x', '--gpus', '8'];

/** A table in which every time is the simulated one times a factor. */
async function measuredTimes(factors: readonly number[], test = 'all_reduce'): Promise<string> {
  const { stdout } = await weft('allreduce', ...fabric, '--sizes', sizes.map((size) => `${size}B`).join(','), '--json');
  const { rows } = JSON.parse(stdout) as { rows: { sizeBytes: number; timeUs: number }[] };
  const path = join(folder, `${test}.log`);
  const lines = rows.map(({ sizeBytes, timeUs }, i) => {
    const own = timeUs * factors[i]!;
    return `${sizeBytes} ${sizeBytes / 4} float sum -1 ${own} ${sizeBytes / own / 1e3} ${(1.75 * sizeBytes) / own / 1e3} 0`;
  });
  await writeFile(path, `# Collective test starting: ${test}_perf\n${lines.join('\n')}\n`);
  return path;
}

describe('weft collective --compare', () => {
  it('gives the error of every row, median and worst', async () => {
    const path = await measuredTimes([1, 0.5, 1.25]);
    const { code, stdout, stderr } = await weft('allreduce', ...fabric, '--compare', path, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { comparison } = JSON.parse(stdout) as {
      comparison: {
        tables: { rows: { sizeBytes: number; timeError: number; busbwError: number }[] }[];
        errors: Record<string, { rows: number; medianError: number; worstError: number; worstSizeBytes: number }>;
      };
    };
    const [table] = comparison.tables;
    // simulated over measured: 1, twice, four fifths
    expect(table!.rows.map(({ timeError }) => Math.round(1e6 * timeError))).toEqual([0, 1e6, -200_000]);
    expect(table!.rows.map(({ busbwError }) => Math.round(1e6 * busbwError))).toEqual([0, -500_000, 250_000]);
    const { time, latency, bandwidth } = comparison.errors;
    expect(time!.medianError).toBeCloseTo(0.2, 9);
    expect([time!.worstError, time!.worstSizeBytes]).toEqual([expect.closeTo(1, 9), 1_048_576]);
    expect([latency!.rows, bandwidth!.rows]).toEqual([1, 1]);
    expect(bandwidth!.medianError).toBeCloseTo(0.25, 9);
  });

  it('prints both beside each other in 80 columns, and draws them', async () => {
    const path = await measuredTimes([1, 0.5, 1.25]);
    const figure = join(folder, 'plot.svg');
    const { code, stdout } = await weft('allreduce', ...fabric, '--compare', path, '--figure', figure);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {4}1048576 .* \+100\.0 .*$/m);
    expect(stdout).toMatch(/# time, all sizes {3}: median error 20\.0 %, worst \+100\.0 % at 1048576 B \(3 rows\)/);
    for (const line of stdout.split('\n').filter((own) => !own.includes(folder)))
      expect(line.length).toBeLessThanOrEqual(80);
    const svg = await readFile(figure, 'utf8');
    // a mark for each row of both curves
    expect(svg.match(/<path d="M1 0A1 1 /g)).toHaveLength(2 * sizes.length);
    expect(svg).toContain('</svg>');
  });

  it('compares its own table with no error but that of the digits printed', async () => {
    const path = join(folder, 'own.txt');
    const own = await weft('allgather', ...fabric, '--sizes', '1KiB..64MiB', '--factor', '4');
    await writeFile(path, own.stdout);
    const { code, stdout } = await weft('allgather', ...fabric, '--compare', path, '--json');
    expect(code).toBe(0);
    const { comparison } = JSON.parse(stdout) as {
      comparison: { errors: { time: { rows: number; worstError: number } } };
    };
    expect(comparison.errors.time.rows).toBe(9);
    expect(Math.abs(comparison.errors.time.worstError)).toBeLessThan(1e-3);
  });

  it('names tables of other collectives and refuses a file without its own', async () => {
    const reduce = await measuredTimes([1, 1, 1]);
    const both = join(folder, 'both.log');
    await writeFile(
      both,
      `${await readFile(reduce, 'utf8')}# Collective test starting: alltoall_perf\n1024 256 float none -1 10 0.10 0.09 0\n`,
    );
    const { code, stderr } = await weft('allreduce', ...fabric, '--compare', both);
    expect(code).toBe(0);
    expect(stderr).toContain('both.log:6:1: warning: a table of alltoall, which is not compared with allreduce');
    const refused = await weft('broadcast', ...fabric, '--compare', reduce);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/all_reduce\.log:2:1: error: the file has no table of broadcast/);
  });

  it.each(['allreduce', 'allgather'])(
    'tells %s by the bandwidths of a table that names no collective',
    async (kind) => {
      const path = join(folder, 'nameless.log');
      // over 8 ranks busbw is 14/8 of algbw in an allreduce, 7/8 in an allgather
      await writeFile(path, '67108864 16777216 float sum -1 300 223.70 391.47 0\n');
      const { code, stderr } = await weft(kind, ...fabric, '--compare', path);
      expect(code).toBe(0);
      if (kind === 'allreduce') expect(stderr).toBe('');
      else expect(stderr).toMatch(/nameless\.log:1:1: warning: .*is it of allgather[^]*1\.750 times[^]*0\.875 times/);
    },
  );

  it.each([
    [
      'other ranks',
      '#  Rank  0 Group  0 Pid 1 on a device  0 [0] H100\n8 2 float sum -1 9 0.00 0.00 0\n',
      /2:1: error: the table is of 1 ranks, the group has 8/,
    ],
    ['a broken row', '8 2 float sum -1 9 0.00\n', /1:20: error: the row ends before its bandwidths/],
    ['no bytes at all', '0 0 float sum -1 0.10 0.00 0.00 0\n', /no row of the file has bytes and a time/],
  ])('refuses %s', async (_, text, wanted) => {
    const path = join(folder, 'bad.log');
    await writeFile(path, text);
    const { code, stderr, stdout } = await weft('allreduce', ...fabric, '--compare', path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(wanted);
  });

  it.each([
    [['--compare', 'a.log', '--sizes', '1KiB'], /sizes are those that were measured|cannot be read/],
    [['--figure', 'a.svg'], /only a comparison is drawn/],
    [['--compare', 'none.log'], /--compare: error: the file of measurements cannot be read/],
  ])('refuses %j', async (words, wanted) => {
    const { code, stderr } = await weft('allreduce', ...fabric, ...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(wanted);
  });
});
