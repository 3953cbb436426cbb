// SimAI's analytical command line as a form of `weft run`: the tutorial's example of 9,216 GPUs, its costs against
// hand-made arithmetic, what the form refuses.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { spelledOut } from '../../src/cli/run/analytical-options.js';
import { runProgram } from '../../src/cli/program.js';
import { readEndToEnd, type EndToEnd } from '../../src/formats/simai-end-to-end.js';
import { scriptedContext } from '../support/command-context.js';
import { mixtureWorkload } from '../support/mixture-workload.js';

let folder: string;
let workload: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-analytical-'));
  workload = join(folder, 'workload_analytical.txt');
  await writeFile(workload, mixtureWorkload);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function weft(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Said> {
  const context = scriptedContext({ environment: { LANG: 'C.UTF-8', ...environment } });
  const code = await runProgram(['run', ...words], context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** The tutorial's second command, with its file in a folder of its own. */
const tutorial = (): string[] =>
  `-w ${workload} -g 9216 -nv 360 -nic 48.5 -n_p_s 8 -g_p_s 8 -r_f ${join(folder, 'results')} -r example-`.split(' ');

async function written(path: string): Promise<EndToEnd> {
  const diagnostics = new Diagnostics();
  const figures = readEndToEnd(path, await readFile(path, 'utf8'), diagnostics);
  expect(diagnostics.list).toEqual([]);
  return figures!;
}

/** Nanoseconds of bytes at a bandwidth in GB/s of 2^30 bytes, cut off, as microseconds. */
const at = (bytes: number, bandwidth: number, share: number): number =>
  Math.floor((bytes / 2 ** 30 / bandwidth) * 1e9 * share) / 1000;

describe("the tutorial's example of 9,216 GPUs", () => {
  it('runs as it stands there and writes the file of SimAI', async () => {
    const { code, stdout, stderr } = await weft(tutorial());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/1789 layers on 9216 GPUs \(TP 2, EP 16, PP 12, DP 384\)/);
    for (const line of stdout.split('\n')) if (!line.startsWith('results')) expect(line.length).toBeLessThanOrEqual(80);
    const figures = await written(join(folder, 'results', 'example-EndToEnd.csv'));
    expect(figures.run).toBe('example-');
    expect(figures.layers).toHaveLength(1789);
  });

  it('costs every kind of group by the rules of its page', async () => {
    await weft(tutorial());
    const { layers } = await written(join(folder, 'results', 'example-EndToEnd.csv'));
    const forward = (name: string, n = 0): number =>
      layers.filter((layer) => layer.name === name)[n]!.forward.communicationUs;
    const gradient = (name: string): number =>
      layers.find((layer) => layer.name === name)!.weightGradient.communicationUs;
    // tensor groups of 2 in a server: NVLink. An all-reduce has no ratio; 48 MiB lie half-way between two rows
    expect(forward('embedding_layer')).toBe(at(50331648, 360, 1));
    expect(forward('attention_column')).toBe(at(50331648, ((0.55 + 0.65) / 2 / 0.81) * 360, 1 / 2));
    // 1.5 MiB: the first row; 24 MiB over an all-to-all: half-way
    expect(forward('mlp_moelayer')).toBe(at(1572864, (0.45 / 0.81) * 360, 1 / 2));
    expect(forward('mlp_moelayer', 1)).toBe(at(25165824, ((0.44 + 0.51) / 2 / 0.78) * 360, 1 / 2));
    // a few bytes: the constant of two ranks
    expect(forward('optimizer1')).toBe(10);
    // expert groups: 16 ranks of tensor groups of 2 on 4 servers, 4 GPUs and 4 NICs in each
    expect(forward('mlp_moelayer', 2)).toBe(
      at(100663296, ((((0.83 + 0.9) / 2 / 0.95) * (4 * 48.5)) / 4) * (15 / 12), 15 / 16),
    );
    // data groups of 384: 4 of a server's GPUs, 4 NICs; those of experts, of 24: one GPU of a server and its NIC
    expect(gradient('grad_gather')).toBe(at(2807758848, 4 * 48.5, 383 / 384));
    expect(gradient('moe_grad_norm1')).toBe(at(19327352832, 48.5, 23 / 24));
  });

  it('adds up to its total, and hides what the overlaps say', async () => {
    const shares = ['-dp_o', '0.5', '-tp_o', '1', '-ep_o', '0.25', '-pp_o', '0.5', '--json'];
    const plain = JSON.parse((await weft([...tutorial(), '--json'])).stdout) as Figures;
    const hidden = JSON.parse((await weft([...tutorial(), ...shares])).stdout) as Figures;
    for (const { totalUs, computeUs, totalExposedUs, bubbleUs, exposedUs } of [plain, hidden]) {
      expect(totalUs).toBeCloseTo(computeUs + totalExposedUs + bubbleUs + exposedUs.PP, 3);
      expect(totalExposedUs).toBeCloseTo(exposedUs.DP + exposedUs.DP_EP + exposedUs.TP + exposedUs.EP, 3);
    }
    expect(plain.exposedUs.PP).toBe(0);
    // SimAI takes the share for the bandwidth, too
    expect(hidden.exposedUs.PP).toBeCloseTo(((2 * 8 * 24 * 251658240) / 2 ** 30 / 0.5 / 2) * 1e6, 3);
    expect(hidden.exposedUs.TP).toBe(0);
    expect(hidden.exposedUs.DP / plain.exposedUs.DP).toBeCloseTo(0.5, 6);
    expect(hidden.exposedUs.EP / plain.exposedUs.EP).toBeCloseTo(0.75, 6);
    // no overlap makes a bubble smaller; all but embeddings and weight gradients' collectives are in it
    expect(hidden.bubbleUs).toBe(plain.bubbleUs);
    const { layers } = await written(join(folder, 'results', 'example-EndToEnd.csv'));
    const inBubble = layers
      .filter(({ name }) => name !== 'embedding_layer')
      .map(({ forward, inputGradient, weightGradient }) =>
        [forward, inputGradient].reduce(
          (sum, pass) => sum + pass.computeUs + pass.communicationUs,
          weightGradient.computeUs,
        ),
      )
      .reduce((sum, time) => sum + time, 0);
    expect(plain.bubbleUs).toBeCloseTo((inBubble * (12 - 1)) / (24 * 8), 2);
    expect(plain.profile).toBe('simai-busbw');
    expect(plain.groups).toEqual({ tensor: 2, data: 384, pipeline: 12, expert: 16, context: 1 });
  });

  it('takes bandwidths from a file in place of servers, as the first command of the tutorial', async () => {
    const busbw = join(folder, 'busbw.yaml');
    await writeFile(
      busbw,
      'test\nTP:\nallreduce,: 300\nallgather,: 280\nreducescatter,: 280\nalltoall,: 230\nDP:\nallreduce,: null\nallgather,: 380\nreducescatter,: 380\nalltoall,: null\nEP:\nallreduce,: null\nallgather,: 45\nreducescatter,: 45\nalltoall,: 80\nPP:\nbusbw: 47.5\n',
    );
    const words = ['-w', workload, '-g', '9216', '-g_p_s', '8', '-r', join(folder, 'test-'), '-busbw', busbw];
    expect(await weft([...words, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    const { layers } = await written(join(folder, 'test-EndToEnd.csv'));
    const moe = layers.filter(({ name }) => name === 'mlp_moelayer');
    expect(moe[0]!.forward.communicationUs).toBe(at(1572864, 280, 1 / 2));
    expect(moe[2]!.forward.communicationUs).toBe(at(100663296, 80, 15 / 16));
    expect(layers.find(({ name }) => name === 'moe_grad_norm2')!.weightGradient.communicationUs).toBe(
      at(38654705664, 45, 23 / 24),
    );
  });
});

interface Figures {
  readonly profile: string;
  readonly groups: object;
  readonly totalUs: number;
  readonly computeUs: number;
  readonly totalExposedUs: number;
  readonly bubbleUs: number;
  readonly exposedUs: Readonly<Record<'DP' | 'DP_EP' | 'TP' | 'EP' | 'PP', number>>;
}

it('says which of two bandwidths counts', async () => {
  const { code, stderr } = await weft([...tutorial(), '-g_type', 'A100', '-nic_t', 'cx6', '--json']);
  expect(code).toBe(0);
  expect(stderr).toContain('--gpu-type: warning: passed over, as --nvlink gives the bandwidth');
  expect(stderr).toContain('--nic-type: warning: passed over, as --nic gives the bandwidth');
  expect((await weft(tutorial())).stderr).not.toContain('passed over, as');
});

describe('what the form refuses, with exit code 2', () => {
  it.each([
    ['no bandwidth of NVLink', ['-g', '8', '-g_p_s', '8', '-n_p_s', '8'], /--nvlink \(-nv\) or --gpu-type/],
    ['no server', ['-g', '8', '-nv', '360', '-n_p_s', '8'], /--gpus-per-server \(-g_p_s\) is missing/],
    [
      'a topology',
      ['-g', '8', '-g_p_s', '8', '-n', 'x.topo'],
      /--gpus, --gpus-per-server and --topology are both given/,
    ],
    ['settings', ['-g', '8', '--set', 'a=1'], /--gpus and --set are both given/],
    [
      'a GPU without figures',
      ['-g', '9216', '-g_p_s', '8', '-n_p_s', '8', '-g_type', 'V100'],
      /one of A100, A800, H100, H20, H800/,
    ],
    [
      'a NIC without figures',
      ['-g', '9216', '-g_p_s', '8', '-n_p_s', '8', '-nv', '1', '-nic_t', 'cx9'],
      /one of cx6, cx7, bf3/,
    ],
    ['a chart', ['-g', '9216', '-g_p_s', '8', '-v', '1'], /there is no chart/],
    ['another language', ['-g', '9216', '-g_p_s', '8', '-l', 'ja'], /messages are English/],
    [
      'no overlap between stages',
      ['-g', '9216', '-g_p_s', '8', '-n_p_s', '8', '-nv', '1', '-pp_o', '0'],
      /SimAI divides by it/,
    ],
    ['a share above 1', ['-g', '8', '-dp_o', '1.5'], /from 0 to 1/],
    ['GPUs that do not divide', ['-g', '100', '-g_p_s', '8', '-n_p_s', '8', '-nv', '1'], /100 GPUs do not divide/],
    [
      'groups without a NIC',
      ['-g', '9216', '-g_p_s', '8', '-n_p_s', '4', '-nv', '360'],
      /4 NICs over 8 GPUs, rounded down: none/,
    ],
  ])('%s', async (_, words, message) => {
    const { code, stdout, stderr } = await weft(['-w', workload, ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('says that the file has other GPUs, and that variables do nothing', async () => {
    const words = ['-w', workload, '-g', '18432', '-g_p_s', '8', '-g_type', 'h100', '-n_p_s', '8'];
    const { code, stderr } = await weft(words, { AS_SEND_LAT: '6' });
    expect(code).toBe(0);
    expect(stderr).toMatch(/all_gpus 9216 is passed over, as SimAI does: -g says 18432/);
    expect(stderr).toMatch(/AS_SEND_LAT does nothing here/);
  });
});

describe('letters', () => {
  it('are spelt out, and -v is the version where no GPUs are counted', () => {
    expect(spelledOut(['run', '-g', '8', '-g_p_s', '8', '-v', '1', '-dp_o', '0'])).toEqual([
      'run',
      '-g',
      '8',
      '--gpus-per-server',
      '8',
      '--visual',
      '1',
      '--dp-overlap',
      '0',
    ]);
    expect(spelledOut(['run', '-v'])).toEqual(['run', '-v']);
  });
});
