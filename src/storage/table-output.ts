// The contract of what turns the batches of one table into one file of a run directory.

import type { Batch } from '../records/schema.js';

/** Writes the batches of one table to one file, in order. */
export interface TableOutput {
  put(batch: Batch): void;
  /** Appends what is still held back: the run has ended. */
  end(): void;
}
