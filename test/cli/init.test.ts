// `weft init`: what it writes runs, from flags and from answers; it asks nobody who is not there and replaces nothing.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import initCommand, { type Asker } from '../../src/cli/init/init.js';
import { runProgram } from '../../src/cli/program.js';
import { effectiveLinkRateBps, gpuTypeOf } from '../../src/fabric/gpu-types.js';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { InputDigests } from '../../src/storage/input-digests.js';
import { scriptedContext } from '../support/command-context.js';

let folder = '';
let out = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-init-'));
  out = join(folder, 'my.yaml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function weft(...words: string[]) {
  const world = scriptedContext({ makePlan, simulate });
  const code = await runProgram(words, world);
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

async function planOf(path: string) {
  const plan = await makePlan(path, { overrides: [], host: nodeHost(new InputDigests()) });
  await plan.source.close();
  return plan;
}

/** Answers in order, then nobody. */
async function answered(...answers: string[]) {
  const questions: string[] = [];
  let isClosed = false;
  let ended = 0;
  const asker: Asker = {
    ask: (question) => (questions.push(question), Promise.resolve(answers.shift() ?? null)),
    close: () => (isClosed = true),
  };
  const world = scriptedContext({ makePlan, endWith: (code) => (ended = code) });
  const program = new Command().addCommand(initCommand(world, () => asker));
  await program.parseAsync(['init', '--out', out], { from: 'user' });
  return { questions, isClosed, ended, stderr: world.stderr.text };
}

describe('weft init', () => {
  it.each([
    ['gpt3-13b', '128', 'spectrum-x'],
    ['llama3-70b', '128', 'dcn+'],
    ['mixtral-8x7b', '64', 'spectrum-x'],
    ['allreduce', '32', 'fat-tree'],
    ['permutation', '64', 'dragonfly+'],
    ['incast', '16', 'leaf-spine'],
  ])('writes %s on %s GPUs of %s, and it can be planned as it stands', async (job, gpus, fabric) => {
    const size = /^(gpt|llama|mixtral)/.test(job) ? [] : ['--size', '1MiB'];
    const words = ['init', '--gpus', gpus, '--job', job, '--fabric', fabric, ...size, '--out', out];
    const { code, stdout, stderr } = await weft(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // the command that it names is one that can be typed
    expect(stdout).toContain(`weft compare-fabrics ${out} --fabrics ${out} `);
    const plan = await planOf(out);
    expect(plan.warnings).toEqual([]);
    expect(plan.fabric.hosts.length).toBe(Number(gpus));
    expect(plan.backend.name).toBe('fluid');
    if (job === 'gpt3-13b') expect((await readFile(out, 'utf8')).split('\n').length).toBeLessThan(25);
  });

  it.each([
    ['GB200', 72, 72],
    ['GB300', 128, 64],
    ['B200', 64, 8],
    ['MI300X', 64, 8],
  ])('takes servers as %s have them: %i GPUs in servers of %i, with its NVLink', async (gpuType, gpus, perServer) => {
    const words = ['init', '--gpus', String(gpus), '--gpu-type', gpuType, '--job', 'gpt3-13b', '--out', out];
    const { code, stderr } = await weft(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { fabric } = await planOf(out);
    expect([fabric.hosts.length, fabric.gpusPerServer, fabric.gpuType]).toEqual([gpus, perServer, gpuType]);
    // a GPU's first links are those of its server: one to the NVSwitch, or seven to its neighbours
    const links = gpuType === 'MI300X' ? 7 : 1;
    expect(links * fabric.linkRateBps[0]!).toBe(effectiveLinkRateBps(gpuTypeOf(gpuType)!));
  });

  it('divides a model until it fits: 70 billion parameters of 18 bytes are more than 8 GPUs hold', async () => {
    expect((await weft('init', '--gpus', '128', '--job', 'llama3-70b', '--out', out)).code).toBe(0);
    expect(await readFile(out, 'utf8')).toMatch(/pipelineParallel: \d+/);
    // 10^12 parameters on 128 GPUs: 16 bytes of each are 125 GB a GPU
    const { code, stderr } = await weft(
      'init',
      '--gpus',
      '128',
      '--job',
      'megatron-1t',
      '--out',
      join(folder, 'm.yaml'),
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/^--job: error: megatron-1t on 128 GPUs: workload does not fit[^]*more GPUs/);
    expect(await readdir(folder)).toEqual(['my.yaml']);
  });

  it('is followed by the comparison that it names', async () => {
    expect((await weft('init', '--gpus', '16', '--job', 'allreduce', '--size', '1MiB', '--out', out)).code).toBe(0);
    const { code, stdout } = await weft('compare-fabrics', out, '--fabrics', out, 'dcn+ --nics-per-asw 8', '--json');
    expect(code).toBe(0);
    const { fabrics } = JSON.parse(stdout) as { fabrics: Record<string, unknown>[] };
    expect(fabrics.map(({ fabric, gpus }) => [fabric, gpus])).toEqual([
      [out, 16],
      ['dcn+ --nics-per-asw 8', 16],
    ]);
    for (const row of fabrics)
      for (const key of ['totalNs', 'switches', 'cables', 'cost']) expect(row[key]).toBeGreaterThan(0);
  });

  it('replaces nothing without --force', async () => {
    await writeFile(out, 'mine');
    const words = ['init', '--gpus', '16', '--job', 'allreduce', '--out', out];
    const { code, stderr } = await weft(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--force/);
    expect(await readFile(out, 'utf8')).toBe('mine');
    expect((await weft(...words, '--force')).code).toBe(0);
    expect(await readFile(out, 'utf8')).toMatch(/^# allreduce on 16 GPUs/);
  });

  it.each<readonly [readonly string[], RegExp]>([
    [[], /--gpus: error: is missing, and there is no terminal[^]*weft init --gpus 128 --job gpt3-13b/],
    [['--gpus', '64'], /--job: error: is missing[^]*weft init --gpus 64/],
    [['--gpus', 'many', '--job', 'allreduce'], /--gpus: error: not a number of GPUs/],
    [['--gpus', '12', '--job', 'allreduce'], /12 GPUs do not fill servers of 8/],
    [['--gpus', '64', '--job', 'gpt3-14b'], /there is no such job[^]*did you mean gpt3-13b\?/],
    [['--gpus', '64', '--job', 'allreduce', '--fabric', 'leafspin'], /did you mean leaf-spine\?/],
    [['--gpus', '64', '--job', 'allreduce', '--fabric', 'dumbbell'], /dumbbell is not made by number of GPUs/],
    [['--gpus', '64', '--job', 'gpt3-13b', '--size', '1MiB'], /a model has sizes of its own/],
    [['--gpus', '64', '--job', 'allreduce', '--gpu-type', 'H101'], /--gpu-type: error/],
    [['--gpus', '64', '--job', 'allreduce', '--size', '1 furlong'], /--size|size/],
  ])('refuses %j, and writes nothing', async (words, message) => {
    const { code, stdout, stderr } = await weft('init', ...words, '--out', out);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await readdir(folder)).toEqual([]);
  });

  it('asks for what was not given, with a default for each', async () => {
    const { questions, isClosed, ended } = await answered('', ' allreduce ', 'leaf-spine');
    expect({ isClosed, ended }).toEqual({ isClosed: true, ended: 0 });
    expect(questions.map((question) => /\[(.*)\] $/.exec(question)![1])).toEqual(['128', 'gpt3-13b', 'spectrum-x']);
    expect(await readFile(out, 'utf8')).toMatch(/^# allreduce on 128 GPUs of leaf-spine/);
  });

  it('writes nothing when who is asked goes away', async () => {
    expect(await answered('64')).toMatchObject({
      isClosed: true,
      ended: 130,
      stderr: 'stopped: nothing was written\n',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
