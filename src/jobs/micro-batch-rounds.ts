// Iterations of many micro-batches from two of few: once the pipeline is full, each further round of as many micro-batches
// as there are stages takes the same (1F1B; Narayanan et al. 2021, 2.2).
// Invariant: both numbers leave the same rest as that of all; what is put together adds up as its parts do.

import { communicationKinds, type CommunicationKind } from './job-report.js';

/** What an iteration comes to, of the rank that ends last. Times add up to the total, which is in picoseconds. */
export interface IterationEstimate {
  readonly totalPs: number;
  readonly computePs: number;
  readonly bubblePs: number;
  readonly exposedPs: Readonly<Record<CommunicationKind, number>>;
}

/** Two numbers of micro-batches, a round apart, and how many rounds of all of them come beyond the larger. */
export interface MicroBatchRounds {
  readonly smaller: number;
  readonly larger: number;
  readonly beyond: number;
}

/**
 * Which two numbers of micro-batches tell of all of them.
 * @param most the larger one at most; at least twice the stages @returns null: there are no more than that
 */
export function microBatchRounds(microBatches: number, stages: number, most: number): MicroBatchRounds | null {
  if (microBatches <= most) return null;
  const larger = most - ((((most - microBatches) % stages) + stages) % stages);
  return { smaller: larger - stages, larger, beyond: (microBatches - larger) / stages };
}

/** The iteration with all micro-batches. @param few, more with the smaller and with the larger number */
export function beyondRounds(few: IterationEstimate, more: IterationEstimate, beyond: number): IterationEstimate {
  const all = (of: (estimate: IterationEstimate) => number): number => of(more) + beyond * (of(more) - of(few));
  return {
    totalPs: all(({ totalPs }) => totalPs),
    computePs: all(({ computePs }) => computePs),
    bubblePs: all(({ bubblePs }) => bubblePs),
    exposedPs: Object.fromEntries(
      communicationKinds.map((kind) => [kind, all(({ exposedPs }) => exposedPs[kind])]),
    ) as Record<CommunicationKind, number>,
  };
}
