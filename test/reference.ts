// Where the reference data lies that results are compared with: the folder WEFT_REFERENCE, by default ../shared/reference beside
// the clone. Without it those comparisons are skipped, and the run says so once, on a line of its own (vitest.config.ts, globalSetup).

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(repository, process.env['WEFT_REFERENCE'] || '../shared/reference');

/**
 * A file or folder of the reference data. Write `it.skipIf(referencePath('simai') === null)(...)`.
 * @returns its absolute path, or null if there is no reference data at all
 */
export function referencePath(...parts: string[]): string | null {
  return existsSync(folder) ? join(folder, ...parts) : null;
}

/** Called by vitest once per run, before any test. */
export function setup(): void {
  if (!existsSync(folder)) process.stdout.write(`reference data not found at ${folder}: comparisons skipped\n`);
}
