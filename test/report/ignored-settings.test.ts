// Settings of a sweep that change nothing beside others: counted once in the table, the JSON, the page and its tests.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { SweepFigures } from '../../src/report/page/sweep-figures.js';
import { IgnoredSettings, leftOutText } from '../../src/report/sweep/ignored-settings.js';
import type { SettingOfColumn, SweepRow } from '../../src/report/sweep/row-columns.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';
import { csvRows } from '../support/csv-rows.js';

const setting = (path: string, values: readonly string[]): SettingOfColumn => ({
  path,
  values,
  kind: 'word',
  numbers: null,
  unit: null,
});
const control = setting('congestion.algorithm', ['dcqcn', 'dctcp', 'hpcc']);
const transport = setting('transport.algorithm', ['irn', 'uec']);

function row(choices: readonly number[], seed: number, noEffect: readonly string[], meanNs = 100): SweepRow {
  return {
    run: 0,
    choices,
    values: [],
    seed,
    outcome: 'finished',
    error: null,
    figures: new Map([['fct.meanNs', meanNs]]),
    checks: new Map(),
    verdict: 'passed',
    failedChecks: null,
    digest: null,
    ...(noEffect.length === 0 ? {} : { noEffect }),
  };
}

/** Controls by transports; uec ignores the control. */
const rows = [0, 1, 2].flatMap((choice) =>
  [0, 1].flatMap((own) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((seed) =>
      row([choice, own], seed, own === 1 ? ['congestion.algorithm'] : [], own === 1 ? 500 + seed : 100 * choice + seed),
    ),
  ),
);

describe('a setting without effect beside another', () => {
  it('leaves one combination of all its values', () => {
    const ignored = new IgnoredSettings([control, transport]);
    for (const each of rows) ignored.add(each);
    expect([0, 1, 2].map((choice) => [ignored.isDouble([choice, 0]), ignored.isDouble([choice, 1])])).toEqual([
      [false, false],
      [false, true],
      [false, true],
    ]);
    expect(ignored.list().map(leftOutText)).toEqual([
      'congestion.algorithm has no effect with transport.algorithm=uec: 2 combinations are the same run as another and left out',
    ]);
  });

  it('leaves all where one value has an effect, or where its runs are not there yet', () => {
    for (const missing of [true, false]) {
      const ignored = new IgnoredSettings([control, transport]);
      for (const each of rows)
        if (each.choices[0] !== 0) ignored.add(each);
        else if (!missing) ignored.add({ ...each, noEffect: [] });
      expect(ignored.isDouble([1, 1])).toBe(false);
      expect(ignored.list()).toEqual([]);
    }
  });

  it('takes no part in the tests: its pairs are not counted, and its value reads any', () => {
    const ignored = new IgnoredSettings([control, transport]);
    for (const each of rows) ignored.add(each);
    const sweep = new SweepFigures([control, transport], ignored);
    for (const each of rows) sweep.add(each);
    expect([sweep.count, sweep.runs]).toEqual([4, 60]);
    expect(sweep.table(1).rows.map(({ values }) => values.join(' '))).toEqual([
      'dcqcn irn',
      'any uec',
      'dctcp irn',
      'hpcc irn',
    ]);
    const [dctcp] = sweep.differences(1).rows;
    // ten seeds with irn; with the ten equal pairs of uec there were twenty
    expect(dctcp!.effects[0]).toMatchObject({ pairs: 10, change: 100 });
  });
});

describe('weft sweep', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-ignored-'));
    await writeFile(
      join(folder, 's.yaml'),
      'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\ntraffic: { transfers: [ { source: 0, destination: 2, size: 100kB } ] }\n',
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  // the default of the ignored setting is among its values: it is not warned of, and merged all the same
  it.each([
    ['congestion.algorithm=dcqcn,dctcp,none', 'transport.algorithm=go-back-n,uec', 'uec', 2],
    ['routing.balancing=ecmp,spray,drill', 'routing.algorithm=equal-cost,ftree', 'ftree', 2],
    ['credit.buffer=auto,1MB', 'backend=packet,credit', 'packet', 1],
  ])('%s x %s: with %s %i are the same run', async (first, second, ignoring, same) => {
    const [path, other] = [first, second].map((text) => text.split('=')[0]!);
    const out = join(folder, path!);
    const weft = commandWith({ makePlan, simulate });
    const words = ['--set', first, '--set', second, '--out', out, '--json', '--quiet'];
    const { code, stdout } = await weft('sweep', join(folder, 's.yaml'), ...words);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { leftOut: unknown }).leftOut).toEqual([
      { setting: path, where: `${other}=${ignoring}`, combinations: same },
    ]);
    const table = csvRows(await readFile(join(out, 'runs.csv'), 'utf8'));
    expect(table.filter((line) => line['noEffect'] === path).length).toBe(same + 1);
  });
});
