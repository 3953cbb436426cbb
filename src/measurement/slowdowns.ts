// How much longer flows took than alone: completion time over the ideal one of an idle fabric, at least 1. Exact mean and
// percentiles from the sorted values (8 bytes per flow).
// Invariant: no value is below 1. Source: the simulators of HPCC and ConWeave, whose ideal time is the round trip of the
// pair plus its bytes on the wire over the slowest link's rate: idealCompletionPs (routing/base-delay.ts).

import { Float64List } from '../base/columns.js';

/** Ratios of the finished flows; percentiles by nearest rank; zeros without flows. */
export interface SlowdownStatistics {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export class Slowdowns {
  private readonly ratios = new Float64List();

  /** @param completionPs finish minus start @param idealPs alone on an idle fabric; 0: not known, and not counted */
  add(completionPs: number, idealPs: number): void {
    if (idealPs > 0) this.ratios.push(completionPs < idealPs ? 1 : completionPs / idealPs);
  }

  statistics(): SlowdownStatistics {
    const sorted = this.ratios.toArray().sort();
    if (sorted.length === 0) return { mean: 0, p50: 0, p99: 0, max: 0 };
    let sum = 0;
    for (const ratio of sorted) sum += ratio;
    const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
    return { mean: sum / sorted.length, p50: rank(0.5), p99: rank(0.99), max: sorted[sorted.length - 1]! };
  }
}
