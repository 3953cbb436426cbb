// Which share of a model a rank of a training iteration holds.
// Invariant: what generate-transformer.ts sends and what memory.ts counts are shares of the same parameters.
// Sources: Shoeybi et al. 2019 (tensor groups), Narayanan et al. 2021 (stages, chunks, tied embeddings), Lepikhin et al.
// 2021 (experts).
// Not modelled: layers that are spread unevenly over stages.

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

/** The blocks of a model chunk, each with how many there are. @param model as stored */
export function chunkBlocks(
  { groups, values }: TrainingPlan,
  model: TransformerModel,
  chunk: number,
): (readonly [block: BlockName, times: number])[] {
  const chunks = groups.pipeline * values.chunksPerStage;
  const blocks = layerBlocks(model).map((block) => [block, model.layerCount / chunks] as const);
  return [
    ...(chunk === 0 ? [['embedding', 1] as const] : []),
    ...blocks,
    ...(chunk === chunks - 1 ? [['head', 1] as const] : []),
  ];
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
