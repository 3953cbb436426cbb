// CC_LOG_FILE and TRACE_INJECT_FILE: paths in a file of their own, the trace in place of a workload.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { commandWith } from '../support/run-command.js';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-path-log-'));
  await writeFile(at('f.topo'), writeTopology(generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 })));
  await writeFile(at('conf'), 'ENABLE_QCN 1\n');
  await writeFile(at('t.csv'), 'timestamp_ns,src_node_id,dst_node_id,size_bytes\n0,0,2,1000\n0,1,3,1000\n');
  await writeFile(at('w.txt'), '1 ALLREDUCE 1048576 DP\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(environment: NodeJS.ProcessEnv, ...words: string[]) {
  return commandWith({ makePlan, simulate, environment })('run', '-c', at('conf'), '-n', at('f.topo'), ...words);
}

it('the log is the paths.csv of the run, with --out and without', async () => {
  const environment = { TRACE_INJECT_FILE: at('t.csv'), CC_LOG_FILE: at('log.csv') };
  expect(await run(environment, '--quiet', '-o', at('out'))).toMatchObject({ code: 0, stderr: '' });
  const log = await readFile(at('log.csv'), 'utf8');
  expect(log).toBe(await readFile(join(at('out'), 'paths.csv'), 'utf8'));
  expect(log.split('\n')).toHaveLength(4);
  // an earlier log is replaced, and nothing is left beside it
  expect((await run({ ...environment, CC_ENABLE: '1' }, '--quiet')).code).toBe(0);
  expect(await readFile(at('log.csv'), 'utf8')).toMatch(/^0,0b000001,0b000201,1,/m);
  expect((await readdir(folder)).filter((name) => name.startsWith('log'))).toEqual(['log.csv']);
});

it('another file there stays, and nothing is run', async () => {
  const environment = { TRACE_INJECT_FILE: at('t.csv'), CC_LOG_FILE: at('conf') };
  const { code, stderr } = await run(environment, '-o', at('out'), '--quiet');
  expect([code, stderr]).toEqual([2, expect.stringContaining('is no paths.csv')]);
  expect(await readFile(at('conf'), 'utf8')).toBe('ENABLE_QCN 1\n');
  expect(await readdir(folder)).not.toContain('out');
});

it('the trace takes the place of a workload, which is said; --trace wins over it', async () => {
  const environment = { TRACE_INJECT_FILE: at('t.csv') };
  const both = await run(environment, '-w', at('w.txt'), '--json');
  expect(both.stderr).toContain('the workload, which is not run');
  expect(JSON.parse(both.stdout)).toMatchObject({ finished: 2 });
  await writeFile(at('one.csv'), '0,0,2,1000\n');
  const named = await run(environment, '--trace', at('one.csv'), '--json');
  expect(JSON.parse(named.stdout)).toMatchObject({ finished: 1 });
  expect(named.stderr).toContain('TRACE_INJECT_FILE does nothing here: --trace names the trace');
});
