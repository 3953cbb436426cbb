// A transformer's training iteration, dense or with experts, as a workload: what each block computes and which bytes it
// sends.
// Invariants: every collective has more than one rank; the layers of one micro-batch come in the order of the model,
// before them the optimizer.
// Sources, section by section in docs/models/workload-generator.md: Shoeybi et al. 2019 (tensor), Narayanan et al. 2021
// (pipeline), Korthikanti et al. 2022 (sequence, recomputation), Rajbhandari et al. 2020 (ZeRO), Lepikhin et al. 2021
// (experts), Zhao et al. 2023 (FSDP: units, prefetching), Megatron-LM's --overlap-grad-reduce and
// --overlap-param-gather, Grattafiori et al. 2024, 3.3.2 (context: keys and values gathered), Liu et al. 2023 (ring
// attention). Decisions: ZeRO stage 3 gathers and sums a whole layer at once, as FSDP does with its units. Stages 1 and
// 2 gather new parameters beside the first micro-batch's forward pass: layer by layer in the first chunk of the model,
// whose computation they run beside, and each other chunk at once, as Megatron-LM's buckets do; or all at once behind
// the optimizer. More than a collective may carry goes in equal parts, one behind the other, as frameworks' buckets do.
// Not modelled: uneven routing to experts, the sum of the first and last stage's gradients
// of tied embeddings, the small sums of norms' gradients over tensor groups and of gradient norms.

import { blockTimes, gradientBytes, gradientCastPs, optimizerPs, type MeasuredTimes } from './compute-times.js';
import { maxCollectiveBytes } from '../collectives/collective-run.js';
import { chainLayers, nothing, type Block, type ChainLayer, type ChainStep, type Collective } from './layer-chain.js';
import type { GroupName } from './policies.js';
import {
  chunkBlocks,
  chunkLayers,
  chunkParameters,
  rankParameters,
  ranksOf,
  sharersOf,
  storedModel,
  sumsGradientsOnce,
} from './model-shares.js';
import type { TrainingPlan } from './training-plan.js';
import { keyValueSize, layerBlocks, type BlockName, type TransformerModel } from './transformer-model.js';
import { LayerBuilder, type CollectiveName, type Layer, type Pass, type Workload } from './workload.js';

type NamedLayer = Partial<Layer> & { readonly name: string };

/** Bytes of an activation or a parameter. */
const valueBytes = 2;

/** Generates the iteration that a plan describes. Measured times replace those from operations, block by block. */
export function generateTransformer(plan: TrainingPlan, measured: MeasuredTimes = {}): Workload {
  return new Generator(plan, measured).generate();
}

class Generator {
  private readonly builder = new LayerBuilder();
  private readonly model: TransformerModel;
  private readonly chunks: number;
  /** activations of one micro-batch */
  private readonly activationBytes: number;

  constructor(
    private readonly plan: TrainingPlan,
    private readonly measured: MeasuredTimes,
  ) {
    const { values, groups } = plan;
    this.model = storedModel(plan);
    this.chunks = groups.pipeline * values.chunksPerStage;
    this.activationBytes =
      (valueBytes * values.microBatchSize * values.sequenceLength * values.hiddenSize) / values.contextParallel;
  }

  generate(): Workload {
    const { model, plan } = this;
    const { values, groups, microBatches } = plan;
    for (let chunk = 0; chunk < this.chunks; chunk++) {
      this.addOptimizer(chunk);
      if (!values.overlapGradients) this.addGradients(chunk);
    }
    this.add('embedding', 'embedding', 0);
    let layer = 0;
    for (let chunk = 0; chunk < this.chunks; chunk++) {
      if (chunk > 0) this.addChunkParameters(chunk);
      for (const end = layer + chunkLayers(plan, model, chunk); layer < end; layer++) this.addLayer(layer, chunk);
    }
    this.add('head', 'head', this.chunks - 1);
    const isShared = values.sequenceParallel && groups.tensor > 1;
    return {
      policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
      groups,
      chunksPerStage: values.chunksPerStage,
      microBatches,
      stageTransferBytes: groups.pipeline > 1 ? this.activationBytes / (isShared ? groups.tensor : 1) : 0,
      lastBottomLayer: -1,
      layers: this.builder.build(),
    };
  }

