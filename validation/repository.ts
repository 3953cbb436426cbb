// Where the repository and its reference data lie, from the sources as well as from the build.

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json, above this file. */
export const repositoryFolder = folderAbove(dirname(fileURLToPath(import.meta.url)));

function folderAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder) throw new Error('no package.json above the validation program');
  return folderAbove(dirname(folder));
}

/**
 * The folder of the reference data.
 * @param named the value of WEFT_REFERENCE; relative paths are seen from the repository
 * @returns its absolute path; `present` is false only without a name
 * @throws Error if a folder was named and is not there
 */
export function referenceFolder(named: string | undefined): { readonly path: string; readonly present: boolean } {
  const path = resolve(repositoryFolder, named || '../shared/reference');
  const present = existsSync(path);
  if (!present && named)
    throw new Error(
      `WEFT_REFERENCE is ${named}, but there is no ${path}: correct it, or unset it to skip the comparisons with reference data`,
    );
  return { path, present };
}
