// Memory of a GPU against the papers: Korthikanti et al. 2022 (activations), Rajbhandari et al. 2020 (states).

import { describe, expect, it } from 'vitest';
import { settingDefaults } from '../../src/base/settings.js';
import { InputError } from '../../src/base/diagnostics.js';
import { pipelineSchedules } from '../../src/jobs/job.js';
import { jobMemory } from '../../src/jobs/job-memory.js';
import type { StageMemory } from '../../src/jobs/memory-figures.js';
import { mostInFlight, pipelineOrder } from '../../src/jobs/pipeline-order.js';
import { activationBytes, checkpointBytes } from '../../src/workload/activation-bytes.js';
import type { KnownModel } from '../../src/workload/known-models.js';
import { storedModel } from '../../src/workload/model-shares.js';
import { planTraining } from '../../src/workload/training-plan.js';
import { trainingSettingsOf, type TrainingValues } from '../../src/workload/training-settings.js';
import { parameterCount } from '../../src/workload/transformer-model.js';
import { scenarioRun } from '../support/scenario-run.js';

function valuesOf(given: Partial<TrainingValues> = {}, model: KnownModel = 'gpt3-175b'): TrainingValues {
  return { ...settingDefaults(trainingSettingsOf(model)), model, dataParallel: 1, ...given };
}

function memoryOf(values: TrainingValues): readonly StageMemory[] {
  const { plan, problems } = planTraining(values, 0);
  expect(problems).toEqual([]);
  return jobMemory(plan!, '1f1b').stages;
}

/** Bytes of a layer, in units of sbh. */
function layer(values: TrainingValues): number {
  const bytes = activationBytes(values, values, 'attention') + activationBytes(values, values, 'feedForward');
  return bytes / (values.microBatchSize * values.sequenceLength * values.hiddenSize);
}

/** Share of a layer's activations that selective recomputation saves. */
function savedBySelective(given: Partial<TrainingValues>): number {
  const values = valuesOf({ ...given, flashAttention: false });
  return 1 - layer({ ...values, recomputation: 'selective' }) / layer(values);
}

describe('activations of a layer (Korthikanti et al., table 2)', () => {
  const unfused = { flashAttention: false, microBatchSize: 3 };
  // 5as/h of GPT-3 175B: 5 x 96 x 2048 / 12288
  const scores = 80;
  it.each<[string, Partial<TrainingValues>, number]>([
    ['without parallelism: 34 + 5as/h', {}, 34 + scores],
    ['tensor parallel: 10 + 24/t + 5as/ht', { tensorParallel: 8 }, 10 + 24 / 8 + scores / 8],
    ['and sequence parallel: (34 + 5as/h) / t', { tensorParallel: 8, sequenceParallel: true }, (34 + scores) / 8],
    ['selective recomputation: 10 + 24/t', { tensorParallel: 8, recomputation: 'selective' }, 10 + 24 / 8],
    ['and sequence parallel: 34/t', { tensorParallel: 8, sequenceParallel: true, recomputation: 'selective' }, 34 / 8],
    ['without kept scores: as with selective recomputation', { flashAttention: true }, 34],
  ])('%s', (_, given, expected) => {
    expect(layer(valuesOf({ ...unfused, ...given }))).toBeCloseTo(expected, 9);
  });

  it('full recomputation: 2', () => {
    const values = valuesOf({ tensorParallel: 8, recomputation: 'full' });
    expect(checkpointBytes(values, values) / (values.sequenceLength * values.hiddenSize)).toBe(2);
  });

  it('selective recomputation saves 70 % for GPT-3 and 65 % for MT-NLG (section 5)', () => {
    expect(savedBySelective({})).toBeCloseTo(0.7, 2);
    expect(
      savedBySelective({
        layerCount: 105,
        hiddenSize: 20_480,
        attentionHeads: 128,
        keyValueHeads: 128,
        feedForwardSize: 81_920,
      }),
    ).toBeCloseTo(0.65, 2);
  });
});