  private addLayer(layer: number, chunk: number): void {
    const blocks = layerBlocks(this.model);
    const computed = blocks.flatMap((block) => this.layersOf(`layer${layer}.${block}`, block));
    const added = this.withParameters(`layer${layer}`, blocks, computed, chunk);
    const isRecomputed = this.plan.values.recomputation === 'full';
    added.forEach((each, i) =>
      this.addOne(
        { ...each, isCheckpoint: isRecomputed && i === 0, startsRecomputation: isRecomputed && i === added.length - 1 },
        chunk,
      ),
    );
  }

  private add(name: string, block: BlockName, chunk: number): void {
    for (const each of this.withParameters(name, [block], this.layersOf(name, block), chunk)) this.addOne(each, chunk);
  }

  /**
   * Layers with the gathers of their parameters before them, and, where a backward pass needs them anew, behind them.
   * @param blocks that the layers are of
   */
  private withParameters(
    name: string,
    blocks: readonly BlockName[],
    layers: readonly ChainLayer[],
    chunk: number,
  ): NamedLayer[] {
    const { zeroStage, overlapParameters, recomputation } = this.plan.values;
    const isLayer = blocks[0] !== 'embedding' && blocks[0] !== 'head';
    if (zeroStage === 0 || (zeroStage < 3 && (!overlapParameters || chunk > 0))) return [...layers];
    // recomputation gathers them when it runs the forward pass again, and they are still there for the backward pass
    const isThere = zeroStage < 3 || (recomputation === 'full' && isLayer);
    const behind = isThere
      ? []
      : this.gathersOf(blocks).map(({ suffix, gathered }) => ({
          name: `${name}.parametersAgain${suffix}`,
          inputGradient: gathered,
          isPrefetched: overlapParameters,
        }));
    return [...this.fetches(name, blocks), ...layers, ...behind];
  }

  /** Layers that gather the parameters of some blocks before a forward pass. */
  private fetches(name: string, blocks: readonly BlockName[]): NamedLayer[] {
    const { zeroStage, overlapParameters } = this.plan.values;
    return this.gathersOf(blocks).map(({ suffix, gathered }) => ({
      name: `${name}.parameters${suffix}`,
      forward: gathered,
      isPrefetched: overlapParameters,
      isFetchedOnce: zeroStage < 3,
    }));
  }

  /** What gathers the parameters of some blocks: those of experts from other ranks than the rest. */
  private gathersOf(blocks: readonly BlockName[]): readonly { readonly suffix: string; readonly gathered: Pass }[] {
    return (['dp', 'dp_ep'] as const).flatMap((group) =>
      this.inParts(group, 'allgather', valueBytes * this.parametersOf(blocks, group)).map((gathered) => ({
        suffix: group === 'dp' ? '' : '.experts',
        gathered: { ...gathered, computePs: 0 },
      })),
    );
  }

  /** ZeRO stages 1 and 2: the new parameters of a chunk behind the first one, all at once. */
  private addChunkParameters(chunk: number): void {
    const { zeroStage, overlapParameters } = this.plan.values;
    if (!overlapParameters || zeroStage === 0 || zeroStage === 3) return;
    for (const each of this.fetches(`chunk${chunk}`, this.blocksOf(chunk))) this.addOne(each, chunk);
  }

  /** Block types of a chunk with their counts. */
  private blocksOf(chunk: number): BlockName[] {
    return chunkBlocks(this.plan, this.model, chunk).flatMap(([block, times]) => Array<BlockName>(times).fill(block));
  }

