// The `workload` block of scenarios: the three forms, what is refused and where, and that the resolved block is a block
// that gives the same.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { InputError, type Diagnostic } from '../../src/base/diagnostics.js';
import { settingDefaults } from '../../src/base/settings.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { generateTransformer } from '../../src/workload/generate-transformer.js';
import { planTraining } from '../../src/workload/training-plan.js';
import { trainingSettingsOf } from '../../src/workload/training-settings.js';
import { layerAt, type Workload } from '../../src/workload/workload.js';
import { memoryHost } from '../memory-host.js';
import { readWorkload } from '../support/read-workload.js';

async function mustRead(block: string, files: Record<string, string> = {}): Promise<Workload> {
  const { workload, diagnostics } = await readWorkload(block, files);
  expect(diagnostics).toEqual([]);
  return workload!;
}

/** `code line:column` of everything that is said. */
async function said(block: string, files: Record<string, string> = {}): Promise<string[]> {
  const { diagnostics } = await readWorkload(block, files);
  return diagnostics.map(
    ({ code, line, column, file }) => `${file === 's' ? '' : `${file} `}${code} ${line}:${column}`,
  );
}

/** What is said of a generated iteration with some settings. */
function saidOf(settings: string): Promise<string[]> {
  return said(`workload: { generate: transformer, ${settings} }\n`);
}

const simai =
  'HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16\n1\nlayer -1 10 ALLREDUCE 4096 10 NONE 0 10 NONE 0 1\n';

const layers = `workload:
  tensorParallel: 8
  microBatches: 4
  layers:
    - name: optimizer
      once: true
      weightGradient: { compute: 2ms }
    - times: 2
      layers:
        - name: attention
          checkpoint: true
          forward: { compute: 370us, collective: allreduce, group: tp, size: 20MiB }
          weightGradient: { compute: 350us, collective: reducescatter, group: dp, size: 150MB }
          synchronize: lastMicroBatch
        - name: norm
          times: 3
          recompute: true
          update: 1us
`;

describe('a file', () => {
  it('is read from the folder of the scenario', async () => {
    expect(await mustRead('workload: { file: w.txt }\n', { 'w.txt': simai })).toMatchObject({
      policy: 'HYBRID_TRANSFORMER',
      groups: { tensor: 4, gpus: 16 },
    });
    expect(await mustRead('workload: { file: w.txt }\n', { 'w.txt': simai.replace('all_gpus: 16', '') })).toMatchObject(
      { groups: { tensor: 4, gpus: 16 } },
    );
  });

  it('may be a micro-benchmark, with the sizes of the groups beside it', async () => {
    const files = { 'm.txt': '1 ALLREDUCE 1MiB TP\n' };
    const block = 'workload: { file: m.txt, tensorParallel: 4, dataParallel: 4, expertParallel: 2 }\n';
    const { workload, resolved } = await readWorkload(block, files);
    expect(workload).toMatchObject({ policy: 'MICRO', groups: { tensor: 4, expert: 2, pipeline: 1, gpus: 16 } });
    expect(resolved).toEqual({ file: 'm.txt', tensorParallel: 4, dataParallel: 4, expertParallel: 2, asSimai: false });
    expect(await said('workload: { file: m.txt, tensorParallel: 4 }\n', files)).toEqual([
      'm.txt workload-groups-missing 1:1',
    ]);
  });

  it('may be taken as SimAI takes it: all GPUs take part, and no stages', async () => {
    const line = 'layer -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n';
    const files = {
      's.txt': `HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 4 vpp: 2 ga: 1 all_gpus: 32 pp_comm: 100\n1\n${line}`,
      'same.txt': `HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 16\n1\n${line}`,
    };
    const { workload } = await readWorkload('workload: { file: s.txt, asSimai: true }\n', files);
    expect(workload).toMatchObject({
      groups: { tensor: 2, expert: 2, pipeline: 1, gpus: 16 },
      chunksPerStage: 1,
      stageTransferBytes: 0,
    });
    expect(await said('workload: { file: s.txt, asSimai: true }\n', files)).toEqual([
      's.txt workload-as-simai 1:1',
      's.txt workload-as-simai 1:1',
    ]);
    expect(await said('workload: { file: same.txt, asSimai: true }\n', files)).toEqual([]);
    // a micro-benchmark says nothing that SimAI would pass over
    expect(
      (
        await readWorkload(
          'workload: { file: m.txt, asSimai: true, tensorParallel: 2, dataParallel: 4, expertParallel: 1 }\n',
          { 'm.txt': '1 ALLREDUCE 1MiB TP\n' },
        )
      ).workload,
    ).toMatchObject({ groups: { gpus: 8 } });
  });

  it.each<[string, string, string[]]>([
    ['no file', 'workload: { file: none.txt }\n', ['file-missing 2:19']],
    ['mistakes in it', 'workload: { file: bad.txt }\n', ['bad.txt workload-policy 1:1']],
    ['a contradiction', 'workload: { file: w.txt, tensorParallel: 8 }\n', ['w.txt workload-groups-given 1:1']],
    ['more GPUs than the fabric has', 'workload: { file: large.txt }\n', ['workload-too-many-gpus 2:19']],
    ['groups that do not divide the fabric', 'workload: { file: odd.txt }\n', ['workload-groups 2:19']],
    ['fewer GPUs, with a warning', 'workload: { file: small.txt }\n', ['workload-idle-gpus 2:19']],
  ])('is refused: %s', async (_, block, expected) => {
    const files = {
      'w.txt': simai,
      'bad.txt': 'x\n',
      'large.txt': simai.replace('16\n', '32\n'),
      'small.txt': simai.replace('16\n', '8\n'),
      'odd.txt': simai.replace('group: 4', 'group: 3').replace('all_gpus: 16', ''),
    };
    expect(await said(block, files)).toEqual(expected);
  });
});

