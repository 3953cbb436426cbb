// What pages load, as the build put it into dist/program (bundle.mjs).

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InputError } from '../base/diagnostics.js';

/** A file or folder that was built. @param path below dist/program, such as `report/page.js` @throws InputError if it is not there */
export function builtPart(path: string): URL {
  const url = new URL(`../program/${path}`, import.meta.url);
  if (existsSync(fileURLToPath(url))) return url;
  throw InputError.about('not-built', fileURLToPath(url), 'what pages load has not been built', {
    hint: 'npm run build makes it',
  });
}
