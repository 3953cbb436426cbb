// Flow completion times of a run: exact mean, maximum and percentiles (8 bytes per flow).

import { RankedValues } from './ranked-values.js';

export interface CompletionStatistics {
  readonly meanNs: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
}

/** Collects completion times. Memory: 8 bytes per finished flow. */
export class CompletionTimes {
  private readonly times = new RankedValues();

  /** @param completionPs finish minus start, in picoseconds */
  add(completionPs: number): void {
    this.times.add(completionPs);
  }

  /**
   * Nearest-rank percentiles (the smallest value with at least that share of the values at or below it), in
   * nanoseconds; zeros without flows.
   */
  statistics(): CompletionStatistics {
    const { mean, p50, p99, max } = this.times.figures();
    return { meanNs: mean / 1000, p50Ns: p50 / 1000, p99Ns: p99 / 1000, maxNs: max / 1000 };
  }
}