describe('a generated iteration', () => {
  it('has the shape of its model, what is given beside it, and the GPUs of the fabric', async () => {
    const values = {
      ...settingDefaults(trainingSettingsOf('llama2-7b')),
      model: 'llama2-7b' as const,
      tensorParallel: 8,
      sequenceLength: 2048,
      gpu: 'A100' as const,
    };
    const { plan } = planTraining(values, 16);
    expect(
      await mustRead(
        'workload: { generate: transformer, model: llama2-7b, tensorParallel: 8, sequenceLength: 2048 }\n',
      ),
    ).toEqual(generateTransformer(plan!));
    expect(
      await mustRead(
        'workload: { generate: transformer, model: llama2-7b, tensorParallel: 8, sequenceLength: 2048, gpu: H20 }\n',
      ),
    ).not.toEqual(generateTransformer(plan!));
  });

  it('takes measured times', async () => {
    const workload = await mustRead(
      'workload:\n  generate: transformer\n  computeTimes:\n    - { block: feedForward, forward: 1us, inputGradient: 2us, weightGradient: 3us }\n',
    );
    const { forward, inputGradient, weightGradient } = layerAt(
      workload.layers,
      workload.layers.name.indexOf('layer5.feedForward'),
    );
    expect([forward, inputGradient, weightGradient].map(({ computePs }) => computePs)).toEqual([1e6, 2e6, 3e6]);
  });

  it.each<[string, string, Partial<Diagnostic>, string[]?]>([
    [
      'model: gpt3-6.7b, tensorParallel: 7',
      'tensorParallel',
      { got: '7', wanted: 'a divisor of 32: 1, 2, 4, 8, 16, 32' },
    ],
    ['feedForwardSize: 1001, tensorParallel: 8', 'feedForwardSize', { got: '1001', wanted: 'a multiple of 8' }],
    ['tensorParallel: 8', '--set', { file: '--set', got: '7' }, ['workload.tensorParallel=7']],
    ['feedForwardSize: 1001', '--set', { file: '--set', got: '8' }, ['workload.tensorParallel=8']],
    [
      'tensorParallel: 2, pipelineParallel: 4, dataParallel: 3',
      'dataParallel',
      { got: '24 GPUs', hint: 'they are tensorParallel 2 x pipelineParallel 4 x dataParallel 3 = 24' },
    ],
  ])('blame what was written: %s', async (settings, key, expected, sets = []) => {
    const start = 'workload: { generate: transformer, ';
    const { diagnostics } = await readWorkload(`${start}${settings} }\n`, {}, undefined, sets);
    const place = key === '--set' ? {} : { line: 2, column: start.length + settings.indexOf(key) + key.length + 3 };
    expect(diagnostics[0]).toMatchObject({ ...expected, ...place });
    // one mistake is one message
    if (key === 'tensorParallel') expect(diagnostics.filter(({ got }) => got === '7')).toHaveLength(1);
  });

  it.each<[string, string, string[]]>([
    ['another kind', 'workload: { generate: cnn }\n', ['scenario-value 2:23']],
    ['an unknown model', 'workload: { generate: transformer, model: gpt3-176b }\n', ['scenario-value 2:43']],
    ['an unknown setting', 'workload: { generate: transformer, heads: 3 }\n', ['scenario-unknown-key 2:36']],
    ['a word for a number', 'workload: { generate: transformer, layerCount: many }\n', ['scenario-value 2:48']],
    [
      'groups that do not divide the fabric',
      'workload: { generate: transformer, tensorParallel: 3, model: llama2-7b }\n',
      ['workload-parameter 2:52', 'workload-groups 2:52'],
    ],
    [
      'more replicas than GPUs',
      'workload: { generate: transformer, dataParallel: 17 }\n',
      ['workload-too-many-gpus 2:50'],
    ],
    [
      'layers that do not divide',
      'workload: { generate: transformer, layerCount: 3, pipelineParallel: 2 }\n',
      ['workload-parameter 2:48'],
    ],
    [
      'times given twice',
      'workload:\n  generate: transformer\n  computeTimes:\n    - &a { block: head, forward: 1us, inputGradient: 2us, weightGradient: 3us }\n    - *a\n',
      ['workload-compute-times 6:7'],
    ],
    [
      'times of a block that the model lacks',
      'workload:\n  generate: transformer\n  computeTimes: [ { block: experts, forward: 1us, inputGradient: 2us, weightGradient: 3us } ]\n',
      ['workload-compute-times 4:28'],
    ],
    [
      'times that are not complete',
      'workload:\n  generate: transformer\n  computeTimes: [ { block: head, forward: 1us, inputGradient: 2us } ]\n',
      ['scenario-missing 4:19'],
    ],
    [
      'FlashAttention-3 on another generation than Hopper',
      'workload: { generate: transformer, gpu: A100, flashAttentionVersion: 3 }\n',
      ['workload-parameter 2:70'],
    ],
    [
      'gradients of ZeRO stage 2 behind the backward pass',
      'workload: { generate: transformer, zeroStage: 2, overlapGradients: false }\n',
      ['workload-parameter 2:68'],
    ],
    [
      'context parallelism without FlashAttention',
      'workload: { generate: transformer, contextParallel: 2, flashAttention: false }\n',
      ['workload-parameter 2:72'],
    ],
    [
      'a sequence that is not divided into two parts for each rank',
      'workload: { generate: transformer, contextParallel: 16, sequenceLength: 2000 }\n',
      ['workload-parameter 2:53'],
    ],
    [
      'context groups that do not divide the data groups',
      'workload: { generate: transformer, tensorParallel: 4, contextParallel: 8 }\n',
      ['workload-groups 2:72'],
    ],
    [
      'fewer GPUs, with a warning',
      'workload: { generate: transformer, dataParallel: 8 }\n',
      ['workload-idle-gpus 2:23'],
    ],
  ])('is refused: %s', async (_, block, expected) => {
    expect(await said(block)).toEqual(expected);
  });

  it('warns of settings that change nothing', async () => {
    for (const without of [
      'sequenceParallel: true',
      'gatherInputsAgain: false',
      'activeExperts: 4',
      'dataParallel: 1, tensorParallel: 16, zeroStage: 2',
      'overlapParameters: false',
      'dataParallel: 1, tensorParallel: 16, overlapGradients: false',
      'contextExchange: ring',
      'flashAttention: false, flashAttentionVersion: 1',
      'flashAttention: false, skipsMasked: false',
      'efficiency: 0.4, flashAttentionVersion: 1',
      'efficiency: 0.4, skipsMasked: false',
      'efficiency: 0.4, fusedKernels: false',
      'efficiency: 0.4, overlapSlowdown: 0.1',
    ]) {
      expect((await saidOf(without)).filter((text) => text.startsWith('no-effect'))).toHaveLength(1);
    }
    expect(
      await saidOf(
        'zeroStage: 1, overlapParameters: false, overlapGradients: false, contextParallel: 2, contextExchange: ring',
      ),
    ).toEqual([]);
    expect(await saidOf('flashAttentionVersion: 1, skipsMasked: false, fusedKernels: false')).toEqual([]);
    expect(await saidOf('tensorParallel: 8, sequenceParallel: true, gatherInputsAgain: false, zeroStage: 2')).toEqual(
      [],
    );
    const measured = ['attention', 'feedForward', 'head'].map(
      (name) => `{ block: ${name}, forward: 1us, inputGradient: 2us, weightGradient: 3us }`,
    );
    expect(await saidOf(`efficiency: 0.4, recomputation: selective, computeTimes: [ ${measured.join(', ')} ]`)).toEqual(
      ['no-effect 2:36', 'no-effect 2:53'],
    );
    expect(await saidOf(`efficiency: 0.4, computeTimes: [ ${measured.slice(1).join(', ')} ]`)).toEqual([]);
    // the defaults of the model are not warned of
    expect(await saidOf('model: mixtral-8x7b, activeExperts: 2')).toEqual([]);
  });
});

