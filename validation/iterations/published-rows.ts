// Iteration times that others have published, with the configuration that the source gives, and what it leaves open.
// Invariant: a row holds the source's own figure; what is assumed where it is silent follows one rule for all rows
// (scenarios.ts) or stands in `assumed`.
// Sources: Narayanan et al. 2021, table 1; Korthikanti et al. 2022, tables 3 and 5; Megatron-LM's table of models (Megatron-Core 0.8, 2024); Jiang et al. 2024
// (MegaScale), tables 2 and 3 and figure 9; Grattafiori et al. 2024 (Llama 3), table 4; TorchTitan's reports
// (benchmarks/); MLPerf training 4.0; NeMo's performance summaries. The short rows are those of llm-foundry
// (mpt-rows.ts).

export interface PublishedRow {
  readonly name: string;
  readonly source: string;
  /** what its error is summed up under, where a source has rows of several systems or GPUs; left out: the source */
  readonly system?: string;
  /** what the source states, and in which unit */
  readonly figure: number;
  readonly unit: 'seconds' | 'teraflopsWithRecomputation' | 'teraflops' | 'tokensPerSecondAndGpu' | 'flopsUtilization';
  readonly gpu: 'A100' | 'H100';
  readonly gpus: number;
  /** settings of `workload` */
  readonly workload: Readonly<Record<string, string | number | boolean>>;
  /** what the source does not say, or what this row has that is not modelled */
  readonly assumed: string;
  /** why nothing can be computed for it; left out: it can */
  readonly notComputed?: string;
}

/** Eight GPUs to a server and a NIC for each: DGX A100 with HDR, DGX H100 with NDR. */
export const publishedFabrics = {
  A100: 'generate: spectrum-x, gpuType: A100, bandwidth: 200Gbps, aswPswBandwidth: 200Gbps, aswPerPsw: 512',
  H100: 'generate: spectrum-x, gpuType: H100, bandwidth: 400Gbps, aswPerPsw: 512',
} as const;

/** Sequences of an iteration. */
export function batchOf({ gpus, workload }: PublishedRow): number {
  const value = (name: string): number => Number(workload[name] ?? 1);
  const replicas = gpus / (value('tensorParallel') * value('pipelineParallel'));
  return Number(workload['globalBatchSize'] ?? value('microBatchSize') * value('microBatches') * replicas);
}

const megatron2021 = 'Narayanan et al. 2021, table 1';
const megatronCore = 'Megatron-Core 0.8, table of models';
const megascale = 'MegaScale, table 2';
const titan = 'TorchTitan, Llama 3 on H100';

type Shape = readonly [name: string, layerCount: number, hiddenSize: number, attentionHeads: number];

/** A dense GPT whose feed-forward part is four times as wide as its hidden state. */
function gpt([, layerCount, hiddenSize, attentionHeads]: Shape, vocabularySize: number): PublishedRow['workload'] {
  return {
    model: 'gpt3-175b',
    layerCount,
    hiddenSize,
    attentionHeads,
    keyValueHeads: attentionHeads,
    feedForwardSize: 4 * hiddenSize,
    vocabularySize,
  };
}

function megatron(
  shape: Shape,
  [tensorParallel, pipelineParallel, chunksPerStage]: readonly [number, number, number],
  [gpus, globalBatchSize, figure]: readonly [number, number, number],
): PublishedRow {
  return {
    name: `GPT ${shape[0]}, ${gpus} A100`,
    source: megatron2021,
    figure,
    unit: 'teraflopsWithRecomputation',
    gpu: 'A100',
    gpus,
    workload: {
      ...gpt(shape, 51_200),
      tensorParallel,
      pipelineParallel,
      chunksPerStage,
      globalBatchSize,
      recomputation: 'full',
      flashAttention: false,
      overlapGradients: false,
    },
    assumed: `micro-batch 1, ${chunksPerStage} chunks per stage, gradients summed behind the backward pass`,
  };
}

