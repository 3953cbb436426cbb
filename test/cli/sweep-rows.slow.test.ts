// The rows of `weft sweep`, in this process: what is in them, and that a sweep goes on with those that are there. With worker
// processes and kills: sweep-kill.slow.test.ts; what is refused: sweep.test.ts.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { StoredSweep } from '../../src/storage/sweep/read-sweep.js';
import { csvRows } from '../support/csv-rows.js';
import { eachAtSweepPlace, scenarioText, sweeper, swept } from '../support/swept-pair.js';

let folder = '';
let scenario = '';
let out = '';
eachAtSweepPlace((place) => ({ folder, scenario, out } = place));

function sweep(...words: string[]) {
  return sweeper('sweep', scenario, '--out', out, '--quiet', ...words);
}

async function text(name: string): Promise<string> {
  return readFile(join(out, name), 'utf8');
}

/** What is the same from one time to the next. */
async function tables(): Promise<Record<string, string>> {
  const names = ['sweep.json', 'runs.csv', 'runs.parquet'];
  const texts = await Promise.all(names.map(async (name) => (await readFile(join(out, name))).toString('base64')));
  return Object.fromEntries(names.map((name, i) => [name, texts[i]!]));
}

describe('a sweep', () => {
  it('has a row for every combination, in order, with the figures of weft run', async () => {
    expect(await sweep(...swept)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await readdir(out)).sort()).toEqual([
      'journal.jsonl',
      'runs.csv',
      'runs.parquet',
      'sweep.json',
      'timings.csv',
    ]);
    const rows = csvRows(await text('runs.csv'));
    expect(
      rows.map((row) =>
        [row['run'], row['set.switch.buffer'], row['set.switch.bufferBytes'], row['set.pfc.enabled'], row['seed']].join(
          ' ',
        ),
      ),
    ).toEqual([
      '0 1MiB 1048576 true 4',
      '1 1MiB 1048576 true 5',
      '2 1MiB 1048576 false 4',
      '3 1MiB 1048576 false 5',
      '4 2MiB 2097152 true 4',
      '5 2MiB 2097152 true 5',
      '6 2MiB 2097152 false 4',
      '7 2MiB 2097152 false 5',
    ]);
    const single = await sweeper(
      'run',
      scenario,
      '--json',
      '--seed',
      '5',
      '--set',
      'switch.buffer=2MiB',
      '--set',
      'pfc.enabled=false',
    );
    const summary = JSON.parse(single.stdout) as {
      digest: string;
      fct: { p99Ns: number };
      counters: { events: number };
    };
    expect(rows[7]).toMatchObject({
      digest: summary.digest,
      'fct.p99Ns': String(summary.fct.p99Ns),
      'counters.events': String(summary.counters.events),
      outcome: 'finished',
      verdict: 'passed',
      error: '',
      'check.all flows finished': 'passed',
    });
    expect(csvRows(await text('timings.csv')).map((row) => Number(row['cpuSeconds']) > 0)).toEqual(
      rows.map(() => true),
    );
  });

  it('has the same in Parquet, with types, and tells its columns', async () => {
    await sweep(...swept);
    const bytes = await readFile(join(out, 'runs.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const objects = await parquetReadObjects({ file });
    const rows = csvRows(await text('runs.csv'));
    expect(
      objects.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)])),
      ),
    ).toEqual(rows);
    const { columns } = JSON.parse(await text('sweep.json')) as {
      columns: { name: string; type: string; unit: string | null; role: string }[];
    };
    expect(columns.map(({ name }) => name)).toEqual(Object.keys(rows[0]!));
    expect(columns.find(({ name }) => name === 'fct.p99Ns')).toEqual({
      name: 'fct.p99Ns',
      role: 'figure',
      type: 'number',
      unit: 'ns',
    });
    const types = { whole: 'bigint', number: 'number', flag: 'boolean', word: 'string' } as const;
    for (const { name, type } of columns)
      for (const row of objects)
        if (row[name] !== null) expect([name, typeof row[name]]).toEqual([name, types[type as keyof typeof types]]);
    const metadata = await parquetMetadataAsync(file);
    expect(JSON.parse(metadata.key_value_metadata!.find(({ key }) => key === 'weft.columns')!.value!)).toEqual(columns);
  });

  it('is read back row by row', async () => {
    await sweep(...swept);
    const stored = await StoredSweep.open(out);
    try {
      expect(stored.description).toMatchObject({
        runs: 8,
        ended: 8,
        outcome: 'finished',
        name: 'two to one',
        seeds: '4..5',
      });
      const rows = [...stored.rows()];
      expect(rows.map(({ run, choices, seed }) => [run, choices, seed])).toEqual(
        csvRows(await text('runs.csv')).map((row, i) => [i, [i >> 2, (i >> 1) & 1], Number(row['seed'])]),
      );
      expect(stored.columns()).toEqual(stored.description.columns);
    } finally {
      stored.close();
    }
    expect([await StoredSweep.isSweep(out), await StoredSweep.isSweep(folder)]).toEqual([true, false]);
    await expect(StoredSweep.open(folder)).rejects.toThrow(/no folder of a sweep/);
  });

  it('takes the seed of the scenario without --seeds, and seeds alone', async () => {
    await sweep('--set', 'pfc.enabled=true');
    expect(csvRows(await text('runs.csv')).map((row) => row['seed'])).toEqual(['1']);
    out = join(folder, 'seeds');
    await sweep('--seeds', '7,3');
    expect(csvRows(await text('runs.csv')).map((row) => row['seed'])).toEqual(['7', '3']);
  });

  it('says what came of it, and as JSON', async () => {
    const { code, stdout, stderr } = await sweeper('sweep', scenario, '--out', out, ...swept);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^two to one: 8 of 8 runs ended\nNo combination of settings makes a difference of more than 0\.5 %: flows took in\nthe mean 30\.03us\.\n\n {2}switch\.buffer {2}pfc\.enabled {2}runs +time +mean completion\n/,
    );
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const again = await sweeper('sweep', scenario, '--out', out, ...swept, '--json');
    expect(JSON.parse(again.stdout)).toEqual({
      ...(JSON.parse(await text('sweep.json')) as object),
      folder: out,
      before: 8,
      verdict: 'No combination of settings makes a difference of more than 0.5 %: flows took in the mean 30.03us.',
      // no combination of these settings holds one that changes nothing
      leftOut: [],
      errors: [],
    });
  });
});

