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

/** Plans of llama2-7b on a server, whatever its memory. */
const largePlans = async (sequences: number, ...settings: string[]) => {
  const world = scriptedContext({ makePlan, simulate });
  const asked = [
    'plan',
    '--model',
    'llama2-7b',
    '--gpus',
    '8',
    '--global-batch',
    String(sequences),
    '--json',
    '--quiet',
  ];
  const all = ['gpuMemory=unlimited', 'tensorParallel=8', 'sequenceParallel=false', 'recomputation=none', ...settings];
  const code = await runProgram([...asked, ...all.flatMap((own) => ['--set', `workload.${own}`])], world);
  expect({ code, stderr: world.stderr.text }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(world.stdout.text) as PlanJson & { infeasibleExamples: Record<string, string> };
};

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

  it('sets fabrics beside each other, with what they cost', async () => {
    const few = [
      'zeroStage=1',
      'recomputation=none',
      'contextParallel=1',
      'tensorParallel=1,2',
      'pipelineParallel=1,2',
    ];
    const words = [...few.flatMap((change) => ['--set', `workload.${change}`]), '--best', '1'];
    const fabrics = [
      'leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 4',
      'leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 1',
    ];
    const priced = ['--set', 'cost.switch=1000', '--set', 'cost.cable=10'];
    const json = async (...more: string[]) => {
      const { code, stdout, stderr } = await planOf(
        '--json',
        ...words,
        '--fabrics',
        fabrics[0]!,
        '--fabrics',
        fabrics[1]!,
        ...more,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as PlanJson & { fabric: string; network: string; fabrics: Record<string, number>[] };
    };
    const found = await json(...priced, '--set', 'cost.gpu=100');
    // 6 switches, 8 + 2 x 4 cables; 3 switches, 8 + 2 x 4, as a taper of 1:1 asks for four links to the one spine
    expect(
      found.fabrics.map(({ fabric, networkCost, gpuCost, cost }) => ({ fabric, networkCost, gpuCost, cost })),
    ).toEqual([
      { fabric: fabrics[0], networkCost: 6160, gpuCost: 800, cost: 6960 },
      { fabric: fabrics[1], networkCost: 3160, gpuCost: 800, cost: 3960 },
    ]);
    for (const { totalNs, cost, tokensPerSecond, tokensPerSecondPerCost } of found.fabrics) {
      expect(tokensPerSecond).toBeCloseTo((8 * 1024) / (totalNs! / 1e9), 6);
      expect(tokensPerSecondPerCost).toBeCloseTo(tokensPerSecond! / cost!, 6);
    }
    const [first] = [...found.fabrics].sort((a, b) => a['totalNs']! - b['totalNs']!);
    expect(found.plans[0]!.totalNs).toBe(first!['totalNs']);
    expect(found.fabric).toBe(first!['fabric']);
    expect(found.network).toContain(fabrics[1]!);
    // without prices of its own the network has those of the list
    expect((await json()).fabrics[0]!['gpuCost']).toBe(0);
    const { stdout } = await planOf(...words, '--fabrics', fabrics[0]!, '--fabrics', fabrics[1]!);
    expect(stdout).toMatch(/^leaf-spine \[1\]: leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 4; tp\d[^]*$/m);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('keeps what is too large to be sent, or too long to be run, from ending the others', async () => {
    // activations of 4,096 sequences of 4,096 tokens are 128 GiB, which is the most that a collective carries
    const large = await largePlans(8192, 'layerCount=2', 'microBatchSize=4096,8192');
    expect(large.plans.map(({ microBatchSize }) => microBatchSize)).toEqual([4096]);
    expect(large.infeasible).toEqual({ transferSize: 1 });
    expect(large.feasible).toBe(1);
    expect(large.infeasibleExamples['transferSize']).toMatch(
      /collective above the largest size: 256GiB of at most 128GiB/,
    );
    // 7e9 parameters, 6 operations each for 2^32 tokens, on 8 x 989 TFLOP/s: more than six hours
    const long = await largePlans(2 ** 20, 'microBatchSize=16');
    expect(long.plans.map(({ timedBy }) => timedBy)).toEqual(['closed form']);
    expect(long.plans[0]!.totalNs).toBeGreaterThan(6 * 3600e9);
  });

  it('says how firm the order is', async () => {
    const fabric = ['--fabric', 'leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 2', '--robustness', '1', '--json'];
    const found = async (...words: string[]) =>
      JSON.parse((await plan(...fabric, ...words)).stdout) as PlanJson & { firmness: string };
    const { plans, firmness } = await found('--fluid', '1');
    const { totalNs, slowGpuNs, failedLinkNs } = plans[0]!;
    // the slow GPU computes a ninth longer at most
    expect(Number(slowGpuNs)).toBeGreaterThan(totalNs);
    expect(Number(slowGpuNs)).toBeLessThan(totalNs / 0.9 + 1);
    expect(Number(failedLinkNs)).toBeGreaterThanOrEqual(totalNs);
    expect(plans[1]!['slowGpuNs']).toBeNull();
    expect(firmness).toMatch(/With a GPU at 90 % of its speed the first takes/);
    // closed forms know the fabric as built
    const estimated = await found();
    expect(Number(estimated.plans[0]!['slowGpuNs'])).toBeGreaterThan(0);
    expect(estimated.plans[0]!['failedLinkNs']).toBeNull();
    expect(estimated.firmness).toContain('What a link that is down costs --fluid tells.');
  });

  it.each([
    [['--fabric', 'dcn+', '--fabrics', 'spectrum-x'], /fabrics are named twice over/],
    [['--fabrics', 'spectrum-x,spectrum-x'], /a fabric is named twice/],
    [['--prices', 'none.yaml'], /--prices/],
  ])('refuses %j', async (words, why) => {
    const { code, stderr } = await plan(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
  });

  it('takes a scenario with lists of values in place of options', async () => {
    const file = join(folder, 'ranges.yaml');
    const lines = [
      'name: ranges',
      'backend: fluid',
      'fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 4, spines: 2 }',
      'collectives: { channels: 4 }',
      'workload: { generate: transformer, model: llama2-7b, gpu: A100, globalBatchSize: 8, layerCount: 2, hiddenSize: 1024,',
      '  attentionHeads: 8, keyValueHeads: 8, sequenceLength: 1024, tensorParallel: [1, 2], pipelineParallel: 2, zeroStage: 1,',
      '  contextParallel: 1, microBatchSize: 1, recomputation: none }',
    ];
    await writeFile(file, lines.join('\n'));
    const world = scriptedContext({ makePlan, simulate });
    const out = join(folder, 'of-ranges.yaml');
    const code = await runProgram(['plan', file, '--best', '200', '--json', '--quiet', '--out', out], world);
    expect({ code, stderr: world.stderr.text }).toEqual({ code: 0, stderr: '' });
    const found = JSON.parse(world.stdout.text) as PlanJson & { gpus: number; gpuType: string };
    expect({ gpus: found.gpus, gpuType: found.gpuType }).toEqual({ gpus: 8, gpuType: 'A100' });
    const valuesOf = (name: string) => new Set(found.plans.map((each) => each[name]));
    expect(valuesOf('tensorParallel')).toEqual(new Set([1, 2]));
    expect(valuesOf('pipelineParallel')).toEqual(new Set([2]));
    expect((await makePlan(out, { host: nodeHost(), overrides: [] })).collectives.channels).toBe(4);
    await writeFile(file, lines.map((line) => line.replace('zeroStage: 1', 'dataParallel: 4')).join('\n'));
    const refused = scriptedContext({ makePlan, simulate });
    expect(await runProgram(['plan', file], refused)).toBe(2);
    expect(refused.stderr.text).toMatch(/workload.dataParallel is not set here/);
  });

  it('asks for what is missing', async () => {
    const world = scriptedContext({ makePlan, simulate });
    expect(await runProgram(['plan', '--gpus', '8'], world)).toBe(2);
    expect(world.stderr.text).toMatch(/--model[^]*wanted: +[^]*llama2-7b/);
  });

  it('lists each decision once', async () => {
    const deep = ['--set', 'workload.pipelineParallel=2', '--set', 'workload.layerCount=16'];
    const decisions = await listed(...deep);
    expect(new Set(decisions).size).toBe(8);
    expect(new Set(await listed(...deep, '--variants')).size).toBeLessThan(8);
  });
});
