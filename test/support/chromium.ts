// Debian's Chromium, for the tests of pages: where it is missing they are skipped and the run says so once
// (`setup`, vitest.config.ts); .ci/run installs it.

import { chromiumPath } from '../../validation/chromium-path.js';

export { chromiumPath };

/** Called by vitest once per run, before any test. */
export function setup(): void {
  if (chromiumPath() === null)
    process.stdout.write('not installed: chromium; the test of the page in a browser is skipped (Debian: chromium)\n');
}
