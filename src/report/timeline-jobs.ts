// What a timeline needs to know of the jobs that it shows, beside its rows: what they are called, and which of their
// layers are the optimizer's.
// Invariant: a layer is the optimizer's if it runs once per iteration, does nothing but its weight-gradient pass, and
// so do all layers before it: our generator and AICB's files write the optimizer's step and its collectives as such
// layers (docs/models/jobs.md), which run backward last. The rows keep the pass as the workload names it.

import type { Workload } from '../workload/workload.js';

/** AICB writes 1 ns where there is nothing to compute. */
const mostIdlePs = 1000;

/** A job as a timeline shows it. */
export interface TimelineJob {
  readonly name: string;
  /** numbers of the optimizer's layers */
  readonly optimizerLayers: ReadonlySet<number>;
}

/** A job as a timeline shows it, from its workload. */
export function timelineJob({
  name,
  workload: { layers, microBatches },
}: {
  readonly name: string;
  readonly workload: Workload;
}): TimelineJob {
  const isStep = (layer: number): boolean =>
    (['forward', 'inputGradient'] as const).every(
      (pass) => layers[pass].computePs[layer]! <= mostIdlePs && layers[pass].collective[layer] === 0,
    ) &&
    (layers.isOnce[layer] === 1 || microBatches === 1);
  const optimizerLayers = new Set<number>();
  let layer = 0;
  while (layer < layers.count && isStep(layer)) optimizerLayers.add(layer++);
  if (layer === layers.count) optimizerLayers.clear();
  return { name, optimizerLayers };
}
