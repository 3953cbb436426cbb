// A transformer as numbers: how many parameters its parts have, and how many floating-point operations a forward pass
// takes.
// Sources: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (SC
// 2021), equation 2 and appendix; Shazeer, "GLU Variants Improve Transformer" (2020); Ainslie et al., "GQA" (2023);
// Jiang et al., "Mixtral of Experts" (2024). Counted as there: matrix multiplications only, attention over the full
// square of the sequence although half of it is masked.
// Not modelled: dropout, norms and activation functions as operations (they are bound by memory, not by arithmetic).

export interface TransformerModel {
  readonly layerCount: number;
  readonly hiddenSize: number;
  readonly attentionHeads: number;
  /** grouped-query attention: heads of keys and values; as many as attentionHeads without */
  readonly keyValueHeads: number;
  readonly feedForwardSize: number;
  /** gated feed-forward (SwiGLU): three matrices, not two */
  readonly gatedFeedForward: boolean;
  readonly vocabularySize: number;
  readonly sequenceLength: number;
  /** experts per layer in place of one feed-forward part; 0: dense */
  readonly experts: number;
  /** experts that a token is sent to */
  readonly activeExperts: number;
  /** input and output embedding are one matrix */
  readonly tiedEmbeddings: boolean;
  readonly learnedPositions: boolean;
  /** biases of matrices, and norms with a bias (LayerNorm, not RMSNorm) */
  readonly biases: boolean;
  /** dropout behind the embedding, attention and the feed-forward part */
  readonly dropout: boolean;
}

/**
 * The parts that compute: of every layer attention and either feedForward or router and experts; once embedding and
 * head.
 */
export const blockNames = ['embedding', 'attention', 'feedForward', 'router', 'experts', 'head'] as const;
export type BlockName = (typeof blockNames)[number];

export interface BlockParameters {
  /** divided over the ranks of a tensor group */
  readonly sharded: number;
  /** whole on each rank of a tensor group: norms, biases behind a sum, the router, positions */
  readonly replicated: number;
}

/** Parameters of a block, of one layer where layers have it. Experts: all of them. */
export function blockParameters(model: TransformerModel, block: BlockName): BlockParameters {
  const { hiddenSize, vocabularySize, sequenceLength, experts, biases } = model;
  const norm = biases ? 2 * hiddenSize : hiddenSize;
  switch (block) {
    case 'embedding':
      return {
        sharded: vocabularySize * hiddenSize,
        replicated: model.learnedPositions ? sequenceLength * hiddenSize : 0,
      };
    case 'attention': {
      const outputs = hiddenSize + 2 * keyValueSize(model);
      return {
        sharded: hiddenSize * (outputs + hiddenSize) + (biases ? outputs : 0),
        replicated: norm + (biases ? hiddenSize : 0),
      };
    }
    case 'feedForward':
      return {
        sharded: feedForwardMatrices(model) + (biases ? model.feedForwardSize * (model.gatedFeedForward ? 2 : 1) : 0),
        replicated: norm + (biases ? hiddenSize : 0),
      };
    case 'router':
      return { sharded: 0, replicated: experts * hiddenSize + norm };
    case 'experts':
      return { sharded: experts * feedForwardMatrices(model), replicated: 0 };
    case 'head':
      return { sharded: model.tiedEmbeddings ? 0 : vocabularySize * hiddenSize, replicated: norm };
  }
}

/** The blocks of one layer. */
export function layerBlocks({ experts }: TransformerModel): readonly BlockName[] {
  return experts > 0 ? ['attention', 'router', 'experts'] : ['attention', 'feedForward'];
}

/** All parameters of a model. */
export function parameterCount(model: TransformerModel): number {
  const count = (block: BlockName): number =>
    blockParameters(model, block).sharded + blockParameters(model, block).replicated;
  return (
    count('embedding') +
    count('head') +
    model.layerCount * layerBlocks(model).reduce((sum, block) => sum + count(block), 0)
  );
}

/** Parameters that work on one token: of the experts only the active ones. */
export function activeParameterCount(model: TransformerModel): number {
  if (model.experts === 0) return parameterCount(model);
  return parameterCount(model) - model.layerCount * (model.experts - model.activeExperts) * feedForwardMatrices(model);
}

export interface BlockFlops {
  /** products with weights: as many again for the gradients of the inputs, and as many for those of the weights */
  readonly weights: number;
  /** products of activations with each other (attention): twice as many again in the backward pass */
  readonly activations: number;
}

/**
 * Floating-point operations of a forward pass through a block, one layer where layers have it; a multiplication and an
 * addition are two.
 * @param sequences how many sequences go through it at once
 */
export function forwardFlops(model: TransformerModel, block: BlockName, sequences: number): BlockFlops {
  const { hiddenSize, sequenceLength, vocabularySize, experts, activeExperts } = model;
  const perWeight = 2 * sequences * sequenceLength;
  const weights = (count: number): BlockFlops => ({ weights: perWeight * count, activations: 0 });
  switch (block) {
    case 'embedding':
      return weights(0);
    case 'attention':
      return {
        weights: perWeight * hiddenSize * (2 * hiddenSize + 2 * keyValueSize(model)),
        activations: 2 * perWeight * sequenceLength * hiddenSize,
      };
    case 'feedForward':
      return weights(feedForwardMatrices(model));
    case 'router':
      return weights(experts * hiddenSize);
    case 'experts':
      return weights(activeExperts * feedForwardMatrices(model));
    case 'head':
      return weights(vocabularySize * hiddenSize);
  }
}

/**
 * Floating-point operations that training takes, whatever is computed twice: forward, and twice as many backward (model
 * FLOPs; Chowdhery et al. 2022, appendix B, with attention as in forwardFlops).
 * @param sequences how many sequences go through the model
 */
export function trainingFlops(model: TransformerModel, sequences: number): number {
  const forward = (block: BlockName): number => {
    const { weights, activations } = forwardFlops(model, block, sequences);
    return weights + activations;
  };
  const layer = layerBlocks(model).reduce((sum, block) => sum + forward(block), 0);
  return 3 * (forward('embedding') + model.layerCount * layer + forward('head'));
}

/**
 * Share of a block's products with weights that come up again when every second product is computed twice (keys and
 * output; the second entry of a gated part, the exit of another).
 */
export function alternateShare(model: TransformerModel, block: BlockName): number {
  const { hiddenSize } = model;
  const keys = keyValueSize(model);
  if (block === 'attention') return (keys + hiddenSize) / (2 * hiddenSize + 2 * keys);
  return block === 'router' ? 0 : model.gatedFeedForward ? 1 / 3 : 1 / 2;
}

/** Width of the keys, and of the values, of all heads. */
export function keyValueSize({ hiddenSize, attentionHeads, keyValueHeads }: TransformerModel): number {
  return (hiddenSize / attentionHeads) * keyValueHeads;
}

/** Elements of the matrices of one feed-forward part, or of one expert. */
function feedForwardMatrices({ hiddenSize, feedForwardSize, gatedFeedForward }: TransformerModel): number {
  return (gatedFeedForward ? 3 : 2) * hiddenSize * feedForwardSize;
}
