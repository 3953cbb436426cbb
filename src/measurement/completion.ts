// Flow completion times of a run: exact mean and maximum, exact percentiles from the sorted values (8 bytes per flow).

import { Float64List } from '../base/columns.js';

export interface CompletionStatistics {
  readonly meanNs: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
}

/** Collects completion times. Memory: 8 bytes per finished flow. */
export class CompletionTimes {
  private readonly times = new Float64List();

  /** @param completionPs finish minus start, in picoseconds */
  add(completionPs: number): void {
    this.times.push(completionPs);
  }

  /**
   * Nearest-rank percentiles (the smallest value with at least that share of the values at or below it), in
   * nanoseconds; zeros without flows.
   */
  statistics(): CompletionStatistics {
    const sorted = this.times.toArray().sort();
    if (sorted.length === 0) return { meanNs: 0, p50Ns: 0, p99Ns: 0, maxNs: 0 };
    let sum = 0;
    for (const time of sorted) sum += time;
    const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]! / 1000;
    return {
      meanNs: sum / sorted.length / 1000,
      p50Ns: rank(0.5),
      p99Ns: rank(0.99),
      maxNs: sorted[sorted.length - 1]! / 1000,
    };
  }
}
