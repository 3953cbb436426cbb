// The settings of a generated training iteration: the model's shape, how it is spread over GPUs, batch, memory saving,
// and compute speed. One catalogue for scenarios and documentation. The defaults of the shape are those of the model
// that `model` names.

import { fraction, size, choice, type Setting, type SettingGroup, type SettingValues } from '../base/settings.js';
import { maxNodes } from '../fabric/fabric.js';
import { gpuNames, type GpuName } from './gpus.js';
import { knownModelNames, knownModels, type KnownModel } from './known-models.js';
import type { TransformerModel } from './transformer-model.js';
import { maxLayers } from './workload.js';

const defaultModel: KnownModel = 'gpt3-175b';

function count(
  of: number,
  maximum: number,
  description: string,
  minimum = 1,
): { kind: 'count'; default: number; minimum: number; maximum: number; description: string } {
  return { kind: 'count', default: of, minimum, maximum, description };
}

function flag(of: boolean, description: string): { kind: 'flag'; default: boolean; description: string } {
  return { kind: 'flag', default: of, description };
}

/** The settings of the shape, with the defaults of a model. */
function shapeSettings(model: TransformerModel) {
  return {
    layerCount: count(model.layerCount, 10_000, 'transformer layers'),
    hiddenSize: count(model.hiddenSize, 1_000_000, 'width of the activations of a token'),
    attentionHeads: count(model.attentionHeads, 10_000, 'attention heads; divides hiddenSize'),
    keyValueHeads: count(
      model.keyValueHeads,
      10_000,
      'heads of keys and values (grouped-query attention); divides attentionHeads',
    ),
    feedForwardSize: count(model.feedForwardSize, 10_000_000, 'inner width of the feed-forward part, or of one expert'),
    gatedFeedForward: flag(model.gatedFeedForward, 'gated feed-forward part (SwiGLU): three matrices, not two'),
    vocabularySize: count(
      model.vocabularySize,
      10_000_000,
      'tokens known; padded to a multiple of 128 x tensorParallel as Megatron-LM does',
    ),
    sequenceLength: count(model.sequenceLength, 100_000_000, 'tokens of a sequence'),
    experts: count(model.experts, 10_000, 'experts per layer in place of the feed-forward part; 0: a dense model', 0),
    activeExperts: count(model.activeExperts, 10_000, 'experts that each token is sent to'),
    tiedEmbeddings: flag(model.tiedEmbeddings, 'input and output embedding are one matrix'),
    learnedPositions: flag(model.learnedPositions, 'positions are learned parameters'),
    biases: flag(model.biases, 'matrices and norms have biases'),
    dropout: flag(model.dropout, 'dropout behind the embedding, attention and the feed-forward part'),
  } as const satisfies SettingGroup;
}

const parallelSettings = {
  tensorParallel: count(1, maxNodes, 'ranks that share each matrix (TP)'),
  pipelineParallel: count(1, maxNodes, 'pipeline stages (PP)'),
  chunksPerStage: count(1, 10_000, 'model chunks per pipeline stage (interleaved schedule, virtual pipeline)'),
  endsAsLayers: flag(
    false,
    'embedding and head each take the place of a layer where layers are divided among the parts of a pipeline (Llama 3)',
  ),
  dataParallel: count(0, maxNodes, 'replicas of the model (DP); 0: as many as the fabric has GPUs for', 0),
  expertParallel: count(1, maxNodes, 'ranks of a data-parallel group that the experts are spread over (EP)'),
  contextParallel: count(
    1,
    maxNodes,
    'ranks of a data-parallel group that share each sequence (CP); they exchange keys and values',
  ),
  contextExchange: choice(
    ['gather', 'ring'],
    'gather',
    'keys and values are gathered before attention (Llama 3), or go round beside it (ring attention)',
  ),
  sequenceParallel: flag(
    false,
    'tensor groups also share the activations between matrices: all-gather and reduce-scatter in place of all-reduce',
  ),
  gatherInputsAgain: flag(
    true,
    'with sequenceParallel: the gathered inputs of matrices are not kept but gathered again in the backward pass',
  ),
  overlapGradients: flag(
    true,
    'gradients are summed beside the backward pass; false: all at once behind it (ZeRO stages 0 and 1)',
  ),
  overlapParameters: flag(
    true,
    'ZeRO gathers parameters beside the computation before their use; false: it waits for them',
  ),
  zeroStage: count(
    0,
    3,
    'what data-parallel ranks share: 0 nothing, 1 optimizer states, 2 also gradients, 3 also parameters (ZeRO)',
    0,
  ),
} as const satisfies SettingGroup;

