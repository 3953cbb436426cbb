// How much longer flows took than alone: completion time over the ideal one of an idle fabric, at least 1. Exact mean
// and percentiles (8 bytes per flow).
// Invariant: no value is below 1. Source: the simulators of HPCC and ConWeave, whose ideal time is the round trip of
// the pair plus its bytes on the wire over the slowest link's rate: idealCompletionPs (routing/base-delay.ts).

import { RankedValues } from './ranked-values.js';

/** Ratios of the finished flows; percentiles by nearest rank; zeros without flows. */
export interface SlowdownStatistics {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Completion time over the ideal one, at least 1: what is faster than ideal is so by rounding. @param idealPs above 0
 */
export function slowdownOf(completionPs: number, idealPs: number): number {
  return Math.max(1, completionPs / idealPs);
}

export class Slowdowns {
  private readonly ratios = new RankedValues();

  /** @param completionPs finish minus start @param idealPs alone on an idle fabric; 0: not known, and not counted */
  add(completionPs: number, idealPs: number): void {
    if (idealPs > 0) this.ratios.add(slowdownOf(completionPs, idealPs));
  }

  statistics(): SlowdownStatistics {
    return this.ratios.figures();
  }
}
