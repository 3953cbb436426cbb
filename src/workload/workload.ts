// A training iteration as data: layers in columns, each with three passes that compute and may end with a collective,
// and the sizes of the groups of ranks that the collectives run over. SimAI's files, the generator and scenarios all
// make this; schedulers read it.
// Invariants: layers that run once per iteration stand before or after all layers that run for every micro-batch; a
// pass without a collective has no group and no bytes, one with a collective has both; times are whole picoseconds,
// sizes whole bytes, below 2^53.
// Source: the fields of ASTRA-sim's workload format. Not modelled: dependencies between layers other than their order.

import { Float64List, Int32List } from '../base/columns.js';
import { fail } from '../base/fail.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import { groupNames, passNames, policyNames, type GroupName, type PassName, type PolicyName } from './policies.js';

/**
 * What a pass does with the data of its group. `allreduceThenAlltoall`: both, one after the other, over the same bytes.
 */
export const collectiveNames = [
  'none',
  'allreduce',
  'allgather',
  'reducescatter',
  'alltoall',
  'broadcast',
  'allreduceThenAlltoall',
] as const satisfies readonly (CollectiveKind | 'none' | 'allreduceThenAlltoall')[];
export type CollectiveName = (typeof collectiveNames)[number];

const bothKinds = ['allreduce', 'alltoall'] as const;

/** The collectives that a pass carries out, one after the other, over the same bytes. */
export function kindsOfCollective(
  collective: Exclude<CollectiveName, 'none'>,
): readonly Exclude<CollectiveName, 'none' | 'allreduceThenAlltoall'>[] {
  return collective === 'allreduceThenAlltoall' ? bothKinds : [collective];
}

/** One pass of all layers. */
export interface PassColumns {
  readonly computePs: Float64Array;
  /** index into collectiveNames */
  readonly collective: Uint8Array;
  /** index into groupNames */
  readonly group: Uint8Array;
  /** the whole buffer of a rank, as nccl-tests counts: what all-gather ends with, what reduce-scatter begins with */
  readonly sizeBytes: Float64Array;
}

type Passes = Readonly<Record<PassName, PassColumns>>;

export interface Layers extends Passes {
  readonly count: number;
  readonly name: readonly string[];
  /** time of the weight update that follows the weight gradients' collective */
  readonly updatePs: Float64Array;
  /** index into policyNames: the workload's policy, or the layer's own under HYBRID_CUSTOMIZED */
  readonly policy: Uint8Array;
  /** 1: activations are kept at the input of this layer, recomputation begins here */
  readonly isCheckpoint: Uint8Array;
  /**
   * 1: before the backward pass of this layer the forward pass runs again, from the nearest checkpoint at or before it
   */
  readonly startsRecomputation: Uint8Array;
  /** 1: runs once per iteration; 0: runs for every micro-batch */
  readonly isOnce: Uint8Array;
  /** 1: of all micro-batches only the last to go backward has this layer's weight-gradient collective */
  readonly isSyncedOnce: Uint8Array;
  /**
   * 1: the collectives of its forward and input-gradient passes gather parameters: they begin as soon as the gather
   * before them is over, beside what is computed meanwhile, and are waited for in their place
   */
  readonly isPrefetched: Uint8Array;
  /** 1: only the first micro-batch has its forward collective */
  readonly isFetchedOnce: Uint8Array;
  /** 1: the collectives of its forward and input-gradient passes run beside the computation of the same pass */
  readonly isBeside: Uint8Array;
  /**
   * part of the model that the layer belongs to, 0 .. stages x chunksPerStage - 1, run by stage (chunk mod stages); -1:
   * by every stage
   */
  readonly modelChunk: Int32Array;
}

/**
 * Sizes of the groups of ranks. Rank = tensor place + tensor size x (data place + data size x pipeline stage), unless a
 * layout says otherwise.
 */
export interface GroupSizes {
  readonly tensor: number;
  /** divides the data groups; experts are spread over that many of their ranks */
  readonly expert: number;
  /** divides the data groups: that many of their ranks share each sequence; left out: 1 */
  readonly context?: number;
  /** number of stages */
  readonly pipeline: number;
  /** all ranks; 0: not given, as many as the fabric has */
  readonly gpus: number;
}

export interface Workload {
  readonly policy: PolicyName;
  readonly groups: GroupSizes;
  /** interleaving: parts of the model per pipeline stage, 1 without */
  readonly chunksPerStage: number;
  /** gradient accumulation: how often the layers that are not once per iteration run */
  readonly microBatches: number;
  /**
   * activations that a stage sends to the next, and gradients back, per micro-batch and rank; 0: nothing is known or
   * sent
   */
  readonly stageTransferBytes: number;
  /** recommendation models: last layer of the bottom part, which waits for the embeddings' all-to-all; -1: none */
  readonly lastBottomLayer: number;
  readonly layers: Layers;
}

/** One pass of one layer. */
export interface Pass {
  readonly computePs: number;
  readonly collective: CollectiveName;
  readonly group: GroupName;
  readonly sizeBytes: number;
}

/** One layer; what is left out is as in `plainLayer`. */
export interface Layer extends Readonly<Record<PassName, Pass>> {
  readonly name: string;
  readonly updatePs: number;
  readonly policy: PolicyName;
  readonly isCheckpoint: boolean;
  readonly startsRecomputation: boolean;
  readonly isOnce: boolean;
  readonly isSyncedOnce: boolean;
  readonly isPrefetched: boolean;
  readonly isFetchedOnce: boolean;
  readonly isBeside: boolean;
  readonly modelChunk: number;
}

