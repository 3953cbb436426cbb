// What a calibration is given: measured times of collectives on a fabric, measured transfers between two of its
// servers, and which of them are held out.
// Invariant: which rows are held out follows from their sizes alone; a size is held out in every table of its group or
// in none.

import type { RowErrors } from '../../collectives/calibrated-profile.js';
import type { CollectiveSetup, CollectiveTask } from '../simulate-collective.js';

/** A measured collective. */
export interface CollectiveCase {
  /** the profile in it is not used */
  readonly setup: CollectiveSetup;
  readonly task: CollectiveTask;
  readonly measuredUs: number;
  readonly isHeldOut: boolean;
}

/** A measured transfer between two servers that is alone. */
export interface TransferCase {
  readonly measures: 'latency' | 'bandwidth';
  readonly sizeBytes: number;
  /** one way; of a bandwidth: of a message among many */
  readonly measuredUs: number;
  /** of an idle path; of a bandwidth: link time of its bytes at the narrowest link */
  readonly idealUs: number;
  readonly isHeldOut: boolean;
}

/** Which of so many sizes, ascending, are held out: of a half every second, beginning with the second. */
export function isHeldOut(index: number, fraction: number): boolean {
  return Math.floor((index + 1) * fraction + 1e-9) > Math.floor(index * fraction + 1e-9);
}

/** Sums of errors. @param errors with or without sign; 0.1 is 10 % */
export function rowErrors(errors: readonly number[]): RowErrors | null {
  if (errors.length === 0) return null;
  const sorted = errors.map(Math.abs).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return {
    rows: sorted.length,
    median: sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2,
    p90: sorted[Math.ceil(0.9 * sorted.length) - 1]!,
    worst: sorted.at(-1)!,
  };
}