/** Two rows: full recomputation, and sequence parallelism with selective recomputation. */
function recomputed(
  shape: Shape,
  [pipelineParallel, chunksPerStage]: readonly [number, number],
  [gpus, globalBatchSize, microBatchSize]: readonly [number, number, number],
  [full, selective]: readonly [number, number],
): PublishedRow[] {
  return [full, selective].map((figure) => ({
    name: `GPT ${shape[0]}, ${figure === full ? 'full' : 'selective'} recomputation, ${gpus} A100`,
    source: 'Korthikanti et al. 2022, table 5',
    figure,
    unit: 'seconds',
    gpu: 'A100',
    gpus,
    workload: {
      ...gpt(shape, 51_200),
      tensorParallel: 8,
      pipelineParallel,
      chunksPerStage,
      globalBatchSize,
      microBatchSize,
      flashAttention: false,
      overlapGradients: false,
      sequenceParallel: figure === selective,
      recomputation: figure === full ? 'full' : 'selective',
    },
    assumed: 'sum of gradients in 4 bytes',
  }));
}

function core(
  shape: Shape,
  [tensorParallel, pipelineParallel, chunksPerStage]: readonly [number, number, number],
  [gpus, globalBatchSize, figure]: readonly [number, number, number],
  unit: 'teraflops' | 'flopsUtilization' = 'teraflops',
): PublishedRow {
  return {
    name: `GPT ${shape[0]}, ${gpus} H100`,
    source: megatronCore,
    figure,
    unit,
    gpu: 'H100',
    gpus,
    workload: {
      ...gpt(shape, 131_072),
      sequenceLength: 4096,
      tensorParallel,
      pipelineParallel,
      chunksPerStage,
      globalBatchSize,
      sequenceParallel: true,
      zeroStage: 1,
    },
    assumed: `micro-batch 1, ${chunksPerStage} chunks per stage, sequence parallel, ZeRO 1, no recomputation; overlap of TP not modelled`,
  };
}

function scaled(
  system: 'Megatron-LM' | 'MegaScale',
  gpus: number,
  globalBatchSize: number,
  figure: number,
): PublishedRow {
  return {
    name: `GPT-3 175B, ${system}, ${gpus} A100`,
    source: megascale,
    system: `${megascale}: ${system}`,
    figure,
    unit: 'seconds',
    gpu: 'A100',
    gpus,
    workload: {
      model: 'gpt3-175b',
      tensorParallel: 8,
      pipelineParallel: 8,
      chunksPerStage: 6,
      globalBatchSize,
      sequenceParallel: true,
      zeroStage: 1,
      ...(system === 'MegaScale'
        ? {}
        : { flashAttentionVersion: 1, overlapGradients: false, overlapParameters: false }),
    },
    assumed:
      system === 'MegaScale'
        ? 'micro-batch 1; its parallel blocks, sliding windows and overlap of TP are not modelled'
        : 'micro-batch 1, ZeRO 1, no recomputation, FlashAttention 1, nothing overlapped: what its table 3 adds to it step by step',
  };
}

function titanRow(
  name: string,
  gpus: number,
  figure: number,
  workload: PublishedRow['workload'],
  assumed: string,
): PublishedRow {
  return {
    name,
    source: titan,
    system: `${titan} at 500 W`,
    figure,
    unit: 'tokensPerSecondAndGpu',
    gpu: 'H100',
    gpus,
    workload: { zeroStage: 3, gpu: 'H100-96GB', ...workload },
    assumed,
  };
}

function open(name: string, source: string, figure: number, unit: PublishedRow['unit'], why: string): PublishedRow {
  return { name, source, figure, unit, gpu: 'H100', gpus: 0, workload: {}, assumed: '', notComputed: why };
}

const fp8 = 'arithmetic in FP8 is not modelled';

