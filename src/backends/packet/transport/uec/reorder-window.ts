// How far packets of a queue pair overtake each other: a packet is taken for lost once one has been acknowledged that
// was sent sufficiently later, by number of transmissions and, where that is derived, by time as well.
// A packet that is not lost is acknowledged at most the longest round trip after it was sent, one that was sent later
// at least the shortest after that: so a packet is lost if the later one was sent later by more than the two differ.
// Both are measured, also of packets that were taken for lost and came after all, so a sender that was wrong waits
// longer.
// Invariant: derived, nothing is taken for lost that less than a window's packets have overtaken.
// Source: RFC 8985 (RACK: losses by the time at which packets were sent, and a window for reordering that grows with
// what proves needless); RFC 9002, 6.1 (both thresholds); the count of a window: htsim. Guessed: the difference of the
// round trips in place of RACK's steps by quarters of the shortest one. Not modelled: a window that shrinks again.

import type { SideColumn, SideColumns } from '../../side-columns.js';

export class ReorderWindow {
  /** per pair: round trips that were measured, and when the newest transmission was sent that has been acknowledged */
  private readonly shortestPs: SideColumn<'float64'>;
  private readonly longestPs: SideColumn<'float64'>;
  private readonly newestPs: SideColumn<'float64'>;

  constructor(columns: SideColumns) {
    this.shortestPs = columns.byPair('float64', Infinity);
    this.longestPs = columns.byPair('float64');
    this.newestPs = columns.byPair('float64');
  }

  /** A transmission has been acknowledged. @param sentPs when it was sent */
  acknowledged(pair: number, sentPs: number, rttPs: number): void {
    if (rttPs < this.shortestPs.values[pair]!) this.shortestPs.values[pair] = rttPs;
    if (rttPs > this.longestPs.values[pair]!) this.longestPs.values[pair] = rttPs;
    if (sentPs > this.newestPs.values[pair]!) this.newestPs.values[pair] = sentPs;
  }

  /** What was sent at this time or before is overtaken by more than paths differ, in picoseconds. */
  overtakenPs(pair: number): number {
    return this.newestPs.values[pair]! - (this.longestPs.values[pair]! - this.shortestPs.values[pair]!);
  }
}
