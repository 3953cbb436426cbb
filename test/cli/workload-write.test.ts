// `weft workload write`: what it writes reads back as the scenario's workload, for scenarios drawn at random; what it
// says of what the file leaves out; what it refuses.

import * as fc from 'fast-check';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { runProgram } from '../../src/cli/program.js';
import { readSimaiWorkload } from '../../src/formats/simai-workload.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { InputDigests } from '../../src/storage/input-digests.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { unrolled } from '../../src/workload/micro-batches.js';
import { passNames } from '../../src/workload/policies.js';
import { layerAt, passAt, type Workload } from '../../src/workload/workload.js';
import { scriptedContext } from '../support/command-context.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

let folder: string;
let scenario: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-workload-write-'));
  scenario = join(folder, 'job.yaml');
  await writeFile(
    scenario,
    'name: job\nfabric: { generate: spectrum-x, gpus: 64, gpuType: H100 }\nworkload: { generate: transformer, model: gpt3-6.7b, layerCount: 8, tensorParallel: 8, pipelineParallel: 2, dataParallel: 4, microBatches: 4 }\n',
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function weft(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = scriptedContext({ makePlan });
  const code = await runProgram(['workload', 'write', ...words], context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

function read(text: string): Workload {
  const diagnostics = new Diagnostics();
  const workload = readSimaiWorkload(text, 'w.txt', diagnostics);
  expect(diagnostics.list.filter(({ severity }) => severity === 'error')).toEqual([]);
  return workload!;
}

/** What one rank of a stage does, line by line: name, and of every pass time in ns, collective, ranks and bytes. */
function linesOf(workload: Workload, stage: number): string[] {
  const { layers, microBatches, groups } = workload;
  return [...unrolled(layers, microBatches)].flatMap(([i, copy]) => {
    const { name, modelChunk, isSyncedOnce, updatePs } = layerAt(layers, i);
    if (modelChunk >= 0 && modelChunk % groups.pipeline !== stage) return [];
    const passes = passNames.map((pass) => {
      const { computePs, collective, group, sizeBytes } = passAt(layers[pass], i);
      const sends = collective !== 'none' && !(pass === 'weightGradient' && isSyncedOnce && copy > 0);
      return [Math.ceil(computePs / 1000), ...(sends ? [collective, group, sizeBytes] : [])].join(' ');
    });
    return [[name, ...passes, Math.ceil(updatePs / 1000)].join(' | ')];
  });
}

describe('weft workload write', () => {
  it(`writes what reads back as the scenario's workload, stage by stage (WEFT_SEED=${seed})`, async () => {
    const parts = fc.record({
      tensorParallel: fc.constantFrom(1, 2, 4, 8),
      pipelineParallel: fc.constantFrom(1, 2, 4),
      microBatches: fc.constantFrom(1, 2, 4, 8),
      layerCount: fc.constantFrom(4, 8, 12),
    });
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(3), async (given, anyStage) => {
        const stage = anyStage % given.pipelineParallel;
        const dataParallel = 64 / (given.tensorParallel * given.pipelineParallel);
        const overrides = Object.entries({ ...given, dataParallel }).map(
          ([name, value]) => `workload.${name}=${value}`,
        );
        const { jobs } = await makePlan(scenario, { overrides, host: nodeHost(new InputDigests()) });
        const set = overrides.flatMap((text) => ['--set', text]);
        const { code, stdout } = await weft(scenario, '--stage', String(stage), ...set);
        expect(code).toBe(0);
        const again = read(stdout);
        expect(linesOf(again, stage)).toEqual(linesOf(jobs[0]!.workload, stage));
        expect(again.groups).toEqual(jobs[0]!.workload.groups);
      }),
      { numRuns: rounds(12), seed },
    );
  });

  it('writes a file, leaves another of that name alone, and says what it left out', async () => {
    const out = join(folder, 'w.txt');
    const { code, stdout, stderr } = await weft(scenario, '--out', out, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file: out, stage: 0, groups: { tensor: 8, pipeline: 2, gpus: 64 } });
    expect(stderr).toMatch(/has 2 stages: the file has the layers of stage 0 alone/);
    const text = await readFile(out, 'utf8');
    expect((JSON.parse(stdout) as { layers: number }).layers).toBe(Number(text.split('\n')[1]));
    await writeFile(out, 'mine\n');
    const refused = await weft(scenario, '--out', out);
    expect([refused.code, await readFile(out, 'utf8')]).toEqual([2, 'mine\n']);
    expect((await weft(scenario, '--out', out, '--force')).code).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(text);
  });

  it.each([
    [['--stage', '2'], /wanted: a number from 0 to 1/],
    [['--stage', 'x'], /counted from 0/],
    [['--job', 'other'], /no such job/],
    [['--json'], /--json needs --out/],
  ])('refuses %j', async (words, message) => {
    const { code, stdout, stderr } = await weft(scenario, ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('refuses a scenario without a workload', async () => {
    const bare = join(folder, 'bare.yaml');
    await writeFile(
      bare,
      'fabric: { generate: dcn+, gpus: 16 }\ntraffic: { transfers: [{ source: 0, destination: 8, size: 1MB }] }\n',
    );
    const { code, stderr } = await weft(bare);
    expect([code, /no workload/.test(stderr)]).toEqual([2, true]);
  });
});
