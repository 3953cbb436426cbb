// The Parquet files of a sweep of many runs: each of 4,096 rows at most, together the rows of runs.csv, and none of an
// earlier call beside them. pandas and DuckDB read them where they lie.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { Combinations } from '../../src/scenario/sweep/combinations.js';
import { readSeeds } from '../../src/scenario/sweep/seed-list.js';
import { readSweptSettings } from '../../src/scenario/sweep/swept-setting.js';
import { SweepJournal } from '../../src/storage/sweep/sweep-journal.js';
import { writeTables } from '../../src/storage/sweep/sweep-tables.js';
import { pandasPython } from '../support/pandas.js';

const python = pandasPython();
const runs = 10_000;
const settings = readSweptSettings(['switch.buffer=1MiB,2MiB'], new Diagnostics(), () => null);
const combinations = new Combinations(settings, readSeeds(`1..${runs / 2}`), null);
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-shards-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Adds runs to the journal, and writes the tables. */
async function write(from: number, to: number): Promise<string[]> {
  const journal = SweepJournal.open(join(folder, 'journal.jsonl'), runs);
  try {
    for (let run = from; run < to; run++)
      journal.append({
        run,
        row: {
          seed: 1 + (run % (runs / 2)),
          outcome: 'finished',
          error: null,
          figures: new Map([['fct.p99Ns', 1000.5 + run]]),
          checks: new Map(),
          verdict: 'passed',
          failedChecks: null,
          digest: null,
        },
        timing: null,
      });
    let told = 0;
    await writeTables(folder, journal, combinations, () => told++);
    expect(told).toBe(to);
  } finally {
    journal.close();
  }
  return readdirSync(folder)
    .filter((name) => name.startsWith('runs'))
    .sort();
}

const shards = ['runs-00000.parquet', 'runs-00001.parquet', 'runs-00002.parquet'];

const readAll = `
import duckdb, glob, json, pandas, sys
folder = sys.argv[1]
files = sorted(glob.glob(folder + "/runs*.parquet"))
frame = pandas.read_parquet(files)
rows = "select count(*), count(distinct run), sum(\\"fct.p99Ns\\") from '" + folder + "/runs*.parquet'"
json.dump({
  "pandas": [len(frame), int(frame["run"].nunique()), float(frame["fct.p99Ns"].sum())],
  "duckdb": [float(value) for value in duckdb.sql(rows).fetchone()],
  "each": [len(pandas.read_parquet(file)) for file in files],
}, sys.stdout)
`;

describe('the tables of a sweep', () => {
  it('are one Parquet file of few rows, several of many, and never both', async () => {
    expect(await write(0, 4096)).toEqual(['runs.csv', 'runs.parquet']);
    expect(await write(4096, runs)).toEqual([...shards, 'runs.csv']);
    expect(readFileSync(join(folder, 'runs.csv'), 'utf8').split('\n')).toHaveLength(runs + 2);
  });

  it.skipIf(python === null)('are read by pandas and DuckDB where they lie', async () => {
    await write(0, runs);
    const read = JSON.parse(execFileSync(python!, ['-c', readAll, folder], { encoding: 'utf8' })) as unknown;
    // 1000.5 of each, and 0 + 1 + … + 9,999
    const sum = 1000.5 * runs + (runs * (runs - 1)) / 2;
    expect(read).toEqual({ pandas: [runs, runs, sum], duckdb: [runs, runs, sum], each: [4096, 4096, 1808] });
  });
});