describe('a sweep that is there already', () => {
  it('runs nothing, and its tables are made again', async () => {
    await sweep(...swept);
    const before = await tables();
    const journal = await text('journal.jsonl');
    await rm(join(out, 'runs.csv'));
    expect(await sweep(...swept)).toMatchObject({ code: 0 });
    expect(await tables()).toEqual(before);
    expect(await text('journal.jsonl')).toBe(journal);
  });

  it('goes on where its journal ends, with the same bytes in the end', async () => {
    await sweep(...swept);
    const before = await tables();
    const lines = (await text('journal.jsonl')).split('\n');
    await writeFile(join(out, 'journal.jsonl'), `${lines[6]!}\n${lines[0]!}\n${lines[3]!.slice(0, 100)}`);
    const { stderr } = await sweeper('sweep', scenario, '--out', out, ...swept);
    expect(stderr).toBe(`going on: 2 of 8 runs are in ${out} already\n`);
    expect(await tables()).toEqual(before);
    expect((await text('journal.jsonl')).split('\n')).toHaveLength(9);
  });

  it.each<[string, string[], RegExp]>([
    [
      'values',
      ['--set', 'switch.buffer=1MiB,4MiB', '--set', 'pfc.enabled=true,false', '--seeds', '4..5'],
      /its values of switch.buffer are 1MiB,2MiB, not 1MiB,4MiB/,
    ],
    [
      'settings',
      ['--set', 'pfc.enabled=true,false', '--seeds', '4..5'],
      /it sweeps switch.buffer, which is not asked for/,
    ],
    ['more settings', [...swept, '--set', 'sendLatency=0us,1us'], /it does not sweep sendLatency/],
    [
      'order',
      [...swept.slice(2, 4), ...swept.slice(0, 2), '--seeds', '4..5'],
      /its settings are in the order switch.buffer, pfc.enabled/,
    ],
    ['seeds', [...swept.slice(0, 4), '--seeds', '4..6'], /its seeds are 4..5, not 4..6/],
    ['no seeds', swept.slice(0, 4), /its seeds are 4..5, not the scenario's own/],
  ])('is not mixed with one of other %s', async (_, words, message) => {
    await sweep(...swept);
    const before = await tables();
    const { code, stderr } = await sweep(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(
      /out: error: this folder has another sweep: [^]*\n {2}hint: {3}give another folder with --out\n$/,
    );
    expect(await tables()).toEqual(before);
  });

  it('is not mixed with one of another scenario, or of a scenario that has changed', async () => {
    await sweep(...swept);
    await writeFile(scenario, scenarioText.replace('200kB', '300kB'));
    const changed = await sweep(...swept);
    expect([changed.code, changed.stderr]).toEqual([
      2,
      expect.stringMatching(/the scenario pair.yaml has changed since it was begun/),
    ]);
    await writeFile(join(folder, 'other.yaml'), scenarioText);
    const other = await sweeper('sweep', join(folder, 'other.yaml'), '--out', out, '--quiet', ...swept);
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/its scenario is pair.yaml, not other.yaml/)]);
  });
});

