// A block that computes between collectives -> layers of a workload, whose passes each compute first and then have one
// collective at most. Forward, a block runs: the steps before it, its computation, the steps behind it. Backward, all
// in reverse: what was a gather is a scatter, and the gradients of the inputs are computed where the forward pass
// computed. So the computation is the forward pass of one layer and the backward pass of the layer before it; both are
// one layer where nothing stands between them.

import { fail } from '../base/fail.js';
import { idlePass, type Layer, type Pass } from './workload.js';
import type { BlockTimes } from './compute-times.js';

/** A collective, or none. */
export type Collective = Omit<Pass, 'computePs'>;

/**
 * What happens beside the computation at one place: in the forward pass, and at the same place of the backward pass.
 */
export interface ChainStep {
  /** names its layer if the computation is not in it */
  readonly name: string;
  readonly forward: Collective;
  readonly backward: Collective;
}

export interface Block {
  readonly name: string;
  readonly times: BlockTimes;
  readonly before: readonly ChainStep[];
  readonly after: readonly ChainStep[];
  /** of the weights' gradients */
  readonly gradients: Collective;
  /** whether only the last micro-batch has it */
  readonly isSyncedOnce: boolean;
  /** goes round beside the block's own computation, forward and backward; null: nothing does */
  readonly ring: ChainStep | null;
  /** runs beside the computation of the input gradients, which do not wait for it */
  readonly beside: Collective;
}

/** No collective. */
export const nothing: Collective = idlePass;

export type ChainLayer = Pick<
  Layer,
  'name' | 'forward' | 'inputGradient' | 'weightGradient' | 'isSyncedOnce' | 'isBeside'
>;

/** The layers of a block, in the order of the forward pass. */
export function chainLayers({ name, times, gradients, isSyncedOnce, beside, ring, ...steps }: Block): ChainLayer[] {
  const [before, after] = [steps.before.filter(isStep), steps.after.filter(isStep)];
  if (ring !== null && isStep(ring)) {
    const own: ChainLayer = {
      name: `${name}.${ring.name}`,
      forward: pass(ring.forward, times.forwardPs),
      inputGradient: pass(ring.backward, times.inputGradientPs),
      weightGradient: pass(gradients, times.weightGradientPs),
      isSyncedOnce,
      isBeside: true,
    };
    const behind = after.map((step, i) => ({
      ...stepLayer(name, step),
      ...(i === 0 ? { weightGradient: pass(beside) } : {}),
    }));
    return [...before.map((step) => stepLayer(name, step)), own, ...behind];
  }
  const none: ChainStep = { name: '', forward: nothing, backward: nothing };
  const [entry, exit] = [before.at(-1) ?? none, after[0] ?? none];
  const isOne = entry.forward.collective === 'none' && exit.backward.collective === 'none';
  if (isOne && beside.collective !== 'none') fail(`block ${name} gathers its inputs again, but never gathered them`);
  const backward = {
    inputGradient: pass(entry.backward, times.inputGradientPs),
    weightGradient: pass(gradients, times.weightGradientPs),
    isSyncedOnce,
    isBeside: false,
  };
  const middle: ChainLayer[] = isOne
    ? [{ name, forward: pass(exit.forward, times.forwardPs), ...backward }]
    : [
        { name: `${name}.in`, forward: pass(entry.forward), ...backward },
        {
          name: `${name}.out`,
          forward: pass(exit.forward, times.forwardPs),
          inputGradient: pass(exit.backward),
          weightGradient: pass(beside),
          isSyncedOnce: false,
          isBeside: false,
        },
      ];
  return [
    ...before.slice(0, -1).map((step) => stepLayer(name, step)),
    ...middle,
    ...after.slice(1).map((step) => stepLayer(name, step)),
  ];
}

/** Whether anything happens in a step: groups of one rank send nothing. */
function isStep({ forward, backward }: ChainStep): boolean {
  return forward.collective !== 'none' || backward.collective !== 'none';
}

function stepLayer(block: string, { name, forward, backward }: ChainStep): ChainLayer {
  return {
    name: `${block}.${name}`,
    forward: pass(forward),
    inputGradient: pass(backward),
    weightGradient: idlePass,
    isSyncedOnce: false,
    isBeside: false,
  };
}

function pass(collective: Collective, computePs = 0): Pass {
  return { ...collective, computePs };
}
