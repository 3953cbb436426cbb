// `weft collective --flow-graph` and `weft workload flows`: both forms of a graph say the same, a job's graph has the
// transfers of its run, what cannot be written is refused before anything is made, and what is stopped leaves nothing.

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';
import { linesOf, plain, weft, writeJob } from '../support/flow-graph-command.js';

let folder: string;
let scenario: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-flow-graph-'));
  scenario = await writeJob(folder);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const server = ['collective', 'allreduce', '--fabric', 'spectrum-x', '--gpus', '8', '--sizes', '1MiB'];

describe('weft collective --flow-graph', () => {
  it('says what was chosen in 80 columns', async () => {
    const words = ['collective', 'allreduce', '--fabric', 'spectrum-x', '--gpus', '32', '--sizes', '1MiB'];
    const { stdout } = await weft(...words, '--flow-graph', join(folder, 'chosen.jsonl'));
    const comments = stdout.split('\n').filter((line) => line.startsWith('#'));
    expect(comments.join(' ')).toMatch(/channels, .* by its model/);
    expect(comments.filter(({ length }) => length > 80)).toEqual([]);
  });

  it('keeps lists with and without numbers apart in Parquet', async () => {
    const [lines, parquet] = [join(folder, 'b.jsonl'), join(folder, 'b.parquet')];
    for (const path of [lines, parquet])
      expect((await weft(...server, '--profile', 'document', '--flow-graph', path)).code).toBe(0);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(parquet) });
    const read = await linesOf(lines);
    expect(new Set(read.map(({ prev }) => (prev as number[]).length))).toEqual(new Set([0, 1]));
    for (const key of ['prev', 'parallel_deps', 'child_flow_id'])
      expect(rows.map((row) => plain(row[key]))).toEqual(read.map((row) => row[key]));
  });

  it.each([
    ['another ending', ['--flow-graph', 'x.csv'], /wanted: a file that ends in \.jsonl or \.parquet/],
    ['several sizes', ['--sizes', '1KiB..1MiB', '--flow-graph', 'x.jsonl'], /a graph is of one collective/],
    ['an explanation', ['--explain', '--flow-graph', 'x.jsonl'], /instead of being timed/],
    ['a folder that is not there', ['--flow-graph', 'none/x.jsonl'], /there is no such folder/],
  ])('refuses %s', async (_what, words, message) => {
    const given = words.map((word) => (/^(?:x|none)/.test(word) ? join(folder, word) : word));
    const { code, stdout, stderr } = await weft(...server.slice(0, 6), ...given);
    expect(stderr).toMatch(message);
    expect([code > 0, stdout]).toEqual([true, '']);
    expect((await readdir(folder)).filter((name) => name.startsWith('x') || name.includes('partial'))).toEqual([]);
  });

  it('leaves what stands there: a file, a folder, a FIFO; --force replaces a file', async () => {
    const [file, other, fifo] = [join(folder, 'c.jsonl'), join(folder, 'd.jsonl'), join(folder, 'e.jsonl')];
    await writeFile(file, 'mine\n');
    await mkdir(other);
    execFileSync('mkfifo', [fifo]);
    for (const [path, message] of [
      [file, /exists, so it is left as it is/],
      [other, /there is a folder of this name/],
      [fifo, /it is a FIFO/],
    ] as const) {
      const { code, stderr } = await weft(...server, '--flow-graph', path);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
    expect(await readFile(file, 'utf8')).toBe('mine\n');
    expect((await weft(...server, '--flow-graph', file, '--force')).code).toBe(0);
    expect((await linesOf(file)).length).toBeGreaterThan(10);
  });

  it('leaves nothing when it is stopped, and says so', async () => {
    const path = join(folder, 'f.jsonl');
    const context = scriptedContext({ makePlan, simulate });
    const { host } = context;
    // a signal between the first piece and the second
    const stopping = { ...host, breathe: () => (process.emit('SIGINT', 'SIGINT'), host.breathe()) };
    const words = ['collective', 'allreduce', '--fabric', 'spectrum-x', '--gpus', '128', '--algorithm', 'ring'];
    const code = await runProgram([...words, '--flow-graph', path, '--json'], { ...context, host: stopping });
    expect(code).toBe(130);
    expect(context.stderr.text).toContain('stopping cleanly');
    expect(context.stderr.text).toContain(`stopped: ${path} is not written`);
    expect(JSON.parse(context.stdout.text)).toMatchObject({ outcome: 'stopped', file: null });
    expect((await readdir(folder)).filter((name) => name.includes('f.jsonl'))).toEqual([]);
    expect(process.listenerCount('SIGINT')).toBe(0);
  });
});

describe('weft workload flows', () => {
  it('has every transfer of a run of the job, messages between stages included', async () => {
    const path = join(folder, 'job.jsonl');
    const ran = await weft('workload', 'flows', scenario, '--out', path, '--json');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const flows = await linesOf(path);
    const out = join(folder, 'run');
    expect((await weft('run', scenario, '--out', out, '--quiet')).code).toBe(0);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(out, 'flows.parquet')) });
    const ofRun = rows.map((row) => `${plain(row['source'])}-${plain(row['destination'])} ${plain(row['sizeBytes'])}`);
    const ofGraph = flows.map(
      ({ src, dest, wire_size }) => `${src as number}-${dest as number} ${wire_size as number}`,
    );
    expect(ofGraph.sort()).toEqual(ofRun.sort());
    expect(flows.map(({ flow_id }) => flow_id)).toEqual(flows.map((_, i) => i));
    const causes = new Set(flows.map(({ operation, group }) => `${operation as string} ${group as string}`));
    expect(causes).toContain('sendrecv pp');
    expect(causes).toContain('allreduce dp');
    expect(new Set(flows.map(({ iteration }) => iteration))).toEqual(new Set([0, 1]));
    // no edge leaves its collective
    const collectiveOf = flows.map(({ collective }) => collective);
    for (const { child_flow_id, collective } of flows)
      for (const child of child_flow_id as number[]) expect(collectiveOf[child]).toBe(collective);
    expect(JSON.parse(ran.stdout)).toMatchObject({ job: 'workload', flows: flows.length, profile: 'document' });
  });

  it('wants a scenario with a job, and a file whose ending says its form', async () => {
    const plainFile = join(folder, 'plain.yaml');
    await writeFile(
      plainFile,
      'name: plain\nfabric: { generate: spectrum-x, gpus: 16 }\ntraffic: { pattern: shift }\n',
    );
    for (const words of [
      [plainFile, '--out', join(folder, 'x.jsonl')],
      [scenario, '--out', join(folder, 'x.txt')],
      [scenario],
    ]) {
      const { code, stdout } = await weft('workload', 'flows', ...words);
      expect([code, stdout]).toEqual([2, '']);
    }
  });
});
