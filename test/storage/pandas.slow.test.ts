// docs/pandas-and-duckdb.md: its script reads every table that a run can write, and what the analysis commands write.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { pandasPython } from '../support/pandas.js';
import { commandWith } from '../support/run-command.js';

const python = pandasPython();
const weft = commandWith({ makePlan, simulate });
const page = readFileSync(fileURLToPath(new URL('../../docs/pandas-and-duckdb.md', import.meta.url)), 'utf8');
const probes =
  'probes: { queueInterval: 10us, bandwidthInterval: 10us, rateInterval: 10us, notificationInterval: 10us, packetLatency: true, pfcEvents: true, pauses: true, portCounters: true, packetLosses: true }\n';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-pandas-'));
  await writeFile(at('read.py'), /```py\n([^]*?)```/.exec(page)![1]!);
  await writeFile(
    at('job.yaml'),
    `fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4 }\n${probes}timeline: { moves: true }\nworkload: { layers: [ { name: g, forward: { compute: 1us, collective: allreduce, group: dp, size: 1MiB } } ] }\n`,
  );
  const { code, stderr } = await weft('run', at('job.yaml'), '--out', at('job'), '--quiet');
  expect([code, stderr]).toEqual([0, '']);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(python === null)('pandas and DuckDB', () => {
  it('read every table of a run with all probes and a job', async () => {
    const printed = execFileSync(python!, [at('read.py'), at('job')], { encoding: 'utf8' });
    const { tables } = JSON.parse(await readFile(join(at('job'), 'manifest.json'), 'utf8')) as {
      tables: { name: string; rows: number; files: string[]; columns: { categories?: object }[] }[];
    };
    expect(tables.length).toBeGreaterThan(12);
    for (const { files, rows, columns } of tables) {
      const words = columns.filter(({ categories }) => categories !== undefined).length;
      const parquet = files.find((name) => name.endsWith('.parquet'));
      expect(printed).toContain(
        parquet === undefined
          ? `paths over ${rows} switches`
          : `${parquet} ${rows} rows, ${columns.length} columns, ${words} of words`,
      );
    }
  });

  it('read what the analysis commands write', async () => {
    await weft('analyze', 'flows', at('job'), '--out', at('flows.csv'));
    await weft('analyze', 'fct', at('job'), '--csv', at('cdf.csv'));
    const script =
      'import duckdb, pandas, sys\nfor path in sys.argv[1:]:\n  frame = pandas.read_csv(path)\n  rows = duckdb.sql(f"select * from \'{path}\'")\n  assert list(frame.columns) == rows.columns and len(frame) == len(rows.fetchall())\n  print(",".join(frame.columns))\n';
    const printed = execFileSync(python!, ['-c', script, at('flows.csv'), at('cdf.csv')], { encoding: 'utf8' });
    expect(printed).toBe(
      'flow_id,src_gpu,dst_gpu,sport,spine_switch,hops,fct_ns,slowdown,cc_assigned\nrun,share,fct_ns\n',
    );
  });
});