describe('activations of the first stage (Korthikanti et al., 4.2.3)', () => {
  it.each([
    [8, 1, 64],
    [8, 3, 64],
    [16, 2, 48],
    [4, 4, 8],
  ])('%i stages of %i chunks, %i micro-batches: sbhL/t x 34 (1 + (p - 1)/pm)', (p, m, microBatches) => {
    const values = valuesOf({
      tensorParallel: 8,
      sequenceParallel: true,
      recomputation: 'selective',
      pipelineParallel: p,
      chunksPerStage: m,
      microBatches,
    });
    const { sequenceLength: s, hiddenSize: h, layerCount: l } = values;
    const factor = m === 1 ? 1 : 1 + (p - 1) / (p * m);
    // masks of the embedding: 1 byte per element of each micro-batch in flight (section 4.3: sbhp/t)
    const first = memoryOf(values)[0]!.activationsBytes;
    expect(first / (((s * h) / 8) * (l * 34 * factor + p))).toBeCloseTo(1, 2);
  });

  it('logits of the last of one stage: 4sbh/t (1 + v/h) (section 4.3)', () => {
    const values = valuesOf({ tensorParallel: 8, sequenceParallel: true, layerCount: 1 });
    const { plan } = planTraining(values, 0);
    const model = storedModel(plan!);
    const { sequenceLength: s, hiddenSize: h } = values;
    expect(activationBytes(values, model, 'head')).toBe(((4 * s * h) / 8) * (1 + model.vocabularySize / h));
  });

  it('is what the order of passes has in flight at most', () => {
    for (const schedule of pipelineSchedules)
      for (const stages of [1, 2, 3, 4, 8])
        for (const chunksPerStage of stages === 1 ? [1] : [1, 2, 3])
          for (const rounds of [1, 2, 5]) {
            const shape = { stages, chunksPerStage, microBatches: stages * rounds, hasBackward: true };
            for (let stage = 0; stage < stages; stage++) {
              let [now, most] = [0, 0];
              for (const { isForward } of pipelineOrder(schedule, stage, shape)) {
                now += isForward ? 1 : -1;
                most = Math.max(most, now);
              }
              const counted = mostInFlight(schedule, stage, shape);
              expect(counted.reduce((sum, count) => sum + count, 0)).toBe(most);
              expect(counted.length).toBe(chunksPerStage);
            }
          }
  });
});

/** Bytes of a layer of Llama 3 8B. */
const llamaLayer = (given: Partial<TrainingValues>): number => {
  const values = valuesOf(given, 'llama3-8b');
  return (['attention', 'feedForward'] as const).reduce(
    (sum, block) => sum + activationBytes(values, values, block),
    0,
  );
};

describe('activations in other forms', () => {
  const [s, h, keys, f] = [8192, 4096, 1024, 14_336];

  it('no masks without dropout', () => {
    expect(llamaLayer({ dropout: true }) - llamaLayer({})).toBe(2 * s * h);
  });

  it('alternate recomputation keeps the input, queries, values, attention, one entry and the exit', () => {
    expect(llamaLayer({ recomputation: 'alternate' })).toBe(2 * s * (h + 2 * h + keys + f + h));
  });

  it('ranks that share a sequence keep their part, and all gathered keys and values', () => {
    expect(llamaLayer({ contextParallel: 4, contextExchange: 'ring' })).toBe(llamaLayer({}) / 4);
    expect(llamaLayer({ contextParallel: 4 })).toBe(llamaLayer({}) / 4 + ((2 * 2 * 3) / 4) * s * keys);
  });
});

describe('states (Rajbhandari et al., figure 1)', () => {
  // 7.5 billion parameters, 64 ranks: 120, 31.4, 16.6 and 1.9 GB, as rounded there
  it.each<[TrainingValues['zeroStage'], number, number]>([
    [0, 120, 0.05],
    [1, 31.4, 0.05],
    [2, 16.6, 0.05],
    [3, 1.9, 0.05],
  ])('ZeRO stage %i: %f GB', (zeroStage, gigabytes, tolerance) => {
    const values = valuesOf({ zeroStage, dataParallel: 64, gradientPrecision: 'bf16' }, 'gpt3-6.7b');
    const [{ weightsBytes, gradientsBytes, optimizerBytes }] = memoryOf(values) as [StageMemory];
    const perParameter = (weightsBytes + gradientsBytes + optimizerBytes) / parameterCount(storedModelOf(values));
    expect(Math.abs(7.5 * perParameter - gigabytes)).toBeLessThan(tolerance);
  });

  it('sums gradients in 4 bytes unless it is told otherwise, and gathers a layer in stage 3, the next one beside it', () => {
    const values = valuesOf({ zeroStage: 3, dataParallel: 64 }, 'gpt3-6.7b');
    const [stage] = memoryOf(values) as [StageMemory];
    expect(stage.gradientsBytes).toBe(2 * stage.weightsBytes);
    // the embedding, padded to 50,304, and positions, are more than a layer
    expect(stage.gatheredBytes).toBe(2 * 2 * 4096 * (50_304 + 2048));
    const [waiting] = memoryOf({ ...values, overlapParameters: false }) as [StageMemory];
    expect(waiting.gatheredBytes).toBe(2 * 4096 * (50_304 + 2048));
    // a layer of a larger model: 12 h^2 and its biases and norms, 13 h
    const larger = valuesOf({ zeroStage: 3, dataParallel: 64, overlapParameters: false }, 'gpt3-175b');
    const [big] = memoryOf(larger) as [StageMemory];
    expect(big.gatheredBytes).toBe(2 * (12 * 12_288 ** 2 + 13 * 12_288));
  });

  it('divides experts among fewer ranks than the rest', () => {
    const given = { zeroStage: 1, dataParallel: 16, expertParallel: 8 } as const;
    const values = valuesOf(given, 'mixtral-8x7b');
    const [whole, divided] = [memoryOf({ ...values, zeroStage: 0 })[0]!, memoryOf(values)[0]!];
    // 32 layers x 3 matrices of 4096 x 14336, one expert on each rank, two ranks with the same one
    const experts = 32 * 3 * 4096 * 14_336;
    const others = whole.weightsBytes / 2 - experts;
    expect(divided.optimizerBytes / (12 * (experts / 2 + others / 16))).toBeCloseTo(1, 12);
  });
});

