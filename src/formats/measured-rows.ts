// What a measurement of collectives says, whoever printed it: nccl-tests, `weft collective`, NCCL Inspector.
// Invariants: sizes are the whole buffer of a rank in bytes, times microseconds, bandwidths 10^9 bytes per second; rows
// keep the order of the file and their place in it.
// Not modelled: clocks, drivers and settings of whoever measured: a file does not say them.

import type { Position } from '../base/diagnostics.js';
import type { CollectiveKind } from '../collectives/schedule.js';

/** One measured way of a row. */
export interface MeasuredTime {
  readonly timeUs: number;
  /** 10^9 bytes per second as printed; null if not printed */
  readonly algbwGBps: number | null;
  readonly busbwGBps: number | null;
  /** elements that were wrong; null if not checked */
  readonly wrong: number | null;
}

/** One size of a table, and where it stands. */
export interface MeasuredRow extends Position {
  /** the whole buffer of a rank */
  readonly sizeBytes: number;
  readonly outOfPlace: MeasuredTime | null;
  readonly inPlace: MeasuredTime | null;
  /** what stands behind the bandwidths: algorithm, protocol and channels of `weft collective` */
  readonly how: string | null;
}

/** One run of one collective. */
export interface MeasuredTable extends Position {
  /** null: the file does not say, or it is none that Weft simulates */
  readonly kind: CollectiveKind | null;
  /** as the file names it; null if it does not */
  readonly test: string | null;
  /** null where the file does not say */
  readonly ranks: number | null;
  readonly servers: number | null;
  readonly rows: readonly MeasuredRow[];
}
