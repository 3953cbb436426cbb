// A transformer's training iteration, dense or with experts, as a workload: what each block computes and which bytes it
// sends.
// Invariants: every collective has more than one rank; the layers of one micro-batch come in the order of the model,
// before them the optimizer.
// Sources, section by section in docs/models/workload-generator.md: Shoeybi et al. 2019 (tensor), Narayanan et al. 2021
// (pipeline), Korthikanti et al. 2022 (sequence, recomputation), Rajbhandari et al. 2020 (ZeRO), Lepikhin et al. 2021
// (experts).
// Not modelled: uneven routing to experts, prefetching of parameters, the sum of the first and last stage's gradients
// of tied embeddings, the small sums of norms' gradients over tensor groups and of gradient norms.

import { blockTimes, gradientBytes, optimizerPs, type MeasuredTimes } from './compute-times.js';
import { chainLayers, nothing, type ChainStep, type Collective } from './layer-chain.js';
import type { GroupName } from './policies.js';
import { chunkBlocks, rankParameters, ranksOf, sharersOf, storedModel } from './model-shares.js';
import type { TrainingPlan } from './training-plan.js';
import { layerBlocks, type BlockName, type TransformerModel } from './transformer-model.js';
import { LayerBuilder, type CollectiveName, type Layer, type Workload } from './workload.js';

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
    this.activationBytes = valueBytes * values.microBatchSize * values.sequenceLength * values.hiddenSize;
  }

  generate(): Workload {
    const { model, plan } = this;
    const { values, groups, microBatches } = plan;
    for (let chunk = 0; chunk < this.chunks; chunk++) this.addOptimizer(chunk);
    this.add('embedding', 'embedding', 0);
    const perChunk = model.layerCount / this.chunks;
    for (let layer = 0; layer < model.layerCount; layer++) this.addLayer(layer, Math.floor(layer / perChunk));
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
    const added = layerBlocks(this.model).flatMap((block) => this.layersOf(`layer${layer}.${block}`, block));
    const isRecomputed = this.plan.values.recomputation === 'full';
    added.forEach((each, i) =>
      this.addOne(
        { ...each, isCheckpoint: isRecomputed && i === 0, startsRecomputation: isRecomputed && i === added.length - 1 },
        chunk,
      ),
    );
  }

  private add(name: string, block: BlockName, chunk: number): void {
    for (const each of this.layersOf(name, block)) this.addOne(each, chunk);
  }

  private addOne(layer: Partial<Layer> & { readonly name: string }, chunk: number): void {
    this.builder.add({ ...layer, modelChunk: this.chunks === 1 ? -1 : chunk });
  }

  private layersOf(name: string, block: BlockName): ReturnType<typeof chainLayers> {
    const { plan, model, measured } = this;
    const { values, microBatches } = plan;
    const { before, after, beside } = this.stepsOf(block);
    const group = sharersOf(block);
    const gathered =
      values.zeroStage === 3 ? this.over(group, 'allgather', valueBytes * rankParameters(plan, model, block)) : nothing;
    const isRecomputed = values.recomputation === 'full' && block !== 'embedding' && block !== 'head';
    if (gathered !== nothing) {
      before.unshift({ name: 'parameters', forward: gathered, backward: nothing });
      // recomputation gathers them when it runs the forward pass again, and they are still there for the backward pass
      if (!isRecomputed) after.push({ name: 'parametersAgain', forward: nothing, backward: gathered });
    }
    const gradients = this.over(
      group,
      values.zeroStage === 0 ? 'allreduce' : 'reducescatter',
      gradientBytes(values) * rankParameters(plan, model, block),
    );
    return chainLayers({
      name,
      times: blockTimes(values, model, block, measured),
      before,
      after,
      beside,
      gradients,
      isSyncedOnce: gradients !== nothing && microBatches > 1 && values.zeroStage < 2,
    });
  }

  /** The collectives of a block that activations need. */
  private stepsOf(block: BlockName): { before: ChainStep[]; after: ChainStep[]; beside: Collective } {
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
      case 'attention':
      case 'feedForward':
        return { before: [entry], after: [exit], beside: again };
      case 'embedding':
        return { before: [], after: [exit], beside: nothing };
      case 'router':
        return { before: [], after: [], beside: nothing };
      case 'head': {
        // the maximum, the sum and the target's logit of every token, 4 bytes each
        const scalars = this.over('tp', 'allreduce', 4 * values.microBatchSize * values.sequenceLength);
        return {
          before: [entry],
          after: ['maximum', 'sum', 'target'].map((name) => ({ name, forward: scalars, backward: nothing })),
          beside: again,
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
        };
      }
    }
  }

  /**
   * After the last micro-batch: the optimizer's step over a rank's share, then the new parameters to those that share
   * them.
   */
  private addOptimizer(chunk: number): void {
    const { plan, model } = this;
    const { values } = plan;
    const blocks = chunkBlocks(plan, model, chunk);
    for (const group of ['dp', 'dp_ep'] as const) {
      const parameters = blocks.reduce(
        (sum, [block, times]) => sum + (sharersOf(block) === group ? times * rankParameters(plan, model, block) : 0),
        0,
      );
      if (parameters === 0) continue;
      const own = parameters / (values.zeroStage > 0 ? ranksOf(this.plan, group) : 1);
      const spread =
        values.zeroStage === 1 || values.zeroStage === 2
          ? this.over(group, 'allgather', valueBytes * parameters)
          : nothing;
      this.addOne(
        {
          name: group === 'dp' ? 'optimizer' : 'optimizer.experts',
          isOnce: true,
          weightGradient: { ...spread, computePs: optimizerPs(values, own) },
        },
        chunk,
      );
    }
  }

  /** A collective; none if its group is one rank. */
  private over(group: GroupName, collective: CollectiveName, sizeBytes: number): Collective {
    return ranksOf(this.plan, group) === 1 || sizeBytes === 0
      ? nothing
      : { collective, group, sizeBytes: Math.ceil(sizeBytes) };
  }
}
