// Where a run stands, for whoever watches it, and what it came to.

/** What a run came to. */
export type { RunFigures as RunSummary } from '../report/run-figures.js';

/** Where a run stands, between two slices. */
export interface Progress {
  readonly nowPs: number;
  readonly flowsStarted: number;
  readonly flowsFinished: number;
  /** NaN if the source does not know */
  readonly flowsTotal: number;
  /** null on a backend without packets */
  readonly packetHops: number | null;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** share of the run's work that is done, 0 to 1; null if nobody knows how much there is */
  readonly share: number | null;
}
