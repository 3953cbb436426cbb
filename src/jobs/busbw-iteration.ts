// A training iteration as SimAI's analytical program adds it up: the computation of every layer, what the overlap
// leaves of every collective, a share of both as pipeline bubble, and the messages between stages.
// Invariant: total = computation + exposed communication + bubble + exposed messages between stages. Layers stand as
// often as they run.
// Source: SimAI 1.6 (docs/models/simai.md#analytical-backend). An overlap hides that share of the time, whatever there
// is to hide behind.
// Not modelled: any order in time: nothing waits for anything. Updates of weights, and recomputation, cost nothing.

import type { BusbwCosts, BusbwGroup, BusbwKind } from '../collectives/simai-busbw.js';
import { busbwKinds } from '../collectives/simai-busbw.js';
import { unrolled } from '../workload/micro-batches.js';
import { passNames, type PassName } from '../workload/policies.js';
import { passAt, type Workload } from '../workload/workload.js';

/** Which share of its communication each kind of parallelism hides, 0 to 1. */
export interface Overlaps {
  readonly data: number;
  readonly tensor: number;
  readonly expert: number;
  /** of messages between stages; with SimAI's own rule above 0 */
  readonly pipeline: number;
}

/** One pass of a layer, in nanoseconds. */
export interface BusbwPass {
  readonly computeNs: number;
  /** of the whole collective, and what is left of it */
  readonly communicationNs: number;
  readonly exposedNs: number;
  readonly collective: { readonly kind: BusbwKind; readonly group: BusbwGroup; readonly sizeBytes: number } | null;
}

interface BusbwLayer extends Readonly<Record<PassName, BusbwPass>> {
  readonly name: string;
}

export interface BusbwIteration {
  readonly layers: readonly BusbwLayer[];
  readonly computeNs: number;
  readonly exposedNs: Readonly<Record<BusbwGroup, number>>;
  readonly pipelineNs: number;
  readonly bubbleNs: number;
  readonly totalNs: number;
}

/** What a layer does that cannot be costed. */
export interface BusbwProblem {
  readonly layer: string;
  readonly pass: PassName;
  readonly message: string;
}

/** Layers of this name are in no bubble. */
const layerWithoutBubble = 'embedding_layer';

/**
 * Adds up an iteration.
 * @param stageGBps bandwidth between stages, in GB/s of 2^30 bytes
 * @param problems receives what cannot be costed, once for each layer's name and pass; such a collective takes no time
 */
export function busbwIteration(
  workload: Workload,
  costs: BusbwCosts,
  overlaps: Overlaps,
  stageGBps: number,
  problems: BusbwProblem[],
): BusbwIteration {
  const { groups, microBatches, chunksPerStage, stageTransferBytes, layers } = workload;
  const known = new Set<string>();
  const report = (problem: BusbwProblem): void => {
    const key = `${problem.layer} ${problem.pass} ${problem.message}`;
    if (!known.has(key)) problems.push(problem);
    known.add(key);
  };
  const exposedNs = { tp: 0, dp: 0, ep: 0, dp_ep: 0 };
  let [computeNs, bubbleNs] = [0, 0];
  const rows = [...unrolled(layers, microBatches)].map(([layer, copy]): BusbwLayer => {
    const name = layers.name[layer]!;
    const row = { name } as { name: string } & Record<PassName, BusbwPass>;
    for (const pass of passNames) {
      const result = passOf(workload, layer, copy, pass, costs, overlaps, report);
      row[pass] = result;
      computeNs += result.computeNs;
      if (result.collective !== null) exposedNs[result.collective.group] += result.exposedNs;
      if (name !== layerWithoutBubble)
        bubbleNs += result.computeNs + (pass === 'weightGradient' ? 0 : result.communicationNs);
    }
    return row;
  });
  bubbleNs *= (groups.pipeline - 1) / (microBatches * chunksPerStage);
  const messages = 2 * chunksPerStage * microBatches;
  const pipelineNs = ((messages * stageTransferBytes) / 2 ** 30 / stageGBps) * 1e9 * (1 - overlaps.pipeline);
  const allExposedNs = exposedNs.tp + exposedNs.dp + exposedNs.ep + exposedNs.dp_ep;
  return {
    layers: rows,
    computeNs,
    exposedNs,
    pipelineNs,
    bubbleNs,
    totalNs: computeNs + allExposedNs + bubbleNs + pipelineNs,
  };
}

function passOf(
  { layers }: Workload,
  layer: number,
  copy: number,
  pass: PassName,
  costs: BusbwCosts,
  overlaps: Overlaps,
  report: (problem: BusbwProblem) => void,
): BusbwPass {
  const { computePs, collective: kind, group, sizeBytes } = passAt(layers[pass], layer);
  const silent = { computeNs: computePs / 1000, communicationNs: 0, exposedNs: 0, collective: null };
  // of copies that are synchronized once, the first is the last to go backward
  const isOfFirst =
    (pass === 'weightGradient' && layers.isSyncedOnce[layer] === 1) ||
    (pass === 'forward' && layers.isFetchedOnce[layer] === 1);
  if (kind === 'none' || (isOfFirst && copy > 0)) return silent;
  const refuse = (message: string): BusbwPass => {
    report({ layer: layers.name[layer]!, pass, message });
    return silent;
  };
  const known = busbwKinds.find((other) => other === kind);
  if (known === undefined) return refuse(`SimAI's analytical program knows no ${kind}`);
  if (group !== 'tp' && group !== 'dp' && group !== 'ep' && group !== 'dp_ep')
    return refuse(`SimAI's analytical program knows no group "${group}"`);
  const time = costs(known, group, sizeBytes);
  if ('problem' in time) return refuse(time.problem);
  const hidden = pass === 'weightGradient' ? overlaps.data : group === 'ep' ? overlaps.expert : overlaps.tensor;
  return {
    ...silent,
    communicationNs: time.timeNs,
    exposedNs: Math.floor(time.timeNs * (1 - hidden)),
    collective: { kind: known, group, sizeBytes },
  };
}