describe('gradients of ZeRO stage 2 in a pipeline', () => {
  // Llama 3 405B as published (Grattafiori et al. 2024, table 4): TP 8, PP 16, DP 128, 16 micro-batches of 8,192 tokens
  const published = {
    tensorParallel: 8,
    pipelineParallel: 16,
    chunksPerStage: 8,
    dataParallel: 128,
    microBatches: 16,
    sequenceParallel: true,
    endsAsLayers: true,
    zeroStage: 2,
  } as const;
  // h 16,384, 8 of 128 heads for keys and values, f 53,248: a layer's parameters on a rank of eight, with two norms
  const [h, keys, f, tokens] = [16_384, 1024, 53_248, 8192];
  const layerParameters = (2 * h * h + 2 * h * keys + 3 * h * f) / 8 + 2 * h;
  // two norms and the inputs behind them, queries, keys, values, output of attention, three inner ones: 2 bytes each
  const layerActivations = (tokens * (4 * 2 * h + 2 * (2 * h + 2 * keys) + 3 * 2 * f)) / 8;

  it('are whole only while their chunk goes backward: the published job of Llama 3 fits', () => {
    const stages = memoryOf(valuesOf(published, 'llama3-405b'));
    // all micro-batches of 8 layers forward; most when the first of the last chunk has gone backward
    const { activationsBytes, gradientsBytes, weightsBytes, optimizerBytes } = stages[1]!;
    expect(activationsBytes).toBe((16 * 8 - 1) * layerActivations);
    expect(gradientsBytes).toBeCloseTo(4 * layerParameters * (8 / 128 + 127 / 128), 0);
    expect(weightsBytes).toBe(2 * 8 * layerParameters);
    expect(optimizerBytes).toBe((12 * 8 * layerParameters) / 128);
    for (const { totalBytes } of stages) expect(totalBytes).toBeLessThan(80 * 2 ** 30);
  });

  it('are all whole under 1F1B, where every chunk has micro-batches under way', () => {
    // two chunks of two stages, eight micro-batches: all gradients are being added up while most is in flight
    const given = { layerCount: 8, tensorParallel: 8, pipelineParallel: 2, dataParallel: 4, microBatches: 8 } as const;
    for (const chunksPerStage of [1, 2]) {
      const [whole, shared] = [1, 2].map(
        (zeroStage) => memoryOf(valuesOf({ ...given, chunksPerStage, zeroStage }))[1]!,
      ) as [StageMemory, StageMemory];
      // the last chunk with the head is the first to go backward
      expect(shared.gradientsBytes).toBeCloseTo(whole.gradientsBytes, 0);
      expect(shared.optimizerBytes).toBe(whole.optimizerBytes);
    }
  });
});

function storedModelOf(values: TrainingValues): Parameters<typeof parameterCount>[0] {
  return storedModel(planTraining(values, 0).plan!);
}

const scenario = (more: string): string =>
  `backend: analytical\nfabric: { generate: spectrum-x, gpus: 8, gpuType: A100 }\nworkload:\n  generate: transformer\n  model: llama2-7b\n${more}`;

const problemsOf = async (more: string): Promise<unknown> =>
  scenarioRun(scenario(more), []).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      return error.diagnostics.map(({ code, line, message, got, wanted, hint }) => ({
        code,
        line,
        message,
        got,
        wanted,
        hint,
      }));
    },
  );

describe('a job in a scenario', () => {
  it('that does not fit is refused, with what takes how much', async () => {
    // 6,738,415,616 parameters: 2, 4 and 12 bytes each
    expect(await problemsOf('')).toEqual([
      {
        code: 'workload-memory',
        line: 3,
        message: expect.stringMatching(
          /^workload does not fit in the memory of its GPUs: weights 12\.6 GiB, gradients 25\.1 GiB, optimizer 75\.3 GiB, activations [\d.]+ GiB$/,
        ),
        got: expect.stringMatching(/^1\d\d GiB$/),
        wanted: 'at most 80.0 GiB, the memory of an A100',
        hint: 'a larger tensorParallel or pipelineParallel; a higher zeroStage; gpuMemory: unlimited runs it all the same',
      },
    ]);
  });

  it('runs where it fits, or need not, and reports what it keeps', async () => {
    expect(await problemsOf('  zeroStage: 1\n  gpuMemory: 40GiB\n')).toMatchObject([
      { line: 7, wanted: 'at most 40.0 GiB' },
    ]);
    const { summary } = await scenarioRun(scenario('  zeroStage: 1\n'), []);
    expect(summary.jobs[0]!.memory).toMatchObject({ limitBytes: 80 * 2 ** 30, fullestStage: 0 });
    const unlimited = await scenarioRun(scenario('  gpuMemory: unlimited\n'), []);
    expect(unlimited.summary.jobs[0]!.memory!.limitBytes).toBeNull();
    expect(unlimited.summary.jobs[0]!.memory!.stages[0]!.optimizerBytes).toBe(12 * 6_738_415_616);
  });
});