  /** Parameters of some blocks that a rank holds with the others of a group, before they share them. */
  private parametersOf(blocks: readonly BlockName[], group: 'dp' | 'dp_ep'): number {
    return blocks.reduce(
      (sum, block) => sum + (sharersOf(block) === group ? rankParameters(this.plan, this.model, block) : 0),
      0,
    );
  }

  /** What a block sums of gradients when it has gone backward; with ZeRO stage 3 the first of a layer all of it. */
  private gradientsOf(block: BlockName): Collective {
    const { values } = this.plan;
    if (!values.overlapGradients) return nothing;
    const group = sharersOf(block);
    const blocks = layerBlocks(this.model);
    const isOfLayer = values.zeroStage === 3 && group === 'dp' && blocks.includes(block);
    if (isOfLayer && block !== blocks[0]) return nothing;
    return this.over(
      group,
      values.zeroStage === 0 ? 'allreduce' : 'reducescatter',
      gradientBytes(values) * this.parametersOf(isOfLayer ? blocks : [block], group),
    );
  }

  /** All gradients of a chunk at once, behind the backward pass of the last micro-batch and before the optimizer. */
  private addGradients(chunk: number): void {
    const { plan } = this;
    const blocks = this.blocksOf(chunk);
    for (const group of ['dp', 'dp_ep'] as const) {
      const sums = this.inParts(
        group,
        plan.values.zeroStage === 0 ? 'allreduce' : 'reducescatter',
        gradientBytes(plan.values) * this.parametersOf(blocks, group),
      );
      for (const sum of sums)
        this.addOne(
          {
            name: group === 'dp' ? 'gradients' : 'gradients.experts',
            isOnce: true,
            inputGradient: { ...sum, computePs: 0 },
          },
          chunk,
        );
    }
  }

  private addOne(layer: Partial<Layer> & { readonly name: string }, chunk: number): void {
    this.builder.add({ ...layer, modelChunk: this.chunks === 1 ? -1 : chunk });
  }

  private layersOf(name: string, block: BlockName): ChainLayer[] {
    const { plan, model, measured } = this;
    const { values, microBatches } = plan;
    const { before, after, beside, ring } = this.stepsOf(block);
    const gradients = this.gradientsOf(block);
    const times = blockTimes(values, model, block, measured);
    const isSent = !sumsGradientsOnce(plan) && ranksOf(plan, sharersOf(block)) > 1;
    const castPs = isSent ? gradientCastPs(values, rankParameters(plan, model, block)) : 0;
    return chainLayers({
      name,
      times: { ...times, weightGradientPs: times.weightGradientPs + castPs },
      before,
      after,
      beside,
      ring,
      gradients,
      isSyncedOnce: gradients !== nothing && microBatches > 1 && sumsGradientsOnce(plan),
    });
  }