/** A pass that takes no time and sends nothing. */
export const idlePass: Pass = { computePs: 0, collective: 'none', group: 'none', sizeBytes: 0 };

const plainLayer: Omit<Layer, 'name'> = {
  forward: idlePass,
  inputGradient: idlePass,
  weightGradient: idlePass,
  updatePs: 0,
  policy: 'HYBRID_TRANSFORMER_FWD_IN_BCKWD',
  isCheckpoint: false,
  startsRecomputation: false,
  isOnce: false,
  isSyncedOnce: false,
  isPrefetched: false,
  isFetchedOnce: false,
  isBeside: false,
  modelChunk: -1,
};

/** The most layers a workload may have. */
export const maxLayers = 2 ** 20;

class PassLists {
  readonly computePs = new Float64List();
  readonly collective = new Int32List();
  readonly group = new Int32List();
  readonly sizeBytes = new Float64List();

  add({ computePs, collective, group, sizeBytes }: Pass): void {
    const isSent = collective !== 'none' && sizeBytes > 0 && group !== 'none';
    this.computePs.push(computePs);
    this.collective.push(isSent ? collectiveNames.indexOf(collective) : 0);
    this.group.push(isSent ? groupNames.indexOf(group) : 0);
    this.sizeBytes.push(isSent ? sizeBytes : 0);
  }

  build(): PassColumns {
    return {
      computePs: this.computePs.toArray(),
      collective: bytes(this.collective),
      group: bytes(this.group),
      sizeBytes: this.sizeBytes.toArray(),
    };
  }
}

/** Collects layers in order, then lays them out in columns. */
export class LayerBuilder {
  private readonly names: string[] = [];
  private readonly passes = {
    forward: new PassLists(),
    inputGradient: new PassLists(),
    weightGradient: new PassLists(),
  };
  private readonly updatePs = new Float64List();
  private readonly policy = new Int32List();
  private readonly flags = {
    isCheckpoint: new Int32List(),
    startsRecomputation: new Int32List(),
    isOnce: new Int32List(),
    isSyncedOnce: new Int32List(),
    isPrefetched: new Int32List(),
    isFetchedOnce: new Int32List(),
    isBeside: new Int32List(),
  };
  private readonly modelChunk = new Int32List();

  get count(): number {
    return this.names.length;
  }

  /** Appends a layer. A collective without bytes, or without a group, is none. */
  add(given: Partial<Layer> & { readonly name: string }): void {
    const layer = { ...plainLayer, ...given };
    this.names.push(layer.name);
    for (const pass of passNames) this.passes[pass].add(layer[pass]);
    this.updatePs.push(layer.updatePs);
    this.policy.push(policyNames.indexOf(layer.policy));
    for (const flag of flagNames) this.flags[flag].push(layer[flag] ? 1 : 0);
    this.modelChunk.push(layer.modelChunk);
  }

  /**
   * The layers as columns.
   * @throws InvariantError if a layer that runs once stands between layers that run for every micro-batch
   */
  build(): Layers {
    const { passes, flags } = this;
    const isOnce = bytes(flags.isOnce);
    const repeated = isOnce.indexOf(0);
    if (repeated >= 0 && isOnce.subarray(repeated, isOnce.lastIndexOf(0)).includes(1))
      fail('a layer that runs once stands between layers that run for every micro-batch');
    return {
      count: this.count,
      name: this.names.slice(),
      forward: passes.forward.build(),
      inputGradient: passes.inputGradient.build(),
      weightGradient: passes.weightGradient.build(),
      updatePs: this.updatePs.toArray(),
      policy: bytes(this.policy),
      isCheckpoint: bytes(flags.isCheckpoint),
      startsRecomputation: bytes(flags.startsRecomputation),
      isOnce,
      isSyncedOnce: bytes(flags.isSyncedOnce),
      isPrefetched: bytes(flags.isPrefetched),
      isFetchedOnce: bytes(flags.isFetchedOnce),
      isBeside: bytes(flags.isBeside),
      modelChunk: this.modelChunk.toArray(),
    };
  }
}

const flagNames = [
  'isCheckpoint',
  'startsRecomputation',
  'isOnce',
  'isSyncedOnce',
  'isPrefetched',
  'isFetchedOnce',
  'isBeside',
] as const;

function bytes(list: Int32List): Uint8Array {
  return Uint8Array.from(list.toArray());
}

/** One pass of a layer, out of its columns. */
export function passAt(columns: PassColumns, layer: number): Pass {
  return {
    computePs: columns.computePs[layer]!,
    collective: collectiveNames[columns.collective[layer]!]!,
    group: groupNames[columns.group[layer]!]!,
    sizeBytes: columns.sizeBytes[layer]!,
  };
}

/** A layer out of its columns. */
export function layerAt(layers: Layers, i: number): Layer {
  return {
    name: layers.name[i]!,
    forward: passAt(layers.forward, i),
    inputGradient: passAt(layers.inputGradient, i),
    weightGradient: passAt(layers.weightGradient, i),
    updatePs: layers.updatePs[i]!,
    policy: policyNames[layers.policy[i]!]!,
    isCheckpoint: layers.isCheckpoint[i] === 1,
    startsRecomputation: layers.startsRecomputation[i] === 1,
    isOnce: layers.isOnce[i] === 1,
    isSyncedOnce: layers.isSyncedOnce[i] === 1,
    isPrefetched: layers.isPrefetched[i] === 1,
    isFetchedOnce: layers.isFetchedOnce[i] === 1,
    isBeside: layers.isBeside[i] === 1,
    modelChunk: layers.modelChunk[i]!,
  };
}
