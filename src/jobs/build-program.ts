// A workload and a stage of its pipeline -> the program of the stage's ranks: passes of layers in the order of the
// pipeline, each with what it computes, sends and waits for.
// Sources: the order of passes is ASTRA-sim's by policy (docs/models/jobs.md), that of micro-batches pipeline-order.ts.
// Decisions: layers that run once run forward before the first micro-batch, or behind the last one's forward pass if
// they stand behind the others, and backward right after that; what stands before the others (the optimizer) runs
// backward last, when all gradients have been summed.

import { fail } from '../base/fail.js';
import { isRecommendation, policyNames, type PolicyName } from '../workload/policies.js';
import { passAt, type Layers, type Workload } from '../workload/workload.js';
import type { PipelineSchedule } from './job.js';
import { pipelineOrder, type StagePass } from './pipeline-order.js';
import { PassIndex, ProgramBuilder, type Program, type ProgramPart } from './program.js';

/** How a policy goes backward through a layer. `none`: it does not. */
type BackwardOrder = 'input-then-weight' | 'weight-then-input' | 'none';

const backwardOrders: Readonly<Record<PolicyName, BackwardOrder>> = {
  HYBRID_TRANSFORMER_FWD_IN_BCKWD: 'input-then-weight',
  HYBRID_TRANSFORMER: 'weight-then-input',
  DATA: 'weight-then-input',
  MODEL: 'weight-then-input',
  HYBRID_DATA_MODEL: 'weight-then-input',
  HYBRID_MODEL_DATA: 'weight-then-input',
  HYBRID_DLRM: 'weight-then-input',
  HYBRID_DLRM_ENHANCED: 'weight-then-input',
  HYBRID_CUSTOMIZED: 'weight-then-input',
  MICRO: 'weight-then-input',
  DISTRIBUTED_INFERENCE: 'none',
};

/** How many chunks of the model a stage runs: more than one only if the layers say which chunk they belong to. */
export function chunksOf({ chunksPerStage, groups, layers }: Workload): number {
  return groups.pipeline > 1 && layers.modelChunk.some((chunk) => chunk >= 0) ? chunksPerStage : 1;
}

/**
 * The program of a stage.
 * @param stage from 0 to the workload's stages - 1
 */
export function buildProgram(workload: Workload, stage: number, schedule: PipelineSchedule): Program {
  return new StageProgram(workload, stage, schedule).build();
}

/** A program in parts: what comes before the passes of micro-batches, the passes, what comes behind them. */
export interface StageParts {
  readonly start: ProgramPart;
  /**
   * The pass of a micro-batch through one of the stage's chunks, the same for all but for the tags of its messages.
   * @param isEdge forward: of the first micro-batch; backward: of the one that goes backward last
   */
  partOf(isForward: boolean, chunk: number, isEdge: boolean): ProgramPart;
  readonly end: ProgramPart;
}

/**
 * The program of a stage in parts, for one iteration of several micro-batches.
 * @throws InvariantError if layers that run once stand behind the others: they belong to no part
 */
export function stageParts(workload: Workload, stage: number, schedule: PipelineSchedule): StageParts {
  return new StageProgram(workload, stage, schedule).parts();
}

class StageProgram {
  private readonly builder = new ProgramBuilder();
  private readonly layers: Layers;
  private readonly stages: number;
  private readonly chunks: number;
  private readonly order: readonly StagePass[];
  /** by chunk of the stage: its layers that run for every micro-batch */
  private readonly ofChunk: readonly Int32Array[];
  /** layers of the stage that run once, before and behind the others */
  private readonly before: readonly number[];
  private readonly behind: readonly number[];
  /** micro-batch that goes backward last: its gradients are summed if a layer is synchronised once */
  private readonly lastBackward: number;

  constructor(
    private readonly workload: Workload,
    private readonly stage: number,
    schedule: PipelineSchedule,
  ) {
    const { layers, groups, microBatches } = workload;
    this.layers = layers;
    this.stages = groups.pipeline;
    this.chunks = chunksOf(workload);
    const all = Array.from({ length: layers.count }, (_, i) => i);
    const own = all.filter(
      (i) => layers.modelChunk[i]! < 0 || this.stages === 1 || layers.modelChunk[i]! % this.stages === stage,
    );
    const repeated = own.filter((i) => layers.isOnce[i] === 0);
    const firstRepeated = layers.isOnce.indexOf(0);
    this.ofChunk = Array.from({ length: this.chunks }, (_, chunk) =>
      Int32Array.from(
        repeated.filter(
          (i) => (this.chunks === 1 ? 0 : Math.max(0, Math.floor(layers.modelChunk[i]! / this.stages))) === chunk,
        ),
      ),
    );
    const once = own.filter((i) => layers.isOnce[i] === 1);
    this.before = once.filter((i) => firstRepeated < 0 || i < firstRepeated);
    this.behind = once.filter((i) => firstRepeated >= 0 && i > firstRepeated);
    const hasBackward = all.some((i) => this.hasBackward(i));
    this.order =
      firstRepeated < 0
        ? []
        : pipelineOrder(schedule, stage, {
            stages: this.stages,
            chunksPerStage: this.chunks,
            microBatches,
            hasBackward,
          });
    this.lastBackward = this.order.reduce((last, { isForward, microBatch }) => (isForward ? last : microBatch), -1);
  }

