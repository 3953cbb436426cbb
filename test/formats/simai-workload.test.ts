// Workload files: what is read from well-formed ones, and the code and the place of every mistake.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Diagnostics, type Diagnostic } from '../../src/base/diagnostics.js';
import { readSimaiWorkload } from '../../src/formats/simai-workload.js';
import { unwritable, writeSimaiWorkload } from '../../src/formats/simai-workload-text.js';
import { LayerBuilder, layerAt, type Layer, type Workload } from '../../src/workload/workload.js';
import { referencePath } from '../reference.js';

const header =
  'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 2 pp: 2 vpp: 1 ga: 1 all_gpus: 64 checkpoints: 1 0 checkpoint_initiates: 1 1 pp_comm: 20971520.0';
// AICB's layout: tabs between the fields of a layer
const good = `${header}
3
embedding_layer\t-1\t556000\tALLREDUCE\t16777216\t1\tNONE\t0\t1\tNONE\t0\t100
moe_layer\t-1\t1000\tALLTOALL_EP\t2097152\t2000\tALLTOALL_EP\t2097152\t3000\tREDUCESCATTER_DP_EP\t4194304\t200
grad_param\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLREDUCE\t33554432\t100
`;

function read(text: string): { workload: Workload | null; diagnostics: Diagnostic[] } {
  const diagnostics = new Diagnostics();
  return { workload: readSimaiWorkload(text, 'w.txt', diagnostics), diagnostics: diagnostics.list };
}

function mustRead(text: string): Workload {
  const { workload, diagnostics } = read(text);
  expect(diagnostics).toEqual([]);
  return workload!;
}

/** `code line:column` of each error; there is no workload then. */
function mistakes(text: string): string[] {
  const { workload, diagnostics } = read(text);
  expect(workload).toBeNull();
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, line, column }) => `${code} ${line}:${column}`);
}

