// Where Debian's Chromium is, for what looks at a page in a browser.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where it is; null if it is not installed. */
export function chromiumPath(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'].filter((folder) => folder !== '');
  for (const folder of folders) for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  return null;
}
