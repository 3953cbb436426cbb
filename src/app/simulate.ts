// The one composition: a plan becomes a fabric with routes, a network and an executor; it is driven in slices until it ends.

import { fail } from '../base/fail.js';
import type { Host } from '../base/host.js';
import type { RecordSink } from '../records/schema.js';
import type { Plan } from '../scenario/plan.js';
import type { Progress, RunSummary } from './run-summary.js';

export interface SimulateOptions {
  readonly host: Host;
  /** where records go besides the digest and the statistics */
  readonly sink?: RecordSink;
  /** called between slices */
  readonly onProgress?: (progress: Progress) => void;
  /** asked between slices; true ends the run cleanly with the outcome `stopped` */
  readonly stopRequested?: () => boolean;
  /** events per slice; never affects results */
  readonly sliceEvents?: number;
}

/**
 * Runs a plan to its end.
 * @returns the figures of the run; the records went to the sink
 * @throws InvariantError if Weft contradicts itself
 */
export function simulate(_plan: Plan, _options: SimulateOptions): Promise<RunSummary> {
  return fail('not wired yet');
}