const batchSettings = {
  microBatchSize: count(1, 1_000_000, 'sequences of a micro-batch'),
  microBatches: count(1, maxLayers, 'micro-batches per replica and iteration (gradient accumulation)'),
  globalBatchSize: count(0, 1_000_000_000, 'sequences of an iteration, in place of microBatches; 0: not given', 0),
  recomputation: choice(
    ['none', 'selective', 'alternate', 'full'],
    'none',
    'activations that are computed again in the backward pass: none, those of the attention core, those of ' +
      'every second matrix product and of all that is bound by memory (TorchTitan), or all of a layer',
  ),
  flashAttention: flag(
    true,
    'attention does not keep its scores (FlashAttention); false: their memory counts, unless recomputation is selective',
  ),
  flashAttentionVersion: count(
    2,
    3,
    'version of FlashAttention: what its kernels reach (efficiency: kernels); 3 runs on Hopper alone',
  ),
  skipsMasked: flag(
    true,
    'FlashAttention leaves out the masked half of the square; false: it computes all of it, as version 1 in Triton does',
  ),
  fusedKernels: flag(
    true,
    'norms, residuals, activation functions, rotary positions and the loss are fused kernels (Megatron-LM, ' +
      'torch.compile); false: each operation of PyTorch is a kernel',
  ),
  gradientPrecision: choice(
    ['fp32', 'bf16'],
    'fp32',
    'gradients are summed and sent in 4 or 2 bytes; activations and parameters have 2',
  ),
} as const satisfies SettingGroup;

const computeSettings = {
  gpu: choice(
    gpuNames,
    'H100',
    "GPU whose peak rates count; the fabric's GPU type, if it is known and this is not given",
  ),
  gpuMemory: size(
    'auto',
    "memory of a GPU, in which the job must fit: auto is the GPU's, such as 80GiB of an H100; unlimited: it runs, whether it would fit or not",
    { minimum: 1, words: ['auto', 'unlimited'] },
  ),
  overlapSlowdown: fraction(
    0.189,
    'how much longer computation takes while collectives run beside it (efficiency: kernels); 0.189 as measured on A100 and H100 (arXiv:2507.03114)',
    { minimum: 0 },
  ),
  efficiency: fraction(
    'kernels',
    "kernels: matrix products, attention and work bound by memory each take what the GPU's kernels reach; a " +
      "number: all take the operations of matrix products over this share of the GPU's peak",
    { minimum: 0.01, words: ['kernels'] },
  ),
} as const satisfies SettingGroup;

/** The catalogue with the defaults of a model. */
export function trainingSettingsOf(model: KnownModel) {
  return {
    model: choice(
      knownModelNames,
      defaultModel,
      'model that the shape is taken from; what is given beside it replaces parts of it',
    ),
    ...shapeSettings(knownModels[model]),
    ...parallelSettings,
    ...batchSettings,
    ...computeSettings,
  } as const satisfies Readonly<Record<string, Setting>>;
}

/** The catalogue with the defaults of the default model. */
export const trainingSettings = trainingSettingsOf(defaultModel);

/** Resolved settings. */
export type TrainingValues = Readonly<SettingValues<typeof trainingSettings>> & { readonly gpu: GpuName };
