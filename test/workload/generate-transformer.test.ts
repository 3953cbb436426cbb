// Generated training iterations against the closed forms of the papers: operations, bytes of each kind of parallelism,
// order of collectives.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parallelProblems } from '../../src/collectives/parallel-groups.js';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { settingDefaults } from '../../src/base/settings.js';
import { readSimaiWorkload } from '../../src/formats/simai-workload.js';
import { unwritable, writeSimaiWorkload } from '../../src/formats/simai-workload-text.js';
import { generateTransformer } from '../../src/workload/generate-transformer.js';
import { paddedVocabulary } from '../../src/workload/model-shares.js';
import { gpus } from '../../src/workload/gpus.js';
import { dataGroupSize, parallelSizes } from '../../src/workload/group-sizes.js';
import type { KnownModel } from '../../src/workload/known-models.js';
import { passNames, type GroupName, type PassName } from '../../src/workload/policies.js';
import { planTraining } from '../../src/workload/training-plan.js';
import { trainingSettingsOf, type TrainingValues } from '../../src/workload/training-settings.js';
import { activeParameterCount, parameterCount } from '../../src/workload/transformer-model.js';
import { layerAt, type CollectiveName, type Layer, type Workload } from '../../src/workload/workload.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function valuesOf(model: KnownModel, given: Partial<TrainingValues> = {}): TrainingValues {
  return { ...settingDefaults(trainingSettingsOf(model)), model, efficiency: 0.5, ...given };
}

function generate(values: TrainingValues, fabricGpus = 0): Workload {
  const { plan, problems } = planTraining(values, fabricGpus);
  expect(problems).toEqual([]);
  return generateTransformer(plan!);
}

function layersOf({ layers }: Workload): Layer[] {
  return Array.from({ length: layers.count }, (_, i) => layerAt(layers, i));
}

/** A small model whose parts all divide by 8, with a vocabulary that needs no padding. */
const small: Partial<TrainingValues> = {
  layerCount: 4,
  hiddenSize: 1024,
  attentionHeads: 16,
  keyValueHeads: 16,
  feedForwardSize: 4096,
  vocabularySize: 8192,
  sequenceLength: 512,
  dataParallel: 1,
};

/**
 * Seconds that one rank of every stage computes in an iteration, times the rate: operations of a tensor group's rank,
 * over all stages.
 */
function operations(workload: Workload, values: TrainingValues): number {
  let ps = 0;
  for (const layer of layersOf(workload)) {
    if (layer.isOnce) continue;
    for (const pass of passNames) ps += layer[pass].computePs;
  }
  return (ps / 1e12) * gpus[values.gpu].flopsPerSecond * Number(values.efficiency);
}

/** Bytes of all collectives over a group, in passes of one micro-batch, by kind. */
function bytesOf(
  workload: Workload,
  group: GroupName,
  passes: readonly PassName[] = passNames,
): Partial<Record<CollectiveName, number>> {
  const sums: Partial<Record<CollectiveName, number>> = {};
  for (const layer of layersOf(workload)) {
    for (const pass of passes) {
      const { collective, sizeBytes } = layer[pass];
      if (layer[pass].group === group) sums[collective] = (sums[collective] ?? 0) + sizeBytes;
    }
  }
  return sums;
}

/** What a rank sends in ring algorithms, in whole buffers: an all-reduce is a reduce-scatter and an all-gather. */
function ringVolume(sums: Partial<Record<CollectiveName, number>>): number {
  return 2 * (sums.allreduce ?? 0) + (sums.allgather ?? 0) + (sums.reducescatter ?? 0);
}

/** A power of two. */
function power(most: number): fc.Arbitrary<number> {
  return fc.nat(most).map((exponent) => 1 << exponent);
}

/** What happens in a pass, layer by layer in the given order. */
function eventsOf(pass: PassName, order: readonly Layer[]): string[] {
  return order.flatMap((layer) => {
    const { computePs, collective, group, sizeBytes } = layer[pass];
    return [
      ...(computePs > 0 ? ['compute'] : []),
      ...(collective === 'none' ? [] : [`${collective} ${group} ${sizeBytes}`]),
    ];
  });
}

function reversed<T>(list: readonly T[]): T[] {
  return list.map((_, i) => list[list.length - 1 - i]!);
}

