// A file of measurements in whichever form it has, seen from its text: nccl-tests (and `weft collective`), NCCL
// Inspector, perftest. Invariant: a file that is not read is an error; nothing is guessed from its name.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import type { MeasuredTable } from './measured-rows.js';
import { readNcclInspector } from './nccl-inspector.js';
import { readNcclTests } from './nccl-tests.js';
import { isPerftest, type PerftestTable, readPerftest } from './perftest.js';

/** All that a file measured. */
export interface Measurements {
  readonly form: 'nccl-tests' | 'nccl-inspector' | 'perftest';
  readonly collectives: readonly MeasuredTable[];
  readonly transfers: readonly PerftestTable[];
}

/**
 * Reads a file of measurements in whichever form it has.
 * @returns what was measured; null after at least one error
 */
export function readMeasurements(text: string, file: string, diagnostics: Diagnostics): Measurements | null {
  const problems = new FileProblems(file, diagnostics);
  let measurements: Measurements;
  if (/^\uFEFF?\s*(?:\{|\[\s*[{\]])/.test(text))
    measurements = {
      form: 'nccl-inspector',
      collectives: readNcclInspector(text, file, diagnostics),
      transfers: [],
    };
  else if (isPerftest(text))
    measurements = { form: 'perftest', collectives: [], transfers: readPerftest(text, file, diagnostics) };
  else measurements = { form: 'nccl-tests', collectives: readNcclTests(text, file, diagnostics), transfers: [] };
  return problems.failed ? null : measurements;
}