function warnings(text: string): string[] {
  const { workload, diagnostics } = read(text);
  expect(workload).not.toBeNull();
  return diagnostics.map(({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`);
}

/** The good file with one line (from 1) replaced. */
function withLine(line: number, replacement: string): string {
  const lines = good.split('\n');
  lines[line - 1] = replacement;
  return lines.join('\n');
}

/** A file of one layer under a policy, with a collective in one pass. */
function oneLayer(first: string, collectives: readonly [string, string, string], extra = ''): string {
  const [forward, input, weight] = collectives.map((name) => `${name} ${name === 'NONE' ? 0 : 4096}`);
  return `${first}\n1\nlayer -1 10 ${forward!} 20 ${input!} 30 ${weight!} 40 ${extra}\n`;
}

/** A line of a file: a layer of AICB, with a weight-gradient collective. */
function layerLine(name: string, weight = 'NONE\t0'): string {
  return `${name}\t-1\t5\tALLREDUCE\t64\t6\tNONE\t0\t7\t${weight}\t8\n`;
}

/** A workload of one all-reduce. */
function oneCollective(name: string, group: 'all' | 'tp'): Workload {
  const builder = new LayerBuilder();
  builder.add({ name, forward: { computePs: 0, collective: 'allreduce', group, sizeBytes: 8 } });
  return { ...mustRead(good), layers: builder.build() };
}

function groupsOf(text: string): string[] {
  const { layers } = mustRead(text);
  const { forward, inputGradient, weightGradient } = layerAt(layers, 0);
  return [forward, inputGradient, weightGradient].map(({ collective, group }) => `${collective} ${group}`);
}

describe('reading', () => {
  it('gives the header and every field of every layer', () => {
    const { layers, ...rest } = mustRead(good);
    expect(rest).toEqual({
      policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
      groups: { tensor: 8, expert: 2, pipeline: 2, gpus: 64 },
      chunksPerStage: 1,
      microBatches: 1,
      stageTransferBytes: 20_971_520,
      lastBottomLayer: -1,
    });
    expect(layers.count).toBe(3);
    expect(layerAt(layers, 1)).toEqual<Layer>({
      name: 'moe_layer',
      forward: { computePs: 1e6, collective: 'alltoall', group: 'ep', sizeBytes: 2 ** 21 },
      inputGradient: { computePs: 2e6, collective: 'alltoall', group: 'ep', sizeBytes: 2 ** 21 },
      weightGradient: { computePs: 3e6, collective: 'reducescatter', group: 'dp_ep', sizeBytes: 2 ** 22 },
      updatePs: 200_000,
      policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
      isCheckpoint: false,
      startsRecomputation: true,
      isOnce: false,
      isSyncedOnce: false,
      isPrefetched: false,
      isFetchedOnce: false,
      isBeside: false,
      modelChunk: -1,
    });
    expect([...layers.isCheckpoint]).toEqual([1, 0, 0]);
    expect([layerAt(layers, 0).forward.group, layerAt(layers, 2).weightGradient.group]).toEqual(['tp', 'dp']);
  });

  it.each([
    ['CRLF', good.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${good}`],
    ['spaces for tabs, and more of them', good.replaceAll('\t', '   ').replaceAll('\n', ' \n')],
    ['blank lines and comments', good.replaceAll('\n', ' # note\n\n')],
    ['no newline at the end', good.trimEnd()],
    ['floats', good.replace('556000', '556000.0').replace('16777216', '1.6777216e7').replace('ep: 2', 'ep: 2.0')],
    [
      'keys without colons, in another order',
      good.replace(
        header,
        header.replaceAll(':', '').replace('model_parallel_NPU_group 8 ep 2', 'ep 2 model_parallel_NPU_group 8'),
      ),
    ],
    ['values attached to their keys', good.replace(header, header.replaceAll(': ', ':'))],
    ["the expert key of AICB's multi-all-reduce", good.replace('ep: 2', 'expert_parallel_npu_group: 2')],
    ['bytes without a collective', good.replace('NONE\t0\t1\tNONE\t0\t100\nmoe', 'NONE\t777\t1\tNONE\t0\t100\nmoe')],
  ])('accepts %s', (_, text) => {
    expect(mustRead(text)).toEqual(mustRead(good));
  });

  it('keeps all checkpoints that are listed, where SimAI keeps the first', () => {
    const { layers } = mustRead(
      good.replace('checkpoints: 1 0 checkpoint_initiates: 1 1', 'checkpoints: 2 0 2 checkpoint_initiates: 2 1 2'),
    );
    expect([...layers.isCheckpoint]).toEqual([1, 0, 1]);
    expect([...layers.startsRecomputation]).toEqual([0, 1, 1]);
  });

  it.each([
    ['ALLREDUCE', 'allreduce'],
    ['ALLGATHER', 'allgather'],
    ['REDUCESCATTER', 'reducescatter'],
    ['ALLTOALL', 'alltoall'],
    ['BROADCAST', 'broadcast'],
    ['ALLREDUCEALLTOALL', 'allreduceThenAlltoall'],
  ])('reads %s over every group that a name can have', (word, collective) => {
    const first = 'HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 2 pp: 1 vpp: 1 ga: 1';
    expect(groupsOf(oneLayer(first, [word, word, word]))).toEqual([
      `${collective} tp`,
      `${collective} tp`,
      `${collective} dp`,
    ]);
    expect(groupsOf(oneLayer(first, [`${word}_EP`, `${word}_DP_EP`, `${word}_EP`]))).toEqual([
      `${collective} ep`,
      `${collective} dp_ep`,
      `${collective} ep`,
    ]);
    expect(groupsOf(oneLayer(first, [`${word}_DP`, 'NONE', `${word}_TP`]))).toEqual([
      `${collective} dp`,
      'none none',
      `${collective} tp`,
    ]);
  });

  // the dimensions of ASTRA-sim: all, none, the first (a server), the others (across servers)
  it.each([
    ['DATA', 'NONE', 'all'],
    ['MICRO', 'NONE', 'all'],
    ['MODEL', 'all', 'NONE'],
    ['DISTRIBUTED_INFERENCE', 'all', 'NONE'],
    ['HYBRID_DATA_MODEL', 'server', 'acrossServers'],
    ['HYBRID_MODEL_DATA', 'acrossServers', 'server'],
    ['HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 0', 'all', 'all'],
    ['HYBRID_DLRM_ENHANCED', 'all', 'all'],
  ])('lets the policy %s choose the ranks', (first, activations, gradients) => {
    const collectives = [activations, activations, gradients].map((group) =>
      group === 'NONE' ? 'NONE' : 'ALLREDUCE',
    ) as [string, string, string];
    const expected = [activations, activations, gradients].map((group) =>
      group === 'NONE' ? 'none none' : `allreduce ${group}`,
    );
    expect(groupsOf(oneLayer(first, collectives))).toEqual(expected);
    expect(
      groupsOf(oneLayer('HYBRID_CUSTOMIZED', collectives, first.split(' ')[0]!.replace(/_DLRM.*/, '_DATA_MODEL')))[0],
    ).toBe(first.includes('DLRM') ? 'allreduce server' : expected[0]);
  });

  it('reads where the bottom part of a recommendation model ends, and gives only its first layer all ranks', () => {
    const text =
      'HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n2\na -1 1 ALLTOALL 8 1 ALLTOALL 8 1 NONE 0 1\nb -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n';
    const { lastBottomLayer, layers } = mustRead(text);
    expect([lastBottomLayer, layerAt(layers, 0).forward.group, layerAt(layers, 1).weightGradient.group]).toEqual([
      1,
      'all',
      'all',
    ]);
    expect(warnings(text.replace('b -1 1 NONE 0', 'b -1 1 ALLTOALL 8'))).toEqual(['warning workload-no-ranks 4:8']);
  });

  it('folds the copies of gradient accumulation', () => {
    const pass = layerLine('embedding') + layerLine('attention') + layerLine('attention');
    const file = (copies: string[]): string =>
      `HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 3\n${2 + copies.join('').split('\n').length - 1}\n${layerLine('gather', 'ALLGATHER\t32')}${copies.join('')}${layerLine('optimizer')}`;
    const { layers, microBatches } = mustRead(file([pass, pass, pass]));
    expect([microBatches, layers.name, [...layers.isOnce]]).toEqual([
      3,
      ['gather', 'embedding', 'attention', 'attention', 'optimizer'],
      [1, 0, 0, 0, 1],
    ]);
    // gradients of the copy whose backward pass is last
    const synced =
      layerLine('embedding', 'ALLREDUCE\t99') + layerLine('attention') + layerLine('attention', 'ALLREDUCE\t98');
    const once = mustRead(file([synced, pass, pass])).layers;
    expect([
      [...once.isSyncedOnce],
      layerAt(once, 1).weightGradient.sizeBytes,
      layerAt(once, 3).weightGradient.sizeBytes,
    ]).toEqual([[0, 1, 0, 1, 0], 99, 98]);
    expect([...mustRead(file([synced, synced, synced])).layers.isSyncedOnce]).toEqual([0, 0, 0, 0, 0]);
    expect(warnings(file([pass, synced, pass]))).toEqual(['warning workload-micro-batches 1:71']);
    expect(warnings(file([pass, pass]))).toEqual(['warning workload-micro-batches 1:71']);
  });

  it('takes an incomplete header of older files, with a warning', () => {
    const text = oneLayer(
      'HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 8 checkpoints: 0 checkpoint_initiates: 0',
      ['NONE', 'NONE', 'ALLREDUCE'],
    );
    const { workload, diagnostics } = read(text);
    expect(diagnostics).toMatchObject([
      {
        severity: 'warning',
        code: 'workload-header-incomplete',
        line: 1,
        column: 1,
        message: 'the first line does not give ep, pp, vpp, ga: taken as 1',
      },
    ]);
    expect(workload).toMatchObject({
      groups: { tensor: 8, expert: 1, pipeline: 1, gpus: 0 },
      chunksPerStage: 1,
      microBatches: 1,
    });
  });

  it('warns, and goes on, about what is odd but can be meant', () => {
    expect(warnings(good.replace('pp: 2', 'pp: 1'))).toEqual(['warning workload-pipeline 1:151']);
    expect(warnings(good.replace('pp_comm: 20971520.0', ''))).toEqual(['warning workload-pipeline 1:71']);
    expect(warnings(good.replace(' vpp', ' dpp: vpp'))).toEqual(['warning workload-unknown-key 1:73']);
    expect(warnings(good.replace('ep: 2', 'ep: 4 ep: 2'))).toEqual(['warning workload-duplicate-key 1:67']);
    expect(warnings(good.replace('moe_layer\t-1', 'moe_layer\t0').replace('grad_param\t-1', 'grad_param\t1'))).toEqual([
      'warning workload-dependency-ignored 4:11',
    ]);
    expect(warnings(good.replace('\t2097152', '\t2097151.75'))).toEqual(['warning workload-fraction 4:31']);
  });

  it.skipIf(referencePath('simai') === null)("reads the files of SimAI's golden cases", () => {
    const expected: [string, number, number, 'forward' | 'weightGradient', string, number][] = [
      ['case_ii_ring_A100_seq/tp8_allreduce16M.txt', 8, 8, 'forward', 'allreduce tp', 2 ** 24],
      ['case_iii_dp16_ar16M_seq/dp16_allreduce16M.txt', 1, 16, 'weightGradient', 'allreduce dp', 2 ** 24],
      ['case_iv_dp16_a2a16M_seq/dp16_alltoall16M.txt', 1, 16, 'weightGradient', 'alltoall dp', 2 ** 24],
      ['case_v_tp8dp16_ar32M_seq/tp8dp16_allreduce32M.txt', 8, 128, 'weightGradient', 'allreduce dp', 2 ** 25],
    ];
    for (const [path, tensor, gpus, pass, what, sizeBytes] of expected) {
      const { groups, layers } = mustRead(readFileSync(referencePath('simai', 'cases', path)!, 'utf8'));
      expect([groups.tensor, groups.gpus, layers.count]).toEqual([tensor, gpus, 1]);
      const { collective, group, sizeBytes: size } = layerAt(layers, 0)[pass];
      expect([`${collective} ${group}`, size, layers.forward.computePs[0]]).toEqual([what, sizeBytes, 556e6]);
    }
  });
});

