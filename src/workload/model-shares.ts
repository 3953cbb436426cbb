// Which share of a model a rank of a training iteration holds.
// Invariant: what generate-transformer.ts sends and what state-bytes.ts counts are shares of the same parameters.
// Sources: Shoeybi et al. 2019 (tensor groups), Narayanan et al. 2021 (stages, chunks, tied embeddings), Lepikhin et
// al. 2021 (experts); Grattafiori et al. 2024, 3.3.2, and Megatron-LM's --account-for-embedding-in-pipeline-split and
// --account-for-loss-in-pipeline-split (embedding and head in the place of layers).
// Not modelled: any other uneven spread of layers over stages.

import type { GroupName } from './policies.js';
import type { TrainingPlan } from './training-plan.js';
import { blockParameters, layerBlocks, type BlockName, type TransformerModel } from './transformer-model.js';

/** The vocabulary as Megatron-LM stores it: a multiple of 128 on each rank of a tensor group. */
export function paddedVocabulary(vocabularySize: number, tensorParallel: number): number {
  const unit = 128 * tensorParallel;
  return Math.ceil(vocabularySize / unit) * unit;
}

/**
 * The model as its ranks store it: the vocabulary padded, and the last of several stages with a copy of tied
 * embeddings.
 */
export function storedModel({ values, groups }: TrainingPlan): TransformerModel {
  return {
    ...values,
    vocabularySize: paddedVocabulary(values.vocabularySize, groups.tensor),
    tiedEmbeddings: values.tiedEmbeddings && groups.pipeline === 1,
  };
}

/** Layers of a model chunk: as many as of every other, but one fewer where embedding or head stand for one. */
export function chunkLayers({ groups, values }: TrainingPlan, { layerCount }: TransformerModel, chunk: number): number {
  const chunks = groups.pipeline * values.chunksPerStage;
  if (!values.endsAsLayers || chunks === 1) return layerCount / chunks;
  return (layerCount + 2) / chunks - (chunk === 0 || chunk === chunks - 1 ? 1 : 0);
}

/** The blocks of a model chunk, each with how many there are. @param model as stored */
export function chunkBlocks(
  plan: TrainingPlan,
  model: TransformerModel,
  chunk: number,
): (readonly [block: BlockName, times: number])[] {
  const chunks = plan.groups.pipeline * plan.values.chunksPerStage;
  const layers = chunkLayers(plan, model, chunk);
  const blocks = layers === 0 ? [] : layerBlocks(model).map((block) => [block, layers] as const);
  return [
    ...(chunk === 0 ? [['embedding', 1] as const] : []),
    ...blocks,
    ...(chunk === chunks - 1 ? [['head', 1] as const] : []),
  ];
}

/** Parameters of a model chunk that one rank holds, by which ranks hold the same. @param model as stored */
export function chunkParameters(
  plan: TrainingPlan,
  model: TransformerModel,
  chunk: number,
): Readonly<Record<'dp' | 'dp_ep', number>> {
  const parameters = { dp: 0, dp_ep: 0 };
  for (const [block, times] of chunkBlocks(plan, model, chunk))
    parameters[sharersOf(block)] += times * rankParameters(plan, model, block);
  return parameters;
}

/**
 * Whether gradients of several micro-batches are added up on each rank and summed among ranks once: ZeRO stages 0 and
 * 1, and stage 2 in a pipeline, chunk by chunk (PyTorch's pipelining, `backward_maybe_with_nosync`; DeepSpeed refuses
 * stage 2 there).
 */
export function sumsGradientsOnce({ groups, values }: TrainingPlan): boolean {
  return values.zeroStage < 2 || (values.zeroStage === 2 && groups.pipeline > 1);
}

/** Parameters of a block that one rank holds, before data-parallel ranks share them. @param model as stored */
export function rankParameters({ groups }: TrainingPlan, model: TransformerModel, block: BlockName): number {
  const { sharded, replicated } = blockParameters(model, block);
  return sharded / (block === 'experts' ? groups.tensor * groups.expert : groups.tensor) + replicated;
}

/** Which ranks hold the same parameters. */
export function sharersOf(block: BlockName): 'dp' | 'dp_ep' {
  return block === 'experts' ? 'dp_ep' : 'dp';
}

/** Ranks of a group. */
export function ranksOf({ groups: { tensor, expert, context }, data }: TrainingPlan, group: GroupName): number {
  return group === 'tp'
    ? tensor
    : group === 'ep'
      ? expert
      : group === 'cp'
        ? (context ?? 1)
        : group === 'dp_ep'
          ? data / expert
          : data;
}