describe('layers', () => {
  it('are read in their order, blocks and layers repeated and numbered', async () => {
    const workload = await mustRead(layers);
    expect(workload).toMatchObject({
      policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
      groups: { tensor: 8, expert: 1, pipeline: 1, gpus: 16 },
      microBatches: 4,
      chunksPerStage: 1,
      stageTransferBytes: 0,
    });
    expect(workload.layers.name).toEqual([
      'optimizer',
      'attention.0',
      'norm.0.0',
      'norm.0.1',
      'norm.0.2',
      'attention.1',
      'norm.1.0',
      'norm.1.1',
      'norm.1.2',
    ]);
    expect([...workload.layers.isOnce]).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(layerAt(workload.layers, 1)).toEqual({
      name: 'attention.0',
      forward: { computePs: 370e6, collective: 'allreduce', group: 'tp', sizeBytes: 20 * 2 ** 20 },
      inputGradient: { computePs: 0, collective: 'none', group: 'none', sizeBytes: 0 },
      weightGradient: { computePs: 350e6, collective: 'reducescatter', group: 'dp', sizeBytes: 150e6 },
      updatePs: 0,
      policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
      isCheckpoint: true,
      startsRecomputation: false,
      isOnce: false,
      isSyncedOnce: true,
      isPrefetched: false,
      isFetchedOnce: false,
      isBeside: false,
      modelChunk: -1,
    });
    expect(layerAt(workload.layers, 3)).toMatchObject({
      updatePs: 1e6,
      startsRecomputation: true,
      isSyncedOnce: false,
    });
  });

  it('may belong to model chunks', async () => {
    const workload = await mustRead(
      'workload:\n  pipelineParallel: 2\n  chunksPerStage: 2\n  stageTransfer: 1MiB\n  layers: [ { name: a, chunk: 0 }, { name: b, chunk: 3 }, { name: c } ]\n',
    );
    expect([[...workload.layers.modelChunk], workload.stageTransferBytes, workload.chunksPerStage]).toEqual([
      [0, 3, -1],
      2 ** 20,
      2,
    ]);
  });

  it.each<[string, string, string[]]>([
    ['no layers', '[]', ['scenario-empty-list 2:21']],
    ['a layer without a name', '[ { update: 1us } ]', ['scenario-missing 2:23']],
    ['a name of two words', '[ { name: a b } ]', ['workload-name 2:31']],
    ['an unknown pass', '[ { name: a, backward: { compute: 1us } } ]', ['scenario-unknown-key 2:34']],
    ['a pass that is no block', '[ { name: a, forward: 1us } ]', ['scenario-type 2:43']],
    ['a time without a unit', '[ { name: a, forward: { compute: 3 } } ]', ['scenario-unit-missing 2:54']],
    [
      'an unknown collective',
      '[ { name: a, forward: { collective: allreduced, group: tp, size: 8 } } ]',
      ['scenario-value 2:57'],
    ],
    [
      'an unknown group',
      '[ { name: a, forward: { collective: allreduce, group: pp, size: 8 } } ]',
      ['scenario-value 2:75'],
    ],
    [
      'a size that overflows',
      '[ { name: a, forward: { collective: allreduce, group: tp, size: 9007199254740993 } } ]',
      ['scenario-range 2:85'],
    ],
    [
      'a collective without a size',
      '[ { name: a, forward: { collective: allreduce, group: tp } } ]',
      ['workload-pass 2:57'],
    ],
    ['a collective without anything', '[ { name: a, forward: { collective: allreduce } } ]', ['workload-pass 2:57']],
    ['a size without a collective', '[ { name: a, forward: { size: 8 } } ]', ['workload-pass 2:51']],
    ['a group without a collective', '[ { name: a, forward: { group: tp } } ]', ['workload-pass 2:52']],
    ['a chunk that does not exist', '[ { name: a, chunk: 1 } ]', ['workload-chunk 2:41']],
    ['recomputation without a checkpoint', '[ { name: a, recompute: true } ]', ['workload-checkpoint 2:45']],
    ['once in the middle', '[ { name: a }, { name: b, once: true }, { name: c } ]', ['workload-once 2:53']],
    [
      'the same mistake in every round, said once',
      '[ { times: 9, layers: [ { name: a, times: 9, recompute: true } ] } ]',
      ['workload-checkpoint 2:77'],
    ],
    [
      'once in a repeated block',
      '[ { times: 2, layers: [ { name: a, once: true }, { name: b } ] } ]',
      ['workload-once 2:62'],
    ],
    ['a block with a name', '[ { times: 2, name: a, layers: [ { name: a } ] } ]', ['workload-layer-block 2:35']],
    ['blocks in blocks', '[ { layers: [ { layers: [ { name: a } ] } ] } ]', ['scenario-unknown-key 2:37']],
    [
      'more layers than there may be',
      '[ { times: 1000000, layers: [ { name: a, times: 1000000 } ] } ]',
      ['workload-too-large 2:23'],
    ],
  ])('are refused: %s', async (_, list, expected) => {
    expect(await said(`workload: { layers: ${list} }\n`)).toEqual(expected);
  });

  it('must fit the fabric', async () => {
    expect(await said('workload: { tensorParallel: 3, layers: [ { name: a } ] }\n')).toEqual(['workload-groups 2:40']);
    expect(await said('workload: { tensorParallel: 8, dataParallel: 4, layers: [ { name: a } ] }\n')).toEqual([
      'workload-too-many-gpus 2:46',
    ]);
    expect(await said('workload: { expertParallel: 3, layers: [ { name: a } ] }\n')).toEqual(['workload-groups 2:40']);
  });
});

