// Bad workloads through the whole program: each mistake is said where it stands, the exit code is 2, and nothing is
// left behind.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { weftAsSimai, type CommandRun } from '../support/simai-command.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-workload-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const conf = 'CC_MODE 1\n';
/** sixteen GPUs in servers of eight, each linked to one switch */
const topology = `17 8 0 1 16 H100\n16\n${Array.from({ length: 16 }, (_, gpu) => `${gpu} 16 100Gbps 500ns 0\n`).join('')}`;
const header =
  'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0';
const layer = 'attention -1 1000 ALLREDUCE 65536 1000 NONE 0 1000 ALLREDUCE 65536 100';
const good = `${header}\n1\n${layer}\n`;

/** Runs a workload, as a file of SimAI's or in a scenario; files named in options stand in the folder. */
async function run(files: Readonly<Record<string, string>>, ...options: string[]): Promise<CommandRun> {
  const all = { 'SimAI.conf': conf, topology, ...files };
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text);
  const before = await readdir(folder);
  const inputs =
    files['scenario.yaml'] === undefined
      ? ['-c', join(folder, 'SimAI.conf'), '-n', join(folder, 'topology'), '-w', join(folder, 'workload.txt')]
      : [join(folder, 'scenario.yaml')];
  const ended = await weftAsSimai('run', ...inputs, ...options, '--out', join(folder, 'new', 'out'));
  if (ended.code !== 0) expect(await readdir(folder)).toEqual(before);
  return { ...ended, stderr: ended.stderr.replaceAll(`${folder}/`, '') };
}

it('a good one runs', async () => {
  expect(await run({ 'workload.txt': good }, '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' });
});