  /** The collectives of a block that activations need. */
  private stepsOf(block: BlockName): Pick<Block, 'before' | 'after' | 'beside' | 'ring'> {
    const {
      activationBytes,
      model,
      plan: { values, groups },
    } = this;
    const isShared = values.sequenceParallel;
    const sum = this.over('tp', 'allreduce', activationBytes);
    const gather = this.over('tp', 'allgather', activationBytes);
    const scatter = this.over('tp', 'reducescatter', activationBytes);
    const again = isShared && values.gatherInputsAgain ? gather : nothing;
    // into column-parallel matrices, and out of row-parallel ones (f and g of Shoeybi et al.; g and g-bar of
    // Korthikanti et al.)
    const entry: ChainStep = isShared
      ? { name: 'gather', forward: gather, backward: scatter }
      : { name: 'entry', forward: nothing, backward: sum };
    const exit: ChainStep = isShared
      ? { name: 'scatter', forward: scatter, backward: gather }
      : { name: 'exit', forward: sum, backward: nothing };
    switch (block) {
      case 'attention': {
        const keys = this.keyValues();
        const isRing = values.contextExchange === 'ring';
        return { before: isRing ? [entry] : [entry, keys], after: [exit], beside: again, ring: isRing ? keys : null };
      }
      case 'feedForward':
        return { before: [entry], after: [exit], beside: again, ring: null };
      case 'embedding':
        return { before: [], after: [exit], beside: nothing, ring: null };
      case 'router':
        return { before: [], after: [], beside: nothing, ring: null };
      case 'head': {
        // the maximum, the sum and the target's logit of every token, 4 bytes each
        const scalars = this.over(
          'tp',
          'allreduce',
          (4 * values.microBatchSize * values.sequenceLength) / values.contextParallel,
        );
        return {
          before: [entry],
          after: ['maximum', 'sum', 'target'].map((name) => ({ name, forward: scalars, backward: nothing })),
          beside: again,
          ring: null,
        };
      }
      case 'experts': {
        const routed = activationBytes * model.activeExperts;
        const exchange = this.over('ep', 'alltoall', routed / groups.tensor);
        const all = this.over('tp', 'allgather', routed);
        const back = this.over('tp', 'reducescatter', routed);
        return {
          before: [
            { name: 'dispatch', forward: exchange, backward: exchange },
            { name: 'gather', forward: all, backward: back },
          ],
          after: [
            { name: 'scatter', forward: back, backward: all },
            { name: 'combine', forward: exchange, backward: exchange },
          ],
          beside: nothing,
          ring: null,
        };
      }
    }
  }

  /**
   * Keys and values of a whole sequence, which the ranks that share it need of each other; backward their gradients.
   */
  private keyValues(): ChainStep {
    const { values } = this.plan;
    const bytes = (2 * this.activationBytes * values.contextParallel * keyValueSize(this.model)) / values.hiddenSize;
    const size = bytes / values.tensorParallel;
    return {
      name: 'context',
      forward: this.over('cp', 'allgather', size),
      backward: this.over('cp', 'reducescatter', size),
    };
  }

  /**
   * After the last micro-batch: the optimizer's step over a rank's share, then the new parameters to those that share
   * them.
   */
  private addOptimizer(chunk: number): void {
    const { plan, model } = this;
    const { values } = plan;
    for (const group of ['dp', 'dp_ep'] as const) {
      const parameters = chunkParameters(plan, model, chunk)[group];
      if (parameters === 0) continue;
      const own = parameters / (values.zeroStage > 0 ? ranksOf(this.plan, group) : 1);
      const [spread = nothing, ...later] =
        (values.zeroStage === 1 || values.zeroStage === 2) && !values.overlapParameters
          ? this.inParts(group, 'allgather', valueBytes * parameters)
          : [];
      const name = group === 'dp' ? 'optimizer' : 'optimizer.experts';
      const computePs = optimizerPs(values, own);
      // who goes backward comes to the last layer first
      for (const part of later) this.addOne({ name, isOnce: true, weightGradient: { ...part, computePs: 0 } }, chunk);
      this.addOne({ name, isOnce: true, weightGradient: { ...spread, computePs } }, chunk);
    }
  }

  /** Collectives that carry so much one behind the other: one, or more where one may not carry all; none in a group of one rank. */
  private inParts(group: GroupName, collective: CollectiveName, sizeBytes: number): Collective[] {
    const parts = Math.max(1, Math.ceil(sizeBytes / maxCollectiveBytes));
    const part = this.over(group, collective, sizeBytes / parts);
    return part === nothing ? [] : Array<Collective>(parts).fill(part);
  }

  /** A collective; none if its group is one rank. */
  private over(group: GroupName, collective: CollectiveName, sizeBytes: number): Collective {
    return ranksOf(this.plan, group) === 1 || sizeBytes === 0
      ? nothing
      : { collective, group, sizeBytes: Math.ceil(sizeBytes) };
  }
}
