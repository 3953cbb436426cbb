// Runs whose figures may not be what they seem are read like others: whoever looks at them is told.

import type { RunReader } from '../storage/run-reader.js';

/** Standard error. */
export interface Told {
  write(text: string): unknown;
}

/** Says on standard error which of some runs were stopped or blocked: their tables hold the flows that had finished. */
export function tellUnfinished(stderr: Told, runs: readonly RunReader[]): void {
  for (const { shown, manifest } of runs) {
    const outcome = manifest?.outcome ?? '';
    if (outcome === 'ended')
      stderr.write(`${shown}: note: this run ended at its stopTime; unfinished flows stand in unfinished.parquet\n`);
    else if (outcome !== '' && outcome !== 'finished')
      stderr.write(`${shown}: warning: this run was ${outcome}\n  found: only the flows that had finished then\n`);
  }
}

/** Says which folders hold no digests of their files. */
export function tellUnchecked(stderr: Told, runs: readonly RunReader[]): void {
  for (const { shown, manifest } of runs)
    if (manifest !== null && manifest.digests === null)
      stderr.write(
        `${shown}: note: its manifest has no digests of its files, so a change in them is not seen\n` +
          '  hint:   an older weft wrote it; run it again to have them\n',
      );
}