/** The line of a run in the journal, changed. */
async function changed(run: number, change: object): Promise<void> {
  const lines = (await text('journal.jsonl')).trimEnd().split('\n');
  const at = lines.findIndex((line) => (JSON.parse(line) as { run: number }).run === run);
  lines[at] = JSON.stringify({ ...(JSON.parse(lines[at]!) as object), ...change });
  await writeFile(join(out, 'journal.jsonl'), `${lines.join('\n')}\n`);
}
const values = (from: number): string => Array.from({ length: 17 }, (_, i) => `${from + 10 * i}kB`).join(',');

describe('runs that failed', () => {
  const nothing = { timing: null, verdict: 'failed', digest: null, figures: {}, checks: {} };

  it('are rows with their message, told in the end, and not tried again', async () => {
    await sweep(...swept);
    await changed(5, { ...nothing, outcome: 'failed', error: 'internal error: "two",\nand two' });
    const { code, stdout } = await sweeper('sweep', scenario, '--out', out, ...swept);
    expect(code).toBe(1);
    expect(stdout).toMatch(/ {2}problems +1 run failed\n +one: internal error: "two",\n/);
    const rows = csvRows(await text('runs.csv'));
    expect(rows[5]).toMatchObject({
      run: '5',
      outcome: 'failed',
      verdict: 'failed',
      error: 'internal error: "two",\nand two',
      digest: '',
      'fct.meanNs': '',
    });
    expect(rows.filter(({ verdict }) => verdict === 'failed')).toHaveLength(1);
    const json = JSON.parse((await sweeper('sweep', scenario, '--out', out, ...swept, '--json')).stdout) as object;
    expect(json).toMatchObject({
      outcome: 'finished',
      ended: 8,
      failed: 1,
      lost: 0,
      errors: [{ message: 'internal error: "two",', runs: 1 }],
    });
  });

  it('for want of their process are tried again', async () => {
    await sweep(...swept);
    const before = await tables();
    await changed(3, { ...nothing, outcome: 'lost', error: 'its process ended with signal SIGKILL, 3 times' });
    const { code, stderr } = await sweeper('sweep', scenario, '--out', out, ...swept);
    expect([code, stderr]).toEqual([0, `going on: 7 of 8 runs are in ${out} already\n`]);
    expect(await tables()).toEqual(before);
  });

  it('since their values do not go together, where that was not looked at, are rows', async () => {
    const grid = [
      '--set',
      `ecn.thresholds[0].minimum=${values(10)}`,
      '--set',
      `ecn.thresholds[0].maximum=200kB,${values(20)}`,
    ];
    const { code, stdout, stderr } = await sweeper('sweep', scenario, '--out', out, ...grid);
    expect(stderr).toMatch(/^note: 34 of 306 combinations were looked at/m);
    // the minimum above the maximum: 30 above 20, 40 above 20 and 30, …
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        / {2}problems +120 runs cannot be: settings do not go together\n +120: --set: error: the minimum is above the maximum\n/,
      ),
    ]);
    const rows = csvRows(await text('runs.csv'));
    expect(rows).toHaveLength(306);
    for (const row of rows) {
      const isWrong =
        Number(row['set.ecn.thresholds[0].minimumBytes']) > Number(row['set.ecn.thresholds[0].maximumBytes']);
      expect([row['run'], row['outcome']]).toEqual([row['run'], isWrong ? 'infeasible' : 'finished']);
    }
  });
});
