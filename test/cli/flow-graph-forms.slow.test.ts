// A flow graph of several groups of rows, as JSON lines and as Parquet.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

let folder: string;
let scenario: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-flow-graph-'));
  scenario = join(folder, 'job.yaml');
  await writeFile(
    scenario,
    'name: job\nbackend: fluid\nfabric: { generate: spectrum-x, gpus: 16, gpuType: A100 }\ncollectives: { profile: document }\nworkload: { generate: transformer, model: gpt3-6.7b, layerCount: 2, tensorParallel: 4, pipelineParallel: 2, dataParallel: 2, microBatches: 2, iterations: 2 }\n',
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function weft(...words: string[]): Promise<Ran> {
  const context = scriptedContext({ makePlan, simulate });
  const code = await runProgram(words, context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** 64-bit numbers as numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(plain) : value;
}

describe('weft collective --flow-graph', () => {
  it('writes the same graph as JSON lines and as Parquet, over several groups of rows', async () => {
    const [lines, parquet] = [join(folder, 'a.jsonl'), join(folder, 'a.parquet')];
    const words = ['collective', 'alltoall', '--fabric', 'spectrum-x', '--gpus', '136', '--sizes', '1MiB'];
    const ran = await weft(...words, '--flow-graph', lines, '--json');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      outcome: 'finished',
      file: lines,
      flows: 136 * 135,
      flowBytes: 135 * 2 ** 20,
    });
    expect((await weft(...words, '--flow-graph', parquet)).code).toBe(0);
    const read = await linesOf(lines);
    expect(read).toHaveLength(136 * 135);
    const file = await asyncBufferFromFile(parquet);
    expect((await parquetMetadataAsync(file)).row_groups).toHaveLength(2);
    const rows = await parquetReadObjects({ file });
    expect(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]))),
    ).toEqual(read);
  });
});
