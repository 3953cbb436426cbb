// The least time that an iteration can take: what its stages compute and wait for within layers, and what they gather of
// parameters, if nothing else keeps them.
// Invariant: no run of the plan is shorter, under any schedule of the pipeline.
// Source: the fill and drain of a pipeline, Narayanan et al. 2021, 2.2. A stage's passes come one after the other; its
// first waits for the forward passes before it, and behind its last come the backward passes of the stages before it.

import type { Dimension } from '../collectives/parallel-groups.js';
import { blockTimes, type BlockTimes } from './compute-times.js';
import { chunkBlocks, chunkLayers, storedModel } from './model-shares.js';
import type { TrainingPlan } from './training-plan.js';
import { type BlockName, layerBlocks } from './transformer-model.js';

/** What a layer costs beside computation, of a micro-batch forward and backward, in picoseconds. */
export interface LayerCosts {
  /** what a rank waits for within it: the same whatever the replicas, and, where stages are numbered last, the stages */
  readonly exposedPs: (plan: TrainingPlan, layout: readonly Dimension[]) => number;
  /** under ZeRO stage 3: how long its collectives keep the group busy that is busy longest, one after the other */
  readonly gatheringPs: (plan: TrainingPlan, layout: readonly Dimension[]) => number;
}

/** Least times of plans of one model on one type of GPU; times of blocks of one shape are remembered. */
export class LeastTimes {
  private readonly blocks = new Map<string, BlockTimes>();
  private readonly costs = new Map<string, number>();

  constructor(private readonly layerCosts: LayerCosts) {}

  /** Of computation alone, in picoseconds. @param plan that differs from the others in parallelism, batch and recomputation alone */
  ofComputation(plan: TrainingPlan): number {
    return this.leastPs(plan, 0, 0);
  }

  /** Of computation, of waits within layers and of gathered parameters, in picoseconds. @param plan, layout of its ranks */
  ofPlan(plan: TrainingPlan, layout: readonly Dimension[]): number {
    const stages = layout.at(-1) === 'pp' ? 1 : plan.groups.pipeline;
    const key = `${shapeOf(plan)} ${layout.join(' ')} ${stages}`;
    const exposedPs = this.costOf(key, () => this.layerCosts.exposedPs(plan, layout));
    if (plan.values.zeroStage < 3) return this.leastPs(plan, exposedPs, 0);
    const gatheringPs = this.costOf(`${key} ${plan.data}`, () => this.layerCosts.gatheringPs(plan, layout));
    return this.leastPs(plan, exposedPs, gatheringPs);
  }

  private costOf(key: string, make: () => number): number {
    let cost = this.costs.get(key);
    if (cost === undefined) this.costs.set(key, (cost = make()));
    return cost;
  }

  /** @param waitsPs of a layer, forward and backward @param gatheringPs of a layer: a group does one thing at a time */
  private leastPs(plan: TrainingPlan, waitsPs: number, gatheringPs: number): number {
    const { values, groups, microBatches } = plan;
    const model = storedModel(plan);
    const isRepeated = values.recomputation === 'full' ? layerBlocks(model) : [];
    const shape = shapeOf(plan);
    const timesOf = (block: BlockName): BlockTimes => {
      const key = `${block} ${shape}`;
      let times = this.blocks.get(key);
      if (times === undefined) this.blocks.set(key, (times = blockTimes(values, model, block, {})));
      return times;
    };
    const chunks = Array.from({ length: groups.pipeline * values.chunksPerStage }, (_, chunk) =>
      chunkBlocks(plan, model, chunk).reduce(
        (sum, [block, count]) => {
          const { forwardPs, inputGradientPs, weightGradientPs } = timesOf(block);
          const again = isRepeated.includes(block) ? forwardPs : 0;
          return sum + count * (forwardPs + again + inputGradientPs + weightGradientPs);
        },
        chunkLayers(plan, model, chunk) * waitsPs,
      ),
    );
    let [before, least] = [0, 0];
    for (let stage = 0; stage < groups.pipeline; stage++) {
      let [own, layers] = [0, 0];
      for (let chunk = stage; chunk < chunks.length; chunk += groups.pipeline) {
        own += chunks[chunk]!;
        if (gatheringPs > 0) layers += chunkLayers(plan, model, chunk);
      }
      least = Math.max(least, before + microBatches * own, microBatches * layers * gatheringPs);
      before += chunks[stage]!;
    }
    return least;
  }
}

/** What the times of blocks and the waits within layers depend on. */
function shapeOf({ values, groups }: TrainingPlan): string {
  return [
    groups.tensor,
    groups.expert,
    values.contextParallel,
    values.sequenceParallel,
    values.microBatchSize,
    values.recomputation,
  ].join(' ');
}
