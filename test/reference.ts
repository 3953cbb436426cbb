// Where the reference data lies that results are compared with: the folder WEFT_REFERENCE, by default ../shared/reference beside
// the clone. Without the default folder those comparisons are skipped, and the run says so once, on a line of its own (vitest.config.ts,
// globalSetup). A WEFT_REFERENCE that names no folder is a mistake and fails the run.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));

/**
 * The folder of the reference data.
 * @param named the value of WEFT_REFERENCE; relative paths are seen from the repository
 * @returns its absolute path; `present` is false only without a name
 * @throws Error if a folder was named and is not there
 */
export function referenceFolder(named: string | undefined): { readonly path: string; readonly present: boolean } {
  const path = resolve(repository, named || '../shared/reference');
  const present = existsSync(path);
  if (!present && named) throw new Error(`WEFT_REFERENCE is ${named}, but there is no ${path}: correct it, or unset it to skip the comparisons with reference data`);
  return { path, present };
}

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
