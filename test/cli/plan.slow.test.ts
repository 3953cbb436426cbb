// `weft plan` from its options to text, JSON and the scenario of the winner.

import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { scriptedContext } from '../support/command-context.js';

interface PlanJson {
  readonly plans: readonly (Readonly<Record<string, number | string | boolean>> & {
    readonly exposedNs: Readonly<Record<string, number>>;
    readonly totalNs: number;
    readonly why: string;
  })[];
  readonly infeasible: Readonly<Record<string, number>>;
  readonly feasible: number;
  readonly isComplete: boolean;
  readonly isOpen: boolean;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-plan-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A model of two layers, so that runs are short. */
const small = ['plan', '--model', 'llama2-7b', '--gpus', '8', '--global-batch', '8', '--quiet'].concat(
  ['layerCount=2', 'hiddenSize=1024', 'attentionHeads=8', 'keyValueHeads=8', 'sequenceLength=1024'].flatMap(
    (change) => ['--set', `workload.${change}`],
  ),
);

function plan(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return planOf('--best', '3', ...words);
}

async function planOf(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const world = scriptedContext({ makePlan, simulate });
  const code = await runProgram([...small, ...words], world);
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

/** The decisions of a list, in words. */
const listed = async (...words: string[]): Promise<string[]> =>
  (JSON.parse((await planOf('--json', '--best', '8', ...words)).stdout) as PlanJson).plans.map((each) =>
    [
      each['tensorParallel'],
      each['pipelineParallel'],
      each['contextParallel'],
      each['microBatchSize'],
      each['sequenceParallel'],
      each['recomputation'],
      each['zeroStage'],
    ].join(' '),
  );

describe('weft plan', () => {
  it('ranks plans and writes the winner, which runs to the same time', async () => {
    const out = join(folder, 'winner.yaml');
    const { code, stdout, stderr } = await plan('--json', '--out', out, '--fluid', '1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { plans, feasible, isComplete } = JSON.parse(stdout) as PlanJson;
    expect(isComplete).toBe(true);
    expect(feasible).toBeGreaterThan(3);
    expect(plans).toHaveLength(3);
    const times = plans.map(({ totalNs }) => totalNs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(plans[0]!['timedBy']).toBe('fluid');
    for (const { totalNs, computeNs, bubbleNs, exposedNs, mfu, why, ...shape } of plans) {
      const waits = Object.values(exposedNs).reduce((sum, ns) => sum + ns, 0);
      expect(Number(computeNs) + Number(bubbleNs) + waits).toBeCloseTo(totalNs, 1);
      expect(Number(mfu)).toBeGreaterThan(0);
      expect(Number(mfu)).toBeLessThan(1);
      expect(why).not.toBe('');
      const { tensorParallel, pipelineParallel, contextParallel, dataParallel, microBatchSize, microBatches } = shape;
      expect(Number(tensorParallel) * Number(pipelineParallel) * Number(contextParallel) * Number(dataParallel)).toBe(
        8,
      );
      expect(Number(microBatchSize) * Number(microBatches) * Number(dataParallel)).toBe(8);
    }
    const { jobs } = await simulate(await makePlan(out, { host: nodeHost(), overrides: [] }), { host: nodeHost() });
    expect(jobs[0]!.totalPs.maximum / 1000).toBe(times[0]);
    expect(readFileSync(out, 'utf8')).toContain('backend: fluid');
  });

  it('says who wins and why in 80 columns, with what could not run', async () => {
    const { code, stdout } = await plan('--set', 'workload.zeroStage=0');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^llama2-7b on 8 H100, spectrum-x, 8 sequences an iteration: Best:/);
    expect(stdout).toMatch(/the\s+next\s+takes/);
    expect(stdout).toMatch(/infeasible +[0-9,]+ by /);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toMatch(/ z[123] /);
  });

  it.each([
    [['--set', 'workload.gpuMemory=1MiB'], /no plan for llama2-7b can run on 8 H100[^]*by memory/],
    [['--fabric', 'leaf-spin'], /there is no such family[^]*did you mean/],
    [['--set', 'workload.tensorParallel=many'], /--set: error: workload.tensorParallel has a value/],
  ])('refuses %j and says why', async (words, why) => {
    const out = join(folder, 'none.yaml');
    const { code, stdout, stderr } = await plan(...words, '--out', out);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(why);
    expect(existsSync(out)).toBe(false);
  });

  it('refuses a fabric of another size, and leaves a file that exists', async () => {
    const file = join(folder, 'mine.yaml');
    await writeFile(file, 'fabric: { generate: spectrum-x, gpus: 16 }\n');
    expect((await plan('--fabric', file)).stderr).toMatch(/has 16 GPUs[^]*wanted: +16/);
    expect((await plan('--out', file)).code).toBe(2);
    expect(readFileSync(file, 'utf8')).toMatch(/^fabric/);
  });

  it('runs whoever may still be the best on fluid, beyond those that are listed', async () => {
    // servers without NVLink: all groups share the NIC, so that closed forms mislead
    const words = ['--fabric', 'leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 2', '--gpu-type', 'A100'].concat(
      ['layerCount=4', 'sequenceLength=2048', 'recomputation=none', 'contextParallel=1', 'zeroStage=1'].flatMap(
        (change) => ['--set', `workload.${change}`],
      ),
      [
        'chunksPerStage=1,2',
        'microBatchSize=1,2',
        'endsAsLayers=false',
        'tensorParallel=1,2',
        'pipelineParallel=2,4',
      ].flatMap((change) => ['--set', `workload.${change}`]),
    );
    const json = async (...more: string[]): Promise<PlanJson> =>
      JSON.parse((await planOf('--json', ...words, ...more)).stdout) as PlanJson;
    const all = await json('--best', '200', '--fluid', '200', '--variants');
    expect(all.plans).toHaveLength(all.feasible);
    expect(all.plans.every(({ timedBy }) => timedBy === 'fluid')).toBe(true);
    const some = await json('--fluid', '1', '--most-runs', '100');
    expect(some.isOpen).toBe(false);
    expect(some.plans[0]!.totalNs).toBe(all.plans[0]!.totalNs);
    const few = await json('--fluid', '1', '--most-runs', '1');
    expect(few.isOpen).toBe(true);
    expect(few.plans[0]!.totalNs).toBeGreaterThan(all.plans[0]!.totalNs);
  });

  it('lists each decision once', async () => {
    const deep = ['--set', 'workload.pipelineParallel=2', '--set', 'workload.layerCount=16'];
    const decisions = await listed(...deep);
    expect(new Set(decisions).size).toBe(8);
    expect(new Set(await listed(...deep, '--variants')).size).toBeLessThan(8);
  });
});
