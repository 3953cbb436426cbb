// The least time that an iteration can take: what its stages compute and wait for within layers, if nothing else keeps
// them.
// Invariant: no run of the plan is shorter, under any schedule of the pipeline.
// Source: the fill and drain of a pipeline, Narayanan et al. 2021, 2.2. A stage's passes come one after the other; its
// first waits for the forward passes before it, and behind its last come the backward passes of the stages before it.

import { blockTimes, type BlockTimes } from './compute-times.js';
import { chunkBlocks, chunkLayers, storedModel } from './model-shares.js';
import type { TrainingPlan } from './training-plan.js';
import { type BlockName, layerBlocks } from './transformer-model.js';

/** Least times of plans of one model on one type of GPU; times of blocks of one shape are remembered. */
export class LeastTimes {
  private readonly blocks = new Map<string, BlockTimes>();
  private readonly exposed = new Map<string, number>();

  /**
   * @param exposedLayerPs what a rank waits for within a layer, forward and backward, in picoseconds: the same whatever
   * the stages and the replicas
   */
  constructor(private readonly exposedLayerPs: (plan: TrainingPlan) => number) {}

  /** Of computation alone, in picoseconds. @param plan that differs from the others in parallelism, batch and recomputation alone */
  ofComputation(plan: TrainingPlan): number {
    return this.leastPs(plan, 0);
  }

  /** Of computation and waits within layers, in picoseconds. @param plan as above */
  ofPlan(plan: TrainingPlan): number {
    const shape = shapeOf(plan);
    let exposedPs = this.exposed.get(shape);
    if (exposedPs === undefined) this.exposed.set(shape, (exposedPs = this.exposedLayerPs(plan)));
    return this.leastPs(plan, exposedPs);
  }

  /** @param waitsPs of a layer, forward and backward */
  private leastPs(plan: TrainingPlan, waitsPs: number): number {
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
      let own = 0;
      for (let chunk = stage; chunk < chunks.length; chunk += groups.pipeline) own += chunks[chunk]!;
      least = Math.max(least, before + microBatches * own);
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
