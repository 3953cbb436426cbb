// Where the built form of a module is: processes and threads run what `tsc -b` made, also if the sources ask (tests).

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The module itself; if it stands in `src` without having been built there, its counterpart in `dist`. */
export function builtFile(module: URL): URL {
  if (existsSync(fileURLToPath(module))) return module;
  return new URL(module.href.replace(/\/src\/(?!.*\/src\/)/, '/dist/'));
}