export const publishedRows: readonly PublishedRow[] = [
  megatron(['3.6B', 30, 3072, 32], [2, 1, 1], [64, 512, 138]),
  megatron(['39.1B', 48, 8192, 64], [8, 2, 2], [512, 1536, 138]),
  megatron(['76.1B', 60, 10_240, 80], [8, 4, 3], [1024, 1792, 140]),
  megatron(['145.6B', 80, 12_288, 96], [8, 8, 2], [1536, 2304, 148]),
  megatron(['310.1B', 96, 16_384, 128], [8, 16, 2], [1920, 2160, 155]),
  ...recomputed(['22B', 48, 6144, 64], [1, 1], [8, 4, 4], [1.42, 1.1]),
  ...recomputed(['175B', 96, 12_288, 96], [8, 3], [64, 64, 1], [18.13, 13.75]),
  ...recomputed(['530B', 105, 20_480, 128], [35, 3], [280, 280, 1], [49.05, 37.83]),
  ...recomputed(['1T', 128, 25_600, 160], [64, 1], [512, 512, 1], [94.42, 71.49]),
  core(['16B', 32, 6144, 48], [4, 1, 1], [192, 192, 489.1]),
  core(['177B', 96, 12_288, 96], [8, 6, 2], [2304, 1152, 432.8]),
  core(['462B', 112, 18_432, 144], [8, 16, 7], [6144, 3072, 459.9]),
  core(['177B', 96, 12_288, 96], [8, 6, 2], [96, 1152, 0.47], 'flopsUtilization'),
  core(['177B', 96, 12_288, 96], [8, 6, 2], [4608, 1152, 0.42], 'flopsUtilization'),
  scaled('Megatron-LM', 256, 768, 40),
  scaled('Megatron-LM', 512, 768, 21.2),
  scaled('MegaScale', 256, 768, 32),
  scaled('MegaScale', 768, 768, 11.5),
  scaled('MegaScale', 1024, 768, 8.9),
  scaled('Megatron-LM', 3072, 6144, 29.02),
  scaled('Megatron-LM', 6144, 6144, 14.78),
  scaled('Megatron-LM', 8192, 6144, 12.24),
  scaled('MegaScale', 3072, 6144, 23.66),
  scaled('MegaScale', 6144, 6144, 12.21),
  scaled('MegaScale', 8192, 6144, 9.56),
  scaled('MegaScale', 12_288, 6144, 6.34),
  {
    name: 'Llama 3 405B, 16,384 H100',
    source: 'Llama 3, table 4',
    figure: 400,
    unit: 'teraflops',
    gpu: 'H100',
    gpus: 16_384,
    workload: {
      model: 'llama3-405b',
      endsAsLayers: true,
      tensorParallel: 8,
      pipelineParallel: 16,
      chunksPerStage: 8,
      globalBatchSize: 2048,
      sequenceParallel: true,
      zeroStage: 2,
    },
    assumed: 'micro-batch 1, 8 chunks per stage; masks between documents, which make stages uneven, are not modelled',
  },
  ...[8, 128].flatMap((gpus) => [
    titanRow(
      `Llama 3.1 8B, FSDP, eager, ${gpus} H100`,
      gpus,
      gpus === 8 ? 5762 : 5605,
      { model: 'llama3-8b', microBatchSize: 2, recomputation: 'alternate', fusedKernels: false },
      'sequence 8192, FlashAttention 2',
    ),
    titanRow(
      `Llama 3.1 8B, FSDP, compiled, ${gpus} H100`,
      gpus,
      gpus === 8 ? 6667 : 6514,
      { model: 'llama3-8b', microBatchSize: 2, recomputation: 'alternate' },
      'sequence 8192, FlashAttention 2',
    ),
  ]),
  ...([597.3, 652.4] as const).map((figure) =>
    titanRow(
      `Llama 3 70B, FSDP 32 x TP 8${figure > 600 ? ', asynchronous TP' : ''}, 256 H100`,
      256,
      figure,
      {
        model: 'llama3-70b',
        tensorParallel: 8,
        sequenceParallel: true,
        microBatchSize: 16,
        recomputation: 'full',
      },
      `sequence 8192, FlashAttention 2${figure > 600 ? '; overlap of TP not modelled' : ''}`,
    ),
  ),
  open('Llama 3.1 8B and 70B, Float8 (T-01 to T-03, T-06, T-07, T-09)', titan, 8532, 'tokensPerSecondAndGpu', fp8),
  open('530B, 2,240 to 11,200 A100 (T-15)', 'MegaScale, figure 9', 0.492, 'flopsUtilization', 'no batch is stated'),
  open(
    '175B, ablation, 256 A100 (T-14)',
    'MegaScale, table 3',
    0.477,
    'flopsUtilization',
    'what it varies is not modelled',
  ),
  open('GPT-3 175B, 512 to 11,616 H100 (T-20, T-22, T-23)', 'MLPerf 4.0', 11.92, 'seconds', fp8),
  open('Llama, Nemotron, Qwen (T-40)', 'NeMo summaries', 822, 'teraflops', fp8),
  open('GPT OSS 120B, 64 H100 (T-40)', 'NeMo summaries', 158, 'teraflops', 'layers of its kind are not modelled'),
  open('B200, 16 GPUs (T-50)', 'B200 cluster test', 1.107, 'seconds', 'no batch is stated'),
];