describe('mistakes', () => {
  const layer = 'embedding_layer -1 556000 ALLREDUCE 16777216 1 NONE 0 1 NONE 0 100';
  it.each<[string, string, string[]]>([
    ['an empty file', '', ['workload-empty 0:0']],
    ['blank lines and comments only', '\ufeff\n \r\n# x\n', ['workload-empty 0:0']],
    ['an unknown policy', good.replace('HYBRID_TRANSFORMER_FWD', 'HYBRID_TRANSFORMERS_FWD'), ['workload-policy 1:1']],
    ['a policy in lower case', good.replace('HYBRID', 'hybrid'), ['workload-policy 1:1']],
    ['a size that is a word', good.replace('ep: 2', 'ep: two'), ['workload-header-value 1:65']],
    ['a size of 0', good.replace('group: 8', 'group: 0'), ['workload-header-value 1:59']],
    ['a negative size', good.replace('pp: 2', 'pp: -2'), ['workload-header-value 1:71']],
    ['a fraction for a size', good.replace('ga: 1', 'ga: 1.5'), ['workload-header-value 1:84']],
    ['no micro-batches', good.replace('ga: 1', 'ga: 0'), ['workload-header-value 1:84']],
    ['a size without end', good.replace('all_gpus: 64', `all_gpus: ${'9'.repeat(30)}`), ['workload-overflow 1:96']],
    ['more GPUs than a fabric may have', good.replace('all_gpus: 64', 'all_gpus: 1048577'), ['workload-overflow 1:96']],
    ['activations without end', good.replace('20971520.0', '1e17'), ['workload-overflow 1:151']],
    ['a key without its value', good.replace(' 20971520.0', ''), ['workload-header-value 1:150']],
    [
      'fewer checkpoints than announced',
      good.replace('checkpoints: 1 0', 'checkpoints: 2 0'),
      ['workload-header-value 1:116'],
    ],
    [
      'a count of checkpoints without end',
      good.replace('checkpoints: 1 0', 'checkpoints: 99999999999 0'),
      ['workload-header-value 1:112'],
    ],
    [
      'a checkpoint that does not exist',
      good.replace('checkpoints: 1 0', 'checkpoints: 1 3'),
      ['workload-checkpoint 1:114', 'workload-checkpoint 1:140'],
    ],
    [
      'recomputation without a checkpoint before it',
      good.replace('checkpoints: 1 0', 'checkpoints: 1 2'),
      ['workload-checkpoint 1:140'],
    ],
    ['GPUs that do not divide', good.replace('all_gpus: 64', 'all_gpus: 60'), ['workload-groups 1:96']],
    ['experts that do not divide', good.replace('ep: 2', 'ep: 3'), ['workload-groups 1:65']],
    ['only a first line', header, [`workload-truncated 1:${header.length + 1}`]],
    ['no number of layers', withLine(2, layer), ['workload-layer-count 2:1']],
    ['no layers', withLine(2, '0'), ['workload-layer-count 2:1']],
    ['a billion layers', withLine(2, '1000000000'), ['workload-too-large 2:1']],
    ['the number of layers beside something', withLine(2, '3 layers'), ['workload-layer-count 2:3']],
    ['one layer too few', withLine(2, '4'), ['workload-truncated 6:1']],
    ['one layer too many', withLine(2, '2'), ['workload-too-many-layers 5:1']],
    [
      'a file that breaks off',
      good.slice(0, good.indexOf('REDUCESCATTER')),
      ['workload-incomplete-layer 4:69', 'workload-truncated 4:69'],
    ],
    ['a field too many', withLine(3, `${layer} 5`), ['workload-extra-field 3:68']],
    ['a policy behind a layer', withLine(3, `${layer} DATA`), ['workload-extra-field 3:68']],
    ['no policy behind a layer', `HYBRID_CUSTOMIZED\n1\n${layer}\n`, ['workload-incomplete-layer 3:67']],
    [
      'an unknown policy behind a layer',
      `HYBRID_CUSTOMIZED\n1\n${layer} HYBRID_CUSTOMIZED\n`,
      ['workload-policy 3:68'],
    ],
    ['a dependency that is a word', withLine(3, layer.replace('-1', 'x')), ['workload-dependency 3:17']],
    [
      'a dependency on a layer that does not exist',
      withLine(3, layer.replace('-1', '3')),
      ['workload-dependency 3:17'],
    ],
    ['a dependency below none', withLine(3, layer.replace('-1', '-2')), ['workload-dependency 3:17']],
    ['a layer that depends on itself', withLine(3, layer.replace('-1', '0')), ['workload-cycle 3:17']],
    [
      'two layers that depend on each other',
      good.replace('moe_layer\t-1', 'moe_layer\t2').replace('grad_param\t-1', 'grad_param\t1'),
      ['workload-cycle 4:11'],
    ],
    ['a negative time', withLine(3, layer.replace('556000', '-556000')), ['workload-time 3:20']],
    ['a time that is a word', withLine(3, layer.replace(/100$/, '1us')), ['workload-time 3:64']],
    ['a time of hours', withLine(3, layer.replace('556000', '10000000000000')), ['workload-overflow 3:20']],
    ['a size that overflows', withLine(3, layer.replace('16777216', '9007199254740993')), ['workload-overflow 3:37']],
    ['a size with a unit', withLine(3, layer.replace('16777216', '16MiB')), ['workload-size 3:37']],
    ['not a number', withLine(3, layer.replace('16777216', 'nan')), ['workload-size 3:37']],
    ['an unknown collective', withLine(3, layer.replace('ALLREDUCE', 'ALLREDUCES')), ['unknown-collective 3:27']],
    ['a collective in lower case', withLine(3, layer.replace('ALLREDUCE', 'all_reduce')), ['unknown-collective 3:27']],
    ['an unknown group', withLine(3, layer.replace('ALLREDUCE', 'ALLREDUCE_PP')), ['unknown-group 3:27']],
    ['an empty group', withLine(3, layer.replace('ALLREDUCE', 'ALLREDUCE_')), ['unknown-group 3:27']],
    ['nothing over a group', withLine(3, layer.replace('NONE', 'NONE_EP')), ['unknown-group 3:48']],
    [
      'experts without their number',
      oneLayer('DATA', ['NONE', 'NONE', 'ALLTOALL_EP']),
      ['workload-group-missing 3:33'],
    ],
    [
      'tensor groups without their size',
      oneLayer('HYBRID_TRANSFORMER pp: 1', ['ALLREDUCE', 'NONE', 'NONE']),
      ['workload-group-missing 3:13'],
    ],
    [
      'several mistakes at once',
      good.replace('556000', 'x').replace('ALLTOALL_EP', 'ALLTOALL_XP').replace('\t200\n', '\n'),
      ['workload-time 3:20', 'workload-incomplete-layer 4:96'],
    ],
  ])('%s', (_, text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it('say what was found, what was wanted and what to do', () => {
    const [lower] = read(withLine(3, layer.replace('ALLREDUCE', 'all_reduce_ep'))).diagnostics;
    expect(lower).toMatchObject({ file: 'w.txt', got: 'all_reduce_ep', hint: 'did you mean ALLREDUCE_EP?' });
    const [few] = read(withLine(2, '4')).diagnostics;
    expect(few).toMatchObject({
      message: 'line 2 announces 4 layers, the file ends after 3',
      hint: 'if nothing is missing, write 3 in line 2',
    });
    const [broken] = read(good.slice(0, good.indexOf('REDUCESCATTER'))).diagnostics;
    const circle = good
      .replace('embedding_layer -1', 'embedding_layer 2')
      .replace('moe_layer\t-1', 'moe_layer\t2')
      .replace('grad_param\t-1', 'grad_param\t1');
    expect(read(circle).diagnostics[0]).toMatchObject({
      line: 4,
      message: 'layers depend on each other in a circle: 1 -> 2 -> 1',
    });
    expect(broken!.message).toBe('the line of layer moe_layer ends before its weight-gradient collective');
    expect(read(good.replace('all_gpus: 64', 'all_gpus: 60')).diagnostics[0]!.message).toBe(
      '60 GPUs do not divide into tensor groups of 8 in 2 pipeline stages',
    );
    expect(read(good.replace('ep: 2', 'ep: 3')).diagnostics[0]).toMatchObject({
      message: 'data groups of 4 ranks do not divide into expert groups of 3',
    });
  });

  it('stop after a bounded number', () => {
    expect(read(`DATA\n50000\n${'x y z\n'.repeat(50_000)}`).diagnostics.length).toBeLessThanOrEqual(20);
  });

  it('do not make the reader slow, however long a word, a line or a list is', () => {
    const long = '1'.repeat(500_000);
    expect(mistakes(withLine(3, `${long} ${long} ${long} ALLREDUCE${long} ${long} 1 NONE 0 1 NONE 0 1`))).toHaveLength(
      5,
    );
    expect(mistakes(`${header} ${'checkpoints: 1 0 '.repeat(50_000)}\n${long}\n`)).toEqual([
      'workload-layer-count 2:1',
    ]);
    expect(mistakes(long)).toEqual(['workload-policy 1:1']);
  });
});

describe('writing', () => {
  it('gives the good file back, as AICB lays it out', () => {
    expect(writeSimaiWorkload(mustRead(good))).toBe(good.replace('20971520.0', '20971520'));
  });

  it('writes the layers of one pipeline stage', () => {
    const builder = new LayerBuilder();
    for (const [name, modelChunk] of [
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 3],
      ['e', -1],
    ] as const)
      builder.add({ name, modelChunk });
    const workload: Workload = { ...mustRead(good), chunksPerStage: 2, layers: builder.build() };
    const names = (stage: number): string[] =>
      writeSimaiWorkload(workload, stage)
        .split('\n')
        .slice(2, -1)
        .map((line) => line.split('\t')[0]!);
    expect([names(0), names(1)]).toEqual([
      ['a', 'c', 'e'],
      ['b', 'd', 'e'],
    ]);
  });

  it('knows what it cannot write', () => {
    expect(unwritable(oneCollective('a', 'tp'))).toBeNull();
    expect(unwritable(oneCollective('a b', 'tp'))).toContain('one word');
    expect(unwritable(oneCollective('#a', 'tp'))).toContain('one word');
    expect(unwritable(oneCollective('a', 'all'))).toContain('(all)');
    expect(() => writeSimaiWorkload(oneCollective('a', 'all'))).toThrow('without a name');
  });
});
