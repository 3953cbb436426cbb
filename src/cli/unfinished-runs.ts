// Runs that did not come to their end are read like others: whoever looks at their figures is told.

import type { RunReader } from '../storage/run-reader.js';

/** Says on standard error which of some runs were stopped or blocked: their tables hold the flows that had finished. */
export function tellUnfinished(stderr: { write(text: string): unknown }, runs: readonly RunReader[]): void {
  for (const { shown, manifest } of runs) {
    const outcome = manifest?.outcome ?? '';
    if (outcome === 'ended')
      stderr.write(`${shown}: note: this run ended at its stopTime; unfinished flows stand in unfinished.parquet\n`);
    else if (outcome !== '' && outcome !== 'finished')
      stderr.write(`${shown}: warning: this run was ${outcome}\n  found: only the flows that had finished then\n`);
  }
}