describe('compute', () => {
  it('is the operations of Narayanan et al., equation 3, with full recomputation 96 b s l h^2 (1 + s/6h + V/16lh)', () => {
    const { layerCount: l, hiddenSize: h, sequenceLength: s, vocabularySize: V } = valuesOf('gpt3-175b', small);
    const b = 4;
    const none = valuesOf('gpt3-175b', { ...small, microBatchSize: b });
    expect(
      operations(generate(none), none) / (72 * b * s * l * h * h * (1 + s / (6 * h) + V / (12 * l * h))),
    ).toBeCloseTo(1, 4);
    // the forward pass of the layers again, not that of the logits
    const full = { ...none, recomputation: 'full' as const };
    const workload = generate(full);
    const again = layersOf(workload)
      .filter(({ name }) => name.startsWith('layer'))
      .reduce((sum, { forward }) => sum + forward.computePs, 0);
    const rate = gpus[full.gpu].flopsPerSecond * Number(full.efficiency);
    expect(
      (operations(workload, full) + (again / 1e12) * rate) /
        (96 * b * s * l * h * h * (1 + s / (6 * h) + V / (16 * l * h))),
    ).toBeCloseTo(1, 4);
    // attention itself once more: 4 b s^2 h per layer (Korthikanti et al., section 5)
    const selective = { ...none, recomputation: 'selective' as const };
    expect(
      (operations(generate(selective), selective) - operations(generate(none), none)) / (4 * b * s * s * h * l),
    ).toBeCloseTo(1, 2);
  });

  it.each<KnownModel>(['gpt3-175b', 'llama2-7b', 'llama2-70b', 'mixtral-8x7b'])(
    'of %s is 6 per token and active parameter, and attention',
    (model) => {
      const values = valuesOf(model, { dataParallel: 1 });
      const { layerCount: l, hiddenSize: h, sequenceLength: s } = values;
      const expected = s * (6 * activeParameterCount(values) + 12 * l * s * h);
      // input embeddings and norms are parameters that do not multiply; padding of the vocabulary is not in the formula
      expect(operations(generate(values), values) / expected).toBeGreaterThan(0.97);
      expect(operations(generate(values), values) / expected).toBeLessThan(1.001);
    },
  );

  it('of GPT-3 on 1,024 A100 at 140 TFLOP/s is 34 days for 300 billion tokens (Narayanan et al., 5.1)', () => {
    const values = valuesOf('gpt3-175b', {
      gpu: 'A100',
      efficiency: 140 / 312,
      tensorParallel: 8,
      pipelineParallel: 16,
      dataParallel: 8,
      globalBatchSize: 1536,
      recomputation: 'full',
    });
    const workload = generate(values);
    const again = layersOf(workload)
      .filter(({ name }) => name.startsWith('layer'))
      .reduce((sum, { forward }) => sum + forward.computePs, 0);
    const all = layersOf(workload)
      .filter(({ isOnce }) => !isOnce)
      .reduce((sum, layer) => sum + passNames.reduce((passes, pass) => passes + layer[pass].computePs, 0), again);
    const seconds = ((all / 16) * workload.microBatches) / 1e12;
    expect(workload.microBatches).toBe(192);
    expect((seconds * (300e9 / (1536 * 2048))) / 86_400 / 34).toBeCloseTo(1, 1);
  });

  it(`is divided among the ranks, however the model is spread (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        power(3),
        power(2),
        fc.boolean(),
        power(3),
        fc.boolean(),
        fc.constantFrom(0, 1, 2, 3),
        power(2),
        (tensorParallel, pipelineParallel, sequenceParallel, experts, isExpert, zeroStage, microBatches) => {
          const expert = isExpert ? { experts, activeExperts: 1, expertParallel: Math.min(experts, 4) } : {};
          const values = valuesOf('llama2-7b', {
            ...small,
            keyValueHeads: 8,
            ...expert,
            tensorParallel,
            pipelineParallel,
            sequenceParallel: sequenceParallel || isExpert,
            zeroStage,
            microBatches,
            dataParallel: 4,
          });
          const whole = valuesOf('llama2-7b', {
            ...values,
            tensorParallel: 1,
            pipelineParallel: 1,
            expertParallel: 1,
            dataParallel: 1,
          });
          const workload = generate(values);
          expect((operations(workload, values) * tensorParallel) / operations(generate(whole), whole)).toBeCloseTo(
            1,
            3,
          );
          expect(dataGroupSize(workload.groups)).toBe(4);
          expect(parallelProblems(parallelSizes(workload.groups), workload.groups.gpus)).toEqual([]);
          // no collective of one rank, and none of nothing
          const ranks: Record<GroupName, number> = {
            none: 0,
            tp: tensorParallel,
            dp: 4,
            ep: values.expertParallel,
            dp_ep: 4 / values.expertParallel,
            pp: 1,
            cp: 1,
            all: 1,
            server: 1,
            acrossServers: 1,
          };
          for (const layer of layersOf(workload))
            for (const pass of passNames)
              if (layer[pass].collective !== 'none') expect(ranks[layer[pass].group]).toBeGreaterThan(1);
        },
      ),
      { seed, numRuns: rounds(60) },
    );
  });
});

describe('tensor parallelism', () => {
  const b = 2;
  const [s, h, l] = [512, 1024, 4];
  const activations = 2 * b * s * h;

  it('sums activations of 2 b s h bytes twice per layer forward and twice backward (Shoeybi et al., section 3)', () => {
    const workload = generate(valuesOf('gpt3-175b', { ...small, microBatchSize: b, tensorParallel: 8 }));
    const layers = layersOf(workload).filter(({ name }) => name.startsWith('layer'));
    expect(layers.map(({ name }) => name).slice(0, 2)).toEqual(['layer0.attention', 'layer0.feedForward']);
    for (const { forward, inputGradient } of layers)
      for (const pass of [forward, inputGradient])
        expect(pass).toMatchObject({ collective: 'allreduce', group: 'tp', sizeBytes: activations });
    expect(layers).toHaveLength(2 * l);
    // the embedding forward, the logits backward, and three numbers per token (section 3: the loss is parallel)
    expect(bytesOf(workload, 'tp')).toEqual({ allreduce: (4 * l + 2) * activations + 3 * 4 * b * s });
  });

  it('with sequence parallelism sends as much, in halves, and the inputs of matrices once more (Korthikanti et al., 4.2.2)', () => {
    const given = { ...small, microBatchSize: b, tensorParallel: 8 };
    const plain = bytesOf(generate(valuesOf('gpt3-175b', given)), 'tp');
    const kept = bytesOf(
      generate(valuesOf('gpt3-175b', { ...given, sequenceParallel: true, gatherInputsAgain: false })),
      'tp',
    );
    const loss = 3 * 4 * b * s;
    // the embedding is scattered forward and gathered backward, the logits the other way round: what plain tensor
    // parallelism does once
    expect(kept).toEqual({
      allgather: (4 * l + 2) * activations,
      reducescatter: (4 * l + 2) * activations,
      allreduce: loss,
    });
    expect(ringVolume(kept)).toBe(ringVolume(plain));
    const again = bytesOf(generate(valuesOf('gpt3-175b', { ...given, sequenceParallel: true })), 'tp');
    expect(again.allgather! - kept.allgather!).toBe((2 * l + 1) * activations);
  });
});

describe('the backward pass', () => {
  // the gradient of a gather is a scatter, that of an exchange an exchange
  const gradientOf: Partial<Record<CollectiveName, CollectiveName>> = {
    allgather: 'reducescatter',
    reducescatter: 'allgather',
    alltoall: 'alltoall',
  };

  it.each([
    ['sequence parallelism', { tensorParallel: 4, sequenceParallel: true }],
    ['experts', { experts: 8, expertParallel: 4, dataParallel: 4 }],
    [
      'experts under tensor parallelism',
      { experts: 8, expertParallel: 4, dataParallel: 4, tensorParallel: 4, sequenceParallel: true },
    ],
  ] as const)('is the forward pass of a layer in reverse: %s', (_, given) => {
    const layers = layersOf(generate(valuesOf('llama2-7b', { ...small, ...given, gatherInputsAgain: false }))).filter(
      ({ name }) => name.startsWith('layer0'),
    );
    const forward = eventsOf('forward', layers);
    const backward = eventsOf('inputGradient', reversed(layers));
    const mirrored = reversed(forward).map((event) =>
      event.replace(/^\w+/, (word) => gradientOf[word as CollectiveName] ?? word),
    );
    expect(backward).toEqual(mirrored);
    expect(forward.length).toBeGreaterThan(3);
  });

  it('of all layers with full recomputation starts at a checkpoint in front of each layer', () => {
    const layers = layersOf(
      generate(valuesOf('gpt3-175b', { ...small, tensorParallel: 2, sequenceParallel: true, recomputation: 'full' })),
    );
    const marks = layers.map(
      ({ name, isCheckpoint, startsRecomputation }) =>
        `${name}${isCheckpoint ? ' <' : ''}${startsRecomputation ? ' >' : ''}`,
    );
    expect(marks.filter((mark) => / [<>]/.test(mark)).slice(0, 4)).toEqual([
      'layer0.attention.in <',
      'layer0.feedForward.out >',
      'layer1.attention.in <',
      'layer1.feedForward.out >',
    ]);
    expect(layers.filter(({ isCheckpoint }) => isCheckpoint)).toHaveLength(4);
  });
});

describe('data parallelism', () => {
  const given = { ...small, dataParallel: 4, gradientPrecision: 'bf16' as const, tiedEmbeddings: false };
  const parameters = parameterCount(valuesOf('llama2-7b', given));

  /** Of each gradient's collective, whether it waits for the last micro-batch. */
  function synced(zeroStage: number, microBatches: number, pipelineParallel = 1): boolean[] {
    const layers = layersOf(generate(valuesOf('llama2-7b', { ...given, zeroStage, microBatches, pipelineParallel })));
    return layers
      .filter(({ weightGradient: { group }, isOnce }) => group === 'dp' && !isOnce)
      .map(({ isSyncedOnce }) => isSyncedOnce);
  }

  /** The collectives of a layer under stage 3. */
  function events(recomputation: 'none' | 'full'): string[] {
    const layers = layersOf(generate(valuesOf('llama2-7b', { ...given, zeroStage: 3, recomputation }))).filter(
      ({ name }) => name.startsWith('layer1'),
    );
    return layers.map(({ name, ...layer }) => [name, ...passNames.map((pass) => layer[pass].collective)].join(' '));
  }

  /** Time of the optimizer's step. */
  function stepPs(zeroStage: number): number {
    const layers = layersOf(generate(valuesOf('llama2-7b', { ...given, zeroStage, gradientPrecision: 'fp32' })));
    return layers.find(({ name }) => name === 'optimizer')!.weightGradient.computePs;
  }

  // Rajbhandari et al. 2020, section 7: twice the parameters, and three times with stage 3
  it.each([
    [0, 2],
    [1, 2],
    [2, 2],
    [3, 3],
  ])('of ZeRO stage %i moves %i times the parameters', (zeroStage, times) => {
    const workload = generate(valuesOf('llama2-7b', { ...given, zeroStage }));
    expect(ringVolume(bytesOf(workload, 'dp'))).toBe(times * 2 * parameters);
  });

  it('sends gradients once per iteration in stages 0 and 1, and for every micro-batch in stages 2 (without a pipeline) and 3', () => {
    expect([0, 1].map((stage) => synced(stage, 4).every(Boolean))).toEqual([true, true]);
    expect([2, 3].map((stage) => synced(stage, 4).some(Boolean))).toEqual([false, false]);
    expect(synced(0, 1).some(Boolean)).toBe(false);
    // in a pipeline stage 2 adds them up, as PyTorch's pipelining has FSDP do
    expect(synced(2, 4, 2).every(Boolean)).toBe(true);
    expect(synced(3, 4, 2).some(Boolean)).toBe(false);
    expect(synced(0, 4).length).toBeGreaterThan(4);
  });

  it('of stage 3 gathers parameters before each pass that needs them, and not again after recomputation', () => {
    // a layer is a unit, as of FSDP: gathered at once, its gradients summed when it has gone backward
    expect(events('none')).toEqual([
      'layer1.parameters allgather none none',
      'layer1.attention none none reducescatter',
      'layer1.feedForward none none none',
      'layer1.parametersAgain none allgather none',
    ]);
    expect(events('full').filter((event) => event.includes('none allgather'))).toEqual([]);
    // the forward pass of the layers, run again, gathers in its place: three times the parameters all the same
    const workload = generate(valuesOf('llama2-7b', { ...given, zeroStage: 3, recomputation: 'full' }));
    const again = layersOf(workload)
      .filter(({ name }) => name.startsWith('layer'))
      .reduce((sum, { forward }) => sum + forward.sizeBytes, 0);
    expect(ringVolume(bytesOf(workload, 'dp')) + again).toBe(3 * 2 * parameters);
  });

  it('sums all gradients of a chunk behind the backward pass if they are not overlapped: as many bytes, at once', () => {
    for (const zeroStage of [0, 1]) {
      const workload = generate(
        valuesOf('llama2-7b', {
          ...given,
          zeroStage,
          microBatches: 4,
          overlapGradients: false,
          overlapParameters: false,
        }),
      );
      expect(ringVolume(bytesOf(workload, 'dp'))).toBe(2 * 2 * parameters);
      const once = layersOf(workload).filter(({ isOnce }) => isOnce);
      // backward in reverse: the gradients, waited for, then the optimizer
      expect(once.map(({ name }) => name)).toEqual(['optimizer', 'gradients']);
      expect(once[1]!.inputGradient).toMatchObject({
        collective: zeroStage === 0 ? 'allreduce' : 'reducescatter',
        sizeBytes: 2 * parameters,
      });
      expect(layersOf(workload).some(({ weightGradient, isOnce }) => !isOnce && weightGradient.group === 'dp')).toBe(
        false,
      );
    }
  });

  it('of stages 1 and 2 gathers new parameters once, beside the first micro-batch: layers of the first chunk, other chunks whole', () => {
    const plain = { ...given, layerCount: 8, pipelineParallel: 2, chunksPerStage: 2, microBatches: 4, zeroStage: 1 };
    const gathers = (values: Partial<TrainingValues>): [string, number][] =>
      layersOf(generate(valuesOf('llama2-7b', { ...plain, ...values })))
        .filter(({ isFetchedOnce, isPrefetched }) => isFetchedOnce && isPrefetched)
        .map(({ name, modelChunk }) => [name, modelChunk]);
    expect(gathers({})).toEqual([
      ['embedding.parameters', 0],
      ['layer0.parameters', 0],
      ['layer1.parameters', 0],
      ['chunk1.parameters', 1],
      ['chunk2.parameters', 2],
      ['chunk3.parameters', 3],
    ]);
    expect(gathers({ overlapParameters: false })).toEqual([]);
    expect(gathers({ zeroStage: 0 })).toEqual([]);
  });

  it('casts and divides gradients before ZeRO stages 2 and 3 sum them', () => {
    const kernels = { ...given, efficiency: 'kernels' as const, zeroStage: 3 };
    const gradient = (values: Partial<TrainingValues>): number =>
      layersOf(generate(valuesOf('llama2-7b', { ...kernels, ...values }))).find(
        ({ name }) => name === 'layer1.feedForward',
      )!.weightGradient.computePs;
    // three matrices of 1024 x 4096 and a norm: 4 bytes each in 2-byte gradients
    const bytes = 4 * (3 * 1024 * 4096 + 1024);
    expect((gradient({}) - gradient({ zeroStage: 1 })) / 1e12).toBeCloseTo(bytes / (0.9 * 3.35e12), 8);
    expect(gradient({ dataParallel: 1 })).toBe(gradient({ zeroStage: 1 }));
  });

  it('has the optimizer work on a share of the states from stage 1, bound by memory', () => {
    // Adam's 24 bytes and a copy of 6; the gradient's 4 five times: norm, clipping, step, zero; at 90 % of 3.35 TB/s
    expect(stepPs(0) / 1e12).toBeCloseTo((50 * parameters) / (0.9 * 3.35e12), 8);
    expect(stepPs(0) / stepPs(1)).toBeCloseTo(4, 4);
  });
});

describe('context parallelism', () => {
  const given = { ...small, keyValueHeads: 4, dataParallel: 2, microBatchSize: 2 };
  const [b, s, keys, l] = [2, 512, 256, 4];

  it('gathers the keys and values of whole sequences and scatters their gradients, layer by layer (Llama 3, 3.3.2)', () => {
    const workload = generate(valuesOf('llama3-8b', { ...given, contextParallel: 4 }));
    const bytes = l * 2 * 2 * b * s * keys;
    expect(bytesOf(workload, 'cp')).toEqual({ allgather: bytes, reducescatter: bytes });
    expect(
      bytesOf(generate(valuesOf('llama3-8b', { ...given, contextParallel: 4, contextExchange: 'ring' })), 'cp'),
    ).toEqual({
      allgather: bytes,
      reducescatter: bytes,
    });
    const shared = generate(valuesOf('llama3-8b', { ...given, contextParallel: 4, tensorParallel: 4 }));
    expect(bytesOf(shared, 'cp')).toEqual({ allgather: bytes / 4, reducescatter: bytes / 4 });
  });

  it('divides the work, and shares gradients among all ranks that hold the same parameters', () => {
    const [whole, parts] = [
      valuesOf('llama3-8b', { ...given, dataParallel: 8 }),
      valuesOf('llama3-8b', { ...given, contextParallel: 4 }),
    ];
    const [one, four] = [generate(whole), generate(parts)];
    expect((4 * operations(four, parts)) / operations(one, whole)).toBeCloseTo(1, 3);
    expect(four.groups).toEqual({ tensor: 1, pipeline: 1, expert: 1, context: 4, gpus: 8 });
    // replicas are those of whole sequences: a batch of 8 is 2 micro-batches of 2 for 2 replicas, not for 8
    expect(generate({ ...parts, globalBatchSize: 8 }).microBatches).toBe(2);
    expect(bytesOf(four, 'dp')).toEqual(bytesOf(one, 'dp'));
  });

  it('beside ring attention puts the exchange beside the computation, and keeps the order of the tensor group', () => {
    const layers = layersOf(
      generate(
        valuesOf('llama3-8b', {
          ...given,
          contextParallel: 4,
          contextExchange: 'ring',
          tensorParallel: 4,
          sequenceParallel: true,
        }),
      ),
    ).filter(({ name }) => name.startsWith('layer1.attention'));
    expect(layers.map(({ name, isBeside, forward }) => [name, isBeside, forward.collective])).toEqual([
      ['layer1.attention.gather', false, 'allgather'],
      ['layer1.attention.context', true, 'allgather'],
      ['layer1.attention.scatter', false, 'reducescatter'],
    ]);
    expect(layers.map(({ forward }) => forward.computePs > 0)).toEqual([false, true, false]);
  });
});

describe('experts', () => {
  const given = { ...small, experts: 8, activeExperts: 2, expertParallel: 4, dataParallel: 8, microBatchSize: 2 };
  const [b, s, h, k, l] = [2, 512, 1024, 2, 4];

  it('exchange every token with its experts and back, forward and backward: 4 all-to-alls per layer of 2 b s k h bytes (Lepikhin et al. 2021)', () => {
    const workload = generate(valuesOf('llama2-7b', given));
    expect(bytesOf(workload, 'ep')).toEqual({ alltoall: 4 * l * 2 * b * s * k * h });
    const shared = generate(valuesOf('llama2-7b', { ...given, tensorParallel: 4, sequenceParallel: true }));
    expect(bytesOf(shared, 'ep')).toEqual({ alltoall: (4 * l * 2 * b * s * k * h) / 4 });
  });

  it('are synchronized among the ranks that hold the same, everything else among all', () => {
    const values = valuesOf('llama2-7b', given);
    const workload = generate(values);
    const experts = 8 * 3 * h * values.feedForwardSize * l;
    expect(bytesOf(workload, 'dp_ep')).toEqual({ allreduce: (4 * experts) / 4 });
    expect(bytesOf(workload, 'dp')).toEqual({ allreduce: 4 * (parameterCount(values) - experts) });
    expect(bytesOf(generate(valuesOf('llama2-7b', { ...given, expertParallel: 8 })), 'dp_ep')).toEqual({});
  });
});

/** What a stage of the small model sends to the next. */
function stageBytes(given: Partial<TrainingValues>): number {
  return generate(valuesOf('gpt3-175b', { ...small, ...given })).stageTransferBytes;
}

describe('pipelines', () => {
  it('have their chunks in the order of the model, embedding and head at the ends', () => {
    const workload = generate(
      valuesOf('gpt3-175b', { ...small, layerCount: 8, pipelineParallel: 2, chunksPerStage: 2, microBatches: 4 }),
    );
    const chunks = new Map<number, string[]>();
    for (const { name, modelChunk, isOnce } of layersOf(workload))
      if (!isOnce) chunks.set(modelChunk, [...(chunks.get(modelChunk) ?? []), name]);
    expect([...chunks.keys()]).toEqual([0, 1, 2, 3]);
    expect(chunks.get(0)).toEqual([
      'embedding',
      'layer0.attention',
      'layer0.feedForward',
      'layer1.attention',
      'layer1.feedForward',
    ]);
    expect(chunks.get(2)).toEqual(['layer4.attention', 'layer4.feedForward', 'layer5.attention', 'layer5.feedForward']);
    expect(chunks.get(3)!.at(-1)).toBe('head');
  });

  it('have embedding and head in the place of layers if told so (Llama 3: 126 layers over 128 parts)', () => {
    const workload = generate(
      valuesOf('llama3-405b', {
        tensorParallel: 8,
        pipelineParallel: 16,
        chunksPerStage: 8,
        microBatches: 16,
        dataParallel: 1,
        endsAsLayers: true,
      }),
    );
    const chunks = Array.from({ length: 128 }, (): string[] => []);
    for (const { name, modelChunk, isOnce } of layersOf(workload)) {
      const block = name.split('.')[0]!;
      if (!isOnce && !chunks[modelChunk]!.includes(block)) chunks[modelChunk]!.push(block);
    }
    expect(chunks).toEqual([['embedding'], ...Array.from({ length: 126 }, (_, layer) => [`layer${layer}`]), ['head']]);
  });

  it('have a copy of tied embeddings in the last stage, which is synchronized there', () => {
    const bytes = [1, 2].map(
      (pipelineParallel) =>
        bytesOf(generate(valuesOf('gpt3-175b', { ...small, dataParallel: 2, pipelineParallel })), 'dp').allreduce!,
    );
    expect(bytes[1]! - bytes[0]!).toBe(4 * 8192 * 1024);
  });

  it('send b s h activations of 2 bytes per micro-batch, a share of them with sequence parallelism', () => {
    expect(stageBytes({ pipelineParallel: 2, microBatchSize: 2 })).toBe(2 * 2 * 512 * 1024);
    expect(stageBytes({ pipelineParallel: 2, tensorParallel: 4, sequenceParallel: true })).toBe((2 * 512 * 1024) / 4);
    expect(stageBytes({})).toBe(0);
  });
});

describe('settings', () => {
  it.each<[string, Partial<TrainingValues>, number, string]>([
    ['heads that do not divide', { attentionHeads: 15, keyValueHeads: 15 }, 0, 'hiddenSize'],
    ['keys and values that do not divide', { keyValueHeads: 5 }, 0, 'attentionHeads'],
    ['more tensor ranks than heads of keys', { keyValueHeads: 2, tensorParallel: 4 }, 0, 'keyValueHeads'],
    ['layers that do not divide', { pipelineParallel: 3 }, 0, 'layerCount'],
    [
      'layers that do not divide with embedding and head',
      { pipelineParallel: 4, endsAsLayers: true },
      0,
      'endsAsLayers',
    ],
    ['chunks without stages', { chunksPerStage: 2 }, 0, 'chunksPerStage'],
    [
      'interleaving with too few micro-batches',
      { pipelineParallel: 2, chunksPerStage: 2, microBatches: 3 },
      0,
      'chunksPerStage',
    ],
    [
      'sequences that do not divide',
      { sequenceParallel: true, tensorParallel: 8, sequenceLength: 100 },
      0,
      'sequenceLength',
    ],
    ['expert groups of a dense model', { expertParallel: 2 }, 0, 'expertParallel'],
    ['experts that do not divide', { experts: 6, expertParallel: 4, dataParallel: 4 }, 0, 'experts'],
    ['expert groups larger than data groups', { experts: 8, expertParallel: 4, dataParallel: 2 }, 0, 'expertParallel'],
    ['more active experts than experts', { experts: 4, activeExperts: 5 }, 0, 'activeExperts'],
    ['experts and tensor groups without sequence parallelism', { experts: 4, tensorParallel: 2 }, 0, 'tensorParallel'],
    ['a batch that does not divide', { globalBatchSize: 10, microBatchSize: 4 }, 0, 'globalBatchSize'],
    ['a batch without end', { globalBatchSize: 1_000_000_000 }, 0, 'globalBatchSize'],
    ['a batch that contradicts', { globalBatchSize: 8, microBatches: 4 }, 0, 'microBatches'],
    ['GPUs that do not divide', { dataParallel: 0, tensorParallel: 8 }, 12, 'tensorParallel'],
    ['no replicas and no fabric', { dataParallel: 0 }, 0, 'dataParallel'],
    [
      'a model too large to count',
      { hiddenSize: 2 ** 19, feedForwardSize: 10_000_000, experts: 10_000 },
      0,
      'hiddenSize',
    ],
    ['a pass without end', { sequenceLength: 33_554_432, microBatchSize: 4096, hiddenSize: 16 }, 0, 'microBatchSize'],
  ])('that do not fit are named: %s', (_, given, fabricGpus, parameter) => {
    const { plan, problems } = planTraining(valuesOf('gpt3-175b', { ...small, ...given }), fabricGpus);
    expect(plan).toBeNull();
    expect(problems.map((problem) => problem.parameter)).toEqual([parameter]);
  });

  it('fill the fabric with replicas unless their number is given', () => {
    expect(
      [0, 2].map(
        (dataParallel) =>
          generate(valuesOf('gpt3-175b', { ...small, dataParallel, tensorParallel: 4, pipelineParallel: 2 }), 64)
            .groups,
      ),
    ).toEqual([
      { tensor: 4, expert: 1, pipeline: 2, gpus: 64 },
      { tensor: 4, expert: 1, pipeline: 2, gpus: 16 },
    ]);
  });

  it('pad the vocabulary as Megatron-LM does', () => {
    expect([paddedVocabulary(50_257, 1), paddedVocabulary(50_257, 8), paddedVocabulary(51_200, 8)]).toEqual([
      50_304, 51_200, 51_200,
    ]);
  });

  it('take measured times where they are given', () => {
    const { plan } = planTraining(valuesOf('gpt3-175b', small), 0);
    const workload = generateTransformer(plan!, {
      attention: { forwardPs: 1000, inputGradientPs: 2000, weightGradientPs: 3000 },
    });
    const times = (name: string): number[] =>
      passNames.map((pass) => layersOf(workload).find((layer) => layer.name === name)![pass].computePs);
    expect(times('layer2.attention')).toEqual([1000, 2000, 3000]);
    expect(times('layer2.feedForward')).not.toContain(1000);
  });
});

it('a generated iteration is a workload file that reads back', () => {
  for (const given of [
    {},
    { zeroStage: 1, overlapParameters: false },
    { zeroStage: 3, microBatches: 3, overlapParameters: false },
    {
      tensorParallel: 4,
      sequenceParallel: true,
      experts: 8,
      expertParallel: 2,
      microBatches: 2,
      recomputation: 'full' as const,
    },
  ]) {
    const workload = generate(valuesOf('llama2-7b', { ...small, microBatches: 4, ...given, dataParallel: 4 }));
    expect(unwritable(workload)).toBeNull();
    const diagnostics = new Diagnostics();
    expect(readSimaiWorkload(writeSimaiWorkload(workload), 'w', diagnostics)).toEqual(workload);
    expect(diagnostics.list).toEqual([]);
  }
});

/** Sizes of the collectives of layers with a name, of a model with so many layers of 16,384 on each of eight replicas. */
const sizesOf = (name: string, layerCount: number, given: Partial<TrainingValues>): number[] => {
  const model = { hiddenSize: 16_384, layerCount, dataParallel: 8, globalBatchSize: 0, ...given };
  return layersOf(generate(valuesOf('llama3-405b', model)))
    .filter((layer) => layer.name === name)
    .flatMap((layer) => passNames.map((pass) => layer[pass].sizeBytes))
    .filter((sizeBytes) => sizeBytes > 0);
};

const sum = (sizes: readonly number[]): number => sizes.reduce((total, own) => total + own, 0);

describe('what a chunk sends at once', () => {
  const most = 2 ** 37;
  it.each<[string, Partial<TrainingValues>]>([
    ['gradients', { overlapGradients: false }],
    ['optimizer', { overlapGradients: false, overlapParameters: false, zeroStage: 1 }],
    ['chunk1.parameters', { pipelineParallel: 2, microBatches: 2, zeroStage: 1 }],
  ])('%s go in equal parts that a collective may carry', (name, given) => {
    // bytes grow by as much with each layer
    const [few, more] = [2, 4].map((layerCount) => sizesOf(name, layerCount, given));
    expect(few!.every((sizeBytes) => sizeBytes <= most)).toBe(true);
    const parts = sizesOf(name, 320, given);
    expect(parts.length).toBeGreaterThan(few!.length);
    expect(Math.max(...parts)).toBeLessThanOrEqual(most);
    const whole = sum(few!) + 159 * (sum(more!) - sum(few!));
    expect(sum(parts)).toBeGreaterThanOrEqual(whole);
    expect(sum(parts)).toBeLessThan(whole + 2 * parts.length);
    expect(parts.length).toBe(few!.length * Math.ceil(whole / few!.length / most));
  });
});