  build(): Program {
    const { builder, order, workload } = this;
    this.start();
    const lastForward = order.reduce((last, { isForward }, i) => (isForward ? i : last), -1);
    if (lastForward < 0) this.onceBehind();
    order.forEach((pass, i) => {
      this.passOf(pass);
      if (i === lastForward) this.onceBehind();
    });
    this.end();
    return builder.build(2 * workload.microBatches * this.stages * this.chunks);
  }

  parts(): StageParts {
    const { builder, lastBackward } = this;
    if (this.behind.length > 0) fail('layers behind those of micro-batches are in no part of a program');
    const known = new Map<string, ProgramPart>();
    this.start();
    const start = builder.takePart();
    this.end();
    const end = builder.takePart();
    const partOf = (isForward: boolean, chunk: number, isEdge: boolean): ProgramPart => {
      const key = `${isForward ? 'F' : 'B'}${chunk}${isEdge ? '!' : ''}`;
      let part = known.get(key);
      if (part === undefined) {
        const edge = isForward ? 0 : lastBackward;
        this.passOf({ isForward, chunk, microBatch: isEdge ? edge : edge === 0 ? 1 : 0 });
        known.set(key, (part = builder.takePart()));
      }
      return part;
    };
    return { start, partOf, end };
  }

  private start(): void {
    if (this.layers.isPrefetched.includes(1)) this.builder.reserveFirst();
    for (const layer of this.before) this.forward(layer, 0);
  }

  private end(): void {
    const { builder, before, behind, order } = this;
    if (before.length > 0 && behind.length + order.length > 0) this.finishGradients(false);
    this.backwardThrough(Int32Array.from(before), 0, true);
    builder.endIteration();
    for (let layer = 0; layer < this.layers.count; layer++) this.finishLayer(layer, false);
  }

  private onceBehind(): void {
    for (const layer of this.behind) this.forward(layer, 0);
    this.backwardThrough(Int32Array.from(this.behind), 0, true);
  }

  /** A pass of a micro-batch through a chunk: what comes from the neighbours, the layers, what goes to them. */
  private passOf({ isForward, microBatch, chunk }: StagePass): void {
    const {
      builder,
      stages,
      chunks,
      workload: { stageTransferBytes },
    } = this;
    const position = chunk * stages + this.stage;
    const last = stages * chunks - 1;
    const tag = (at: number): number => 2 * (microBatch * (last + 1) + at) + (isForward ? 0 : 1);
    const from = isForward ? position - 1 : position + 1;
    const to = isForward ? position + 1 : position - 1;
    const crosses = (other: number): boolean => stages > 1 && other >= 0 && other <= last;
    if (crosses(from)) builder.receive(microBatch, from % stages, tag(position));
    const layers = this.ofChunk[chunk]!;
    if (isForward) this.forwardThrough(layers, microBatch);
    else this.backwardThrough(layers, microBatch, microBatch === this.lastBackward);
    if (crosses(to)) builder.send(microBatch, to % stages, tag(to), stageTransferBytes);
  }

  private forwardThrough(layers: Int32Array, microBatch: number): void {
    for (const layer of layers) this.forward(layer, microBatch);
  }

  /** A layer forward; in the first micro-batch it waits for its update of the iteration before. */
  private forward(layer: number, microBatch: number): void {
    if (microBatch === 0) this.finishLayer(layer, true);
    this.forwardPass(layer, microBatch);
    // the top part of a recommendation model needs what the embeddings exchange
    if (layer === this.workload.lastBottomLayer && this.isEmbedding(0))
      this.finishStarted(0, PassIndex.forward, microBatch);
  }

  private forwardPass(layer: number, microBatch: number): void {
    const { computePs, collective, group, sizeBytes } = passAt(this.layers.forward, layer);
    if (this.layers.isFetchedOnce[layer] === 1 && microBatch > 0) return;
    if (this.runsBeside(layer, PassIndex.forward, microBatch)) return;
    this.builder.compute(layer, PassIndex.forward, microBatch, computePs);
    this.builder.collective(
      layer,
      PassIndex.forward,
      microBatch,
      collective,
      group,
      sizeBytes,
      !this.isEmbedding(layer),
    );
  }

  /** @param isLast whether gradients of layers that are synchronised once are summed now */
  private backwardThrough(layers: Int32Array, microBatch: number, isLast: boolean): void {
    for (let i = layers.length - 1; i >= 0; i--) {
      const layer = layers[i]!;
      if (!this.hasBackward(layer)) continue;
      if (this.layers.startsRecomputation[layer] === 1) this.recompute(layers, i, microBatch);
      // the embeddings' gradients are exchanged while the bottom part goes backward
      if (layer === this.workload.lastBottomLayer && this.isEmbedding(0)) this.inputGradient(0, microBatch, false);
      if (this.isEmbedding(layer)) {
        this.finishStarted(layer, PassIndex.inputGradient, microBatch);
        this.weightGradient(layer, microBatch, isLast);
      } else if (this.orderOf(layer) === 'input-then-weight') {
        this.inputGradient(layer, microBatch, true);
        this.weightGradient(layer, microBatch, isLast);
      } else {
        this.weightGradient(layer, microBatch, isLast);
        this.inputGradient(layer, microBatch, true);
      }
    }
  }