describe('the block', () => {
  it.each<[string, string, string[]]>([
    ['without a form', 'workload: { tensorParallel: 8 }\n', ['scenario-missing 2:1']],
    ['with two forms', 'workload: { file: a, layers: [] }\n', ['scenario-exclusive 2:22']],
    ['with a form that is misspelt', 'workload: { generates: transformer }\n', ['scenario-unknown-key 2:13']],
    ['that is empty', 'workload:\n', ['scenario-null 2:1']],
    ['that is a word', 'workload: gpt3\n', ['scenario-type 2:11']],
  ])('is refused %s', async (_, block, expected) => {
    expect(await said(block)).toEqual(expected);
  });

  it.each([
    ['layers', layers],
    [
      'a generated iteration',
      'workload: { generate: transformer, model: mixtral-8x7b, tensorParallel: 2, sequenceParallel: true, expertParallel: 4, globalBatchSize: 32 }\n',
    ],
    [
      'measured times',
      'workload: { generate: transformer, computeTimes: [ { block: head, forward: 1.5us, inputGradient: 2us, weightGradient: 3us } ] }\n',
    ],
  ])('as it was resolved gives the same workload: %s', async (_, block) => {
    const first = await readWorkload(block);
    const again = await readWorkload(stringify({ workload: first.resolved }));
    expect(again).toEqual(first);
    expect(first.workload).not.toBeNull();
  });

  it('takes the place of traffic, and becomes a job on the first hosts', async () => {
    const plan = await makePlan('s.yaml', {
      host: memoryHost({ 's.yaml': `fabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8 }\n${layers}` }),
      overrides: [],
    });
    expect(plan.source.total).toBe(0);
    expect(plan.jobs.map(({ ranks, iterations }) => [Array.from(ranks), iterations])).toEqual([
      [Array.from({ length: 16 }, (_, rank) => rank), 1],
    ]);
    expect(plan.resolved['traffic']).toBeUndefined();
  });

  it.each([
    [
      'a collective larger than one may be',
      'workload: { tensorParallel: 8, layers: [ { name: a, forward: { collective: allreduce, group: tp, size: 200GiB } } ] }\n',
      'workload-too-large',
    ],
    [
      'an interleaved pipeline that micro-batches do not fill',
      'workload: { tensorParallel: 4, pipelineParallel: 2, chunksPerStage: 2, microBatches: 3, layers: [ { name: a, times: 1, chunk: 0 }, { name: b, chunk: 3 } ] }\n',
      'workload-micro-batches',
    ],
  ])('is refused: %s', async (_, block, code) => {
    const plan = makePlan('s.yaml', {
      host: memoryHost({ 's.yaml': `fabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8 }\n${block}` }),
      overrides: [],
    });
    const error = await plan.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect((error as InputError).diagnostics).toMatchObject([{ code, file: 's.yaml', line: 2 }]);
  });

  it('of the documentation is a workload', async () => {
    const text = readFileSync(fileURLToPath(new URL('../../docs/formats/scenario.md', import.meta.url)), 'utf8');
    const blocks = [...text.matchAll(/```yaml\n(workload:[^]*?)```/g)].map((match) => match[1]!);
    expect(blocks).toHaveLength(4);
    const [file, generated, written, program] = blocks as [string, string, string, string];
    expect(
      (
        await readWorkload(file.replace('dataParallel: 16', 'dataParallel: 2'), {
          'allreduce.txt': '1 ALLREDUCE 8 TP\n',
        })
      ).diagnostics,
    ).toEqual([]);
    expect(
      (
        await readWorkload(
          generated,
          {},
          '{ generate: dcn+, gpus: 1024, nicsPerAsw: 8, aswPerPsw: 128, gpuType: H100 }',
        )
      ).diagnostics.filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
    expect((await mustRead(written)).layers.count).toBe(49);
    const leaves = 'fabric: { generate: leaf-spine, leaves: 16, spines: 2, hostsPerLeaf: 4 }\n';
    const host = memoryHost({ 's.yaml': `${leaves}${program}` });
    expect((await makePlan('s.yaml', { host, overrides: [] })).warnings).toEqual([]);
  });
});
