// Where the reference data lies that results are compared with: the folder WEFT_REFERENCE, by default
// ../shared/reference beside the clone. Without the default folder those comparisons are skipped, and the run says so
// once, on a line of its own (vitest.config.ts, globalSetup). A WEFT_REFERENCE that names no folder is a mistake and
// fails the run.

import { join } from 'node:path';
import { referenceFolder } from '../validation/repository.js';

/**
 * A file or folder of the reference data. Write `it.skipIf(referencePath('simai') === null)(...)`.
 * @returns its absolute path, or null if there is no reference data at all
 */
export function referencePath(...parts: string[]): string | null {
  const { path, present } = referenceFolder(process.env['WEFT_REFERENCE']);
  return present ? join(path, ...parts) : null;
}

/** Called by vitest once per run, before any test. */
export function setup(): void {
  const { path, present } = referenceFolder(process.env['WEFT_REFERENCE']);
  if (!present) process.stdout.write(`reference data not found at ${path}: comparisons skipped\n`);
}
