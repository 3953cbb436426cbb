// A row of the sweep as a task of a worker process (campaign/run-pool.ts).

import { type SweepCase, type SweepRow, sweepRow } from './sweep.js';

/** Carries out one case. */
export default function performRow(_shared: null, one: SweepCase): Promise<SweepRow> {
  return sweepRow(one);
}
