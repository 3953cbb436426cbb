// Debian's Chromium, for the test of the page: where it is missing the test is skipped and the run says so once
// (`setup`, vitest.config.ts); .ci/run installs it.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where it is; null if it is not installed. */
export function chromiumPath(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'].filter((folder) => folder !== '');
  for (const folder of folders) for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  return null;
}

/** Called by vitest once per run, before any test. */
export function setup(): void {
  if (chromiumPath() === null)
    process.stdout.write('not installed: chromium; the test of the page in a browser is skipped (Debian: chromium)\n');
}
