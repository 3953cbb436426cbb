// Round trips measured, by queue pair: smoothed, and how far single ones lie from that.
// Invariant: the bound is at least the smoothed round trip. Source: RFC 6298, 2 (weights 1/8 and 1/4, bound with four
// times the variation, first variation half of the first round trip); its granularity and least of a second are left
// out.

import type { SideColumn, SideColumns } from '../../side-columns.js';

export class RoundTrips {
  private readonly smoothed: SideColumn<'float64'>;
  private readonly variation: SideColumn<'float64'>;

  /** @param firstVariation of a queue pair, as a share of its first round trip */
  constructor(
    columns: SideColumns,
    private readonly firstVariation = 0.5,
  ) {
    this.smoothed = columns.byPair('float64', -1);
    this.variation = columns.byPair('float64');
  }

  /** A round trip has been measured, in picoseconds. */
  measured(pair: number, roundTripPs: number): void {
    const smoothed = this.smoothed.values;
    const variation = this.variation.values;
    const before = smoothed[pair]!;
    if (before < 0) {
      smoothed[pair] = roundTripPs;
      variation[pair] = roundTripPs * this.firstVariation;
      return;
    }
    variation[pair]! += (Math.abs(roundTripPs - before) - variation[pair]!) / 4;
    smoothed[pair] = before + (roundTripPs - before) / 8;
  }

  /** What a round trip hardly exceeds, in picoseconds; -1: none was measured. */
  boundPs(pair: number): number {
    const smoothed = this.smoothed.values[pair]!;
    return smoothed < 0 ? -1 : smoothed + 4 * this.variation.values[pair]!;
  }
}

/** A wait that was doubled a number of times, up to a longest, or itself. */
export function doubledPs(waitPs: number, times: number, longestPs: number): number {
  return Math.min(waitPs * (1 << Math.min(30, times)), Math.max(waitPs, longestPs));
}
