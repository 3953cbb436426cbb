// `npx weft` for tests that run the commands of a page in a folder of their own: the program of this clone.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Writes a program `npx` that knows `weft` alone. @param folder that the test puts on its PATH */
export function writeNpx(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\n[ "$1" = weft ] || exit 99\nshift\nexec '${process.execPath}' '${program}' "$@"\n`;
  writeFileSync(join(folder, 'npx'), script, { mode: 0o755 });
}
