// What a job keeps in the memory of its GPUs, as figures, and their parts in words: what reports and messages call
// them.
// Invariant: the parts add up to the total.

import type { StateBytes } from '../workload/state-bytes.js';

/** Bytes on one GPU of a stage. */
export interface StageMemory extends StateBytes {
  readonly activationsBytes: number;
  readonly totalBytes: number;
}

export interface JobMemory {
  /** in order of the stages */
  readonly stages: readonly StageMemory[];
  /** what a GPU has; null: not limited */
  readonly limitBytes: number | null;
  /** stage that needs most */
  readonly fullestStage: number;
}

/** The parts that are not nothing, by name. */
export function memoryParts(memory: StageMemory): (readonly [name: string, bytes: number])[] {
  const { weightsBytes, gradientsBytes, optimizerBytes, gatheredBytes, activationsBytes } = memory;
  return (
    [
      ['weights', weightsBytes],
      ['gradients', gradientsBytes],
      ['optimizer', optimizerBytes],
      ['gathered weights', gatheredBytes],
      ['activations', activationsBytes],
    ] as const
  ).filter(([, bytes]) => bytes > 0);
}

/** Three significant digits in GiB: "24.6 GiB"; below a hundredth of it in MiB. */
export function memoryText(bytes: number): string {
  const gibibytes = bytes / 2 ** 30;
  if (gibibytes < 0.01) return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${gibibytes.toFixed(gibibytes < 10 ? 2 : gibibytes < 100 ? 1 : 0)} GiB`;
}
