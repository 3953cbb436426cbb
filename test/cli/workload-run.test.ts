// Workloads through the whole program: what is printed, what `--json` says and what stands in the folder agree, and the
// times of ranks add up.

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readEndToEnd } from '../../src/formats/simai-end-to-end.js';
import { weftAsSimai } from '../support/simai-command.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-workload-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Stage {
  readonly rank: number;
  readonly totalNs: number;
  readonly computeNs: number;
  readonly bubbleNs: number;
  readonly communicationNs: number;
  readonly overlappedNs: number;
  readonly exposedNs: Readonly<Record<string, number>>;
}

interface Workload extends Stage {
  readonly name: string;
  readonly isFinished: boolean;
  readonly ranks: { readonly count: number; readonly min: number; readonly max: number };
  readonly stages: readonly Stage[];
}

const exposedOf = ({ exposedNs }: Stage): number => Object.values(exposedNs).reduce((sum, time) => sum + time, 0);

/** Runs a scenario into the folder `out`. */
async function run(
  scenario: string,
  files: Readonly<Record<string, string>> = {},
): Promise<{ report: string; workload: Workload; jobs?: Workload[] }> {
  for (const [name, text] of Object.entries({ ...files, 's.yaml': scenario }))
    await writeFile(join(folder, name), text);
  const { code, stdout, stderr } = await weftAsSimai('run', join(folder, 's.yaml'), '--out', join(folder, 'out'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return {
    report: stdout,
    ...(JSON.parse(await readFile(join(folder, 'out', 'summary.json'), 'utf8')) as {
      workload: Workload;
      jobs?: Workload[];
    }),
  };
}

async function endToEnd(name: string): Promise<NonNullable<ReturnType<typeof readEndToEnd>>> {
  const diagnostics = new Diagnostics();
  const read = readEndToEnd(name, await readFile(join(folder, 'out', name), 'utf8'), diagnostics);
  expect(diagnostics.list).toEqual([]);
  return read!;
}

const pipeline = `
fabric: { generate: spectrum-x, gpus: 16, gpuType: H100 }
workload:
  tensorParallel: 4
  pipelineParallel: 2
  microBatches: 4
  stageTransfer: 64KiB
  layers:
    - { name: first, chunk: 0, forward: { compute: 20us, collective: allreduce, group: tp, size: 256KiB }, inputGradient: { compute: 20us }, weightGradient: { compute: 20us, collective: allreduce, group: dp, size: 1MiB } }
    - { name: second, chunk: 1, forward: { compute: 20us }, inputGradient: { compute: 20us, collective: allreduce, group: tp, size: 256KiB }, weightGradient: { compute: 20us, collective: allreduce, group: dp, size: 1MiB } }
`;

describe('a pipeline', () => {
  it('spends every instant of every stage on computing, waiting for communication, or its bubble', async () => {
    const { workload, report } = await run(pipeline);
    expect([workload.isFinished, workload.ranks.count, workload.stages.length]).toEqual([true, 16, 2]);
    for (const stage of workload.stages) {
      expect(stage.totalNs).toBeCloseTo(stage.computeNs + exposedOf(stage) + stage.bubbleNs, 2);
      // four micro-batches of three passes of 20 us
      expect(stage.computeNs).toBe(240_000);
      // the other stage has at least one pass of 20 us to do before this one's first, or between its last forward and
      // first backward pass
      expect(stage.bubbleNs).toBeGreaterThan(20_000);
      expect(stage.communicationNs - exposedOf(stage)).toBeCloseTo(stage.overlappedNs, 2);
    }
    expect(workload.totalNs).toBe(workload.stages[0]!.totalNs);
    expect(workload.ranks.min).toBeLessThanOrEqual(workload.totalNs);
    expect(workload.ranks.max).toBeGreaterThanOrEqual(workload.totalNs);
    expect(report).toMatch(/pipeline bubble/);
    expect(report.split('\n').filter((line) => line.length > 80 && !line.includes(folder))).toEqual([]);
    const csv = await endToEnd('ncclFlowModel_EndToEnd.csv');
    // rank 0 runs the first layer alone
    expect(csv.layers.map(({ name }) => name)).toEqual(['first']);
    expect(csv.totalUs).toBeCloseTo(workload.totalNs / 1000, 5);
    expect(csv.bubbleUs).toBe(Math.round(workload.bubbleNs / 1000));
  });

  it('leaves a timeline in which the first ranks of the stages do one thing at a time', async () => {
    const { workload } = await run(pipeline);
    const rows = (await parquetReadObjects({
      file: await asyncBufferFromFile(join(folder, 'out', 'timeline.parquet')),
    })) as unknown as { rank: number; activity: string; startPs: bigint; finishPs: bigint }[];
    expect([...new Set(rows.map(({ rank }) => rank))].sort((a, b) => a - b)).toEqual(
      workload.stages.map(({ rank }) => rank),
    );
    for (const { rank, totalNs, computeNs } of workload.stages) {
      const own = rows.filter((row) => row.rank === rank).sort((a, b) => Number(a.startPs - b.startPs));
      let endPs = 0n;
      for (const { startPs, finishPs } of own) {
        expect(startPs).toBe(endPs);
        endPs = finishPs;
      }
      expect(Number(endPs) / 1000).toBeCloseTo(totalNs, 3);
      const computed = own
        .filter(({ activity }) => activity === 'compute')
        .reduce((sum, { startPs, finishPs }) => sum + finishPs - startPs, 0n);
      expect(Number(computed) / 1000).toBeCloseTo(computeNs, 3);
    }
    expect(await readFile(join(folder, 'out', 'timeline.svg'), 'utf8')).toContain(`rank ${workload.stages[1]!.rank}<`);
  });
});

describe('several jobs', () => {
  it('have a line, an object and a file each, and their workload files are among the inputs', async () => {
    const file =
      'HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0\n1\na -1 5000 ALLREDUCE 65536 1 NONE 0 1 NONE 0 1\n';
    const { jobs, workload, report } = await run(
      `
fabric: { generate: spectrum-x, gpus: 16, gpuType: H100 }
jobs:
  - { name: left, ranks: 0-7, file: w.txt }
  - { name: right, ranks: 8-15, start: 1us, tensorParallel: 8, layers: [ { name: a, forward: { compute: 10us, collective: allreduce, group: tp, size: 1MiB } } ] }
`,
      { 'w.txt': file },
    );
    expect(jobs!.map(({ name, computeNs }) => [name, computeNs])).toEqual([
      ['left', 5003],
      ['right', 10_000],
    ]);
    expect(jobs![0]).toEqual(workload);
    expect(report).toMatch(/^ {2}left +8 /m);
    expect(report).toMatch(/^ {2}right +8 +1us /m);
    expect((await readdir(join(folder, 'out'))).filter((name) => name.endsWith('.csv'))).toEqual([
      'ncclFlowModel_job0_EndToEnd.csv',
      'ncclFlowModel_job1_EndToEnd.csv',
      'paths.csv',
    ]);
    expect((await endToEnd('ncclFlowModel_job1_EndToEnd.csv')).totalUs).toBeCloseTo(jobs![1]!.totalNs / 1000, 5);
    const { inputs } = JSON.parse(await readFile(join(folder, 'out', 'manifest.json'), 'utf8')) as {
      inputs: { role: string; path: string }[];
    };
    expect(inputs.map(({ role, path }) => [role, path])).toEqual([
      ['scenario', 's.yaml'],
      ['workload', 'w.txt'],
    ]);
  });
});

it('a file of requests is among the inputs', async () => {
  const requests = 'arrival_ns,prompt_tokens,output_tokens\n0,128,1\n5000,64,1\n';
  await run(
    'fabric: { generate: spectrum-x, gpus: 16, gpuType: H100 }\ninference: { model: llama3-8b, tensorParallel: 8, prefill: 0-7, decode: 8-15, trace: r.csv }\n',
    { 'r.csv': requests },
  );
  const { inputs } = JSON.parse(await readFile(join(folder, 'out', 'manifest.json'), 'utf8')) as { inputs: object[] };
  expect(inputs.slice(1)).toEqual([
    {
      role: 'requests',
      path: 'r.csv',
      sizeBytes: requests.length,
      sha256: createHash('sha256').update(requests).digest('hex'),
    },
  ]);
});