  /**
   * The forward passes from the nearest checkpoint up to a layer, again.
   * @param at place of the layer among those of its chunk
   */
  private recompute(layers: Int32Array, at: number, microBatch: number): void {
    let from = at;
    while (from > 0 && this.layers.isCheckpoint[layers[from]!] === 0) from--;
    for (let i = from; i <= at; i++)
      if (this.layers.isFetchedOnce[layers[i]!] === 0) this.forwardPass(layers[i]!, microBatch);
  }

  private inputGradient(layer: number, microBatch: number, waits: boolean): void {
    const { computePs, collective, group, sizeBytes } = passAt(this.layers.inputGradient, layer);
    if (this.runsBeside(layer, PassIndex.inputGradient, microBatch)) return;
    this.builder.compute(layer, PassIndex.inputGradient, microBatch, computePs);
    this.builder.collective(layer, PassIndex.inputGradient, microBatch, collective, group, sizeBytes, waits);
  }

  /**
   * A pass whose collective runs beside computation: beside its own, or, if it gathers parameters, beside what comes
   * before it. @returns whether it is such a pass
   */
  private runsBeside(layer: number, pass: 0 | 1, microBatch: number): boolean {
    const { builder, layers } = this;
    const { computePs, collective, group, sizeBytes } = passAt(
      pass === PassIndex.forward ? layers.forward : layers.inputGradient,
      layer,
    );
    if (collective === 'none') return false;
    if (layers.isPrefetched[layer] === 1) {
      builder.prefetched(layer, pass, microBatch, collective, group, sizeBytes);
      builder.compute(layer, pass, microBatch, computePs);
      return true;
    }
    if (layers.isBeside[layer] === 0) return false;
    builder.collective(layer, pass, microBatch, collective, group, sizeBytes, false);
    builder.compute(layer, pass, microBatch, computePs);
    builder.finish(layer, pass, microBatch, group, 0, false);
    return true;
  }

  private weightGradient(layer: number, microBatch: number, isLast: boolean): void {
    const { computePs, collective, group, sizeBytes } = passAt(this.layers.weightGradient, layer);
    this.builder.compute(layer, PassIndex.weightGradient, microBatch, computePs);
    if (isLast || this.layers.isSyncedOnce[layer] === 0)
      this.builder.collective(layer, PassIndex.weightGradient, microBatch, collective, group, sizeBytes, false);
  }

  /** What a layer has started in the iteration before, then its update. */
  private finishLayer(layer: number, skipsFirst: boolean): void {
    if (!this.isOwn(layer) || !this.hasBackward(layer)) return;
    const { collective, group } = passAt(this.layers.weightGradient, layer);
    const updatePs = this.layers.updatePs[layer]!;
    if (collective !== 'none' || updatePs > 0)
      this.builder.finish(
        layer,
        collective === 'none' ? PassIndex.update : PassIndex.weightGradient,
        0,
        group,
        updatePs,
        skipsFirst,
      );
  }

  /** What layers have started in this iteration; the optimizer needs it. Their updates come later. */
  private finishGradients(skipsFirst: boolean): void {
    for (let layer = 0; layer < this.layers.count; layer++) {
      const { collective, group } = passAt(this.layers.weightGradient, layer);
      if (collective !== 'none' && this.isOwn(layer) && this.layers.isOnce[layer] === 0)
        this.builder.finish(layer, PassIndex.weightGradient, 0, group, 0, skipsFirst);
    }
  }

  private finishStarted(layer: number, pass: PassIndex, microBatch: number): void {
    const { collective, group } = passAt(
      pass === PassIndex.forward ? this.layers.forward : this.layers.inputGradient,
      layer,
    );
    if (collective !== 'none') this.builder.finish(layer, pass, microBatch, group, 0, false);
  }

  private isOwn(layer: number): boolean {
    const chunk = this.layers.modelChunk[layer]!;
    return chunk < 0 || this.stages === 1 || chunk % this.stages === this.stage;
  }

  /** The first layer of a recommendation model, whose exchange runs beside the bottom part. */
  private isEmbedding(layer: number): boolean {
    return layer === 0 && this.workload.lastBottomLayer > 0 && isRecommendation(this.policyOf(0));
  }

  private hasBackward(layer: number): boolean {
    return this.orderOf(layer) !== 'none';
  }

  private orderOf(layer: number): BackwardOrder {
    return backwardOrders[this.policyOf(layer)];
  }

  private policyOf(layer: number): PolicyName {
    return policyNames[this.layers.policy[layer]!] ?? fail(`layer ${layer} has no policy`);
  }
}
