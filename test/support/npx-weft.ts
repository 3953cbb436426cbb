// `npx weft` for tests that run the commands of a page in a folder of their own: the program of this clone, without npm,
// which takes a third of a second to find it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/**
 * Writes a program `npx` that knows `weft` alone.
 * @param folder that the test puts on its PATH
 * @param program dist/cli/main.js of another clone
 */
export function writeNpx(folder: string, program = own): void {
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\n[ "$1" = weft ] || exit 99\nshift\nexec '${process.execPath}' '${program}' "$@"\n`;
  writeFileSync(join(folder, 'npx'), script, { mode: 0o755 });
}