describe('refused with its place', () => {
  it.each([
    [
      'groups that do not fit the fabric',
      good.replace('group: 8', 'group: 6').replace(' all_gpus: 16', ''),
      'workload.txt:1:1: error: the workload does not fit the fabric: 16 GPUs do not divide into tensor groups of 6',
    ],
    [
      'groups that do not fit each other',
      good.replace('group: 8', 'group: 6'),
      `workload.txt:1:${header.indexOf('16') + 1}: error: 16 GPUs do not divide into tensor groups of 6`,
    ],
    [
      'expert groups that do not fit',
      good.replace('ep: 1', 'ep: 4'),
      `workload.txt:1:${header.indexOf('ep: 1') + 5}: error: data groups of 2 ranks do not divide into expert groups of 4`,
    ],
    [
      'an unknown collective',
      good.replace('ALLREDUCE', 'ALLREDUCED'),
      'workload.txt:3:19: error: the collective is not known',
    ],
    ['a collective in lower case', good.replace('ALLREDUCE', 'allreduce'), 'hint:   did you mean ALLREDUCE?'],
    [
      'a size that overflows',
      good.replace('65536', '99999999999999999999'),
      'workload.txt:3:29: error: the forward bytes are too many',
    ],
    [
      'a size that nothing can send',
      good.replace('65536', '9007199254740991'),
      'layer attention has a collective above the largest size',
    ],
    [
      'a time that overflows',
      good.replace('1000', '99999999999999'),
      'workload.txt:3:14: error: the forward compute time is too long',
    ],
    ['a layer that depends on itself', good.replace('-1', '0'), 'workload.txt:3:11: error: layer 0 depends on itself'],
    [
      'layers that depend on each other',
      `${header}\n2\n${layer.replace('-1', '1')}\n${layer.replace('-1', '0')}\n`,
      'workload.txt:3:11: error: layers depend on each other in a circle: 0 -> 1 -> 0',
    ],
    ['a file that breaks off in a line', good.slice(0, good.lastIndexOf('ALLREDUCE')), 'workload.txt:3:'],
    [
      'a file that breaks off between lines',
      good.replace('\n1\n', '\n2\n'),
      'error: line 2 announces 2 layers, the file ends after 1',
    ],
    ['a file that breaks off after its first line', header, 'error: the file ends after its first line'],
    ['an empty file', '', 'workload.txt: error: the workload file is empty'],
  ])('%s', async (_, text, wanted) => {
    const { code, stdout, stderr } = await run({ 'workload.txt': text }, '--json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(wanted);
  });

  it('a micro-benchmark without the sizes of its groups, which --tp, --dp and --ep give', async () => {
    const files = { 'workload.txt': '1 ALLREDUCE 64KiB TP\n2 ALLTOALL 16KiB EP\n' };
    const { code, stderr } = await run(files, '--tp', '8');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'workload.txt:1:1: error: a micro-benchmark carries no sizes of groups, and the size of the data and expert groups is not given',
    );
    expect(stderr).toContain('hint:   --tp, --dp and --ep on the command line');
    const { code: ended, stdout } = await run(files, '--tp', '8', '--dp', '2', '--ep', '2', '--json');
    expect(ended).toBe(0);
    // one allreduce over each of two servers, two all-to-alls over pairs
    expect(
      (JSON.parse(stdout) as { workload: { layers: { name: string }[] } }).workload.layers.map(({ name }) => name),
    ).toEqual(['ALLREDUCE_TP', 'ALLTOALL_EP', 'ALLTOALL_EP']);
    const tooMany = await run(files, '--tp', '8', '--dp', '4', '--ep', '2');
    expect([tooMany.code, tooMany.stderr]).toEqual([
      2,
      expect.stringContaining('workload.txt:1:1: error: the workload needs more GPUs than the fabric has') as unknown,
    ]);
  });

  it('a workload file that is not there', async () => {
    await rm(join(folder, 'workload.txt'), { force: true });
    const { code, stderr } = await run({});
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        '--workload: error: the workload file cannot be read: workload.txt: no such file',
      ) as unknown,
    ]);
  });

  it.each([
    ['groups that do not fit', 'workload: { tensorParallel: 6, layers: [ { name: a } ] }', 'scenario.yaml:2:'],
    [
      'an unknown collective',
      'workload: { layers: [ { name: a, forward: { collective: allreduced, group: tp, size: 1MiB } } ] }',
      'scenario.yaml:2:57: error: workload.layers[0].forward.collective',
    ],
    [
      'a size that overflows',
      'workload: { layers: [ { name: a, forward: { collective: allreduce, group: tp, size: 9999999999TiB } } ] }',
      'scenario.yaml:2:85: error: workload.layers[0].forward.size',
    ],
    [
      'a block that breaks off',
      'workload: { layers: [ { name: a, forward: { collective: allreduce',
      'scenario.yaml:3:1: error: not valid YAML',
    ],
    [
      'a file that is not there',
      'workload: { file: none.txt }',
      'scenario.yaml:2:19: error: the workload file cannot be read',
    ],
  ])('in a scenario: %s', async (_, block, wanted) => {
    const { code, stderr } = await run({ 'scenario.yaml': `fabric: { file: topology }\n${block}\n` });
    expect(code).toBe(2);
    expect(stderr).toContain(wanted);
  });
});

describe('taken as SimAI takes it, and said so', () => {
  it('another number of GPUs than the topology has, and pipeline stages', async () => {
    const text = good.replace('pp: 1', 'pp: 2').replace('all_gpus: 16', 'all_gpus: 64 pp_comm: 4096');
    const { code, stdout, stderr } = await run({ 'workload.txt': text }, '--json');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'workload.txt:1:1: warning: all_gpus 64 is passed over, as SimAI does: all 16 GPUs of the topology take part, in data groups of 2',
    );
    expect(stderr).toContain('workload.txt:1:1: warning: pp 2 and pp_comm 4096 are passed over');
    const { workload } = JSON.parse(stdout) as {
      workload: { ranks: { count: number }; stages: unknown[]; bubbleNs: number };
    };
    expect([workload.ranks.count, workload.stages.length, workload.bubbleNs]).toEqual([16, 1, 0]);
  });
});
