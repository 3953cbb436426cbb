// `weft sweep ROWS --where … --sort …` on the stored sweep of the fixtures: against its CSV, filtered here.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { readRowFilter } from '../../src/scenario/sweep/row-filter.js';
import { csvRows } from '../support/csv-rows.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
const folder = fileURLToPath(new URL('../fixtures/incast.sweep', import.meta.url));
const rows = csvRows(readFileSync(`${folder}/runs.csv`, 'utf8'));

async function runsOf(...words: string[]): Promise<number[]> {
  const { code, stdout, stderr } = await weft('sweep', folder, '--json', ...words);
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as { rows: { run: number }[] }).rows.map(({ run }) => run);
}

const runsWhere = (is: (row: Record<string, string>) => boolean): number[] =>
  rows.filter(is).map((row) => Number(row['run']));
const times = rows.map((row) => Number(row['fct.p99Ns'])).sort((a, b) => a - b);
const middleNs = times[Math.floor(times.length / 2)]!;

describe('rows of a sweep', () => {
  it('are those that a condition is true of', async () => {
    const slow = runsWhere((row) => Number(row['fct.p99Ns']) > middleNs);
    expect(slow.length).toBeGreaterThan(0);
    expect(slow.length).toBeLessThan(rows.length);
    expect(await runsOf('--where', `fct.p99Ns > ${middleNs}`)).toEqual(slow);
    expect(await runsOf('--where', `p99 > '${middleNs}ns'`)).toEqual(slow);
    expect(await runsOf('--where', `not (p99 <= ${middleNs}) and verdict = 'passed'`)).toEqual(slow);
    expect(await runsOf('--where', `run = 1 or run / 2 = 2`)).toEqual([1, 4]);
    expect(await runsOf('--where', `"check.conservation" != 'passed'`)).toEqual([]);
  });

  it('are sorted, and cut', async () => {
    const own = rows.map((row) => [Number(row['fct.p99Ns']), Number(row['run'])] as const);
    const up = [...own].sort(([a, i], [b, j]) => a - b || i - j).map(([, run]) => run);
    const down = [...own].sort(([a, i], [b, j]) => b - a || i - j).map(([, run]) => run);
    expect(await runsOf('--sort', 'p99')).toEqual(up);
    expect(await runsOf('--sort', '-fct.p99Ns', '--limit', '3')).toEqual(down.slice(0, 3));
  });

  it('are a table of at most 80 columns, by the folder or by its table', async () => {
    const { code, stdout } = await weft('sweep', `${folder}/runs.csv`, '--limit', '2');
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toContain(`${rows.length} of ${rows.length} rows, 2 shown (--limit)`);
  });

  it.each<[string[], RegExp]>([
    [['--where', 'fct.p9Ns > 3'], /--where:1:1: error: there is no column fct\.p9Ns\n[^]*did you mean fct\.p99Ns\?/],
    [['--where', "1 < 2 and p99 < 'abc'"], /--where:1:18: error: 'abc' is no amount in ns/],
    [['--where', 'p99 <'], /--where:1:6: error: expected expression/],
    [['--sort', 'nope'], /no such column/],
    [['--seeds', '1..2'], /nothing is run\n {2}found: {2}--seeds/],
    [['--dry-run'], /nothing is run\n {2}found: {2}--dry-run/],
    [['--columns', 'run,nope'], /no such column/],
  ])('%j is refused', async (words, message) => {
    const { code, stderr } = await weft('sweep', folder, ...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('are not asked of a scenario', async () => {
    const { code, stderr } = await weft('sweep', 'incast.yaml', '--where', 'run = 1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/this is no folder of a sweep/)]);
  });
});

describe('a condition on what a row does not have', () => {
  it.each<[string, boolean]>([
    ['a = 1', false],
    ['a != 1', false],
    ['not (a = 1)', false],
    ['a = 1 or b = 2', true],
    ['a = 1 and b = 2', false],
    ['not (a = 1 and b = 3)', true],
    ['b + a > 0', false],
    ['b / 0 > 0', false],
  ])('%s is %s', (text, expected) => {
    const filter = readRowFilter(text, (name) => ({ name, unit: null }), []);
    expect(filter((name) => (name === 'b' ? 2 : null))).toBe(expected);
  });
});
